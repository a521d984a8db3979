"""Give every file and every match of a collection its status, and join the readings with the
engine's figures.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
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
from bgrating.collection.copies import Copy, as_copy, capped, disagreements, few, grouped
from bgrating.collection.match_record import FileRecord
from bgrating.collection.readings import xg_figures
from bgrating.pages.formatting import short
from bgrating.people.players import error_rates
from bgrating.tables.dictionary import columns

_WITH_FIGURES = {ANALYSED, REPAIRED, WARNINGS, INCOMPLETE, MONEY}

MAX_REASON = 600
"""Most letters of the reason of a file."""
MOST_WARNINGS = 5
"""Most warnings of a match that its reason names."""

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


class Analysed(NamedTuple):
    """The engine's answers by key of a match (`rows`: left, right), and why others have none."""

    answers: Mapping[str, Json]
    problems: Mapping[str, str]


class FileStatus(NamedTuple):
    """The status of a match or file and its reason (may be empty)."""

    status: str
    reason: str


def account(
    records: Sequence[FileRecord],
    analysed: Analysed,
    aliases: Mapping[str, str] = MappingProxyType({}),
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table of files and the table of matches (one row per match and player, without
    ratings).

    Copies of a match count once, for the players that the best copy names. If another copy names
    other players, the reasons of both say so, unless the aliases (name -> name) make the names
    equal.

    `records` are in the order of the files' names. Each file has one status; if its matches have
    different ones, it was analysed with warnings, and the reason lists them.
    """
    copies: dict[tuple[str, int], list[Copy]] = {}
    for group in grouped(_copies(records, analysed, aliases)):
        copies |= {(copy.record.file, copy.number): [copy, *group] for copy in group}
    xg = xg_figures(records)
    files = []
    rows = list[list[Any]]()
    for record in records:
        verdicts = []
        for number, match in record.numbered:
            match_id = record.file, number
            if match_id not in copies:
                verdicts.append(FileStatus(REJECTED, match.problem))
                continue
            copy, *group = copies[match_id]
            verdict = _verdict(copy, group, analysed.problems)
            verdicts.append(verdict)
            if verdict.status in _WITH_FIGURES:
                figures = analysed.answers[match.key]["rows"]
                rows += _read_rows(copy, verdict, xg.get(match_id), figures)
        files.append(_file_row(record, verdicts))
    return pd.DataFrame(files, columns=columns("human/files")), _table(rows)


def _copies(
    records: Iterable[FileRecord], analysed: Analysed, aliases: Mapping[str, str]
) -> Iterator[Copy]:
    """Yield each match that has an engine input."""
    for record in records:
        for number, match in record.numbered:
            if match.key:
                left, right = (aliases.get(name, name) for name in match.names)
                if match.key in analysed.answers:
                    lacks = 0
                else:
                    lacks = 1 if match.key in analysed.problems else 2
                yield Copy(record, number, match, (left, right), lacks)


def _verdict(copy: Copy, group: Sequence[Copy], problems: Mapping[str, str]) -> FileStatus:
    """Return the status of a match among its copies, of which the first one counts."""
    match = copy.match
    original = group[0]
    if original.lacks:
        problem = problems[original.match.key]
        by_machine = (status for status in (KILLED, NOT_ANALYSED) if problem.startswith(status))
        reason = problem if copy is original else f"a copy of {original.label}: {problem}"
        return FileStatus(next(by_machine, REJECTED), reason)
    if copy is not original:
        return FileStatus(DUPLICATE, as_copy(copy, original))
    incomplete = [match.incomplete] if match.incomplete else []
    notes = [*incomplete, *few(match.warnings, most=MOST_WARNINGS), *disagreements(group)]
    if copy.names[0] == copy.names[1] != "" and match.names[0] != match.names[1]:
        notes.append(f"by the aliases both players are {copy.names[0]!r}: counted for neither")
    if match.match_length == 0:
        label = "money session"
        if match.unlimited:
            label = f"unlimited game, labelled as a match to {match.declared_length}"
        return FileStatus(MONEY, "; ".join([label, *notes]))
    status = WARNINGS if notes else ANALYSED
    if not match.complete:
        status = INCOMPLETE
    elif match.repairs:
        status = REPAIRED
    return FileStatus(status, "; ".join(notes))


def _file_row(record: FileRecord, verdicts: Sequence[FileStatus]) -> list[Any]:
    status, reason = _file_verdict(record.problem, verdicts)
    if record.note:
        reason = f"{reason}; {record.note}" if reason else record.note
    games = sum(match.games for match in record.matches)
    rolls = sum(match.rolls for match in record.matches)
    repairs = sum(match.repairs for match in record.matches)
    counts = [len(verdicts), games, rolls, repairs]
    return [record.file, status, short(reason, MAX_REASON), record.sha256, record.dialect, *counts]


def _file_verdict(problem: str, verdicts: Sequence[FileStatus]) -> FileStatus:
    if not verdicts:
        return FileStatus(REJECTED, problem or "no match in it")
    if len(verdicts) == 1:
        return verdicts[0]
    statuses = {verdict.status for verdict in verdicts}
    if len(statuses) == 1:
        (status,) = statuses
        reasons = [f"match {n}: {reason}" for n, (_, reason) in enumerate(verdicts, 1) if reason]
        return FileStatus(status, "; ".join(reasons))
    reasons = [
        f"match {n} {status}" + f" ({reason})" * bool(reason)
        for n, (status, reason) in enumerate(verdicts, 1)
    ]
    return FileStatus(WARNINGS if statuses & _WITH_FIGURES else REJECTED, "; ".join(reasons))


def _read_rows(
    copy: Copy,
    verdict: FileStatus,
    xg: Sequence[Json] | None,
    rows: Iterable[Json],
) -> Iterator[list[Any]]:
    match = copy.match
    decided = match.match_length > 0 and match.complete and match.winner is not None
    score = capped(match)
    of_xg = xg or ({}, {})
    for seat, figures in enumerate(rows):
        yield [
            *(getattr(match, name) for name in _OF_BOTH_SIDES),
            figures["side"],
            copy.record.file,
            copy.number,
            *verdict,
            copy.record.dialect,
            match.names[seat],
            match.names[1 - seat],
            match.real_names[seat],
            score[seat],
            score[1 - seat],
            match.winner == seat if decided else math.nan,
            match.ratings[seat],
            *(of_xg[seat].get(name) for name in XG_COLUMNS.values()),
            *(figures[name] for name in _FIGURES),
        ]


def _table(rows: list[list[Any]]) -> pd.DataFrame:
    numbers = ("recorded_rating", *XG_COLUMNS, *_FIGURES)
    table = pd.DataFrame(rows, columns=[*_READ_COLUMNS, *_FIGURES]).astype(
        dict.fromkeys(numbers, float)
    )
    unsure = ~(table["complete"].astype(bool) & table["whole"].astype(bool))
    table.loc[unsure, ["actual_result", "luck_adjusted_result"]] = None
    return table.drop(columns="whole").assign(**error_rates(table))
