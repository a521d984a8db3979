"""Cross tables: a row and a column for each player, in a cell what the row's player did against the column's.

A cell has scores (7-3, or several), a word (W, L), or a number. Where every filled cell is the other way round in its
mirror, a match stands twice in the table and counts once; else each cell has a match of its own. Numbers are wins, or
the points of one match where the larger of both is the same odd number in all pairs.
"""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pandas as pd

from bgrating.league.club import BYE, ENGLISH, FORFEIT, SHOWN
from bgrating.league.games import GAMES, Odd, Row, Table, length_of, name_of, safe_line

_SCORE = re.compile(r"(\d{1,2})\s*[-:–—−‐‑/]\s*(\d{1,2})")
_NUMBER = re.compile(r"\d{1,4}(?:[.,][05])?|½")
_EMPTY = re.compile(r"[-–—xX*.\\/#=■█●\s]*|n/a", re.IGNORECASE)
_RANKED = re.compile(r"\d{1,3}[.)]?\s+(?=\D)")
_NOBODY = re.compile(
    rf"{BYE.pattern}|\d*|(?:sub)?totals?|totaal|totale|sum|summe?|gesamt|i alt|"
    r"points|pts|punkte|won|lost|wins|losses|played|σ|∑"
)
"""What a row or a column is called that is of no player."""
_LEAST_PLAYERS = 3


class Shape(NamedTuple):
    """Where a cross table stands: the place of its head, of the names' column, and the columns by player."""

    head: int
    names: int
    columns: dict[str, int]


Pair = tuple[str, str]
"""The labels of a cell's row and column."""
Results = dict[Pair, list[tuple[float, float]]]
"""The points of both players in each match of a cell."""


def shape(rows: Sequence[Row]) -> Shape | None:
    """Return the shape of a cross table among rows, if three players or more have both a row and a column."""
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
    """Tell whether numbers at the head are those of rounds: a player has a result in the column of their own number."""
    return not all(_EMPTY.fullmatch("".join(rows[name][at : at + 1]).strip(" 0")) for name, at in columns.items())


def _label(field: str) -> str:
    """Return the name in a cell without a rank before it, in the letters in which heads and rows are compared."""
    return _RANKED.sub("", name_of(field)).casefold()


def _by_number(fields: Sequence[str], names: int, players: Sequence[str]) -> dict[str, int]:
    """Return the columns of players whose heads are 1, 2, 3 … in the order of the rows."""
    numbers = [at for at, field in enumerate(fields) if at > names and field.strip().isdecimal()]
    counted = [int(fields[at]) for at in numbers]
    if len(players) < _LEAST_PLAYERS or counted[: len(players)] != list(range(1, len(players) + 1)):
        return {}
    return dict(zip(players, numbers, strict=False))


def table(found: Shape, rows: Sequence[Row], odd: Odd) -> Table:
    """Return the games of a cross table; cells that cannot be read are added to `odd`."""
    cells: dict[Pair, tuple[int, str]] = {}
    written: dict[str, str] = {}
    for number, fields in rows[found.head + 1 :]:
        name = name_of(fields[found.names]) if len(fields) > found.names else ""
        label = _label(name)
        if label not in found.columns:
            if label:
                odd.append((number, "not a player of the cross table", False, safe_line(fields)))
            continue
        written[label] = _RANKED.sub("", name)
        for other, at in found.columns.items():
            text = fields[at].strip() if at < len(fields) else ""
            if other != label and not _EMPTY.fullmatch(text):
                cells[label, other] = (number, text)
    singles = {pair: text for pair, (_, text) in cells.items() if _NUMBER.fullmatch(text)}
    numbers = {pair: float(text.replace("½", "0.5").replace(",", ".")) for pair, text in singles.items()}
    results, how = _of_numbers(numbers) if len(numbers) * 2 > len(cells) else _of_scores(cells, odd)
    games = [
        (*(written[label] for label in pair), *_game(cells[pair][0], *points))
        for pair, played in results.items()
        for points in played
    ]
    table = pd.DataFrame(games, columns=[*GAMES, "length", "score"])
    return Table(table, [f"a cross table of {len(written)} players: {how}"])


def _game(row: int, one: float, other: float) -> tuple[float, float, int, float, str]:
    """Return the first player's score, the count, the row, the length of the match (NaN if unknown), the points."""
    score = 0.5 if one == other else float(one > other)
    return score, 1.0, row, length_of(one, other), f"{one:g}-{other:g}" if max(one, other) > 1 else ""


def _of_scores(cells: Mapping[Pair, tuple[int, str]], odd: Odd) -> tuple[Results, str]:
    """Return the results of cells with scores or words, and how they were taken."""
    results: Results = {}
    for pair, (number, text) in cells.items():
        word = ENGLISH.get(text.casefold())
        scores = [(float(one), float(other)) for one, other in _SCORE.findall(text)]
        if word is not None:
            results[pair] = [(word, 1 - word)]
        elif scores:
            results[pair] = scores
        else:
            unread = f"not a score: {safe_line([text], SHOWN)} (write 7-4)"
            odd.append((number, "a forfeit: not rated" if FORFEIT.search(text) else unread, False, safe_line(pair)))
    both = [pair for pair in results if pair == min(pair, pair[::-1]) and pair[::-1] in results]
    alike = {pair for pair in both if sorted(results[pair]) == sorted(one[::-1] for one in results[pair[::-1]])}
    if 2 * len(alike) <= len(both):
        return results, "each cell has matches of its own"
    for pair in both:
        del results[pair[::-1]]
        if pair not in alike:
            del results[pair]
            reason = "its cell contradicts the one across the diagonal: not rated"
            odd.append((cells[pair][0], reason, False, safe_line(pair)))
    return results, "the cells below the diagonal repeat those above it"


def _of_numbers(numbers: Mapping[Pair, float]) -> tuple[Results, str]:
    """Return the results of cells with one number each, and how they were taken."""
    points = {
        pair: (one, numbers.get(pair[::-1], 0.0))
        for pair, one in numbers.items()
        if pair == min(pair, pair[::-1]) or pair[::-1] not in numbers
    }
    tops = {max(both) for both in points.values()}
    most = max(tops)
    if len(tops) == 1 and length_of(most, 0) == most:
        return {pair: [both] for pair, both in points.items()}, f"its numbers are the points of one match to {most:g}"
    results = {
        pair: [(1.0, 0.0)] * int(one) + [(0.0, 1.0)] * int(other) + [(0.5, 0.5)] * round(2 * (one % 1))
        for pair, (one, other) in points.items()
    }
    return results, "its numbers are the games that the row's player won"
