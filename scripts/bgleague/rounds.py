"""Read cross tables of rounds.

Such a table has a row for each player and a column for each round. A cell such as 4w1 means that
the player won against number 4.

Both players of a game have a cell. A game counts if the two cells agree; other cells are flagged.
"""

import re
from collections.abc import Sequence
from functools import partial

import pandas as pd

from bgleague.games import GAMES, Rows, Table, name_of
from bgleague.headings import WORDS, plain
from bgleague.sheets import MOST_ABOVE, Form
from bgleague.verdicts import SHOWN
from bgrating.pages.formatting import counted

_CELL = re.compile(r"(\d{1,3})\s*[wbs]?\s*([01½=+-]|0[.,]5)", re.IGNORECASE)
_SCORES = {"1": 1.0, "0": 0.0, "½": 0.5, "=": 0.5, "0.5": 0.5, "0,5": 0.5}
_NOBODY = re.compile(r"\W*|(?:0|-|bye|free|spielfrei)\W*[wbs]?\W*[01½]?\W*", re.IGNORECASE)
_NUMBER = re.compile(r"[ .]*(\d+)[ .]*")
_NAMES = WORDS["person"].split()


def form_of(rows: Rows) -> Form | None:
    """Return the form of a cross table of rounds, if most cells of a column name an opponent by
    number.
    """
    for head, (_, fields) in enumerate(rows[:MOST_ABOVE]):
        names = next((index for index, name in enumerate(fields) if plain(name) in _NAMES), 0)
        below = [row for _, row in rows[head + 1 :] if len(row) == len(fields)]
        columns = [list(map(str.strip, column)) for column in zip(*below, strict=True)]
        numbers = [
            index
            for index, column in enumerate(columns[:names])
            if all(map(_NUMBER.fullmatch, column))
        ]
        rounds = [index for index in range(names + 1, len(columns)) if _is_round(columns[index])]
        if numbers and rounds:
            return Form(head, partial(_read_games, numbers[-1], names, rounds))
    return None


def _is_round(cells: Sequence[str]) -> bool:
    """Tell whether most cells that are not empty name an opponent; a rating of 1500 names none."""
    results = [_CELL.fullmatch(cell) for cell in cells if len(cell) > 2]
    opponents = [result for result in results if result and int(result[1]) <= 2 * len(cells)]
    return 2 * len(opponents) > sum(map(bool, cells))


def _read_games(
    number: int, names: int, rounds: Sequence[int], rows: Rows, table: Table
) -> pd.DataFrame:
    """Return the games of a cross table of rounds, whose head is the first of its rows.

    `number`, `names` and `rounds` are columns. Flag cells that cannot be read or contradict the
    opponent's.
    """
    players: dict[int, tuple[str, int]] = {}
    scores: dict[tuple[int, int, int], float | None] = {}
    for line, fields in rows[1:]:
        row = [*map(str.strip, fields), *[""] * rounds[-1]]  # the last cells may be missing
        digits = _NUMBER.fullmatch(row[number])
        player = int(digits[1]) if digits else 0
        if not digits or player in players or any(row[len(rows[0][1]) :]):
            table.flag(line, "no number of its own, or too many cells: not rated", fields)
            continue
        players[player] = name_of(row[names]), line
        for column in rounds:
            text = row[column]
            cell = _CELL.fullmatch(text)
            if cell:
                scores[column, player, int(cell[1])] = _SCORES.get(cell[2])
            elif not _NOBODY.fullmatch(text):
                table.flag(line, f"not a result of a round: {text[:SHOWN]} (write 4w1)", fields)
    games = []
    for (column, player, opponent), score in scores.items():
        name, line = players[player]
        if score is None:
            table.flag(line, "a forfeit: not rated", [name])
        elif scores.get((column, opponent, player)) != 1 - score:
            table.flag(line, f"the cell of number {opponent} does not agree: not rated", [name])
        elif player < opponent:
            games.append((name, players[opponent][0], score, 1.0, line))
    table.notes.append(
        f"a cross table of {counted(len(players), 'players')} in {counted(len(rounds), 'rounds')}"
    )
    return pd.DataFrame(games, columns=GAMES)
