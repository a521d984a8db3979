"""Cross tables of rounds.

A row for each player, a column for each round, cells such as 4w1 (won against number 4).

Both players of a game have a cell. A game counts if the two cells agree; other cells are flagged.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import pandas as pd

from bgleague.games import GAMES, Row, Table, name_of

_CELL = re.compile(r"(\d{1,3})\s*[wbs]?\s*([01½=+-]|0[.,]5)", re.IGNORECASE)
_SCORES = {"1": 1.0, "0": 0.0, "½": 0.5, "=": 0.5, "0.5": 0.5, "0,5": 0.5}
_NOBODY = re.compile(r"\W*|(?:0|-|bye|free|spielfrei)\W*[wbs]?\W*[01½]?\W*", re.IGNORECASE)
_NAMES = {"name", "player", "players", "spieler", "joueur", "names"}


class Shape(NamedTuple):
    """The place of the head, and the columns of numbers, names and rounds."""

    head: int
    number: int
    names: int
    rounds: list[int]


def shape(rows: Sequence[Row]) -> Shape | None:
    """Return the shape of a cross table of rounds, if most cells of a column name an opponent by
    number.
    """
    for head, (_, fields) in enumerate(rows[:30]):
        names = [at for at, field in enumerate(fields) if field.strip().casefold() in _NAMES]
        below = [row for _, row in rows[head + 1 :] if len(row) == len(fields)]
        numbers = (
            [at for at in range(names[0]) if all(row[at].strip(" .").isdecimal() for row in below)]
            if names
            else []
        )
        if not below or not numbers:
            continue
        rounds = []
        for at in range(names[0] + 1, len(fields)):
            cells = [row[at].strip() for row in below if row[at].strip()]
            is_round = 2 * sum(
                len(cell) > 2 and bool(_CELL.fullmatch(cell)) for cell in cells
            ) > len(cells)
            rounds += [at] if is_round else []
        if rounds:
            return Shape(head, numbers[-1], names[0], rounds)
    return None


def games(rows: Sequence[Row], table: Table) -> pd.DataFrame:
    """Return the games of a cross table of rounds.

    Flag cells that cannot be read or contradict the opponent's.
    """
    layout = shape(rows)
    assert layout is not None  # the reader has found this table by its shape
    players: dict[int, str] = {}
    cells: dict[tuple[int, int, int], tuple[int, str]] = {}
    for line, fields in rows[layout.head + 1 :]:
        if len(fields) <= layout.rounds[-1]:
            table.flag(
                line,
                f"{len(fields)} fields, and the last round is number {layout.rounds[-1] + 1}",
                fields,
            )
            continue
        own = int(fields[layout.number].strip(" ."))
        players[own] = name_of(fields[layout.names])
        for at in layout.rounds:
            cell = _CELL.fullmatch(fields[at].strip())
            if cell:
                cells[at, own, int(cell[1])] = (line, cell[2])
            elif not _NOBODY.fullmatch(fields[at]):
                table.flag(
                    line, f"not a result of a round: {fields[at].strip()[:40]} (write 4w1)", fields
                )
    played = []
    for (at, own, other), (line, result) in cells.items():
        score = _SCORES.get(result)
        theirs = cells.get((at, other, own))
        if score is None:
            table.flag(line, "a forfeit: not rated", [players[own]])
        elif theirs is None or _SCORES.get(theirs[1]) != 1 - score:
            table.flag(
                line, f"the cell of number {other} does not agree: not rated", [players[own]]
            )
        elif own < other:
            played.append((players[own], players[other], score, 1.0, line))
    table.notes.append(f"a cross table of {len(players)} players in {len(layout.rounds)} rounds")
    return pd.DataFrame(played, columns=GAMES)
