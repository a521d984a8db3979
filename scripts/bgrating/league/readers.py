"""Read files of games of every form; bgrating.league.club reads the lists of results that clubs write."""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bgrating.league import club
from bgrating.league.games import GAMES, NO_RESULT, Odd, Rows, checked, flags, safe_line
from bgrating.league.settings import GamesToRate, RatingsError
from bgrating.league.sheets import read_sheet
from bgrating.tables.csv_safety import without_mark

_TALLIES = (("first", "second", "first_wins", "second_wins"), ("home", "away", "home_wins", "away_wins"))
_CUT = "the file ends in the middle of this line"
_NO_END = "the file ends without a line end; the line was taken as complete"
_TRUTHS = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


class _Form(NamedTuple):
    """A form of tables of games.

    `read` takes the numbered head, the rows and the odd rows, to which it adds. `seats` tells whether the first name
    moves first, `is_ours` whether names are escaped as in our own tables.
    """

    read: Callable[[tuple[int, list[str]], Rows, Odd], pd.DataFrame]
    seats: bool = True
    has_head: bool = True
    is_ours: bool = False


def read_games(path: Path, today: date | None = None, aliases: Mapping[str, str] | None = None) -> GamesToRate:
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
    rows = _complete(sheet.rows, int(form.has_head), len(head[1]), odd, sheet.is_ended)
    table = form.read(head, rows, odd)
    games, self_play, bad, remarks = checked(table, aliases or {}, escaped=form.is_ours)
    if "text" not in table:  # a long list's rows are joined where they are flagged alone
        bad["text"] = [safe_line(rows[place][1]) for place in np.searchsorted(rows.numbers, bad["row"]).tolist()]
    flagged = pd.concat([flags(odd), bad], ignore_index=True) if odd else bad
    # A tally has up to three rows a line, which need one flag.
    flagged = flagged.drop_duplicates(ignore_index=True).sort_values("row", kind="stable", ignore_index=True)
    if games.empty:
        reasons = "; ".join(flagged["reason"].drop_duplicates().head(3)) or "it is empty"
        raise RatingsError(f"{path}: there is no game to rate ({reasons})")
    notes = (*sheet.notes, *club.repeated(flagged), *(remark.removesuffix(".") for remark in remarks))
    return GamesToRate(games, self_play, flagged, form.seats, notes)


def _form(place: int, head: Sequence[str], today: date) -> _Form | None:
    """Return the form of a table with this head, or None for another row; a list of lines has no head."""
    names = [field.strip().lower() for field in head]
    if {"first", "second", "first_score"} <= set(names):
        return _Form(partial(_read, names, _games))
    for tally in _TALLIES:
        if set(tally) <= set(names):
            return _Form(partial(_read, names, partial(_tallies, tally)))
    if {"player", "opponent", "side", "won"} <= set(names):
        return _Form(partial(_read, names, _sides), seats=False, is_ours=True)
    if columns := club.columns_of(head):
        return _Form(partial(club.table, columns, today), seats=False)
    if place == 0 and len(names) == 4 and not np.isnan(_numbers(names[2:])).any():
        return _Form(partial(_read, ["first", "second", "won", "lost"], _lines), has_head=False)
    return None


def _complete(rows: Rows, start: int, width: int, odd: Odd, is_ended: bool) -> Rows:
    """Return the rows from `start` on with all fields; add the others and a truncated last row to `odd`.

    A last line without a line end counts as truncated if its last field is the shortest of all.
    """
    widths, last = rows.widths[start:], len(rows) - 1
    for place in (start + np.flatnonzero(widths != width)).tolist():
        number, fields = rows[place]
        reason = _CUT if not is_ended and place == last else f"{len(fields)} fields instead of {width}"
        odd.append((number, reason, False, safe_line(fields)))
    good = start + np.flatnonzero(widths == width)
    if not is_ended and len(good) and good[-1] == last:
        number, fields = rows[last]
        shortest = min((len(rows[place][1][-1]) for place in good[:-1].tolist()), default=0)
        is_cut = len(fields[-1]) < shortest
        odd.append((number, _CUT if is_cut else _NO_END, not is_cut, safe_line(fields)))
        if is_cut:
            good = good[:-1]
    return rows.only(good)


def _read(
    names: list[str], read: Callable[[pd.DataFrame, Odd], pd.DataFrame], _: object, rows: Rows, odd: Odd
) -> pd.DataFrame:
    cells = pd.DataFrame([[field.strip() for field in fields] for _, fields in rows], columns=names, dtype=str)
    cells = cells.loc[:, ~cells.columns.duplicated()]
    cells = cells.assign(row=rows.numbers, text=[safe_line(fields) for _, fields in rows])
    return read(cells, odd)


def _numbers(values: Sequence[str] | pd.Series) -> np.ndarray:
    return pd.to_numeric(pd.Series(values, dtype=str), errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _table(cells: pd.DataFrame, score: Any, games: Any = 1.0) -> pd.DataFrame:
    return cells.assign(first_score=score, count=games)[[*GAMES, "text"]]


def _games(cells: pd.DataFrame, _: Odd) -> pd.DataFrame:
    return _table(cells, _numbers(cells["first_score"]), _numbers(cells["count"]) if "count" in cells else 1.0)


def _tallies(tally: tuple[str, ...], cells: pd.DataFrame, _: Odd) -> pd.DataFrame:
    first, second, won, lost = tally
    cells = cells.assign(first=cells[first], second=cells[second])
    parts = [(1.0, won), (0.0, lost)] + ([(0.5, "draws")] if "draws" in cells else [])
    tables = [_table(cells, score, _numbers(cells[column])) for score, column in parts]
    return pd.concat(tables, ignore_index=True).sort_values("row", kind="stable", ignore_index=True)


def _lines(cells: pd.DataFrame, odd: Odd) -> pd.DataFrame:
    first, second = _numbers(cells["won"]), _numbers(cells["lost"])
    first_in_range = (first >= 0) & (first <= 1)
    in_range = first_in_range & (second >= 0) & (second <= 1)
    # The result out of range is the score, so that it is flagged.
    score = np.where(first_in_range & ~in_range, second, first)
    table = _table(cells, np.where(np.isnan(second), np.nan, score))
    return _without(table, in_range & (np.abs(first + second - 1) > 1e-9), "the two results do not add up to 1", odd)


def _sides(cells: pd.DataFrame, odd: Odd) -> pd.DataFrame:
    """Read a table with one row per match and player, as shards and collections have."""
    left = cells[cells["side"] == "left"].reset_index(drop=True)
    left = left.assign(first=left["player"].map(without_mark), second=left["opponent"].map(without_mark))
    left["row"] = left.index + 1
    left["text"] = [safe_line(names) for names in zip(left["first"], left["second"], strict=True)]
    won = left["won"].str.lower().map(_TRUTHS).to_numpy(float)
    table = _table(left, won)
    if "match_length" in left:
        table = table.assign(length=_numbers(left["match_length"]))
    return _without(table, np.isnan(won), NO_RESULT, odd)


def _without(table: pd.DataFrame, left_out: np.ndarray, reason: str, odd: Odd) -> pd.DataFrame:
    odd += [(row, reason, False, text) for row, text in table.loc[left_out, ["row", "text"]].itertuples(index=False)]
    return table[~left_out].reset_index(drop=True)
