"""Read cross tables.

Such a table has a row and a column for each player. A cell has the results of the row's player.

A cell has scores (7-3, or several), a word (W, L), or a number. If the cells across the diagonal
repeat each other, a match stands twice in the table and counts once. Otherwise each cell has
matches of its own. Numbers are wins, or the points of one match if the larger number of each pair
is always the same odd number.
"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from operator import itemgetter

import pandas as pd

from bgleague.games import GAMES, Names, Rows, Table, length_of, name_of, safe_line
from bgleague.headings import WORDS
from bgleague.meanings import scores_by_word
from bgleague.sheets import MOST_ABOVE, Form
from bgleague.verdicts import BYE, SHOWN, score_of, why_not_played

_SCORE = re.compile(r"(\d{1,2})\s*[-:–—−‐‑/]\s*(\d{1,2})")
_REST = re.compile(r"[^\s,;|&+/()*]")  # of a cell beside its scores
_NUMBER = re.compile(r"\d{1,4}(?:[.,][05])?|½")
_EMPTY = re.compile(r"[-–—xX*.\\/#=■█●\s]*|n/a|0\s*[-:]\s*0", re.IGNORECASE)
_RANKED = re.compile(r"\d{1,3}[.)]?\s+(?=\D)")
_NOBODY = re.compile(
    rf"{BYE.pattern}|\d*|(?:sub)?totals?|totaal|totale|sum|summe?|gesamt|i alt|"
    r"points|pts|punkte|won|lost|wins|losses|played|σ|∑"
)
"""Labels of rows and columns that belong to no player."""
_LEAST_PLAYERS = 3
_WORDS = scores_by_word(WORDS["results"][0])  # of English


_MIRRORED = itemgetter(1, 0, 2)  # of Points
Pair = tuple[str, str]
"""The labels of a cell's row and column."""
Points = tuple[float, float, int]
"""The points of both players, and the number of such matches."""
Results = dict[Pair, list[Points]]
Cells = Mapping[Pair, str]


def form_of(rows: Rows) -> Form | None:
    """Return the form of the cross table in rows, if at least three players have both a row and a
    column.
    """
    for (head, (_, fields)), names in product(enumerate(rows[:MOST_ABOVE]), (0, 1)):
        below = {_label(row[names]): row for _, row in rows[head + 1 :] if len(row) > names}
        players = [label for label in below if not _NOBODY.fullmatch(label)]
        by_label = {_label(field): index for index, field in enumerate(fields) if index > names}
        columns = {name: by_label[name] for name in players if name in by_label}
        if len(columns) < _LEAST_PLAYERS:
            columns = _by_number(fields, names, players)
            diagonal = [
                "".join(below[name][index : index + 1]).strip(" 0")
                for name, index in columns.items()
            ]
            # In a column of a round, a player may have a result at the own number.
            if not all(map(_EMPTY.fullmatch, diagonal)):
                continue
        if len(columns) >= _LEAST_PLAYERS and 2 * len(columns) >= len(players):
            return Form(head, partial(_read_games, names, columns))
    return None


def _label(field: str) -> str:
    """Return the name in a cell, without a rank before it and without capitals, to compare heads
    and rows.
    """
    return _RANKED.sub("", name_of(field)).casefold()


def _by_number(fields: Sequence[str], names: int, players: Names) -> dict[str, int]:
    """Return the columns of players whose heads are 1, 2, 3 … in the order of the rows."""
    indices = [
        index for index, field in enumerate(fields) if index > names and field.strip().isdecimal()
    ]
    columns = dict(zip(players, indices, strict=False))
    is_counted = [int(fields[index]) for index in columns.values()] == [*range(1, len(players) + 1)]
    return columns if is_counted else {}


def _read_games(names: int, columns: Mapping[str, int], rows: Rows, table: Table) -> pd.DataFrame:
    """Return the games of a cross table, whose head is the first of its rows.

    `names` is the column of names; `columns` has the column of each player. Flag cells that cannot
    be read, and note in `table` what the cells mean.
    """
    cells: dict[Pair, str] = {}
    players: dict[str, tuple[str, int]] = {}
    for number, fields in rows[1:]:
        by_column = dict(enumerate(fields))  # a row may lack its last cells
        name = _RANKED.sub("", name_of(by_column.get(names, "")))
        label = name.casefold()
        if label in players:
            table.flag(number, "a second row of this player", fields)
        elif label in columns:
            players[label] = name, number
            for opponent, column in columns.items():
                text = by_column.get(column, "").strip()
                if opponent != label and not _EMPTY.fullmatch(text):
                    cells[label, opponent] = text
        elif name:
            table.flag(number, "not a player of the cross table", fields)
    results, meaning, reasons = _results(cells)
    for pair, reason in reasons.items():
        if reason:
            table.flag(players[pair[0]][1], reason, pair)
    table.notes.append(f"a cross table of {len(players)} players: {meaning}")
    games = []
    for (label, opponent), matches in results.items():
        name, line = players[label]
        for first, second, count in matches:
            score = score_of((first, second))
            points = (first, second) if max(first, second) > 1 else ()
            games.append(
                (name, players[opponent][0], score, count, line, length_of(first, second), points)
            )
    return pd.DataFrame(games, columns=[*GAMES, "length", "points"])


def _results(cells: Cells) -> tuple[Results, str, dict[Pair, str]]:
    """Return the results of cells, what the cells mean, and why each does not count.

    The reason is empty for a cell that counts. A cell that cannot be read leaves out the one across
    the diagonal, too.
    """
    are_numbers = 2 * sum(map(bool, map(_NUMBER.fullmatch, cells.values()))) > len(cells)
    reasons = {pair: _why_unread(text, are_numbers) for pair, text in cells.items()}
    readable = {
        pair: text
        for pair, text in cells.items()
        if not reasons[pair] and not reasons.get(pair[::-1])
    }
    interpret = _of_numbers if are_numbers else _of_scores
    results, meaning, contradictory = interpret(readable)
    reasons |= dict.fromkeys(
        contradictory, "its cell contradicts the one across the diagonal: not rated"
    )
    return results, meaning, reasons


def _why_unread(text: str, are_numbers: bool) -> str:
    """Return why a cell cannot be read, nothing if all of it can be."""
    if _NUMBER.fullmatch(text) if are_numbers else _scores(text):
        return ""
    kind, example = ("number", "3") if are_numbers else ("score", "7-4")
    return why_not_played(text) or f"not a {kind}: {safe_line([text], SHOWN)} (write {example})"


def _scores(text: str) -> list[Points]:
    """Return the results in a cell: a word, or scores and nothing else.

    There are no results if a part cannot be read.
    """
    word = _WORDS.get(text.casefold())
    if word is not None:
        return [(word, 1 - word, 1)]
    is_read = not _REST.search(_SCORE.sub(" ", text))
    return [(float(a), float(b), 1) for a, b in _SCORE.findall(text) if is_read]


def _of_scores(cells: Cells) -> tuple[Results, str, list[Pair]]:
    """Return the results of cells with scores or words, what the cells mean, and pairs that
    contradict each other.
    """
    results: Results = {pair: _scores(text) for pair, text in cells.items()}
    both = [pair for pair in results if pair < pair[::-1] and pair[::-1] in results]
    contradictory = [
        pair
        for pair in both
        if sorted(results[pair]) != sorted(map(_MIRRORED, results[pair[::-1]]))
    ]
    if 2 * len(contradictory) >= len(both):
        return results, "each cell has matches of its own", []
    for pair in both:
        del results[pair[::-1]]
    for pair in contradictory:
        del results[pair]
    return results, "the cells below the diagonal repeat those above it", contradictory


def _of_numbers(cells: Cells) -> tuple[Results, str, list[Pair]]:
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
    length = max(map(max, points.values()), default=0)
    are_points = all(min(both) < max(both) == length for both in points.values())
    if are_points and length_of(length, 0) == length:
        meaning = f"its numbers are the points of one match to {length:g}"
        return {pair: [(*both, 1)] for pair, both in points.items()}, meaning, []
    results: Results = {}
    contradictory = []
    for pair, (first, second) in points.items():
        tied = first % 1  # a tie is half a win of both players
        if tied != second % 1:
            contradictory.append(pair)
            continue
        counts = ((1.0, 0.0, int(first)), (0.0, 1.0, int(second)), (0.5, 0.5, round(2 * tied)))
        results[pair] = [result for result in counts if result[2]]
    return results, "its numbers are the games that the row's player won", contradictory
