"""Give every file and every match of a collection its status, and join the readings with the
engine's figures.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd

from bgmatch.records import Json
from bgrating.analysis.statuses import (
    ANALYSED,
    DUPLICATE,
    INCOMPLETE,
    KILLED,
    MONEY,
    NOT_ANALYSED,
    REJECTED,
    REPAIRED,
    WARNINGS,
)
from bgrating.collection.copies import Copy, as_copy, disagreements, grouped
from bgrating.collection.readings import xg_figures
from bgrating.people.players import error_rates
from bgrating.tables.dictionary import columns

_WITH_FIGURES = {ANALYSED, REPAIRED, WARNINGS, INCOMPLETE, MONEY}

MAX_REASON = 600

XG_COLUMNS = {
    "xg_decisions": "decisions",
    "xg_pr": "pr",
    "xg_errors": "errors",
    "xg_blunders": "blunders",
}
"""Columns of the figures of eXtreme Gammon in its own files."""
_OF_BOTH_SIDES = (
    "key",
    "date",
    "event",
    "round",
    "from_file_name",
    "match_length",
    "games",
    "rolls",
    "complete",
    "whole",
)
_READ_COLUMNS = [
    *_OF_BOTH_SIDES,
    "side",
    "file",
    "match",
    "status",
    "reason",
    "dialect",
    "player",
    "opponent",
    "real_name",
    "score",
    "opponent_score",
    "won",
    "recorded_rating",
    *XG_COLUMNS,
]
_FIGURES = [
    name
    for name in columns("human/matches")
    if name in columns("study/shard") and name not in _READ_COLUMNS
]
"""Columns of the engine's figures of a side."""


class FileStatus(NamedTuple):
    """The status of a match or file and its reason (may be empty)."""

    status: str
    reason: str


@dataclass(frozen=True)
class Analysed:
    """The engine's answers by content key: the problem, or the figures (`_FIGURES`) by side."""

    problems: Mapping[str, str]
    figures: Mapping[str, Mapping[str, list[Any]]]

    @classmethod
    def of(cls, values: Iterable[tuple[str, Json]], problems: Mapping[str, str]) -> "Analysed":
        """Join the engine's answers by key with the problems of the other matches."""
        figures = {
            key: {row["side"]: [row[name] for name in _FIGURES] for row in value["rows"]}
            for key, value in values
        }
        return cls(problems, figures)


def account(
    records: Iterable[Json], analysed: Analysed, aliases: Mapping[str, str] = MappingProxyType({})
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table of files and the table of matches (one row per match and player, without
    ratings).

    Copies of a match count once, for the players that the best copy names. If another copy names
    other players, the reasons of both say so, unless the aliases (name -> name) make the names
    equal.

    `records` are the records of the files in the order of their names, and are iterated more than
    once. Each file has one status; if its matches have different ones, it was analysed with
    warnings, and the reason lists them.
    """
    copies = _copies(records, analysed, aliases)
    xg = xg_figures(records)
    files: list[list[Any]] = []
    rows: list[list[Any]] = []
    for record in records:
        verdicts = []
        for number, match in enumerate(record["matches"], 1):
            verdict = _match_verdict(match, copies.get((record["file"], number)), analysed)
            verdicts.append(verdict)
            if verdict.status in _WITH_FIGURES:
                figures = analysed.figures[match["key"]]
                rows += _read_rows(
                    record, number, match, verdict, xg.get((record["file"], number)), figures
                )
        status, reason = _file_verdict(record["problem"], verdicts)
        if note := record.get("encoding", {}).get("note", ""):
            reason = f"{reason}; {note}" if reason else note
        counts = [
            sum(match[what] for match in record["matches"])
            for what in ("games", "rolls", "repairs")
        ]
        reason = reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 1] + "…"
        files.append(
            [
                record["file"],
                status,
                reason,
                record["sha256"],
                record["dialect"],
                len(verdicts),
                *counts,
            ]
        )
    return pd.DataFrame(files, columns=columns("human/files")), _table(rows)


def _copies(
    records: Iterable[Json], analysed: Analysed, aliases: Mapping[str, str]
) -> dict[tuple[str, int], tuple[Copy, list[Copy]]]:
    """Return by file and number each match with a key and all its copies, first the one that
    counts.
    """
    copies = []
    for record in records:
        for number, match in enumerate(record["matches"], 1):
            if key := match["key"]:
                left, right = (aliases.get(name, name) for name in match["names"])
                lacks = 0 if key in analysed.figures else 1 if key in analysed.problems else 2
                place = (
                    record["file"]
                    if len(record["matches"]) == 1
                    else f"{record['file']} match {number}"
                )
                copies.append(Copy(place, record["file"], number, match, (left, right), lacks))
    return {(copy.file, copy.number): (copy, group) for group in grouped(copies) for copy in group}


def _match_verdict(
    match: Json, place: tuple[Copy, list[Copy]] | None, analysed: Analysed
) -> FileStatus:
    if match["problem"] or place is None:
        return FileStatus(REJECTED, match["problem"])
    this, copies = place
    original = copies[0]
    if original.lacks:
        problem = analysed.problems[original.read["key"]]
        copy = "" if this is original else f"a copy of {original.place}: "
        return FileStatus(
            next((word for word in (KILLED, NOT_ANALYSED) if problem.startswith(word)), REJECTED),
            copy + problem,
        )
    if this is not original:
        return FileStatus(DUPLICATE, as_copy(this, original))
    notes = [*_notes(match), *disagreements(copies)]
    if this.names[0] == this.names[1] != "" and len(set(match["names"])) == 2:
        notes.append(f"by the aliases both players are {this.names[0]!r}: counted for neither")
    if match["match_length"] == 0:
        label = (
            f"unlimited game, labelled as a match to {match['declared_length']}"
            if match["unlimited"]
            else ""
        )
        return FileStatus(MONEY, "; ".join([label or "money session", *notes]))
    status = REPAIRED if match["repairs"] else WARNINGS if notes else ANALYSED
    if not match["complete"]:
        status = INCOMPLETE
    return FileStatus(status, "; ".join(notes))


def _notes(match: Json) -> list[str]:
    more = f"and {match['more_warnings']} more" if match["more_warnings"] else ""
    return list(filter(None, (match["incomplete"], *match["warnings"], more)))


def _file_verdict(problem: str, verdicts: list[FileStatus]) -> FileStatus:
    if not verdicts:
        return FileStatus(REJECTED, problem or "no match in it")
    if len(verdicts) == 1:
        return verdicts[0]
    statuses = {verdict.status for verdict in verdicts}
    if len(statuses) == 1:
        parts = [
            f"match {n}: {verdict.reason}"
            for n, verdict in enumerate(verdicts, 1)
            if verdict.reason
        ]
        return FileStatus(verdicts[0].status, "; ".join(parts))
    parts = []
    for n, (status, reason) in enumerate(verdicts, 1):
        parts.append(f"match {n} {status} ({reason})" if reason else f"match {n} {status}")
    return FileStatus(WARNINGS if statuses & _WITH_FIGURES else REJECTED, "; ".join(parts))


def _read_rows(
    record: Json,
    number: int,
    match: Json,
    verdict: FileStatus,
    xg: list[Json] | None,
    figures: Mapping[str, list[Any]],
) -> Iterator[list[Any]]:
    decided = match["match_length"] > 0 and match["complete"] and match["winner"] is not None
    score = [min(points, match["match_length"] or points) for points in match["score"]]
    for seat, side in enumerate(("left", "right")):
        yield [
            *(match[name] for name in _OF_BOTH_SIDES),
            side,
            record["file"],
            number,
            *verdict,
            record["dialect"],
            match["names"][seat],
            match["names"][1 - seat],
            match["real_names"][seat],
            score[seat],
            score[1 - seat],
            match["winner"] == seat if decided else math.nan,
            match["ratings"][seat],
            *(xg[seat][name] if xg else None for name in XG_COLUMNS.values()),
            *figures[side],
        ]


def _table(rows: list[list[Any]]) -> pd.DataFrame:
    numbers = ("recorded_rating", *XG_COLUMNS, *_FIGURES)
    table = pd.DataFrame(rows, columns=[*_READ_COLUMNS, *_FIGURES]).astype(
        dict.fromkeys(numbers, float)
    )
    unsure = ~(table["complete"].astype(bool) & table["whole"].astype(bool))
    table.loc[unsure, ["actual_result", "luck_adjusted_result"]] = None
    return table.drop(columns="whole").assign(**error_rates(table))
