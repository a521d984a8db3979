"""Rate everybody in match files.

Read them, have the engine analyse what the store lacks, write tables and pages.

The request is checked first, before anything is read or written and before pandas is imported.
"""

import os
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgmatch.records import Json, Record
from bgrating.analysis.analyst import Analyst
from bgrating.analysis.store import AnalysisStore
from bgrating.collection.listing import list_paths, with_members
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
from bgrating.engine.pool import seconds_of_luck
from bgrating.people.aliases import known_name, persons
from bgrating.settings import SettingsError
from bgrating.site.addresses import MOST_PAGES, PROVENANCE, match_pages, player_pages
from bgrating.site.export import export, require_one_page
from bgrating.tables.folder import recorded, writing
from bgrating.tables.provenance import one_provenance

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from bgrating.analysis.second_look import SecondLook
    from bgrating.collection.accounts import Analysed
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
    level = checked.level
    cores = request.cores or os.cpu_count() or 1
    with ExitStack() as stack:
        store = stack.enter_context(closing(AnalysisStore(request.store, progress.say)))
        full = stack.enter_context(closing(Analyst(checked.engine, level, store, cores)))
        analysts = [full]
        if luck_last and level.luck:
            quick = Analyst(checked.engine, replace(level, luck=False), store, cores)
            analysts.append(stack.enter_context(closing(quick)))
        first = analysts[-1]
        first.begin({})
        reading = CollectionReading()
        for reading in read_collection(with_members(files), store, analysts):
            progress.step("files read", len(reading.records), len(files))
            first.take()
        _check_names(checked, reading)
        # Imports pandas while the engine works. A formula that cannot be used ends the run here.
        from bgrating.rating.choose import choose  # noqa: PLC0415

        model = choose(request.formula, checked.engine.known.nets, level.name)
        run = _Run(checked, reading, full, model, progress)
        progress.step("matches analysed", first.done, first.total)
        _wait(first, "matches analysed", progress)
        if first is not full:
            if seconds_of_luck(level, full.rolls) > LONG:
                run.make(first)
                yield run.result()
            first.close()
            full.begin(first.problems)
            _wait(full, "matches with luck", progress)
        full.close()
        from bgrating.analysis.second_look import SecondLook  # noqa: PLC0415

        look = SecondLook(full, request.check)
        look.plan(run.analysed(full.values))
        run.look = look
        run.make(full)
        yield run.result()
        if look.is_asked:
            with closing(EngineInputs(with_members(files), reading)) as engine_inputs:
                yield from _second_look(run, look, engine_inputs, cores)
        elif checked.folder:
            yield run.written()


def _check_names(checked: CheckedRequest, reading: CollectionReading) -> None:
    """Check that the collection has the player and the page that the request names."""
    request = checked.request
    if request.export:
        require_one_page(request.export, request.player, len(reading.best_keys()))
    if request.player:
        known_name(request.player, sorted(set(persons(reading.pairs, checked.aliases)[0].values())))


def _wait(analyst: Analyst, what: str, progress: Progress) -> None:
    while analyst.take(wait=True):
        progress.step(what, analyst.done, analyst.total, analyst.seconds_left())


def _second_look(
    run: "_Run", look: "SecondLook", engine_inputs: EngineInputs, cores: int
) -> Iterator[RateResult]:
    """Judge errors again until all are judged or the time is over.

    Yield the result before, meanwhile and after.
    """
    minutes = run.checked.request.minutes
    end = time.monotonic() + 60 * minutes
    pending = look.count()
    if pending and run.checked.folder:
        run.seconds_left = pending * CHECK_SECONDS / cores
        yield run.written(
            [
                f"Checking {pending:,} errors at 2-ply, for at most {minutes:g}"
                f" minute{'' if minutes == 1 else 's'} (--minutes). Ratings do not change."
            ]
        )
    while look.left and time.monotonic() < end and not look.is_failing:
        began = time.monotonic()
        before = look.judged
        look.run(run.order(), engine_inputs.of, min(end, began + AGAIN), run.progress.step)
        run.remake()
        if look.left and not look.is_failing and run.checked.folder:
            pace = (time.monotonic() - began) / max(1, look.judged - before)
            run.seconds_left = pace * look.count()
            yield run.written()
    boards = look.boards(run.sides_of_reader())
    look.confirm(boards, engine_inputs.of, end)
    notices = [look.summary()] if look.judged or look.is_failing or look.gone else []
    run.seconds_left = None
    if look.left and not look.is_failing:
        matches = len(look.flagged)
        notices.append(
            f"{matches - len(look.pending):,} of {matches:,} matches are checked, and the time is"
            " over: run the same command again to go on, or give it more time with --minutes"
        )
    yield run.written(notices) if run.checked.folder else run.result(notices)


class _Run:
    """A run after the reading: makes and writes its tables and pages.

    `seconds_left` is about how long the second look still takes; None if it is not running.
    """

    def __init__(
        self,
        checked: CheckedRequest,
        reading: CollectionReading,
        full: Analyst,
        model: "RatingModel",
        progress: Progress,
    ) -> None:
        self.checked = checked
        self.progress = progress
        self.look: SecondLook | None = None
        self.seconds_left: float | None = None
        self._reading = reading
        self._full = full
        self._model = model
        self._xg = xg_figures(reading.records)
        self._analyst: Analyst
        self._analysed: Analysed
        self._engines: Json
        self._made: Tables
        self._facts: Json

    def analysed(self, values: Mapping[str, Json]) -> dict[str, Json]:
        """Return the figures of the matches that count: of exact copies those of the best one."""
        return {key: values[key] for key in self._reading.best_keys() if key in values}

    def make(self, analyst: Analyst) -> None:
        """Make the tables of an analyst's figures, which may lack luck, and of those stored with
        luck.
        """
        from bgrating.collection.accounts import Analysed  # noqa: PLC0415

        values = self.analysed(self._full.values | analyst.values)
        self._analyst = analyst
        self._analysed = Analysed.of(values.items(), analyst.problems)
        self._engines = {
            name: _one_or_all(value[name] for value in values.values())
            for name in ("engine", "opening_evaluation")
        }
        self.remake()

    def remake(self) -> None:
        """Make the tables and their facts again, after the second look has judged more errors."""
        from bgrating.collection.rated_tables import make_tables  # noqa: PLC0415

        checked = self.checked
        made = make_tables(self._reading, self._analysed, checked, self._model, self.look)
        require_matches(made.files, checked.paths)
        self._made = made
        if self.look:
            self.look.only(made.matches["key"])
        self._facts = self._metadata()

    def _metadata(self) -> Json:
        """Return how the tables were made."""
        checked = self.checked
        request = checked.request
        made = self._made
        paths = list(map(str, checked.paths))
        players = made.players["player"].tolist()
        facts: Json = {
            "collection": paths[0] if len(paths) == 1 else paths,
            "analysis": checked.level.name,
            "coefficients": request.formula,
            **self._engines,
            "formula": self._model.description,
            "offset": request.offset,
            "aliases": len(checked.aliases),
            "nets": checked.engine.known.nets,
            "player": known_name(request.player, players) if request.player else "",
            "remarks": made.remarks,
        }
        if self._analyst is not self._full:
            facts["luck_to_come"] = True
        if made.field:
            description = made.field.description(request.offset)
            facts["field"] = {**asdict(made.field), "words": description}
        if self.look:
            facts["check"] = request.check if self.look.is_asked else NONE
            facts["checked_matches"] = len(self.look.flagged) - len(self.look.pending)
        return facts

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
        from bgrating.decisions.decision_table import decisions_of  # noqa: PLC0415

        checked = self.checked
        made = self._made
        facts = self._facts
        is_last = not checked.folder and self._analyst is self._full
        return RateResult(
            name=checked.name,
            folder=checked.folder,
            facts=facts,
            answer=answer(made, checked.request.offset, facts),
            player=facts["player"],
            files=made.files,
            matches=made.public["matches"],
            players=made.players,
            model=made.model,
            failed_here=self._analyst.failed_here,
            notices=notices,
            unwritten=decisions_of(self._decisions()).to_pandas() if is_last else None,
        )

    def written(self, notices: Iterable[str] = ()) -> RateResult:
        """Write tables and pages, and return the result with them."""
        from bgrating.collection.rated_tables import EDITED  # noqa: PLC0415
        from bgrating.index import write_index  # noqa: PLC0415

        request = self.checked.request
        folder = self.checked.folder
        assert folder, "tables and pages stand in a folder"
        result = self.result()
        notices = list(notices)
        collection = self._facts["collection"]
        before = recorded(folder / PROVENANCE).get("collection", collection)
        if before != collection:
            notices.append(f"{folder} had the results of {before} before; --name NAME keeps both")
        former = {
            f"{name}/{path.name}" for name in PAGES for path in (folder / name).glob("*.html")
        }
        suggestions = (f"{EDITED}.csv", request.aliases)
        with (
            writing(folder, notices.append, PROVENANCE, suggestions, former) as new,
            one_provenance(new / PROVENANCE),
        ):
            to_send = self._write(result, new, former)
        if request.export:
            export(to_send, request.export)
        notices += write_index(folder.parents[1])
        shown = [player_pages(result.players["player"]).get(result.player)] if result.player else []
        shown += list(match_pages(result.matches).values()) if _is_one_match(result) else []
        pages = [folder / name for name in ("report.html", *shown) if name]
        return replace(result, notices=notices, pages=pages)

    def _write(self, result: RateResult, new: Path, former: set[str]) -> str:
        """Write tables and pages into a new folder; return the page to send."""
        from bgrating.collection.rated_tables import write_database, write_tables  # noqa: PLC0415
        from bgrating.decisions.decision_table import decisions_of  # noqa: PLC0415
        from bgrating.site.collection_page import Collection  # noqa: PLC0415
        from bgrating.site.site import Destination, write_site  # noqa: PLC0415

        request = self.checked.request
        made = self._made
        facts = self._facts
        assert result.folder
        collection = Collection(
            result.name,
            made.files,
            result.matches,
            made.of_players,
            made.rated_by,
            made.players,
            made.model,
            request.offset,
            facts | {"seconds_left": self.seconds_left},
            self._reader(),
            made.suggestions,
        )
        matches = len(result.matches) // 2
        total = 2 + min(MOST_PAGES, matches) + min(MOST_PAGES, len(made.players))

        def step(count: int) -> None:
            self.progress.step("pages", count, total)

        parts = write_tables(made, self._decisions(), result.answer, new, facts)
        destination = Destination(new, result.folder, former, step)
        sent = result.player if request.export else None
        to_send = write_site(collection, parts, destination, sent)
        if request.sqlite:
            decisions = decisions_of(self._decisions())
            write_database(made, decisions, new / "results.sqlite", facts)
        return to_send

    def _decisions(self) -> "Iterator[pa.Table]":
        """Yield the decisions of the collection, some matches at a time."""
        from bgrating.decisions.decision_table import decisions_together  # noqa: PLC0415

        return decisions_together(self._made.matches, self._full.decisions, self._other_verdicts)

    def _other_verdicts(self, file: str, number: int, key: str) -> dict[Place, Any]:
        """Return other judges' verdicts on a match's decisions."""
        found = xg_verdicts(self._xg.get((file, number), ()))
        for place, row in (self.look.verdict_columns(key) if self.look else {}).items():
            found.setdefault(place, {}).update(row)
        return found


def _is_one_match(result: RateResult) -> bool:
    """Return whether the page of the only match is the page to show."""
    return not result.player and len(result.matches) <= 2


def _one_or_all(values: Iterable[Any]) -> Any:
    """Return the value if all are equal, else each different one; None if there is none."""
    different: list[Any] = []
    for value in values:
        if value not in different:
            different.append(value)
    return different[0] if len(different) == 1 else different or None


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
