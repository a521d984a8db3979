"""Give every file and every match of a collection its status, and put the readings beside the engine's figures."""

import math
from array import array
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bgrating.analysis.statuses import ANALYSED, DUPLICATE, INCOMPLETE, KILLED, MONEY, REJECTED, UNDONE, WARNINGS
from bgrating.collection.copies import Copy, as_copy, content_of, disagreements, grouped
from bgrating.engine.error_sizes import COLUMNS as SIZES
from bgrating.tables.dictionary import columns

Json = dict[str, Any]

_WITH_FIGURES = {ANALYSED, WARNINGS, INCOMPLETE, MONEY}

MAX_REASON = 600

XG_COLUMNS = {
    "xg_chequer_error_emg": "chequer_error",
    "xg_cube_error_emg": "cube_error",
    "xg_decisions": "decisions",
    "xg_pr": "pr",
    "xg_luck_emg": "luck",
    "xg_errors": "errors",
    "xg_blunders": "blunders",
}
"""Columns of what eXtreme Gammon itself says of a match that it has analysed."""
PROGRAM_COLUMNS = {"program_decisions": "decisions", "program_pr": "pr"}
"""Columns of what any program that analysed a match says in its file; the column `program` names it."""

_READ_COLUMNS = [
    "key", "side", "file", "match", "status", "reason", "dialect", "date", "player", "opponent", "real_name",
    "match_length", "games", "rolls", "score", "opponent_score", "complete", "won", "recorded_rating",
    *XG_COLUMNS, "program", *PROGRAM_COLUMNS, "whole",
]  # fmt: skip
_FIGURES = [*(name for name in columns("study/shard") if name not in _READ_COLUMNS), *SIZES]


class FileStatus(NamedTuple):
    """The status of a match or file and its reason (empty where there is nothing to say)."""

    status: str
    reason: str


@dataclass(frozen=True)
class Analysed:
    """What the engine said of contents, by key.

    `problems`: why there are no figures; `figures`: two rows a key with the columns of engine/statistics.py that a
    reading has not.
    """

    problems: Mapping[str, str]
    figures: pd.DataFrame

    @classmethod
    def of(cls, values: Iterable[tuple[str, Json]], problems: Mapping[str, str]) -> "Analysed":
        """Put together what worker.py said of contents, by key, and the problems of those without an answer."""
        refused = dict(problems)
        other = {"key", "side", *SIZES}
        # Numbers without an object each: a large collection has millions of them.
        rows: dict[str, Any] = {name: [] if name in other else array("d") for name in ("key", "side", *_FIGURES)}
        for key, value in values:
            if "problem" in value:
                refused[key] = value["problem"]
                continue
            for row in value["rows"]:
                for name, column in rows.items():
                    figure = key if name == "key" else row[name]
                    column.append(math.nan if figure is None and name not in other else figure)
        table = {name: column if name in other else np.frombuffer(column) for name, column in rows.items()}
        return cls(refused, pd.DataFrame(table).astype(dict.fromkeys(other, object)))


def account(
    records: list[Json] | Any, analysed: Analysed, aliases: Mapping[str, str] = MappingProxyType({})
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the table of files and the table of matches (one row per match and player, without ratings).

    Copies of a match count once, for the players that the best of them names. Where others name other players, both say
    so, unless the aliases (name -> name) make them the same.

    `records` are iterated twice: the lines of the reading, in the order of the files' names. Each file has exactly one
    status; where its matches differ, the file was analysed with warnings, and the reason tells them apart.
    """
    copies = _copies(records, analysed, aliases)
    files: list[list[Any]] = []
    rows: list[list[Any]] = []
    for record in records:
        verdicts = []
        for number, match in enumerate(record["matches"], 1):
            verdict = _match_verdict(match, copies.get((record["file"], number)), analysed)
            verdicts.append(verdict)
            if verdict.status in _WITH_FIGURES:
                group = copies[record["file"], number][1]
                rows += _read_rows(record, number, _with_xg(match, group), verdict)
        status, reason = _file_verdict(record["problem"], verdicts)
        counts = [sum(match[what] for match in record["matches"]) for what in ("games", "rolls")]
        reason = reason if len(reason) <= MAX_REASON else reason[: MAX_REASON - 1] + "…"
        files.append([record["file"], status, reason, record["sha256"], record["dialect"], len(verdicts), *counts])
    return pd.DataFrame(files, columns=columns("human/files")), _with_figures(rows, analysed)


def _place(record: Json, number: int) -> str:
    return str(record["file"]) if len(record["matches"]) == 1 else f"{record['file']} match {number}"


def _copies(
    records: Iterable[Json], analysed: Analysed, aliases: Mapping[str, str]
) -> dict[tuple[str, int], tuple[Copy, list[Copy]]]:
    """Return by file and number each match that has a key, with all its copies, the one that counts first."""
    copies, analysed_keys = [], set(analysed.figures["key"])
    for record in records:
        for number, match in enumerate(record["matches"], 1):
            if key := match["key"]:
                left, right = match["names"]
                names = aliases.get(left, left), aliases.get(right, right)
                lacks = 0 if key in analysed_keys else 1 if key in analysed.problems else 2
                copies.append(Copy(_place(record, number), record["file"], number, match, names, lacks))
    return {(copy.file, copy.number): (copy, group) for group in grouped(copies) for copy in group}


def _with_xg(match: Json, copies: list[Copy]) -> Json:
    """Return a match that no program analysed with XG's figures of an exact copy, where there is one."""
    for read in (copy.read for copy in copies if not match["program"]):
        if read["program"] == "xg" and content_of(read) == content_of(match):
            same_sides = read["first"] == match["first"]
            return match | {"program": "xg", "figures": read["figures"] if same_sides else read["figures"][::-1]}
    return match


def _match_verdict(match: Json, place: tuple[Copy, list[Copy]] | None, analysed: Analysed) -> FileStatus:
    if match["problem"] or place is None:
        return FileStatus(REJECTED, match["problem"])
    this, copies = place
    original = copies[0]
    if original.lacks:
        problem = analysed.problems[original.read["key"]]
        copy = "" if this is original else f"a copy of {original.place}: "
        return FileStatus(
            next((word for word in (KILLED, UNDONE) if problem.startswith(word)), REJECTED), copy + problem
        )
    if this is not original:
        return FileStatus(DUPLICATE, as_copy(this, original))
    notes = [*_notes(match), *disagreements(copies)]
    if this.names[0] == this.names[1] != "" and len(set(match["names"])) == 2:
        notes.append(f"by the aliases both players are {this.names[0]!r}: counted for neither")
    if match["match_length"] == 0:
        label = f"unlimited game, labelled as a match to {match['declared_length']}" if match["unlimited"] else ""
        return FileStatus(MONEY, "; ".join([label or "money session", *notes]))
    status = (WARNINGS if notes else ANALYSED) if match["complete"] else INCOMPLETE
    return FileStatus(status, "; ".join(notes))


def _notes(match: Json) -> list[str]:
    more = [f"and {match['more_warnings']} more"] if match["more_warnings"] else []
    return [*([match["incomplete"]] if match["incomplete"] else []), *match["warnings"], *more]


def _file_verdict(problem: str, verdicts: list[FileStatus]) -> FileStatus:
    if not verdicts:
        return FileStatus(REJECTED, problem or "no match in it")
    if len({verdict.status for verdict in verdicts}) == 1:
        parts = [f"match {n}: {verdict.reason}" for n, verdict in enumerate(verdicts, 1) if verdict.reason]
        return FileStatus(verdicts[0].status, verdicts[0].reason if len(verdicts) == 1 else "; ".join(parts))
    parts = [
        f"match {n} {verdict.status}" + (f" ({verdict.reason})" if verdict.reason else "")
        for n, verdict in enumerate(verdicts, 1)
    ]
    any_figures = any(verdict.status in _WITH_FIGURES for verdict in verdicts)
    return FileStatus(WARNINGS if any_figures else REJECTED, "; ".join(parts))


def _read_rows(record: Json, number: int, match: Json, verdict: FileStatus) -> Iterator[list[Any]]:
    decided = match["match_length"] > 0 and match["complete"]
    for seat, side in enumerate(("left", "right")):
        yield [
            match["key"], side, record["file"], number, verdict.status, verdict.reason, record["dialect"],
            match["date"], match["names"][seat], match["names"][1 - seat], match["real_names"][seat],
            match["match_length"], match["games"], match["rolls"], match["score"][seat], match["score"][1 - seat],
            match["complete"], match["winner"] == seat if decided else math.nan, match["ratings"][seat],
            *(match["figures"][seat][name] if match["program"] == "xg" else None for name in XG_COLUMNS.values()),
            match["program"],
            *(match["figures"][seat][name] if match["program"] else None for name in PROGRAM_COLUMNS.values()),
            match["whole"],
        ]  # fmt: skip


def _with_figures(rows: list[list[Any]], analysed: Analysed) -> pd.DataFrame:
    numbers = ("recorded_rating", *XG_COLUMNS, *PROGRAM_COLUMNS)
    read = pd.DataFrame(rows, columns=_READ_COLUMNS).astype(dict.fromkeys(numbers, float))
    table = read.merge(analysed.figures, on=["key", "side"], how="left", validate="m:1")
    table["moves_of_both"] = table.groupby(["file", "match"], sort=False)["total_moves"].transform("sum")
    unsure = ~(table["complete"].astype(bool) & table["whole"].astype(bool))
    table.loc[unsure, ["actual_result", "luck_adjusted_result"]] = None
    return table.drop(columns="whole")
