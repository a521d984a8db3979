"""Make and write the growing results of a run of `rate`: its tables, answer and pages."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from bgmatch.records import Json, Record
from bgrating.analysis.analyst import Analyst
from bgrating.analysis.second_look import SecondLook
from bgrating.collection.accounts import Analysed
from bgrating.collection.rate_request import CheckedRequest, Progress
from bgrating.collection.rated_tables import (
    DECISIONS,
    EDITED,
    Tables,
    answer,
    make_tables,
    write_database,
    write_tables,
)
from bgrating.collection.readings import CollectionReading, xg_figures, xg_verdicts
from bgrating.decisions.decision_rows import DecisionId
from bgrating.decisions.decision_table import COLUMNS, decisions_of, decisions_together
from bgrating.decisions.thresholds import NONE
from bgrating.index import write_index
from bgrating.people.aliases import known_name
from bgrating.people.players import owner
from bgrating.rating.choose import RatingModel, choose
from bgrating.settings_files import SettingsError
from bgrating.site.addresses import MOST_PAGES, PROVENANCE, match_pages, player_pages
from bgrating.site.collection_page import Collection
from bgrating.site.export import export
from bgrating.site.site import Destination, write_site
from bgrating.tables.folder import recorded, writing
from bgrating.tables.provenance import digest, one_provenance
from bgrating.tables.table_files import read_rows

AGAIN = 120.0
"""Seconds after which tables and pages are written again during the second look."""
CHECK_SECONDS = 0.07
"""Seconds of one core that a decision of the second look takes, about."""
ENGINE_FACTS = ("engine", "opening_evaluation")
"""Entries of an answer that describe its engine."""
REASONS = 5
"""Most reasons that the error names if no match could be read."""


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
    reader
        The player to whom the pages speak: the requested one, or else the owner; may be empty.
    files
        A row per file, with its status and reason.
    matches
        A row per match and player.
    players
        A row per player, those with a rating first and the best of them first.
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
    reader: str
    files: pd.DataFrame
    matches: pd.DataFrame
    players: pd.DataFrame
    model: RatingModel
    failed_here: Sequence[str] = ()
    notices: Sequence[str] = ()
    unwritten: pd.DataFrame | None = None
    pages: Sequence[Path] = ()

    @property
    def decisions(self) -> pd.DataFrame:
        """One row per decision of every match, in playing order."""
        if self.unwritten is not None:
            return self.unwritten
        assert self.folder
        return read_rows(self.folder / DECISIONS, COLUMNS)


class Results:
    """Makes and writes the tables and pages of a collection that was read.

    `full` is the analyst of all figures. Raises FormulaError for a formula that cannot be used.
    """

    def __init__(
        self,
        checked: CheckedRequest,
        reading: CollectionReading,
        full: Analyst,
        progress: Progress,
    ) -> None:
        request = checked.request
        self.look = SecondLook(full, request.check)
        self._checked = checked
        self._reading = reading
        self._full = full
        self._progress = progress
        self._model = choose(request.formula, checked.engine.known.version, checked.level.name)
        self._xg = xg_figures(reading.records)
        self._seconds_left: float | None = None
        self._analyst: Analyst
        self._analysed: Analysed
        self._tables: Tables
        self._metadata: Json

    def make(self, analyst: Analyst) -> None:
        """Make the tables of an analyst's figures, which may lack luck, and of those stored with
        luck.
        """
        analyses = self._full.values | analyst.values
        values = {key: analyses[key] for key in self._reading.best_keys() if key in analyses}
        if analyst is self._full:
            self.look.plan(values)
        self._analyst = analyst
        self._analysed = Analysed(values, analyst.problems)
        self._remake()

    def _remake(self) -> None:
        """Make tables and metadata again, after the second look has judged more errors."""
        checked = self._checked
        self._tables = make_tables(self._reading, self._analysed, checked, self._model, self.look)
        require_matches(self._tables.files, checked.paths)
        self.look.only(self._tables.matches["key"])
        self._metadata = self._make_metadata()

    def second_look(self, engine_inputs: Callable[[str], Json | None]) -> Iterator[RateResult]:
        """Judge errors again until all are judged or the time is over.

        Yield the result before, meanwhile and after.
        """
        look = self.look
        minutes = self._checked.request.minutes
        end = time.monotonic() + 60 * minutes
        pending = look.count()
        if pending and self._checked.folder:
            self._seconds_left = pending * CHECK_SECONDS / self._full.cores
            limit = "1 minute" if minutes == 1 else f"{minutes:g} minutes"
            now = f"Checking {pending:,} errors at 2-ply, for at most {limit} (--minutes)."
            yield self.write([f"{now} Ratings do not change."])
        while look.pending and time.monotonic() < end and not look.is_failing:
            self._judge_again(engine_inputs, end)
            if look.pending and not look.is_failing and self._checked.folder:
                yield self.write()
        player_sides = self._tables.matches[self._tables.matches["player"] == self._reader()]
        boards = look.boards(zip(player_sides["key"], player_sides["side"], strict=True))
        look.confirm(boards, engine_inputs, end, self._progress.step)
        self._seconds_left = None
        notices = list(self._notices())
        yield self.write(notices) if self._checked.folder else self.result(notices)

    def _judge_again(self, engine_inputs: Callable[[str], Json | None], end: float) -> None:
        """Judge errors for AGAIN seconds at most, and make the tables again."""
        look = self.look
        deadline = min(end, time.monotonic() + AGAIN)
        self._seconds_left = look.run(self._order(), engine_inputs, deadline, self._progress.step)
        self._remake()

    def _notices(self) -> Iterator[str]:
        """Yield sentences on the second look after its end."""
        look = self.look
        if look.judged or look.is_failing or look.gone:
            yield look.summary()
        if look.pending and not look.is_failing:
            yield (
                f"{look.checked_matches:,} of {len(look.flagged):,} matches are checked, and the"
                " time is over: run the same command again to go on, or give it more time with"
                " --minutes"
            )

    def _make_metadata(self) -> Json:
        """Return how the tables were made."""
        checked = self._checked
        request = checked.request
        tables = self._tables
        paths = list(map(str, checked.paths))
        players = tables.players["player"].tolist()
        answers = self._analysed.answers.values()
        metadata: Json = {
            "collection": paths[0] if len(paths) == 1 else paths,
            "analysis": checked.level.name,
            "coefficients": request.formula,
            "formula": self._model.description,
            "offset": request.offset,
            "aliases": len(checked.aliases),
            "nets": checked.engine.known.version,
            "player": known_name(request.player, players) if request.player else "",
            "remarks": tables.remarks,
            "check": request.check if self.look.is_requested else NONE,
            "checked_matches": self.look.checked_matches,
        }
        for name in ENGINE_FACTS:
            metadata[name] = _one_or_all(answer[name] for answer in answers)
        if self._analyst is not self._full:
            metadata["luck_to_come"] = True
        if tables.population:
            description = tables.population.description(request.offset)
            metadata["field"] = {**asdict(tables.population), "words": description}
        return metadata

    def _order(self) -> list[str]:
        """Return the keys of matches for the second look: the reader's first, the newest first."""
        left_sides = self._tables.matches[self._tables.matches["side"] == "left"]
        is_of_reader = left_sides[["player", "opponent"]].isin([self._reader()]).any(axis=1)
        ordered = left_sides.assign(
            of_reader=is_of_reader, day=left_sides["date"].fillna("")
        ).sort_values(["of_reader", "day"], ascending=False, kind="stable")
        return list(dict.fromkeys(ordered["key"]))

    def _reader(self) -> str:
        """Return the requested player, or else the collection's owner; empty if there is none."""
        return str(self._metadata["player"]) or owner(
            self._tables.players, len(self._tables.matches) // 2
        )

    def result(self, notices: Sequence[str] = ()) -> RateResult:
        """Return the result without writing anything."""
        checked = self._checked
        tables = self._tables
        metadata = self._metadata
        is_last = not checked.folder and self._analyst is self._full
        return RateResult(
            name=checked.name,
            folder=checked.folder,
            facts=metadata,
            answer=answer(tables, checked.request.offset, metadata),
            player=metadata["player"],
            reader=self._reader(),
            files=tables.files,
            matches=tables.public["matches"],
            players=tables.players,
            model=tables.model,
            failed_here=self._analyst.failed_here,
            notices=notices,
            unwritten=decisions_of(self._decisions()).to_pandas() if is_last else None,
        )

    def write(self, notices: Iterable[str] = ()) -> RateResult:
        """Write tables and pages, and return the result with them."""
        request = self._checked.request
        folder = self._checked.folder
        assert folder, "tables and pages stand in a folder"
        result = self.result()
        notices = list(notices)
        collection = self._metadata["collection"]
        suggestions = (f"{EDITED}.csv", request.aliases)
        former = set[str]()
        with (
            writing(folder, notices.append, PROVENANCE, suggestions, former) as new,
            one_provenance(new / PROVENANCE),
        ):
            # What another command has just written is there too, since it has waited for the lock.
            before = recorded(folder / PROVENANCE).get("collection", collection)
            if before != collection:
                notices.append(
                    f"{folder} had the results of {before} before; --name NAME keeps both"
                )
            former |= {path.relative_to(folder).as_posix() for path in folder.glob("*/*.html")}
            to_send = self._write(result, new, former)
        if request.export:
            export(to_send, request.export)
        notices += write_index(folder.parents[1])
        page_names: list[str | None] = []
        if result.player:
            page_names = [player_pages(result.players["player"]).get(result.player)]
        elif len(result.matches) <= 2:
            page_names = list(match_pages(result.matches).values())
        pages = [folder / name for name in ("report.html", *page_names) if name]
        return replace(result, notices=notices, pages=pages)

    def _write(self, result: RateResult, new: Path, former: set[str]) -> str:
        """Write tables and pages into a new folder; return the page to send."""
        request = self._checked.request
        tables = self._tables
        metadata = self._metadata
        assert result.folder
        collection = Collection(
            result.name,
            tables.files,
            result.matches,
            tables.of_players,
            tables.rated_by,
            tables.players,
            tables.model,
            request.offset,
            metadata | {"seconds_left": self._seconds_left},
            self._reader(),
            tables.suggestions,
        )
        matches = len(result.matches) // 2
        total = 2 + min(MOST_PAGES, matches) + min(MOST_PAGES, len(tables.players))

        def step(count: int) -> None:
            self._progress.step("pages", count, total)

        decisions = write_tables(tables, self._decisions(), result.answer, new, metadata)
        destination = Destination(new, result.folder, former, step)
        sent = result.player if request.export else None
        to_send = write_site(collection, decisions, destination, sent)
        if request.sqlite:
            write_database(
                tables, decisions_of(self._decisions()), new / "results.sqlite", metadata
            )
        return to_send

    def _decisions(self) -> Iterator[pa.Table]:
        """Yield the decisions of the collection, some matches at a time."""
        return decisions_together(
            self._tables.matches, self._full.decisions, self._verdicts_of_others
        )

    def _verdicts_of_others(self, file: str, number: int, key: str) -> dict[DecisionId, Any]:
        """Return other judges' verdicts on a match's decisions."""
        verdicts = xg_verdicts(self._xg.get((file, number), ()))
        for decision_id, row in self.look.verdict_columns(key).items():
            verdicts.setdefault(decision_id, {}).update(row)
        return verdicts


def _one_or_all(values: Iterable[Any]) -> Any:
    """Return the value if all are equal, else each different one; None if there is none."""
    different = list({digest(value): value for value in values}.values())
    return different[0] if len(different) == 1 else different or None


def require_matches(files: pd.DataFrame, paths: Sequence[object]) -> None:
    """Raise SettingsError with the reasons if none of the files (rows of files.csv) has a match."""
    bad = files[files["status"].isin(["rejected", "duplicate"])]
    if len(bad) < len(files):
        return
    first = bad.drop_duplicates("reason").head(REASONS)
    reasons = "; ".join(first["file"] + ": " + first["reason"])
    raise SettingsError(
        f"no match could be read in {', '.join(map(str, paths))}:"
        f" {reasons or 'the folder is empty'}"
    )
