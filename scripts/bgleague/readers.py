"""Read files of games of every form into one table.

Each form has its own module or a function here.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import numpy as np
import pandas as pd

from bgleague import club, crosstable, matches, rounds
from bgleague.games import FLAGGED, GAMES, KNOWN, MOST, TELLING, Row, Table, checked
from bgleague.headings import columns_of
from bgleague.joins import counted_once
from bgleague.settings import MATCH_FILES, GamesToRate, RatingsError
from bgleague.sheets import MOST_ABOVE, Sheet, read_sheets
from bgrating.pages.words import counted

_OTHER_NAMES = {
    "home": "first",
    "away": "second",
    "home_wins": "first_wins",
    "away_wins": "second_wins",
}
_ROUNDING = 1e-9
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


def read_games(
    paths: Path | Sequence[Path],
    today: date | None = None,
    aliases: Mapping[str, str] | None = None,
    order: str = "",
) -> GamesToRate:
    """Read files of games of any known form, and match files. `aliases` maps spellings to names.

    `order` (a key of dates.ORDERS) settles dates that fit two readings. Rows that cannot be rated
    are flagged, such as matches after `today`. A match that several lists have counts once. Raises
    RatingsError if a file is missing, too large, or of another form, and if there is no game.
    """
    paths = [paths] if isinstance(paths, Path) else list(dict.fromkeys(paths))
    today = today or datetime.now(UTC).date()
    lists: list[Table] = []
    match_paths = []
    for path in paths:
        if not path.exists():
            raise RatingsError(f"{path}: no such file")
        if matches.is_for_matches(path):
            match_paths.append(path)
        else:
            lists += _lists(path, path.name if len(paths) > 1 else "", today, order)
    if match_paths:
        table = Table(MATCH_FILES)
        table.games = matches.games(match_paths, Path("bgrating-results"), table)
        lists.append(table)
    return _together(lists, aliases or {}, ", ".join(map(str, paths)))


def _lists(path: Path, title: str, today: date, order: str) -> list[Table]:
    """Return the lists of a file; sheets without a list are left out."""
    sheets = read_sheets(path, _head)
    lists = [_read(sheet, sheet.head, today, order) for sheet in sheets if sheet.head is not None]
    if len(sheets) > 1:
        read = ", ".join(table.title for table in lists)
        note = f"the workbook has {len(sheets)} sheets, {len(lists)} with a list of results: {read}"
        lists[0].notes.insert(0, note)
    for table in lists:
        table.title = ", ".join(filter(None, (title, table.title)))
    return lists


def _head(rows: Sequence[Row]) -> int | None:
    """Return the place of the row with which a table of games begins."""
    for place, (_, fields) in enumerate(rows[:MOST_ABOVE]):
        if _form(fields, place):
            return place
    shape = rounds.shape(rows) or crosstable.shape(rows)
    return shape.head if shape else None


def _form(head: Sequence[str], place: int) -> str:
    """Return the form of a table with this head, or nothing if it is no head; lines have none."""
    names = set(_names(head))
    if {"first", "second", "first_score"} <= names:
        return "games"
    if {"first", "second", "first_wins", "second_wins"} <= names:
        return "tallies"
    if columns_of(head):
        return "list"
    is_line = place == 0 and len(head) == 4 and not np.isnan(_numbers(head[2:])).any()
    return "lines" if is_line else ""


def _names(head: Sequence[str]) -> list[str]:
    names = [field.strip().lower() for field in head]
    return [_OTHER_NAMES.get(name, name) for name in names]


def _read(sheet: Sheet, place: int, today: date, order: str) -> Table:
    """Read the games of a sheet with a table whose head has this place."""
    table = sheet.table
    head = sheet.rows[place][1]
    form = _form(head, place)
    if place:
        table.notes.append(f"{counted(place, 'rows')} above the names of the columns")
    if not form:
        kind = rounds if rounds.shape(sheet.rows) else crosstable
        table.games = kind.games(sheet.rows, table)
        return table
    rows = []
    for number, fields in sheet.rows[place + (form != "lines") :]:
        if len(fields) == len(head):
            rows.append((number, fields))
        else:
            table.flag(number, f"{len(fields)} fields instead of {len(head)}", fields)
    if form == "list":
        table.games = club.games(head, rows, today, order, table)
        return table
    names = ["first", "second", "won", "lost"] if form == "lines" else _names(head)
    written = [fields for _, fields in rows]
    cells = pd.DataFrame(written, columns=names, dtype=str).map(str.strip)
    cells = cells.loc[:, ~cells.columns.duplicated()].assign(row=[number for number, _ in rows])
    read = {"games": _games, "tallies": _tallies, "lines": _lines}
    table.games = read[form](cells, table)[GAMES]
    table.seats = True
    return table


def _together(lists: Sequence[Table], aliases: Mapping[str, str], files: str) -> GamesToRate:
    """Return the games of all lists, sorted by date if there are dates.

    `files` names the lists in errors.
    """
    titles = [table.title for table in lists]
    games, self_play, faulty, notices = checked(_all_rows(lists), aliases)
    flags = [(*flag, number) for number, table in enumerate(lists) for flag in table.flagged]
    # A line of a tally has up to three rows, and needs one flag.
    flagged = pd.concat([pd.DataFrame(flags, columns=[*FLAGGED, "list"]), faulty]).drop_duplicates()
    flagged = flagged.sort_values(["list", "row"], kind="stable", ignore_index=True)
    if games.empty:
        reasons = "; ".join(flagged["reason"].drop_duplicates().head(3)) or "it is empty"
        raise RatingsError(f"{files}: there is no game to rate ({reasons})")
    total = len(games[["list", "row"]].drop_duplicates())
    if total > MOST:
        raise RatingsError(
            f"{files}: {total:,} rows; up to {MOST:,} are rated: use fewer or shorter lists"
        )
    notes = [
        ": ".join(filter(None, (table.title, note))) for table in lists for note in table.notes
    ]
    if len(lists) > 1:
        games, repeated = counted_once(games, titles)
        notes += repeated + _undated(games)
        by_place = dict(enumerate(titles))
        games["list"] = games["list"].map(by_place)
        flagged["list"] = flagged["list"].map(by_place)
    else:
        games = games.drop(columns="list")
        flagged = flagged.drop(columns="list")
    if "date" in games:
        moment = games["moment"].where(games["moment"] != "", games["date"])
        games = games.iloc[moment.argsort(kind="stable")].reset_index(drop=True)
    games = games.drop(columns=TELLING, errors="ignore")
    self_play = self_play.drop(columns=[*TELLING, "list"], errors="ignore")
    notes += [notice.removesuffix(".") for notice in notices]
    seats = all(table.seats for table in lists if len(table.games))
    return GamesToRate(games, self_play, flagged, seats, tuple(notes))


def _undated(games: pd.DataFrame) -> list[str]:
    """Return a note about matches without a date beside others with one."""
    number = int((games.get("date", games["list"]) == "").sum())
    note = f"{counted(number, 'matches')} without a date: not used in ratings over time"
    return [note] if number else []


def _all_rows(lists: Sequence[Table]) -> pd.DataFrame:
    """Return the rows of all lists, with the place of their list; dates and lengths only if any is
    known.
    """
    frames = [table.games.assign(list=number) for number, table in enumerate(lists)]
    rows = pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)
    rows = rows.fillna({"date": "", **dict.fromkeys(TELLING, "")})
    unknown = [name for name in KNOWN if name in rows and rows[name].isin(["", np.nan]).all()]
    return rows.drop(columns=unknown)


def _counts(values: pd.Series) -> np.ndarray:
    """Read a column of counts. Raises RatingsError if 1.000 or 1,000 may mean one or a thousand."""
    grouped = values[values.str.fullmatch(_THOUSANDS)]
    if len(grouped) and not values.str.fullmatch(r"\d*[.,](\d{1,2}|\d{4,})").any():
        example = grouped.iloc[0]
        whole, rest = re.split("[.,]", example)
        raise RatingsError(f"{example} may be {whole} or {whole}{rest}: write {whole}{rest}")
    return _numbers(values)


def _numbers(values: Sequence[str] | pd.Series) -> np.ndarray:
    """Read a column of numbers with decimal points or commas."""
    texts = pd.Series(values, dtype=str).str.replace(",", ".", regex=False)
    return pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _games(cells: pd.DataFrame, table: Table) -> pd.DataFrame:
    scores = _numbers(cells["first_score"])
    known = scores[~np.isnan(scores)]
    outside = known[(known < 0) | (known > 1)]
    if -1 in outside and set(known) <= {1.0, -1.0}:
        table.notes.append("first_score was read as 1 and -1, a win and a loss")
        scores = (scores + 1) / 2
    elif {-1, 2} & set(outside) or 2 * len(outside) > len(known):
        # Elsewhere a 0 may be a draw, or a 1.
        raise RatingsError(
            f"first_score has {outside[0]:g}: write 1 for a win, 0.5 for a draw and 0 for a loss"
        )
    counts = _counts(cells["count"]) if "count" in cells else 1.0
    return cells.assign(first_score=scores, count=counts)


def _tallies(cells: pd.DataFrame, _: Table) -> pd.DataFrame:
    cells = cells.assign(draws=cells["draws"].replace("", "0") if "draws" in cells else "0")
    scores = {"first_wins": 1.0, "second_wins": 0.0, "draws": 0.5}
    parts = [
        cells.assign(first_score=score, count=_counts(cells[column]))
        for column, score in scores.items()
    ]
    return pd.concat(parts, ignore_index=True).sort_values("row", kind="stable", ignore_index=True)


def _lines(cells: pd.DataFrame, table: Table) -> pd.DataFrame:
    cells = cells.assign(first_score=_numbers(cells["won"]), count=1.0)
    fits = np.abs(cells["first_score"] + _numbers(cells["lost"]) - 1) < _ROUNDING
    for row, *names in cells.loc[~fits, ["row", "first", "second"]].itertuples(index=False):
        table.flag(row, "the two results do not add up to 1", names)
    games: pd.DataFrame = cells.loc[fits].reset_index(drop=True)
    return games
