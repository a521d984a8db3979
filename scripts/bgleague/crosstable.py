"""Cross tables: a row and a column for each player, and in each cell the results of the row's player.

A cell has scores (7-3, or several), a word (W, L), or a number. If the cells across the diagonal repeat each other, a
match stands twice in the table and counts once. Otherwise each cell has matches of its own. Numbers are wins, or the
points of one match if the larger number of each pair is always the same odd number.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from bgleague.club import BYE, ENGLISH, FORFEIT, SHOWN
from bgleague.games import GAMES, Row, Table, length_of, name_of, safe_line

_SCORE = re.compile(r"(\d{1,2})\s*[-:–—−‐‑/]\s*(\d{1,2})")
_NUMBER = re.compile(r"\d{1,4}(?:[.,][05])?|½")
_EMPTY = re.compile(r"[-–—xX*.\\/#=■█●\s]*|n/a", re.IGNORECASE)
_RANKED = re.compile(r"\d{1,3}[.)]?\s+(?=\D)")
_NOBODY = re.compile(
    rf"{BYE.pattern}|\d*|(?:sub)?totals?|totaal|totale|sum|summe?|gesamt|i alt|"
    r"points|pts|punkte|won|lost|wins|losses|played|σ|∑"
)
"""Labels of rows and columns that belong to no player."""
_LEAST_PLAYERS = 3


class Shape(NamedTuple):
    """The shape of a cross table: the place of its head, the column of names, and the column of each player."""

    head: int
    names: int
    columns: dict[str, int]


Pair = tuple[str, str]
"""The labels of a cell's row and column."""
Results = dict[Pair, list[tuple[float, float]]]
"""The points of both players in each match of a cell."""


def shape(rows: Sequence[Row]) -> Shape | None:
    """Return the shape of the cross table in rows, if at least three players have both a row and a column."""
    for head, (_, fields) in enumerate(rows[:30]):
        below = [row for _, row in rows[head + 1 :]]
        for names in (0, 1):
            labelled = [(_label(row[names]), row) for row in below if len(row) > names]
            players = [label for label, _ in labelled if not _NOBODY.fullmatch(label)]
            named = {_label(field): at for at, field in enumerate(fields) if at > names and field.strip()}
            found = {name: named[name] for name in players if name in named}
            if len(found) < _LEAST_PLAYERS:
                found = _by_number(fields, names, players)
                if _are_rounds(found, dict(labelled)):
                    continue
            if len(found) >= _LEAST_PLAYERS and 2 * len(found) >= len(players):
                return Shape(head, names, found)
    return None


def _are_rounds(columns: Mapping[str, int], rows: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether the numbers at the head are rounds: a player then has a result in the column of their own number."""
    return not all(_EMPTY.fullmatch("".join(rows[name][at : at + 1]).strip(" 0")) for name, at in columns.items())


def _label(field: str) -> str:
    """Return the name in a cell, without a rank before it and without capitals, to compare heads and rows."""
    return _RANKED.sub("", name_of(field)).casefold()


def _by_number(fields: Sequence[str], names: int, players: Sequence[str]) -> dict[str, int]:
    """Return the columns of players whose heads are 1, 2, 3 … in the order of the rows."""
    numbers = [at for at, field in enumerate(fields) if at > names and field.strip().isdecimal()]
    counted = [int(fields[at]) for at in numbers[: len(players)]]
    return dict(zip(players, numbers, strict=False)) if counted == [*range(1, len(players) + 1)] else {}


def games(rows: Sequence[Row], table: Table) -> pd.DataFrame:
    """Return the games of a cross table; flag cells that cannot be read, and note in `table` what the cells mean."""
    layout = shape(rows)
    assert layout is not None  # the reader has found this table by its shape
    cells: dict[Pair, tuple[int, str]] = {}
    written: dict[str, str] = {}
    for number, fields in rows[layout.head + 1 :]:
        name = _RANKED.sub("", name_of(fields[layout.names])) if len(fields) > layout.names else ""
        label = name.casefold()
        if label not in layout.columns:
            if label:
                table.flag(number, "not a player of the cross table", fields)
            continue
        written[label] = name
        for other, at in layout.columns.items():
            text = fields[at].strip() if at < len(fields) else ""
            if other != label and not _EMPTY.fullmatch(text):
                cells[label, other] = (number, text)
    numbers = {
        pair: float(text.replace("½", "0.5").replace(",", "."))
        for pair, (_, text) in cells.items()
        if _NUMBER.fullmatch(text)
    }
    results, how = _of_numbers(numbers) if len(numbers) * 2 > len(cells) else _of_scores(cells, table)
    table.notes.append(f"a cross table of {len(written)} players: {how}")
    played = [
        (*(written[label] for label in pair), *_game(cells[pair][0], *points))
        for pair, matches in results.items()
        for points in matches
    ]
    return pd.DataFrame(played, columns=[*GAMES, "length", "score"])


def _game(row: int, first: float, second: float) -> tuple[float, float, int, float, str]:
    """Return the first player's score, the count, the row, the match length (NaN if unknown), the points."""
    score = 0.5 if first == second else float(first > second)
    return score, 1.0, row, length_of(first, second), f"{first:g}-{second:g}" if max(first, second) > 1 else ""


def _of_scores(cells: Mapping[Pair, tuple[int, str]], table: Table) -> tuple[Results, str]:
    """Return the results of cells with scores or words, and what the cells mean."""
    results: Results = {}
    for pair, (number, text) in cells.items():
        word = ENGLISH.get(text.casefold())
        scores = [(float(first), float(second)) for first, second in _SCORE.findall(text)]
        if word is not None:
            results[pair] = [(word, 1 - word)]
        elif scores:
            results[pair] = scores
        else:
            unread = f"not a score: {safe_line([text], SHOWN)} (write 7-4)"
            table.flag(number, "a forfeit: not rated" if FORFEIT.search(text) else unread, pair)
    both = [pair for pair in results if pair < pair[::-1] and pair[::-1] in results]
    alike = {pair for pair in both if sorted(results[pair]) == sorted(score[::-1] for score in results[pair[::-1]])}
    if 2 * len(alike) <= len(both):
        return results, "each cell has matches of its own"
    for pair in both:
        del results[pair[::-1]]
        if pair not in alike:
            del results[pair]
            table.flag(cells[pair][0], "its cell contradicts the one across the diagonal: not rated", pair)
    return results, "the cells below the diagonal repeat those above it"


def _of_numbers(numbers: Mapping[Pair, float]) -> tuple[Results, str]:
    """Return the results of cells with one number each, and what the numbers mean."""
    points = {
        pair: (number, numbers.get(pair[::-1], 0.0))
        for pair, number in numbers.items()
        if pair < pair[::-1] or pair[::-1] not in numbers
    }
    lengths = {max(both) for both in points.values()}
    length = max(lengths)
    if len(lengths) == 1 and length_of(length, 0) == length:
        return {pair: [both] for pair, both in points.items()}, f"its numbers are the points of one match to {length:g}"
    results = {
        pair: [(1.0, 0.0)] * int(first) + [(0.0, 1.0)] * int(second) + [(0.5, 0.5)] * round(2 * (first % 1))
        for pair, (first, second) in points.items()
    }
    return results, "its numbers are the games that the row's player won"
