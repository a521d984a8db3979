"""Read files of games in their various forms."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.human.inert import without_mark
from bgrating.ratings.games import GAMES, RatingsError, Reading, checked, flags

FORMS = """\
CSV or TSV with the columns first, second, first_score and perhaps count;
CSV or TSV with first, second, first_wins, second_wins and perhaps draws (or home, away, home_wins, away_wins, draws);
lines `first second result_first result_second`;
a table of matches of this project (matches.parquet, <N>.parquet, matches.csv)"""

_TALLIES = (("first", "second", "first_wins", "second_wins"), ("home", "away", "home_wins", "away_wins"))
_CUT = "the file ends in the middle of this line"
_NO_END = "the file ends without a line end; the line was taken as whole"

Rows = list[tuple[int, list[str]]]


def read_games(path: Path) -> Reading:
    """Read a file of games of any of the known forms.

    Rows that cannot be rated are flagged, among them a last line that was cut off. Raises RatingsError where the file
    is not there, has another form, or holds no game at all.
    """
    if not path.is_file():
        raise RatingsError(f"games={path}: no such file (paths start at the project's folder)")
    reading = _matches(pd.read_parquet(path), path) if path.suffix == ".parquet" else _text(path)
    if reading.games.empty:
        reasons = "; ".join(reading.flagged["reason"].drop_duplicates().head(3)) or "it is empty"
        raise RatingsError(f"games={path}: there is no game to rate ({reasons})")
    return reading


def _text(path: Path) -> Reading:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise RatingsError(f"games={path}: not a text in UTF-8 ({problem.reason}); save it as such") from None
    head = next((line for line in text.splitlines() if line.strip()), "")
    delimiter = "\t" if "\t" in head else "," if "," in head else " "
    rows = _split(text, delimiter)
    if not rows:
        return Reading(pd.DataFrame(columns=GAMES), pd.DataFrame(columns=GAMES), flags([]))
    names = [field.strip().lower() for field in rows[0][1]]
    ended = text.endswith(("\n", "\r"))
    if {"first", "second", "first_score"} <= set(names):
        return _scores(rows, names, ended)
    for columns in _TALLIES:
        if set(columns) <= set(names):
            return _tallies(rows, names, columns, ended)
    if {"player", "opponent", "side", "won"} <= set(names):
        texts = {"player": str, "opponent": str, "side": str}
        return _match_rows(pd.read_csv(io.StringIO(text), dtype=texts, keep_default_na=False, na_values=[""]))
    if len(names) == 4 and _is_number(names[2]) and _is_number(names[3]):
        return _lines(rows, ended)
    raise RatingsError(f"games={path}: not a form that is known. Known are:\n{FORMS}")


def _split(text: str, delimiter: str) -> Rows:
    """Split a text to numbered rows of fields; empty lines are left out."""
    if delimiter == " ":
        return [(number, fields) for number, line in enumerate(text.splitlines(), 1) if (fields := line.split())]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [(reader.line_num, fields) for fields in reader if any(field.strip() for field in fields)]


def _whole(rows: Rows, width: int, ended: bool) -> tuple[Rows, list[tuple[int, str, bool, str]]]:
    """Part rows that have all their fields from those that do not, and look whether the last one was cut off.

    A last line without a line end counts as cut off where its last field is shorter than that of any other line.
    """
    good = [(number, fields) for number, fields in rows if len(fields) == width]
    odd = [
        (number, f"{len(fields)} fields instead of {width}", False, " ".join(fields))
        for number, fields in rows
        if len(fields) != width
    ]
    if ended or not rows:
        return good, odd
    number, fields = rows[-1]
    if len(fields) != width:
        odd[-1] = (number, _CUT, False, " ".join(fields))
    elif len(good) > 1 and len(fields[-1]) < min(len(others[-1]) for _, others in good[:-1]):
        odd.append((number, _CUT, False, " ".join(fields)))
        good.pop()
    else:
        odd.append((number, _NO_END, True, " ".join(fields)))
    return good, odd


def _column(rows: Rows, place: int) -> list[str]:
    return [fields[place].strip() for _, fields in rows]


def _numbers(texts: Sequence[str]) -> np.ndarray:
    return pd.to_numeric(pd.Series(texts, dtype=str), errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _reading(table: pd.DataFrame, odd: list[tuple[int, str, bool, str]], *, seats: bool = True) -> Reading:
    games, alone, flagged = checked(table)
    both = pd.concat([flags(odd), flagged], ignore_index=True) if odd else flagged
    # A tally gives up to three rows a line: one flag says it.
    both = both.drop_duplicates(ignore_index=True).sort_values("row", kind="stable", ignore_index=True)
    return Reading(games, alone, both, seats)


def _table(
    rows: Rows, first: Sequence[str], second: Sequence[str], score: np.ndarray, count: np.ndarray
) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "first": pd.Series(first, dtype=str),
            "second": pd.Series(second, dtype=str),
            "first_score": score,
            "count": count,
            "row": [number for number, _ in rows],
            "text": [" ".join(fields) for _, fields in rows],
        }
    )


def _scores(rows: Rows, names: list[str], ended: bool) -> Reading:
    good, odd = _whole(rows[1:], len(names), ended)
    first, second = (_column(good, names.index(name)) for name in ("first", "second"))
    score = _numbers(_column(good, names.index("first_score")))
    count = _numbers(_column(good, names.index("count"))) if "count" in names else np.ones(len(good))
    return _reading(_table(good, first, second, score, count), odd)


def _tallies(rows: Rows, names: list[str], columns: tuple[str, ...], ended: bool) -> Reading:
    good, odd = _whole(rows[1:], len(names), ended)
    first, second = (_column(good, names.index(name)) for name in columns[:2])
    parts = [(1.0, columns[2]), (0.0, columns[3])] + ([(0.5, "draws")] if "draws" in names else [])
    tables = [
        _table(good, first, second, np.full(len(good), score), _numbers(_column(good, names.index(column))))
        for score, column in parts
    ]
    return _reading(pd.concat(tables, ignore_index=True).sort_values("row", kind="stable", ignore_index=True), odd)


def _lines(rows: Rows, ended: bool) -> Reading:
    good, odd = _whole(rows, 4, ended)
    first, second = _column(good, 0), _column(good, 1)
    own, other = _numbers(_column(good, 2)), _numbers(_column(good, 3))
    in_range = (own >= 0) & (own <= 1) & (other >= 0) & (other <= 1)
    unlike = in_range & (np.abs(own + other - 1) > 1e-9)
    odd += [
        (number, "the two results do not add up to 1", False, " ".join(fields))
        for (number, fields), wrong in zip(good, unlike, strict=True)
        if wrong
    ]
    # The one that is out of range is what is flagged.
    score = np.where((own >= 0) & (own <= 1), np.where(in_range, own, other), own)
    table = _table(good, first, second, np.where(np.isnan(other), np.nan, score), np.ones(len(good)))
    return _reading(table[~unlike].reset_index(drop=True), odd)


def _matches(table: pd.DataFrame, path: Path) -> Reading:
    """Take the games of a table with one row a match; both players' names stand in its columns."""
    needed = {"player", "opponent", "player_score", "opponent_score", "match_length"}
    if not needed <= set(table.columns):
        raise RatingsError(
            f"games={path}: not a table of matches; {', '.join(sorted(needed - set(table.columns)))} missing"
        )
    own, other = table["player_score"].to_numpy(float), table["opponent_score"].to_numpy(float)
    over = np.maximum(own, other) >= table["match_length"].to_numpy(float)
    return _decided(table["player"], table["opponent"], np.where(over, (own > other) * 1.0, np.nan))


def _match_rows(table: pd.DataFrame) -> Reading:
    """Take the games of a table with one row per match and player: shards and collections have such."""
    left = table[table["side"] == "left"].reset_index(drop=True)
    won = (
        left["won"].astype(str).str.lower().map({"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0})
    )
    first, second = (left[column].fillna("").map(without_mark) for column in ("player", "opponent"))
    return _decided(first, second, won.to_numpy(float))


def _decided(first: pd.Series, second: pd.Series, score: np.ndarray) -> Reading:
    rows: Rows = [(number, [a, b]) for number, (a, b) in enumerate(zip(first, second, strict=True), 1)]
    table = _table(rows, first.tolist(), second.tolist(), score, np.ones(len(rows)))
    undecided = np.isnan(score)
    odd = [
        (number, "no result", False, " ".join(rows[number - 1][1]))
        for number in (np.flatnonzero(undecided) + 1).tolist()
    ]
    return _reading(table[~undecided].reset_index(drop=True), odd, seats=False)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
