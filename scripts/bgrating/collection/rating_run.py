"""Rate everybody in match files.

Read them, have the engine analyse what the store lacks, write tables and pages.

The request is checked first, before anything is read or written and before pandas is imported.
"""

import os
import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgmatch.records import Json, Record
from bgrating.analysis.analyst import Analyst
from bgrating.analysis.store import AnalysisStore
from bgrating.collection.listing import ListedFile, list_paths, with_members
from bgrating.collection.rate_request import CheckedRequest, RateRequest, check
from bgrating.collection.readings import (
    CollectionReading,
    EngineInputs,
    read_collection,
    xg_figures,
    xg_verdicts,
)
from bgrating.decisions.decision_rows import Place
from bgrating.decisions.thresholds import NONE
from bgrating.engine.levels import NO_LUCK
from bgrating.people.aliases import known_name, persons
from bgrating.rating.result_files import field_table
from bgrating.settings import SettingsError
from bgrating.site.addresses import MOST_PAGES, PROVENANCE, match_pages, player_pages
from bgrating.site.export import export, require_one_page
from bgrating.tables.folder import recorded, writing
from bgrating.tables.provenance import one_provenance

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from bgrating.analysis.second_look import SecondLook
    from bgrating.collection.rated_tables import Tables
    from bgrating.rating.choose import RatingModel

PAGES = ("players", "matches")
"""The folders of pages."""
LONG = 3.0
"""If luck takes longer than this (core seconds), show a first result without luck."""
AGAIN = 120.0
"""Seconds after which tables and pages are written again during the second look."""
CHECK_SECONDS = 0.07
"""Seconds of one core that a decision of the second look takes, about."""
REASONS = 5
"""Most reasons that the error names if no match could be read."""


class Progress:
    """Receives the progress and the notices of a run; this one ignores them."""

    def step(self, what: str, done: int, total: int, seconds_left: float | None = None) -> None:
        """Receive a step of the run.

        Parameters
        ----------
        what
            What is counted, for example "matches analysed".
        done, total
            How many are done, and of how many.
        seconds_left
            Seconds that the rest takes; None where nobody knows.
        """

    def say(self, sentence: str) -> None:
        """Receive a notice for the user."""


@dataclass(frozen=True)
class RateResult:
    """A rated collection: how it was made, the answer in words, and its tables as data frames.

    Attributes
    ----------
    name
        Name of the results.
    folder
        The folder of the tables; None if they were not written.
    facts
        Engine, checksums, level and formula.
    answer
        The lines that the command prints.
    player
        The requested player's name in the tables.
    files
        A row per file, with its status and reason.
    matches
        A row per match and player.
    players
        A row per player, those with most matches first.
    model
        The formula that rated them.
    failed_here
        Why this machine could not analyse some matches; the next run tries them again.
    notices
        Further sentences for the user.
    pages
        The first page, and that of the player or of the only match, once they are written.
    """

    name: str
    folder: Path | None
    facts: Record
    answer: str
    player: str
    files: "pd.DataFrame"
    matches: "pd.DataFrame"
    players: "pd.DataFrame"
    model: "RatingModel"
    failed_here: Sequence[str] = ()
    notices: Sequence[str] = ()
    unwritten: "pd.DataFrame | None" = None
    pages: Sequence[Path] = ()

    @property
    def decisions(self) -> "pd.DataFrame":
        """One row per decision of every match, in playing order."""
        if self.unwritten is not None:
            return self.unwritten
        assert self.folder
        from bgrating.collection.rated_tables import DECISIONS  # noqa: PLC0415
        from bgrating.decisions.decision_table import COLUMNS  # noqa: PLC0415
        from bgrating.tables.table_files import read_rows  # noqa: PLC0415

        return read_rows(self.folder / DECISIONS, COLUMNS)


def rate(request: RateRequest, progress: Progress | None = None) -> RateResult:
    """Rate everybody in match files.

    Write tables and pages where the request names a folder of results.

    Raises SettingsError, EngineError, FormulaError or StoreError, before anything of the results is
    touched.
    """
    *_, result = rated(request, progress, luck_last=False)
    return result


def rated(
    request: RateRequest, progress: Progress | None = None, *, luck_last: bool = True
) -> Generator[RateResult]:
    """Do the same as `rate`, and yield the result as it grows.

    First comes the answer, without luck if that takes long and `luck_last` is true. Then the same
    with tables and pages, if there is a folder for them, and again during and after the second
    look.
    """
    checked = check(request)
    progress = progress or Progress()
    files = list_paths(checked.paths, request.results or Path(os.devnull))
    cores = request.cores or os.cpu_count() or 1
    with (
        closing(AnalysisStore(request.store, progress.say)) as store,
        closing(
            Analyst(checked.engine, checked.level, store, cores, luck_last=luck_last)
        ) as analyst,
    ):
        reading = _read(checked, files, analyst, progress)
        # Imports pandas while the engine works. A formula that cannot be used ends the run here.
        from bgrating.rating.choose import choose  # noqa: PLC0415

        model = choose(request.formula, checked.engine.known.nets, checked.level.name)
        progress.step("matches analysed", analyst.done, analyst.total)
        _wait(analyst, "matches analysed", progress)
        is_long = analyst.seconds_of_luck() > LONG
        analyst.begin_luck()
        run = _Run(checked, reading, analyst, model, progress)
        if is_long:
            run.make(luck=False)
            yield run.result()
        _wait(analyst, "matches with luck", progress)
        analyst.close()
        from bgrating.analysis.second_look import SecondLook  # noqa: PLC0415

        run.look = SecondLook(checked.engine, store, run.decisions, checked.level, request.check)
        run.look.plan(analyst.analysed(reading.keys()))
        run.make()
        yield run.result()
        if run.look.is_asked:
            yield from _second_look(run, files, cores)
        elif checked.folder:
            yield run.written()


def _read(
    checked: CheckedRequest, files: list[ListedFile], analyst: Analyst, progress: Progress
) -> CollectionReading:
    """Read the files and start the engine on what the store lacks.

    Check the player and the export.
    """
    request = checked.request
    reading = CollectionReading()
    for reading in read_collection(with_members(files), analyst):
        progress.step("files read", len(reading.records), len(files))
        analyst.take()
    if request.export:
        require_one_page(request.export, request.player, len(reading.keys()))
    if request.player:
        known_name(request.player, sorted(set(persons(reading.pairs, checked.aliases)[0].values())))
    return reading


def _wait(analyst: Analyst, what: str, progress: Progress) -> None:
    while analyst.take(wait=True):
        progress.step(what, analyst.done, analyst.total, analyst.seconds_left())


def _second_look(run: "_Run", files: list[ListedFile], cores: int) -> Iterator[RateResult]:
    """Judge errors again until all are judged or the time is over.

    Yield the result before, meanwhile and after.
    """
    look = run.look
    request = run.checked.request
    assert look
    pending = sum(map(len, look.pending.values()))
    end = time.monotonic() + 60 * request.minutes
    if pending:
        minutes = f"{request.minutes:g} minute{'' if request.minutes == 1 else 's'}"
        run.left = pending * CHECK_SECONDS / cores
        sentence = (
            f"Now {pending:,} errors are judged again, for at most {minutes} (--minutes); ratings"
            " stay"
        )
        if run.checked.folder:
            yield run.written([sentence])
    with closing(EngineInputs(with_members(files), run.reading)) as engine_inputs:
        while look.left and time.monotonic() < end and not look.is_failing:
            began = time.monotonic()
            before = look.judged
            look.run(
                run.order(), engine_inputs.of, cores, min(end, began + AGAIN), run.progress.step
            )
            run.make()
            if look.left and not look.is_failing and run.checked.folder:
                pace = (time.monotonic() - began) / max(1, look.judged - before)
                run.left = pace * sum(map(len, look.left.values()))
                yield run.written()
        if boards := look.boards(run.sides_of_reader()):
            look.confirm(boards, engine_inputs.of, cores, end)
    notices = [look.summary()] if look.judged or look.is_failing or look.gone else []
    run.left = None
    if look.left and not look.is_failing:
        matches = len(look.flagged)
        notices.append(
            f"{matches - len(look.pending):,} of {matches:,} matches are checked, and the time is"
            " over: run the same command again to go on, or give it more time with --minutes"
        )
    yield run.written(notices) if run.checked.folder else run.result(notices)


class _Run:
    """A run after the analysis: makes and writes its tables and pages."""

    def __init__(
        self,
        checked: CheckedRequest,
        reading: CollectionReading,
        analyst: Analyst,
        model: "RatingModel",
        progress: Progress,
    ) -> None:
        self.checked = checked
        self.reading = reading
        self.progress = progress
        self._analyst = analyst
        self.model = model
        self.look: SecondLook | None = None
        self.left: float | None = None
        """Seconds that the second look still takes, about; None if it is not running."""
        self._made: Tables
        self._facts: Json
        self._xg = xg_figures(reading.records)

    def decisions(self, key: str) -> bytes:
        """Return the decisions of a match, packed."""
        return self._analyst.found(key).decisions

    def make(self, *, luck: bool = True) -> None:
        """Make the tables and their facts; without `luck` before luck is analysed."""
        from bgrating.collection.accounts import Analysed  # noqa: PLC0415
        from bgrating.collection.rated_tables import make_tables  # noqa: PLC0415

        checked = self.checked
        model = self.model
        request = self.checked.request
        about: dict[str, list[Any]] = {"engine": [], "opening_evaluation": []}
        keys = self._analyst.analysed(self.reading.keys())
        analysed = Analysed.of(
            _noting(self._analyst, keys, about, luck=luck), self._analyst.problems
        )
        nets = checked.engine.known.nets
        level = checked.level.name.removesuffix(NO_LUCK)
        made = make_tables(
            self.reading,
            analysed,
            checked.aliases,
            model,
            request.offset,
            field_table(nets),
            level,
            self.look,
        )
        require_matches(made.files, checked.paths)
        self._made = made
        self._facts = {
            "collection": (
                str(checked.paths[0]) if len(checked.paths) == 1 else list(map(str, checked.paths))
            ),
            "analysis": checked.level.name,
            "coefficients": request.formula,
            **{
                name: found[0] if len(found) == 1 else found or None
                for name, found in about.items()
            },
            "formula": model.description,
            "offset": request.offset,
            "aliases": len(checked.aliases),
            "nets": nets,
            "player": (
                known_name(request.player, made.players["player"].tolist())
                if request.player
                else ""
            ),
            "remarks": made.remarks,
        }
        if not luck:
            self._facts["luck_to_come"] = True
        if made.field:
            self._facts["field"] = asdict(made.field) | {
                "words": made.field.description(request.offset)
            }
        if look := self.look:
            look.only(made.matches["key"])
            self._facts["check"] = request.check if look.is_asked else NONE
            self._facts["checked_matches"] = len(look.flagged) - len(look.pending)

    def order(self) -> list[str]:
        """Return the keys of matches in the order of the second look.

        The reader's first, then the newest first.
        """
        left = self._made.matches[self._made.matches["side"] == "left"]
        is_own = left[["player", "opponent"]].isin([self._reader()]).any(axis=1)
        ordered = left.assign(own=is_own, day=left["date"].fillna("")).sort_values(
            ["own", "day"], ascending=False, kind="stable"
        )
        return list(dict.fromkeys(ordered["key"]))

    def sides_of_reader(self) -> list[tuple[str, str]]:
        """Return the reader's sides: keys of matches with left or right."""
        rows = self._made.matches[self._made.matches["player"] == self._reader()]
        return list(zip(rows["key"], rows["side"], strict=True))

    def _reader(self) -> str:
        """Return the requested player, or else the collection's owner; empty if there is none."""
        from bgrating.people.players import owner  # noqa: PLC0415

        return str(self._facts["player"]) or owner(self._made.players, len(self._made.matches) // 2)

    def result(self, notices: Sequence[str] = ()) -> RateResult:
        """Return the result without writing anything."""
        from bgrating.collection.rated_tables import answer  # noqa: PLC0415
        from bgrating.tables.dictionary import columns  # noqa: PLC0415

        checked = self.checked
        made = self._made
        facts = self._facts
        is_last = not checked.folder and not facts.get("luck_to_come")
        return RateResult(
            name=checked.name,
            folder=checked.folder,
            facts=facts,
            answer=answer(made, checked.request.offset, facts),
            player=facts["player"],
            files=made.files,
            matches=made.matches[columns("human/matches")],
            players=made.players,
            model=made.model,
            failed_here=[self._analyst.problems[key] for key in sorted(self._analyst.failed_here)],
            notices=notices,
            unwritten=self._all_decisions().to_pandas() if is_last else None,
        )

    def written(self, notices: Sequence[str] = ()) -> RateResult:
        """Write tables and pages, and return the result with them."""
        from bgrating.collection.rated_tables import EDITED, write_database, write_tables  # noqa: PLC0415
        from bgrating.decisions.decision_table import decisions_together  # noqa: PLC0415
        from bgrating.index import write_index  # noqa: PLC0415
        from bgrating.site.collection_page import Collection  # noqa: PLC0415
        from bgrating.site.site import write_site  # noqa: PLC0415

        checked = self.checked
        request = self.checked.request
        made = self._made
        folder = checked.folder
        result = self.result(notices)
        notices = list(notices)
        assert folder, "tables and pages stand in a folder"
        facts = self._facts
        before = recorded(folder / PROVENANCE).get("collection", facts["collection"])
        if before != facts["collection"]:
            notices.append(f"{folder} had the results of {before} before; --name NAME keeps both")
        former = {
            f"{name}/{path.name}" for name in PAGES for path in (folder / name).glob("*.html")
        }
        collection = Collection(
            checked.name,
            made.files,
            result.matches,
            made.of_players,
            made.rated_by,
            made.players,
            made.model,
            request.offset,
            facts | {"seconds_left": self.left},
            self._reader(),
            made.suggestions,
        )
        pairs = result.matches[["file", "match"]].drop_duplicates()
        total = 1 + min(MOST_PAGES, len(pairs)) + min(MOST_PAGES, len(made.players))
        only = result.player if result.player or len(pairs) > 1 else None
        with (
            writing(
                folder, notices.append, PROVENANCE, (f"{EDITED}.csv", request.aliases), former
            ) as new,
            one_provenance(new / PROVENANCE),
        ):
            parts = write_tables(
                made,
                decisions_together(made.matches, self.decisions, self._other_verdicts),
                result.answer,
                new,
                facts,
            )
            to_send = write_site(
                collection,
                parts,
                new,
                lambda count: self.progress.step("pages", count, total),
                only,
                request.export,
                folder,
                former,
            )
            if request.sqlite:
                write_database(made, self._all_decisions(), new / "results.sqlite", facts)
        if request.export:
            export(to_send, request.export)
        notices += write_index(folder.parents[1])
        shown = [player_pages(made.players["player"]).get(result.player)] if result.player else []
        shown += list(match_pages(result.matches).values()) if only is None else []
        pages = [folder / name for name in ("report.html", *shown) if name]
        return replace(result, notices=notices, pages=pages)

    def _other_verdicts(self, file: str, number: int, key: str) -> dict[Place, Any]:
        """Return other judges' verdicts on a match's decisions."""
        found = xg_verdicts(self._xg.get((file, number), ()))
        for place, row in (self.look.verdict_columns(key) if self.look else {}).items():
            found.setdefault(place, {}).update(row)
        return found

    def _all_decisions(self) -> "pa.Table":
        from bgrating.decisions.decision_table import decisions_of  # noqa: PLC0415

        return decisions_of(self._made.matches, self.decisions, self._other_verdicts)


def require_matches(files: "pd.DataFrame", paths: Sequence[object]) -> None:
    """Raise SettingsError with the reasons if none of the files (rows of files.csv) has a match."""
    bad = files[files["status"].isin(["rejected", "duplicate"])]
    if len(bad) < len(files):
        return
    first = bad.drop_duplicates("reason").head(REASONS)
    reasons = "; ".join(
        f"{file}: {reason}" for file, reason in zip(first["file"], first["reason"], strict=True)
    )
    raise SettingsError(
        f"no match could be read in {', '.join(map(str, paths))}:"
        f" {reasons or 'the folder is empty'}"
    )


def _noting(
    analyst: Analyst, keys: Sequence[str], about: Mapping[str, list[Any]], *, luck: bool
) -> Iterator[tuple[str, Any]]:
    """Yield the engine's answers on matches.

    Collect the facts `about` the engines that gave them.
    """
    for key in keys:
        value = analyst.found(key, luck=luck).value
        for name, found in about.items():
            if value[name] not in found:
                found.append(value[name])
        yield key, value
