"""Rate everybody in match files: read them, have the engine analyse what the store lacks, write tables and pages.

What a user may have got wrong is checked first, before anything is read or written and before pandas is imported.
"""

import os
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgrating.analysis.analyst import Analyst
from bgrating.analysis.store import Kept, default_path
from bgrating.collection.readings import CollectionReading, beside, contents, read_collection
from bgrating.engine import levels
from bgrating.engine.levels import NO_LUCK
from bgrating.engine.locate import Engine, find_engine
from bgrating.files.listing import list_paths, with_members
from bgrating.people.aliases import known_name, persons, read_aliases
from bgrating.rating.calculator import MOST_OFFSET
from bgrating.rating.files import FITTED, PUBLISHED, field_table, formula_file
from bgrating.settings import SettingsError
from bgrating.site.addresses import MOST_PAGES, PROVENANCE, match_pages, player_pages
from bgrating.site.export import check_export, require_one_page
from bgrating.tables.folder import check_folder, check_name, name_of, writing

if TYPE_CHECKING:
    import pandas as pd

    from bgrating.analysis.second_look import SecondLook
    from bgrating.collection.tables import Tables
    from bgrating.rating.choose import RatingModel

DECISIONS = "decisions.parquet"
PAGES = ("players", "matches")
"""The folders of pages."""
STORES = "store"
"""The folder beside the tables in which a cluster keeps what was read and analysed."""
LONG = 3.0
"""Seconds of one core that the luck of matches must take for a first answer to come without it."""
CHECKS = ("none", "shown", "all")
REASONS = 5
"""Reasons that are named where no match could be read."""


@dataclass(frozen=True)
class RateRequest:
    """What is asked for.

    `paths`: files, folders, archives. `results`: the folder that gets tables and pages below human/<name>; None: none
    are written. `name`: of the results, empty for that of the paths. `level` and `luck`: how the engine judges.
    `player`: who gets to be named in the answer. `formula`: fitted, published, published-2003, or a file.
    `engine`, `nets`: as find_engine takes them. `store`: its file, None for none. `cores`: 0 for all. `export`: the
    file that export() (export.py) will write, which must be possible. `check`: what is judged again (second_look.py).
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
    check: str = "none"


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

    `folder` holds the tables, where they were wanted. `files` has a row per file: its status, and why. `players` has a
    row per player, those with most matches first. `model` is the formula that rated them. `player` is the name in the
    tables of the player that was asked for. `undone` are the reasons why this machine could not analyse matches: the
    next run tries them again. `told`: what the user is to know beside that. `is_first`: luck is still to come, and so
    are tables and decisions.
    """

    name: str
    folder: Path | None
    facts: Mapping[str, Any]
    answer: str
    player: str
    files: "pd.DataFrame"
    matches: "pd.DataFrame"
    players: "pd.DataFrame"
    model: "RatingModel"
    undone: Sequence[str] = ()
    told: Sequence[str] = ()
    unwritten: "pd.DataFrame | None" = None
    is_first: bool = False

    @property
    def decisions(self) -> "pd.DataFrame":
        """One row per decision of every match, in the order of play."""
        if self.unwritten is not None:
            return self.unwritten
        assert self.folder
        from bgrating.decisions.files import opened  # noqa: PLC0415

        decisions: pd.DataFrame = opened(self.folder / DECISIONS, self.facts["decisions_sha256"]).read().to_pandas()
        return decisions


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
    if request.check not in CHECKS:
        raise SettingsError(f"--check {request.check}: choose one of {', '.join(CHECKS)}")
    if request.export:
        check_export(request.export, request.player)
    folder = request.results / "human" / name if request.results else None
    if folder:
        check_folder(folder, PROVENANCE, STORES)
    return CheckedRequest(request, paths, name, folder, level, engine, aliases)


def rate(request: RateRequest, watcher: Watcher | None = None) -> RateResult:
    """Rate everybody in match files; write tables where the request names a folder of results.

    Raises SettingsError, EngineError, FormulaError or StoreError, before anything of the results is touched.
    """
    *_, result = rated(request, watcher, luck_last=False)
    return result


def rated(request: RateRequest, watcher: Watcher | None = None, *, luck_last: bool = True) -> Generator[RateResult]:
    """Do what `rate` does, and yield its result twice where decisions are judged again: before that, and after.

    Where luck takes long, a first result comes without it, unless `luck_last` is false.
    """
    checked, watcher = check(request), watcher or Watcher()
    files = list_paths(checked.paths, request.results or Path(os.devnull))
    cores = request.cores or os.cpu_count() or 1
    with (
        closing(Kept(request.store, watcher.say)) as kept,
        closing(Analyst(checked.engine, checked.level, kept, cores, luck_last=luck_last)) as analyst,
    ):
        reading = CollectionReading()
        for reading in read_collection(with_members(files), analyst):
            watcher.step("files read", len(reading.lines), len(files))
            analyst.take()
        if request.export:
            require_one_page(request.export, request.player, len(reading.wanted()))
        if request.player:
            known_name(request.player, sorted(set(persons(reading.pairs, checked.aliases)[0].values())))
        # Imports pandas, while the engine is at work; a formula that cannot be used ends the run here.
        from bgrating.rating.choose import choose  # noqa: PLC0415

        model = choose(request.formula, checked.engine.known.nets, checked.level.name)
        watcher.step("matches analysed", analyst.done, analyst.wanted)
        while analyst.take(wait=True):
            watcher.step("matches analysed", analyst.done, analyst.wanted, analyst.seconds_left())
        is_long = analyst.seconds_of_luck() > LONG
        analyst.begin_luck()
        if is_long:
            from bgrating.collection.tables import answer  # noqa: PLC0415

            made, facts = _made(checked, reading, analyst, model, luck=False)
            words = answer(made, model, request.offset, facts | {"luck_to_come": True})
            yield RateResult(
                checked.name, None, facts, words, facts["player"], made.files, made.matches, made.players, model,
                is_first=True,
            )  # fmt: skip
        while analyst.take(wait=True):
            watcher.step("matches with luck", analyst.done, analyst.wanted, analyst.seconds_left())
        analyst.rest()
        made, facts = _made(checked, reading, analyst, model)

        def decisions(key: str) -> bytes:
            return analyst.found(key).decisions

        from bgrating.analysis.second_look import SecondLook  # noqa: PLC0415

        look = SecondLook(checked.engine, kept, made.matches, decisions, beside(reading))
        of_key = {match["key"]: line["file"] for line in reading for match in line["matches"] if match["key"]}
        said = look.plan(request.check, checked.level)
        yield _result(checked, made, model, facts, look, decisions, analyst, [said] if said else [])
        told = list[str]()
        while pending := set(look.pending):
            again = {of_key[key] for key in pending}
            named = [file for file in with_members(files) if file.name in again]
            told.append(look.run(contents(named, pending), cores, watcher.step))
        if told:
            yield _result(checked, made, model, facts, look, decisions, analyst, told)


def _made(
    checked: CheckedRequest, reading: CollectionReading, analyst: Analyst, model: "RatingModel", *, luck: bool = True
) -> tuple["Tables", dict[str, Any]]:
    """Make the tables, and the facts of how they were made; without `luck` from what is there before it."""
    from bgrating.collection.accounts import Analysed  # noqa: PLC0415
    from bgrating.collection.tables import make_tables  # noqa: PLC0415

    request = checked.request
    about: dict[str, list[Any]] = {"engine": [], "opening_evaluation": []}
    keys = [key for key in reading.wanted() if key not in analyst.problems]
    analysed = Analysed.of(_noting(analyst, keys, about, luck=luck), analyst.problems)
    made = make_tables(
        reading, analysed, checked.aliases, model, request.offset, field_table(checked.engine.known.nets)
    )
    require_matches(made.files, checked.paths)
    facts: dict[str, Any] = {
        "collection": str(checked.paths[0]) if len(checked.paths) == 1 else list(map(str, checked.paths)),
        "analysis": checked.level.name,
        "coefficients": request.formula,
        **{name: found[0] if len(found) == 1 else found or None for name, found in about.items()},
        "formula": model.words,
        "offset": request.offset,
        "aliases": len(checked.aliases),
        "nets": checked.engine.known.nets,
        "player": known_name(request.player, made.players["player"].tolist()) if request.player else "",
        "remarks": made.remarks,
    }
    if made.field:
        facts["field"] = asdict(made.field) | {"words": made.field.words(request.offset)}
    return made, facts


def _result(
    checked: CheckedRequest, made: "Tables", model: "RatingModel", facts: dict[str, Any], look: "SecondLook",
    decisions: Callable[[str], bytes], analyst: Analyst, told: list[str],
) -> RateResult:  # fmt: skip
    from bgrating.collection.tables import answer, write_tables  # noqa: PLC0415
    from bgrating.decisions.files import decisions_of  # noqa: PLC0415
    from bgrating.tables.dictionary import columns  # noqa: PLC0415

    request = checked.request
    words = answer(made, model, request.offset, facts)
    facts = facts | {"check": f"{look.scope}, unfinished" if look.is_unfinished else look.scope}
    if checked.folder:
        facts["decisions_sha256"] = write_tables(
            made, decisions, words, checked.folder, facts, request.aliases, told.append, look.of
        )
    return RateResult(
        name=checked.name,
        folder=checked.folder,
        facts=facts,
        answer=words,
        player=facts["player"],
        files=made.files,
        matches=made.matches[columns("human/matches")],
        players=made.players,
        model=model,
        undone=[analyst.problems[key] for key in sorted(analyst.undone)],
        told=told,
        unwritten=None if checked.folder else decisions_of(made.matches, decisions, look.of).to_pandas(),
    )


def write_pages(result: RateResult, watcher: Watcher | None = None) -> list[Path]:
    """Write the pages of a rated collection; of pages that are there only those go that were written here before.

    Returns the first page, and that of the player who was asked for or of the only match.
    """
    from bgrating.decisions.files import by_part  # noqa: PLC0415
    from bgrating.index import write_index  # noqa: PLC0415
    from bgrating.site.collection_page import Collection  # noqa: PLC0415
    from bgrating.site.site import write_site  # noqa: PLC0415

    folder, watcher = result.folder, watcher or Watcher()
    assert folder, "pages stand beside tables"
    tables = result.files, result.matches, result.players
    collection = Collection(result.name, *tables, result.model, result.facts["offset"], result.facts)
    pairs = dict.fromkeys(zip(result.matches["file"], result.matches["match"], strict=True))
    total = 1 + min(MOST_PAGES, len(pairs)) + min(MOST_PAGES, len(result.players))
    former = [f"{name}/{path.name}" for name in PAGES for path in (folder / name).glob("*.html")]
    decisions = by_part(folder / DECISIONS, result.facts["decisions_sha256"])
    with writing(folder, watcher.say, former=former) as new:
        same = write_site(collection, decisions, new, lambda count: watcher.step("pages", count, total), folder)
        former[:] = [name for name in former if name not in same]
    for sentence in write_index(folder.parents[1]):
        watcher.say(sentence)
    asked = player_pages(result.players["player"]).get(result.player)
    only = next(iter(match_pages(result.matches).values())) if len(pairs) == 1 and not result.player else None
    return [folder / name for name in ("report.html", asked or only) if name]


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


def _noting(
    analyst: Analyst, keys: Sequence[str], about: Mapping[str, list[Any]], *, luck: bool
) -> Iterator[tuple[str, Any]]:
    """Yield what the engine said of contents; note what it was, and what chances it gave the opening position."""
    for key in keys:
        value = analyst.found(key, luck=luck).value
        for name, found in about.items():
            if value[name] not in found:
                found.append(value[name])
        yield key, value
