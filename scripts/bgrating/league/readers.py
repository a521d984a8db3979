"""Read files of games of every form; bgrating.league.club reads the lists of results that clubs write."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.league import club
from bgrating.league.games import GAMES, NO_RESULT, GamesReading, Odd, Rows, checked, flags, safe_line
from bgrating.league.settings import RatingsError
from bgrating.league.sheets import read_sheet
from bgrating.tables.csv_safety import without_mark

_TALLIES = (("first", "second", "first_wins", "second_wins"), ("home", "away", "home_wins", "away_wins"))
_CUT = "the file ends in the middle of this line"
_NO_END = "the file ends without a line end; the line was taken as complete"
_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


@dataclass(frozen=True)
class _Form:
    """A form of tables of games.

    `read` takes the numbered head, the rows and the odd rows, to which it adds. `seats` tells whether the first name
    moves first, `is_ours` whether names are escaped as in our own tables.
    """

    read: Callable[[tuple[int, list[str]], Rows, Odd], pd.DataFrame]
    seats: bool = True
    has_head: bool = True
    is_ours: bool = False


def read_games(path: Path, today: date | None = None, aliases: Mapping[str, str] | None = None) -> GamesReading:
    """Read a file of games of any known form; `aliases` maps spellings to names.

    Rows that cannot be rated are flagged, among them a truncated last line and matches after `today`. Raises
    RatingsError if the file is missing, has another form, or has no game.
    """
    if not path.is_file():
        raise RatingsError(f"{path}: {'a folder, not a file of games' if path.is_dir() else 'no such file'}")
    day = today or date.today()
    sheet = read_sheet(path, lambda place, fields: _form(place, fields, day) is not None)
    form, head, odd = _form(0, sheet.rows[0][1], day), sheet.rows[0], sheet.odd
    assert form is not None  # read_sheet begins with the row that has one
    rows = _complete(sheet.rows[form.has_head :], len(head[1]), odd, sheet.is_ended)
    games, self_play, bad = checked(form.read(head, rows, odd), aliases or {}, escaped=form.is_ours)
    flagged = pd.concat([flags(odd), bad], ignore_index=True) if odd else bad
    # A tally has up to three rows a line, which need one flag.
    flagged = flagged.drop_duplicates(ignore_index=True).sort_values("row", kind="stable", ignore_index=True)
    if games.empty:
        reasons = "; ".join(flagged["reason"].drop_duplicates().head(3)) or "it is empty"
        raise RatingsError(f"{path}: there is no game to rate ({reasons})")
    return GamesReading(games, self_play, flagged, form.seats, sheet.notes)


def _form(place: int, head: Sequence[str], today: date) -> _Form | None:
    """Return the form of a table with this head, or None for another row; a list of lines has no head."""
    names = [field.strip().lower() for field in head]
    if {"first", "second", "first_score"} <= set(names):
        return _Form(partial(_games, names))
    for tally in _TALLIES:
        if set(tally) <= set(names):
            return _Form(partial(_tallies, names, tally))
    if {"player", "opponent", "side", "won"} <= set(names):
        return _Form(partial(_sides, names), seats=False, is_ours=True)
    if columns := club.columns_of(head):
        return _Form(partial(club.table, columns, today), seats=False)
    if place == 0 and len(names) == 4 and not np.isnan(_numbers(names[2:])).any():
        return _Form(_lines, has_head=False)
    return None


def _complete(rows: Rows, width: int, odd: Odd, is_ended: bool) -> Rows:
    """Return the rows with all fields; add the others and a truncated last row to `odd`.

    A last line without a line end counts as truncated if its last field is the shortest of all.
    """
    good = [(number, fields) for number, fields in rows if len(fields) == width]
    for number, fields in rows:
        if len(fields) != width:
            reason = _CUT if not is_ended and number == rows[-1][0] else f"{len(fields)} fields instead of {width}"
            odd.append((number, reason, False, safe_line(fields)))
    if not is_ended and good and good[-1] == rows[-1]:
        number, fields = good[-1]
        is_cut = len(good) > 1 and len(fields[-1]) < min(len(others[-1]) for _, others in good[:-1])
        odd.append((number, _CUT if is_cut else _NO_END, not is_cut, safe_line(fields)))
        if is_cut:
            good.pop()
    return good


def _column(rows: Rows, place: int) -> list[str]:
    return [fields[place].strip() for _, fields in rows]


def _numbers(values: Sequence[str]) -> np.ndarray:
    return pd.to_numeric(pd.Series(values, dtype=str), errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _table(
    rows: Rows, first: Sequence[str], second: Sequence[str], score: np.ndarray, games: np.ndarray | float = 1.0
) -> pd.DataFrame:
    about = {"row": [number for number, _ in rows], "text": [safe_line(fields) for _, fields in rows]}
    table = pd.DataFrame({"first": first, "second": second, "first_score": score, "count": games, **about})
    return table[[*GAMES, "text"]].astype({"first": str, "second": str})


def _games(names: list[str], _: object, rows: Rows, __: Odd) -> pd.DataFrame:
    first, second, score = (_column(rows, names.index(name)) for name in ("first", "second", "first_score"))
    count = _numbers(_column(rows, names.index("count"))) if "count" in names else 1.0
    return _table(rows, first, second, _numbers(score), count)


def _tallies(names: list[str], tally: tuple[str, ...], _: object, rows: Rows, __: Odd) -> pd.DataFrame:
    first, second = (_column(rows, names.index(name)) for name in tally[:2])
    parts = [(1.0, tally[2]), (0.0, tally[3])] + ([(0.5, "draws")] if "draws" in names else [])
    tables = [
        _table(rows, first, second, np.full(len(rows), score), _numbers(_column(rows, names.index(column))))
        for score, column in parts
    ]
    return pd.concat(tables, ignore_index=True).sort_values("row", kind="stable", ignore_index=True)


def _lines(_: object, rows: Rows, odd: Odd) -> pd.DataFrame:
    first, second = _numbers(_column(rows, 2)), _numbers(_column(rows, 3))
    first_in_range = (first >= 0) & (first <= 1)
    in_range = first_in_range & (second >= 0) & (second <= 1)
    # The result out of range is the score, so that it is flagged.
    score = np.where(first_in_range & ~in_range, second, first)
    table = _table(rows, _column(rows, 0), _column(rows, 1), np.where(np.isnan(second), np.nan, score))
    return _without(table, in_range & (np.abs(first + second - 1) > 1e-9), "the two results do not add up to 1", odd)


def _sides(names: list[str], _: object, rows: Rows, odd: Odd) -> pd.DataFrame:
    """Read a table with one row per match and player, as shards and collections have."""
    left = [row for row in rows if row[1][names.index("side")].strip() == "left"]
    won = np.array([_TRUTHS.get(text.lower(), np.nan) for text in _column(left, names.index("won"))])
    first, second = (
        [without_mark(name) for name in _column(left, names.index(side))] for side in ("player", "opponent")
    )
    numbered: Rows = [(number, [a, b]) for number, (a, b) in enumerate(zip(first, second, strict=True), 1)]
    table = _table(numbered, first, second, won)
    if "match_length" in names:
        table = table.assign(length=_numbers(_column(left, names.index("match_length"))))
    return _without(table, np.isnan(won), NO_RESULT, odd)


def _without(table: pd.DataFrame, left_out: np.ndarray, reason: str, odd: Odd) -> pd.DataFrame:
    odd += [(row, reason, False, text) for row, text in table.loc[left_out, ["row", "text"]].itertuples(index=False)]
    kept: pd.DataFrame = table[~left_out].reset_index(drop=True)
    return kept
