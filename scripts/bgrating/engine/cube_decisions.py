"""Count the close cube decisions of a match, by today's rule and by the rule of 2003, from gnubg's own evaluations.

Each evaluated decision comes with two equities, not doubled and doubled-and-taken. In match play gnubg gives them as
match-winning chances; they are normalised by the chances after winning and losing the cube's value.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# A match-equity table as gnubg.met(N) gives it: pre-Crawford table, post-Crawford rows of players 0 and 1.
Table = Sequence[Any]

_SIDES = ("X", "O")


@dataclass(frozen=True)
class CloseCounts:
    """Unforced cube decisions of one player: close or actual, by today's rule and by that of 2003."""

    today: int
    in_2003: int


def is_close(no_double: float, double_take: float) -> bool:
    """Tell whether a decision is close today (gnubg since March 2006, eval.c: isCloseCubedecision)."""
    return no_double - min(double_take, 1.0) < 0.16


def is_close_2003(no_double: float, double_take: float) -> bool:
    """Tell whether a decision counted in 2003: too good, near a double, near a pass, or a missed double."""
    return (
        no_double > 1.0
        or abs(double_take - no_double) < 0.25
        or abs(no_double - 1.0) < 0.25
        or min(double_take, 1.0) > no_double
    )


def match_winning_chance(table: Table, away: tuple[int, int], post_crawford: bool) -> float:
    """Return player 0's match-winning chance, both players' points away given (0 or less: has won).

    `post_crawford`: the Crawford game has been played (or is the game just ended). Source of the look-up:
    gnubg's getME (matchequity.c).
    """
    first, second = away
    if first <= 0:
        return 1.0
    if second <= 0:
        return 0.0
    pre_crawford, after_0, after_1 = table
    if not post_crawford:
        return float(pre_crawford[first - 1][second - 1])
    # The leader is one away; the rows give the trailer's chances.
    return 1.0 - float(after_1[second - 1]) if first == 1 else float(after_0[first - 1])


def normalised(chance: float, win: float, lose: float) -> float:
    return (2.0 * chance - (win + lose)) / (win - lose)


def close_counts(games: Sequence[Mapping[str, Any]], match_length: int, table: Table | None) -> dict[str, CloseCounts]:
    """Count the unforced cube decisions of both players (keys X and O) over the games of a match.

    `games` are those of sgf.py; `table` is gnubg's match-equity table for this length. It is None for money play, where
    equities are normalised already. Every double, take and pass counts under both rules.
    """
    today, in_2003 = dict.fromkeys(_SIDES, 0), dict.fromkeys(_SIDES, 0)
    for game in games:
        cube = 1
        for action in game["actions"]:
            player, kind = action["seat"], action["kind"]
            if kind in {"double", "take", "drop"}:
                today[player] += 1
                in_2003[player] += 1
                cube *= 2 if kind == "take" else 1
            elif "no_double" in action:
                equities = action["no_double"], action["double_take"]
                if table is not None:
                    ends = stakes(table, game["score"], player, cube, match_length)
                    equities = normalised(equities[0], *ends), normalised(equities[1], *ends)
                today[player] += is_close(*equities)
                in_2003[player] += is_close_2003(*equities)
    return {side: CloseCounts(today[side], in_2003[side]) for side in _SIDES}


def stakes(table: Table, score: Mapping[str, int], player: str, cube: int, match_length: int) -> tuple[float, float]:
    """Return the player's match-winning chances after winning and after losing the cube's value in this game."""
    away = (match_length - score["X"], match_length - score["O"])
    # No cube is turned in the Crawford game, so a game with a decision at one away is after it.
    post_crawford = 1 in away
    won = match_winning_chance(table, (away[0] - cube, away[1]), post_crawford)
    lost = match_winning_chance(table, (away[0], away[1] - cube), post_crawford)
    return (won, lost) if player == "X" else (1.0 - lost, 1.0 - won)
