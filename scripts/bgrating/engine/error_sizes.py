"""The sizes of single errors in a match: compact counts over fixed bins, for chequer play and the cube.

A bin holds the errors (EMG) from its edge up to the next; the first bin holds decisions without an error. The bins
count every unforced move and every cube decision that gnubg evaluated, close or not. So the bins of a player add up to
the number of decisions. Losses are whole ten-thousandths of EMG, which keeps a table of many matches small.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bgrating.engine.cube_decisions import Table, normalised_decisions

NOTHING = 5e-5
"""Errors below this (EMG) count as none: half of the unit of losses."""
EDGES = (0.0, NOTHING, *(0.001 * 2**power for power in range(10)))
"""Lower edges of the bins, EMG."""
LOSS_UNIT = 1e-4

COLUMNS = ("chequer_error_sizes", "chequer_loss_by_size", "cube_error_sizes", "cube_loss_by_size")

_SIDES = (("left", "X"), ("right", "O"))


def error_sizes(match: Mapping[str, Any], table: Table | None) -> dict[str, dict[str, str]]:
    """Return, for the sides left and right of a match of inside.py (with all its actions), the COLUMNS.

    Each is a text of whole numbers, one a bin: the number of errors, and their total cost. `table` is gnubg's
    match-equity table for the match's length, None for money sessions.
    """
    actions = [action for game in match["games"] for action in game["actions"]]
    cubes = list(cube_errors(match["games"], int(match["length"]), table))
    sizes = {}
    for side, seat in _SIDES:
        chequer = binned(action["error"] for action in actions if action["seat"] == seat and "error" in action)
        cube = binned(error for player, error in cubes if player == seat)
        sizes[side] = dict(zip(COLUMNS, (*chequer, *cube), strict=True))
    return sizes


def cube_errors(
    games: Sequence[Mapping[str, Any]], match_length: int, table: Table | None
) -> Iterator[tuple[str, float]]:
    """Return player and error (EMG, 0 or more) of every evaluated cube decision, takes and passes among them.

    A wrong decision not to double loses what a double would gain; a wrong double loses the reverse. A wrong take loses
    its cost beyond a pass, a wrong pass the reverse. A double is worth the lesser of its two answers.
    """
    offered: tuple[float, float] | None = None
    for player, action, no_double, double_take in normalised_decisions(games, match_length, table):
        if action in ("take", "drop"):
            if offered is not None:
                yield player, max(0.0, offered[1] - 1.0 if action == "take" else 1.0 - offered[1])
            offered = None
        elif no_double is not None and double_take is not None:
            gain = min(double_take, 1.0) - no_double
            offered = (no_double, double_take) if action == "double" else None
            yield player, max(0.0, -gain if action == "double" else gain)


def binned(errors: Iterable[float]) -> tuple[str, str]:
    """Return counts of errors over the bins, and their sums in LOSS_UNIT, each as a text of whole numbers."""
    counts, losses = [0] * len(EDGES), [0.0] * len(EDGES)
    for error in errors:
        place = max(0, bisect_right(EDGES, error) - 1)
        counts[place] += 1
        losses[place] += error
    return " ".join(map(str, counts)), " ".join(str(round(loss / LOSS_UNIT)) for loss in losses)
