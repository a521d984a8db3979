"""Read files of games of every form into one table.

Each form has its own module or a function here.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from bgleague import club, crosstable, match_results, rounds
from bgleague.games import FLAGGED, GAMES, IDENTIFYING, MOST, Rows, Table, checked, name_of, whole
from bgleague.headings import columns_of
from bgleague.joins import counted_once
from bgleague.settings import GamesToRate, RatingsError
from bgleague.sheets import MOST_ABOVE, FindForm, Form, read_sheets
from bgrating.pages.formatting import counted
from bgrating.rating.fibs_formula import Floats

_OTHER_NAMES = {
    "home": "first",
    "away": "second",
    "home_wins": "first_wins",
    "away_wins": "second_wins",
}
_THOUSANDS = re.compile(r"[1-9]\d{0,2}[.,]\d{3}")


def read_games(
    paths: Sequence[Path],
    today: date | None = None,
    aliases: Mapping[str, str] | None = None,
    order: str = "",
) -> GamesToRate:
    """Read files of games of any known form, and match files. `aliases` maps spellings to names.

    `order` (a key of dates.ORDERS) settles dates that fit two readings. Rows that cannot be rated
    are flagged, such as matches after `today`. A match that several lists have counts once. Raises
    RatingsError if a file is missing, too large, or of another form, and if there is no game.
    """
    paths = list(dict.fromkeys(paths))
    find_form = partial(_form, today=today or datetime.now(UTC).date(), order=order)
    lists: list[Table] = []
    match_paths = []
    for path in paths:
        if not path.exists():
            raise RatingsError(f"{path}: no such file")
        if match_results.is_for_matches(path):
            match_paths.append(path)
        else:
            try:
                lists += _lists(path, path.name if len(paths) > 1 else "", find_form)
            except RatingsError as problem:
                raise RatingsError(f"{path}: {problem}") from None
    if match_paths:
        lists.append(match_results.read_results(match_paths, Path("bgrating-results")))
    return _together(lists, aliases or {}, ", ".join(map(str, paths)))


def _lists(path: Path, title: str, find_form: FindForm) -> list[Table]:
    """Return the lists of a file; sheets without a list are left out."""
    sheets = read_sheets(path, find_form)
    lists = []
    for rows, form, table in sheets:
        if not form:
            continue
        if form.head:
            table.notes.append(f"{counted(form.head, 'rows')} above the names of the columns")
        table.games = form.read(rows[form.head :], table)
        lists.append(table)
    if len(sheets) > 1:
        titles = ", ".join(table.title for table in lists)
        note = (
            f"the workbook has {len(sheets)} sheets, {len(lists)} with a list of results: {titles}"
        )
        lists[0].notes.insert(0, note)
    for table in lists:
        table.title = ", ".join(filter(None, (title, table.title)))
    return lists


def _form(rows: Rows, today: date, order: str) -> Form | None:
    """Return the form of the first table in rows, or None if they have no table of games."""
    for head, (_, fields) in enumerate(rows[:MOST_ABOVE]):
        names = set(_names(fields))
        if {"first", "second", "first_score"} <= names:
            return Form(head, _read_scores)
        if {"first", "second", "first_wins", "second_wins"} <= names:
            return Form(head, _read_tallies)
        if columns_of(fields):
            return Form(head, partial(club.read_list, today=today, order=order))
        if head == 0 and len(fields) == 4 and np.isclose(_numbers(fields[2:]).sum(), 1, rtol=0):
            return Form(head, _read_headless)
    return rounds.form_of(rows) or crosstable.form_of(rows)


def _names(head: Sequence[str]) -> list[str]:
    names = [field.strip().lower() for field in head]
    return [_OTHER_NAMES.get(name, name) for name in names]


def _cells(rows: Rows, table: Table) -> pd.DataFrame:
    """Return the cells of a table in which the first name moves first, by the names of columns."""
    table.seats = True
    numbers, (head, *cells) = zip(*whole(rows, table), strict=True)
    frame = pd.DataFrame(cells, columns=_names(head), dtype=str).map(name_of)
    return frame.loc[:, ~frame.columns.duplicated()].assign(row=numbers[1:])


def _together(lists: Sequence[Table], aliases: Mapping[str, str], files: str) -> GamesToRate:
    """Return the games of all lists, sorted by date if there are dates.

    `files` names the lists in errors.
    """
    titles = [table.title for table in lists]
    games, self_play, notices = checked(lists, aliases)
    flagged = _flagged(lists)
    if games.empty:
        reasons = "; ".join(flagged["reason"].drop_duplicates().head(3)) or "no rows, no matches"
        raise RatingsError(f"{files}: there is no game to rate ({reasons})")
    total = games.groupby(["list", "row"]).ngroups
    if total > MOST:
        raise RatingsError(
            f"{files}: {total:,} rows; up to {MOST:,} are rated: use fewer or shorter lists"
        )
    notes = [
        ": ".join(filter(None, (table.title, note))) for table in lists for note in table.notes
    ]
    if len(lists) > 1:
        games, repeated = counted_once(games, titles)
        notes += repeated
    for table in (games, flagged):
        table["list"] = table["list"].map(dict(enumerate(titles)))
    if "date" in games:
        games = games.sort_values("moment", kind="stable", ignore_index=True)
    unneeded = IDENTIFYING if len(lists) > 1 else [*IDENTIFYING, "list"]
    games, self_play, flagged = (
        table.drop(columns=unneeded, errors="ignore") for table in (games, self_play, flagged)
    )
    notes += [notice.removesuffix(".") for notice in notices]
    seats = all(table.seats for table in lists if len(table.games))
    return GamesToRate(games, self_play, flagged, seats, notes)


def _flagged(lists: Sequence[Table]) -> pd.DataFrame:
    """Return the flagged rows of all lists; a row that is not rated has no reservations."""
    flags = [(*flag, number) for number, table in enumerate(lists) for flag in table.flagged]
    flagged = pd.DataFrame(flags, columns=[*FLAGGED, "list"])
    rated = flagged.groupby(["list", "row"])["rated"].transform("all")
    # A line of a tally has up to three rows, and needs one flag.
    flagged = flagged[flagged["rated"] == rated].drop_duplicates()
    return flagged.sort_values(["list", "row"], kind="stable", ignore_index=True)


def _counts(values: pd.Series) -> Floats:
    """Read a column of counts. Raises RatingsError if 1.000 or 1,000 may mean one or a thousand."""
    grouped = values[values.str.fullmatch(_THOUSANDS)]
    if len(grouped) and not values.str.fullmatch(r"\d*[.,](\d{1,2}|\d{4,})").any():
        example = grouped.iloc[0]
        start, rest = re.split("[.,]", example)
        raise RatingsError(f"{example} may be {start} or {start}{rest}: write {start}{rest}")
    return _numbers(values)


def _numbers(values: Sequence[str] | pd.Series) -> Floats:
    """Read a column of numbers with decimal points or commas."""
    texts = pd.Series(values, dtype=str).str.replace(",", ".", regex=False)
    return pd.to_numeric(texts, errors="coerce").to_numpy(dtype=float, na_value=np.nan)


def _read_scores(rows: Rows, table: Table) -> pd.DataFrame:
    cells = _cells(rows, table)
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
    return cells.assign(first_score=scores, count=counts)[GAMES]


def _read_tallies(rows: Rows, table: Table) -> pd.DataFrame:
    cells = _cells(rows, table)
    cells = cells.assign(draws=cells["draws"].replace("", "0") if "draws" in cells else "0")
    scores = {"first_wins": 1.0, "second_wins": 0.0, "draws": 0.5}
    games = cells.melt(["first", "second", "row"], list(scores), "first_score", "count")
    games = games.assign(
        first_score=games["first_score"].map(scores), count=_counts(games["count"])
    )
    return games[GAMES].sort_values("row", kind="stable", ignore_index=True)


def _read_headless(rows: Rows, table: Table) -> pd.DataFrame:
    """Read lines without a head: the players, and the result of each."""
    cells = _cells([(0, ["first", "second", "first_score", "lost"]), *rows], table)
    cells = cells.assign(first_score=_numbers(cells["first_score"]), count=1.0)
    fits = np.isclose(cells["first_score"] + _numbers(cells["lost"]), 1, rtol=0)
    for row, *names in cells.loc[~fits, ["row", "first", "second"]].itertuples(index=False):
        table.flag(row, "the two results do not add up to 1", names)
    games: pd.DataFrame = cells.loc[fits, GAMES].reset_index(drop=True)
    return games
