"""Cross tables.

A row and a column for each player, and in each cell the results of the row's player.

A cell has scores (7-3, or several), a word (W, L), or a number. If the cells across the diagonal
repeat each other, a match stands twice in the table and counts once. Otherwise each cell has
matches of its own. Numbers are wins, or the points of one match if the larger number of each pair
is always the same odd number.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from bgleague.club import BYE, ENGLISH, FORFEIT, GIVEN_UP, SHOWN
from bgleague.games import GAMES, Row, Table, length_of, name_of, safe_line

_SCORE = re.compile(r"(\d{1,2})\s*[-:–—−‐‑/]\s*(\d{1,2})")
_REST = re.compile(r"[^\s,;|&+/()*]")  # of a cell beside its scores
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
    """The shape of a cross table.

    The place of its head, the column of names, and the column of each player.
    """

    head: int
    names: int
    columns: dict[str, int]


Pair = tuple[str, str]
"""The labels of a cell's row and column."""
Points = tuple[float, float, int]
"""The points of both players, and the number of such matches."""
Results = dict[Pair, list[Points]]


def shape(rows: Sequence[Row]) -> Shape | None:
    """Return the shape of the cross table in rows, if at least three players have both a row and a
    column.
    """
    for head, (_, fields) in enumerate(rows[:30]):
        below = [row for _, row in rows[head + 1 :]]
        for names in (0, 1):
            labelled = [(_label(row[names]), row) for row in below if len(row) > names]
            players = [label for label, _ in labelled if not _NOBODY.fullmatch(label)]
            named = {
                _label(field): at for at, field in enumerate(fields) if at > names and field.strip()
            }
            found = {name: named[name] for name in players if name in named}
            if len(found) < _LEAST_PLAYERS:
                found = _by_number(fields, names, players)
                if _are_rounds(found, dict(labelled)):
                    continue
            if len(found) >= _LEAST_PLAYERS and 2 * len(found) >= len(players):
                return Shape(head, names, found)
    return None


def _are_rounds(columns: Mapping[str, int], rows: Mapping[str, Sequence[str]]) -> bool:
    """Tell whether the numbers at the head are rounds.

    A player then has a result in the column of their own number.
    """
    return not all(
        _EMPTY.fullmatch("".join(rows[name][at : at + 1]).strip(" 0"))
        for name, at in columns.items()
    )


def _label(field: str) -> str:
    """Return the name in a cell, without a rank before it and without capitals, to compare heads
    and rows.
    """
    return _RANKED.sub("", name_of(field)).casefold()


def _by_number(fields: Sequence[str], names: int, players: Sequence[str]) -> dict[str, int]:
    """Return the columns of players whose heads are 1, 2, 3 … in the order of the rows."""
    numbers = [at for at, field in enumerate(fields) if at > names and field.strip().isdecimal()]
    counted = [int(fields[at]) for at in numbers[: len(players)]]
    return (
        dict(zip(players, numbers, strict=False))
        if counted == [*range(1, len(players) + 1)]
        else {}
    )


def games(rows: Sequence[Row], table: Table) -> pd.DataFrame:
    """Return the games of a cross table.

    Flag cells that cannot be read, and note in `table` what the cells mean.
    """
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
    are_numbers = 2 * sum(bool(_NUMBER.fullmatch(text)) for _, text in cells.values()) > len(cells)
    unread = {
        pair: why for pair, (_, text) in cells.items() if (why := _why_unread(text, are_numbers))
    }
    for pair, why in unread.items():
        table.flag(cells[pair][0], why, pair)
    whole = {
        pair: text
        for pair, (_, text) in cells.items()
        if unread.keys().isdisjoint({pair, pair[::-1]})
    }
    results, how, contradictory = _of_numbers(whole) if are_numbers else _of_scores(whole)
    for pair in contradictory:
        table.flag(
            cells[pair][0], "its cell contradicts the one across the diagonal: not rated", pair
        )
    table.notes.append(f"a cross table of {len(written)} players: {how}")
    played = [
        (*(written[label] for label in pair), *_game(cells[pair][0], *points))
        for pair, matches in results.items()
        for points in matches
    ]
    return pd.DataFrame(played, columns=[*GAMES, "length", "score"])


def _why_unread(text: str, are_numbers: bool) -> str:
    """Return why a cell cannot be read, nothing if all of it can be."""
    if _NUMBER.fullmatch(text) if are_numbers else _scores(text):
        return ""
    if FORFEIT.search(text):
        return "a forfeit: not rated"
    if GIVEN_UP.search(text):
        return "a match that was given up (retired): not rated"
    what, example = ("number", "3") if are_numbers else ("score", "7-4")
    return f"not a {what}: {safe_line([text], SHOWN)} (write {example})"


def _scores(text: str) -> list[Points]:
    """Return the results in a cell.

    A word, or scores and nothing else; no results if a part cannot be read.
    """
    word = ENGLISH.get(text.casefold())
    if word is not None:
        return [(word, 1 - word, 1)]
    rest = _SCORE.sub(" ", text)
    return [] if _REST.search(rest) else [(float(a), float(b), 1) for a, b in _SCORE.findall(text)]


def _game(
    row: int, first: float, second: float, count: int
) -> tuple[float, float, int, float, str]:
    """Return the first player's score, the count, the row, the match length (NaN if unknown), the
    points.
    """
    score = 0.5 if first == second else float(first > second)
    points = f"{first:g}-{second:g}" if max(first, second) > 1 else ""
    return score, float(count), row, length_of(first, second), points


def _of_scores(cells: Mapping[Pair, str]) -> tuple[Results, str, list[Pair]]:
    """Return the results of cells with scores or words, what the cells mean, and pairs that
    contradict each other.
    """
    results: Results = {pair: _scores(text) for pair, text in cells.items()}
    both = [pair for pair in results if pair < pair[::-1] and pair[::-1] in results]
    mirrored = {
        pair: sorted((first, second, 1) for second, first, _ in results[pair[::-1]])
        for pair in both
    }
    alike = {pair for pair in both if sorted(results[pair]) == mirrored[pair]}
    if 2 * len(alike) <= len(both):
        return results, "each cell has matches of its own", []
    contradictory = [pair for pair in both if pair not in alike]
    for pair in both:
        del results[pair[::-1]]
    for pair in contradictory:
        del results[pair]
    return results, "the cells below the diagonal repeat those above it", contradictory


def _of_numbers(cells: Mapping[Pair, str]) -> tuple[Results, str, list[Pair]]:
    """Return the results of cells with one number each, what they mean, and pairs that contradict
    each other.
    """
    numbers = {
        pair: float(text.replace("½", "0.5").replace(",", ".")) for pair, text in cells.items()
    }
    points = {
        pair: (number, numbers.get(pair[::-1], 0.0))
        for pair, number in numbers.items()
        if pair < pair[::-1] or pair[::-1] not in numbers
    }
    lengths = {max(both) for both in points.values()}
    length = max(lengths, default=0)
    if len(lengths) == 1 and length_of(length, 0) == length:
        how = f"its numbers are the points of one match to {length:g}"
        return {pair: [(*both, 1)] for pair, both in points.items()}, how, []
    # A tie is half a win of both players.
    odd = [pair for pair, (first, second) in points.items() if first % 1 != second % 1]
    results = {}
    for pair, (first, second) in points.items():
        counts = [
            (1.0, 0.0, int(first)),
            (0.0, 1.0, int(second)),
            (0.5, 0.5, round(2 * (first % 1))),
        ]
        results[pair] = [] if pair in odd else [result for result in counts if result[2]]
    return results, "its numbers are the games that the row's player won", odd
