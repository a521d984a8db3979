"""Rate everybody in match files: read them, have the engine analyse what the store lacks, write tables and pages.

What a user may have got wrong is checked first, before anything is read or written and before pandas is imported.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgrating.collection.addresses import PROVENANCE, match_pages, player_pages
from bgrating.collection.aliases import known_name, persons, read_aliases
from bgrating.collection.analysis import Analyst
from bgrating.collection.export import check_export, require_one_page
from bgrating.collection.listing import list_paths, with_members
from bgrating.collection.readings import CollectionReading, read_collection
from bgrating.collection.store import Kept, default_path
from bgrating.engine import levels
from bgrating.engine.levels import NO_LUCK
from bgrating.engine.locate import Engine, find_engine
from bgrating.rating.calculator import MOST_OFFSET
from bgrating.rating.files import FITTED, PUBLISHED, depth_table, field_table, formula_file
from bgrating.settings import SettingsError
from bgrating.tables.folder import alone, check_folder, check_name, name_of
from bgrating.tables.provenance import product_version, sha256, write_atomic

if TYPE_CHECKING:
    import pandas as pd

    from bgrating.rating.choose import RatingModel

ANSWER, PAGES, OUTSIDE = "summary.txt", "pages.json", "outside.json"
OLDER = ("readings.jsonl", "human_tables.provenance.json")
"""Files that versions before the store kept beside their tables."""
STORES = "store"
"""The folder beside the tables in which a cluster keeps what was read and analysed."""
REASONS = 5
"""Reasons that are named where no match could be read."""


@dataclass(frozen=True)
class RateRequest:
    """What is asked for.

    `paths`: files, folders, archives. `results`: the folder that gets tables and pages below human/<name>; None: none
    are written. `name`: of the results, empty for that of the paths. `level` and `luck`: how the engine judges.
    `player`: who gets to be named in the answer. `formula`: fitted, published, published-2003, or a file.
    `engine`, `nets`: as find_engine takes them. `store`: its file, None for none. `cores`: 0 for all. `export`: the
    file that export() (export.py) will write, which must be possible.
    """

    paths: Sequence[Path]
    results: Path | None = None
    name: str = ""
    level: str = "0-ply"
    luck: bool = True
    player: str = ""
    formula: str = "fitted"
    aliases: Path | None = None
    offset: float = 2050.0
    engine: str = ""
    nets: str = ""
    store: Path | None = field(default_factory=default_path)
    cores: int = 0
    export: Path | None = None


class Watcher:
    """Whom a run tells how far it is; this one is silent."""

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """Hear that so many of so many things are done, and how long the rest takes, where that is known."""

    def say(self, sentence: str) -> None:
        """Hear what the user is to be told beside the answer."""


@dataclass(frozen=True)
class CheckedRequest:
    """A request that can be met: real paths, the folder of the results, the level, the engine and the aliases."""

    request: RateRequest
    paths: tuple[Path, ...]
    name: str
    folder: Path | None
    level: levels.Analysis
    engine: Engine
    aliases: Mapping[str, str]


@dataclass(frozen=True)
class RateResult:
    """A rated collection: how it was made, the answer in words, and its tables as data frames.

    `folder` holds the tables, where they were wanted. `player` is the name in the tables of the player that was asked
    for. `undone` are the reasons why this machine could not analyse matches: the next run tries them again. `told`:
    what the user is to know beside that.
    """

    name: str
    folder: Path | None
    facts: Mapping[str, Any]
    answer: str
    player: str
    undone: Sequence[str] = ()
    told: Sequence[str] = ()
    unwritten: Mapping[str, "pd.DataFrame"] = field(default_factory=dict)

    @property
    def files(self) -> "pd.DataFrame":
        """One row per file: its status, and why."""
        return self._table("files")

    @property
    def matches(self) -> "pd.DataFrame":
        return self._table("matches")

    @property
    def players(self) -> "pd.DataFrame":
        """One row per player, those with most matches first."""
        return self._table("players")

    @property
    def decisions(self) -> "pd.DataFrame":
        """One row per decision of every match, in the order of play."""
        return self._table("decisions")

    def _table(self, name: str) -> "pd.DataFrame":
        if self.folder is None:
            return self.unwritten[name]
        import pandas as pd  # noqa: PLC0415

        from bgrating.tables.tables import read_table  # noqa: PLC0415

        is_large = name == "decisions"
        return pd.read_parquet(self.folder / f"{name}.parquet") if is_large else read_table(self.folder / f"{name}.csv")


def check(request: RateRequest) -> CheckedRequest:
    """Check a request without reading a match or writing anything. Raises SettingsError or EngineError."""
    paths = tuple(dict.fromkeys(path.resolve() for path in request.paths))
    for given, path in zip(request.paths, (path.resolve() for path in request.paths), strict=True):
        if not path.exists():
            raise SettingsError(f"there is no file or folder {given}")
    if not paths:
        raise SettingsError("rate wants match files, or a folder of them")
    name = request.name or _name_of(paths)
    check_name(name)
    if not abs(request.offset) <= MOST_OFFSET:
        raise SettingsError(
            f"offset {request.offset:g}: a rating is a number from {-MOST_OFFSET:,.0f} to {MOST_OFFSET:,.0f}"
        )
    level = levels.analysis(request.level if request.luck else request.level.removesuffix(NO_LUCK) + NO_LUCK)
    aliases = read_aliases(request.aliases) if request.aliases else {}
    engine = find_engine(request.engine, request.nets)
    nets, formula = engine.known.nets, request.formula
    if formula not in PUBLISHED and not formula_file(formula, nets).is_file():
        raise SettingsError(
            f"formula {formula}: there is no file {formula_file(formula, nets)}"
            + ("" if formula == FITTED else "; formulas are fitted, published, published-2003")
        )
    if request.export:
        check_export(request.export, request.player)
    folder = request.results / "human" / name if request.results else None
    if folder:
        check_folder(folder, PROVENANCE, OLDER, STORES)
    return CheckedRequest(request, paths, name, folder, level, engine, aliases)


def rate(request: RateRequest, watcher: Watcher | None = None) -> RateResult:
    """Rate everybody in match files; write tables where the request names a folder of results.

    Where the same was asked of the same files before, its tables stay. Raises SettingsError, EngineError, FormulaError
    or StoreError, before anything of the results is touched.
    """
    checked, watcher = check(request), watcher or Watcher()
    files = list_paths(checked.paths, request.results or Path(os.devnull))
    with (
        closing(Kept(request.store, watcher.say)) as kept,
        closing(Analyst(checked.engine, checked.level, kept, request.cores or os.cpu_count() or 1)) as analyst,
    ):
        reading = CollectionReading()
        for reading in read_collection(with_members(files), analyst):
            watcher.step("files read", len(reading.lines), len(files))
            analyst.take()
        if request.export:
            require_one_page(request.export, request.player, len(reading.wanted()))
        made_from = _made_from(checked, reading, analyst.judge)
        if not analyst.wanted and (before := _result_before(checked, made_from)):
            return before
        if request.player and not reading.engine_only:
            known_name(request.player, sorted(set(persons(reading.pairs, checked.aliases)[0].values())))
        # Imports pandas, while the engine is at work; a formula that cannot be used ends the run here.
        from bgrating.rating.choose import choose  # noqa: PLC0415

        model = choose(request.formula, checked.engine.known.nets, checked.level.name)
        watcher.step("matches analysed", analyst.done, analyst.wanted)
        while analyst.take(wait=True):
            watcher.step("matches analysed", analyst.done, analyst.wanted, analyst.seconds_left())
        return _result(checked, reading, analyst, kept, model, made_from)


def _result(
    checked: CheckedRequest,
    reading: CollectionReading,
    analyst: Analyst,
    kept: Kept,
    model: "RatingModel",
    made_from: str,
) -> RateResult:
    """Make the tables, and write them where they are wanted."""
    from bgrating.collection.accounts import Analysed  # noqa: PLC0415
    from bgrating.collection.tables import answer, make_tables, write_tables  # noqa: PLC0415
    from bgrating.decisions.files import decisions_of  # noqa: PLC0415

    request = checked.request
    evaluations: list[Any] = []
    keys = [key for key in reading.wanted() if key not in analyst.problems]
    analysed = Analysed.of(_noting(kept.values(keys, analyst.judge), evaluations), analyst.problems)
    made = make_tables(
        reading, analysed, checked.aliases, model, request.offset, field_table(checked.engine.known.nets)
    )
    require_matches(made.files, checked.paths)
    player = known_name(request.player, made.players["player"].tolist()) if request.player else ""
    facts = {
        "collection": str(checked.paths[0]) if len(checked.paths) == 1 else list(map(str, checked.paths)),
        "analysis": checked.level.name,
        "coefficients": request.formula,
        **analyst.facts(),
        "opening_evaluation": evaluations[0] if len(evaluations) == 1 else evaluations or None,
        "formula": model.words,
        "offset": request.offset,
        "aliases": len(checked.aliases),
        "nets": checked.engine.known.nets,
        "player": player,
        "made_from": "" if analyst.undone else made_from,
    }
    words = answer(made, model, request.offset, facts)
    told: list[str] = []

    def decisions(key: str) -> bytes:
        return kept.decisions(key, analyst.judge)

    if checked.folder:
        with alone(checked.folder):
            rated_before = _facts_before(checked.folder).get("collection", facts["collection"])
            told = write_tables(made, decisions, checked.folder, facts, request.offset, request.aliases)
            write_atomic(checked.folder / ANSWER, words + "\n")
        if rated_before != facts["collection"]:
            told.append(f"{checked.folder} had the results of {rated_before} before; --name NAME keeps both")
    frames = {"files": made.files, "matches": made.matches, "players": made.players}
    return RateResult(
        name=checked.name,
        folder=checked.folder,
        facts=facts,
        answer=words,
        player=player,
        undone=[analyst.problems[key] for key in sorted(analyst.undone)],
        told=told,
        unwritten={} if checked.folder else frames | {"decisions": decisions_of(made.matches, decisions).to_pandas()},
    )


def _made_from(checked: CheckedRequest, reading: CollectionReading, judge: str) -> str:
    """Return a hash of all that the tables depend on: the files, the settings, the formula, the code."""
    nets, formula = checked.engine.known.nets, checked.request.formula
    used = [formula_file(formula, nets)] if formula not in PUBLISHED else []
    used += [path.with_name(OUTSIDE) for path in used] + [field_table(nets), depth_table(nets)]
    about = (
        judge, checked.level.name, formula, checked.request.offset, sorted(checked.aliases.items()),
        checked.request.player,
        list(map(str, checked.paths)), [path.read_bytes() for path in used if path.is_file()], product_version(),
    )  # fmt: skip
    key = hashlib.sha256(repr(about).encode())
    for line in reading.lines:
        key.update(line + b"\n")
    return key.hexdigest()


def _result_before(checked: CheckedRequest, made_from: str) -> RateResult | None:
    """Return the result that is in the folder where it was made from the same; None where it is not, or was changed."""
    if checked.folder is None:
        return None
    try:
        facts = _facts_before(checked.folder)
        words = (checked.folder / ANSWER).read_text(encoding="utf-8").rstrip("\n")
        same = facts.get("made_from") == made_from and all(
            sha256(checked.folder / name) == table["sha256"] for name, table in facts["written"].items()
        )
    except (OSError, ValueError, KeyError):
        return None
    return RateResult(checked.name, checked.folder, facts, words, facts["player"]) if same else None


def _facts_before(folder: Path) -> dict[str, Any]:
    """Return how the tables of a folder were made; nothing where there are none, or the facts are damaged."""
    try:
        facts: dict[str, Any] = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return facts


def write_pages(result: RateResult, watcher: Watcher | None = None) -> list[Path]:
    """Write the pages of a rated collection, unless those that are there are made from the same.

    Of pages that are there only those go that were written here before. Returns the first page, and that of the player
    who was asked for or of the only match.
    """
    folder = result.folder
    assert folder, "pages stand beside tables"
    page, listed = folder / "report.html", folder / PAGES
    with alone(folder):
        before = _pages_before(listed)
        made_from = result.facts["made_from"]
        if made_from and before.get("made_from") == made_from and page.is_file():
            return [folder / name for name in before["shown"]]
        from bgrating.collection.page import Collection  # noqa: PLC0415
        from bgrating.collection.site import site_files, write_site  # noqa: PLC0415
        from bgrating.index import write_index  # noqa: PLC0415
        from bgrating.rating.choose import choose  # noqa: PLC0415
        from bgrating.tables.provenance import read_provenance  # noqa: PLC0415

        facts = read_provenance(folder / "players.csv")
        model = choose(facts["coefficients"], facts["nets"], facts["analysis"])
        tables = result.files, result.matches, result.players
        collection = Collection(result.name, *tables, model, facts["offset"], facts)
        pairs = dict.fromkeys(zip(tables[1]["file"], tables[1]["match"], strict=True))
        asked_page = player_pages(tables[2]["player"]).get(result.player)
        asked_page = asked_page or (
            None if result.player or len(pairs) > 1 else next(iter(match_pages(pairs).values()))
        )
        first_pages = ["report.html", *([asked_page] if asked_page else [])]
        files = site_files(collection)
        # Whatever ends this run, the next one knows what is ours.
        write_atomic(listed, json.dumps({"files": sorted({*files, *before["files"]})}) + "\n")
        write_site(
            collection, folder / "decisions.parquet", folder,
            lambda count: (watcher or Watcher()).step("pages", count, len(files)),
        )  # fmt: skip
        for old in set(before["files"]) - set(files):
            (folder / old).unlink(missing_ok=True)
        write_atomic(listed, json.dumps({"made_from": made_from, "shown": first_pages, "files": sorted(files)}) + "\n")
    for sentence in write_index(folder.parents[1]):
        (watcher or Watcher()).say(sentence)
    return [folder / name for name in first_pages]


def _pages_before(listed: Path) -> dict[str, Any]:
    """Return what the list of pages says of those that are there; that there are none where it is damaged."""
    try:
        listing: dict[str, Any] = json.loads(listed.read_text(encoding="utf-8"))
        return listing if isinstance(listing["files"], list) else {"files": []}
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return {"files": []}


def require_matches(files: "pd.DataFrame", paths: Sequence[object]) -> None:
    """Raise SettingsError, naming the reasons, where none of the files (rows of files.csv) gave a match."""
    bad = files[files["status"].isin(["rejected", "duplicate"])]
    if len(bad) < len(files):
        return
    first = bad.drop_duplicates("reason").head(REASONS)
    reasons = "; ".join(f"{file}: {reason}" for file, reason in zip(first["file"], first["reason"], strict=True))
    raise SettingsError(f"no match could be read in {', '.join(map(str, paths))}: {reasons or 'the folder is empty'}")


def _name_of(paths: Sequence[Path]) -> str:
    name = name_of(paths[0], "collection")
    return name if len(paths) == 1 else f"{name}-and-{len(paths) - 1}-more"


def _noting(values: Iterator[tuple[str, Any]], evaluations: list[Any]) -> Iterator[tuple[str, Any]]:
    """Pass on what the engine said, and note what chances it gave the opening position."""
    for key, value in values:
        if value["opening_evaluation"] not in evaluations:
            evaluations.append(value["opening_evaluation"])
        yield key, value
