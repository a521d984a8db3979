"""Read files of games in their various forms; lists of results as clubs write them: bgrating.league.club."""

import csv
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.league import club
from bgrating.league.games import GAMES, NO_RESULT, Odd, RatingsError, Reading, Rows, checked, flags, name_of, texts
from bgrating.tables.csv_safety import shown, without_mark

_TALLIES = (("first", "second", "first_wins", "second_wins"), ("home", "away", "home_wins", "away_wins"))
_CUT = "the file ends in the middle of this line"
_NO_END = "the file ends without a line end; the line was taken as whole"
_QUOTE = "a quotation mark is not closed in this line"


def read_games(path: Path, today: date | None = None) -> Reading:
    """Read a file of games of any of the known forms.

    Rows that cannot be rated are flagged, among them a last line that was cut off and matches after `today`. Raises
    RatingsError where the file is not there, has another form, or holds no game at all.
    """
    if not path.is_file():
        raise RatingsError(f"games={path}: no such file (paths start at the project's folder)")
    reading = _parquet(path) if path.suffix == ".parquet" else _text(path, today or date.today())
    if reading.games.empty:
        reasons = "; ".join(reading.flagged["reason"].drop_duplicates().head(3)) or "it is empty"
        raise RatingsError(f"games={path}: there is no game to rate ({reasons})")
    return reading


def _text(path: Path, today: date) -> Reading:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise RatingsError(f"games={path}: not a text in UTF-8 ({problem.reason}); save it as such") from None
    lines = [(number, line) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    if not lines:
        return _reading(pd.DataFrame(columns=[*GAMES, "text"]), [])
    head = lines[0][1]
    delimiter = max("\t,;", key=head.count) if any(mark in head for mark in "\t,;") else " "
    rows, odd = _split(lines, delimiter)
    names = [field.strip().lower() for field in rows[0][1]] if rows else []
    ended = text.endswith(("\n", "\r"))
    columns = club.columns_of(rows[0][1]) if rows else {}
    if {"first", "second", "first_score"} <= set(names):
        good = _whole(rows[1:], len(names), odd, ended)
        count = _numbers(_column(good, names.index("count"))) if "count" in names else np.ones(len(good))
        first, second, score = (_column(good, names.index(name)) for name in ("first", "second", "first_score"))
        return _reading(_table(good, first, second, _numbers(score), count), odd)
    for tally in _TALLIES:
        if set(tally) <= set(names):
            return _tallies(_whole(rows[1:], len(names), odd, ended), names, tally, odd)
    if {"player", "opponent", "side", "won"} <= set(names):
        return _sides(_whole(rows[1:], len(names), odd, ended), names, odd)
    if columns:
        table = club.table(rows[0], columns, _whole(rows[1:], len(names), odd, ended), odd, today)
        return _reading(table, odd, seats=False)
    if len(names) == 4 and _is_number(names[2]) and _is_number(names[3]):
        return _lines(_whole(rows, 4, odd, ended), odd)
    raise RatingsError(
        f"games={path}: its first line ({_short(head)}) is not a form that is known: begin with names such as "
        f"{club.HEAD}, then one line per match such as {club.ROW} (other forms: results/README.md)"
    )


def _split(lines: Sequence[tuple[int, str]], delimiter: str) -> tuple[Rows, Odd]:
    """Split lines to numbered rows of fields, line by line: a quotation mark that is not closed spoils its own only."""
    rows: Rows = []
    odd: Odd = []
    for number, line in lines:
        if delimiter == " ":
            rows.append((number, line.split()))
            continue
        try:
            fields = next(csv.reader([line], delimiter=delimiter, strict=True))
        except csv.Error as problem:
            odd.append((number, _QUOTE if "end of data" in str(problem) else f"not a row: {problem}", False, line))
            continue
        if any(field.strip() for field in fields):
            rows.append((number, fields))
    return rows, odd


def _whole(rows: Rows, width: int, odd: Odd, ended: bool) -> Rows:
    """Return the rows that have all their fields; add to `odd` those that do not, and a last one that was cut off.

    A last line without a line end counts as cut off where its last field is shorter than that of any other line.
    """
    good = [(number, fields) for number, fields in rows if len(fields) == width]
    for number, fields in rows:
        if len(fields) != width:
            reason = _CUT if not ended and number == rows[-1][0] else f"{len(fields)} fields instead of {width}"
            odd.append((number, reason, False, " ".join(fields)))
    if not ended and good and good[-1] == rows[-1]:
        number, fields = good[-1]
        cut = len(good) > 1 and len(fields[-1]) < min(len(others[-1]) for _, others in good[:-1])
        odd.append((number, _CUT if cut else _NO_END, not cut, " ".join(fields)))
        if cut:
            good.pop()
    return good


def _column(rows: Rows, place: int) -> list[str]:
    return [fields[place].strip() for _, fields in rows]


def _numbers(values: Sequence[str]) -> np.ndarray:
    return pd.to_numeric(pd.Series(values, dtype=str), errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _reading(table: pd.DataFrame, odd: Odd, *, seats: bool = True) -> Reading:
    games, alone, flagged = checked(table)
    both = pd.concat([flags(odd), flagged], ignore_index=True) if odd else flagged
    # A tally gives up to three rows a line: one flag says it.
    both = both.drop_duplicates(ignore_index=True).sort_values("row", kind="stable", ignore_index=True)
    return Reading(games, alone, both, seats)


def _table(
    rows: Rows, first: Sequence[str], second: Sequence[str], score: np.ndarray, count: np.ndarray
) -> pd.DataFrame:
    names = {"first": [name_of(name) for name in first], "second": [name_of(name) for name in second]}
    numbers = {"first_score": score, "count": count, "row": [number for number, _ in rows]}
    return pd.DataFrame({**names, **numbers, "text": texts(rows)}).astype({"first": str, "second": str})


def _tallies(good: Rows, names: list[str], columns: tuple[str, ...], odd: Odd) -> Reading:
    first, second = (_column(good, names.index(name)) for name in columns[:2])
    parts = [(1.0, columns[2]), (0.0, columns[3])] + ([(0.5, "draws")] if "draws" in names else [])
    tables = [
        _table(good, first, second, np.full(len(good), score), _numbers(_column(good, names.index(column))))
        for score, column in parts
    ]
    return _reading(pd.concat(tables, ignore_index=True).sort_values("row", kind="stable", ignore_index=True), odd)


def _lines(good: Rows, odd: Odd) -> Reading:
    first, second = _column(good, 0), _column(good, 1)
    own, other = _numbers(_column(good, 2)), _numbers(_column(good, 3))
    in_range = (own >= 0) & (own <= 1) & (other >= 0) & (other <= 1)
    unlike = in_range & (np.abs(own + other - 1) > 1e-9)
    for (number, fields), wrong in zip(good, unlike, strict=True):
        if wrong:
            odd.append((number, "the two results do not add up to 1", False, " ".join(fields)))
    # The one that is out of range is what is flagged.
    score = np.where((own >= 0) & (own <= 1), np.where(in_range, own, other), own)
    table = _table(good, first, second, np.where(np.isnan(other), np.nan, score), np.ones(len(good)))
    return _reading(table[~unlike].reset_index(drop=True), odd)


def _parquet(path: Path) -> Reading:
    """Take the games of a table with one row per match; both players' names stand in its columns."""
    try:
        table = pd.read_parquet(path)
    except (OSError, ValueError) as problem:  # pyarrow's own errors are ValueErrors
        raise RatingsError(f"games={path}: not a Parquet table, or a damaged one ({_line(problem)})") from None
    needed = {"player", "opponent", "player_score", "opponent_score", "match_length"}
    if not needed <= set(table.columns):
        raise RatingsError(
            f"games={path}: not a table of matches; {', '.join(sorted(needed - set(table.columns)))} missing"
        )
    try:
        own, other, length = (
            table[name].to_numpy(float) for name in ("player_score", "opponent_score", "match_length")
        )
    except (TypeError, ValueError) as problem:
        raise RatingsError(f"games={path}: scores and lengths must be numbers ({_line(problem)})") from None
    over = np.maximum(own, other) >= length
    first, second = (table[column].astype(str).tolist() for column in ("player", "opponent"))
    return _decided(first, second, np.where(over, (own > other) * 1.0, np.nan), {"length": length})


def _sides(good: Rows, names: list[str], odd: Odd) -> Reading:
    """Take the games of a table with one row per match and player: shards and collections have such."""
    left = [row for row in good if row[1][names.index("side")].strip() == "left"]
    words = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}
    won = np.array([words.get(text.lower(), np.nan) for text in _column(left, names.index("won"))])
    first, second = (
        [without_mark(name) for name in _column(left, names.index(side))] for side in ("player", "opponent")
    )
    known = {"length": _numbers(_column(left, names.index("match_length")))} if "match_length" in names else {}
    return _decided(first, second, won, known, odd)


def _decided(
    first: list[str], second: list[str], score: np.ndarray, known: Mapping[str, np.ndarray], odd: Odd | None = None
) -> Reading:
    rows: Rows = [(number, [a, b]) for number, (a, b) in enumerate(zip(first, second, strict=True), 1)]
    table = _table(rows, first, second, score, np.ones(len(rows))).assign(**known)
    undecided = np.isnan(score)
    odd = [
        *(odd or []),
        *((int(place) + 1, NO_RESULT, False, " ".join(rows[place][1])) for place in np.flatnonzero(undecided)),
    ]
    return _reading(table[~undecided].reset_index(drop=True), odd, seats=False)


def _line(problem: Exception) -> str:
    return _short(str(problem), 200)


def _short(text: str, most: int = 80) -> str:
    """Return a text as one line of at most so many letters."""
    line = shown(" ".join(text.split()))
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
