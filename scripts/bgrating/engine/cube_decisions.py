"""Count the close cube decisions of a match by today's rule and by the rule of 2003.

They follow from gnubg's own evaluations. Each evaluated decision has two equities, no double and
double/take. In match play gnubg gives match-winning chances, which are normalised by the chances
after winning and losing the cube's value.
"""

from collections.abc import Sequence
from typing import Any

from bgmatch.records import Record

# A match-equity table as gnubg.met(N) gives it: pre-Crawford table, post-Crawford rows of players 0
# and 1.
Table = Sequence[Any]


def is_close(no_double: float, double_take: float) -> bool:
    """Tell whether a decision is close today.

    Source: gnubg's eval.c since March 2006 (isCloseCubedecision).
    """
    return no_double - min(double_take, 1.0) < 0.16


def is_close_2003(no_double: float, double_take: float) -> bool:
    """Tell whether a decision counted in 2003.

    It did if it was too good, near a double, near a pass, or a missed double.
    """
    return (
        no_double > 1.0
        or abs(double_take - no_double) < 0.25
        or abs(no_double - 1.0) < 0.25
        or min(double_take, 1.0) > no_double
    )


def match_winning_chance(table: Table, away: tuple[int, int], post_crawford: bool) -> float:
    """Return player 0's match-winning chance with both players so many points `away`.

    A player who is 0 points or less away has won. `post_crawford`: the Crawford game has been
    played, or has just ended. Source: gnubg's getME (matchequity.c).
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


def normalised_equities(action: Record, ends: tuple[float, float]) -> tuple[float, float]:
    """Return a decision's equities of no double and of double/take, normalised by its `stakes`."""
    win, lose = ends
    no_double, double_take = [
        (2.0 * action[name] - (win + lose)) / (win - lose) for name in ("no_double", "double_take")
    ]
    return no_double, double_take


_RULES = {"close_cube_decisions": is_close, "close_cube_decisions_2003": is_close_2003}


def close_counts(
    games: Sequence[Record], match_length: int, table: Table | None
) -> list[dict[str, int]]:
    """Return the numbers of close cube decisions of left and right in a match, by column.

    `games` are those of bgmatch/gnubg_sgf.py; `table` is gnubg's match-equity table for this
    length, None for money play. Every double, take and pass counts under both rules.
    """
    counts = [dict.fromkeys(_RULES, 0) for _ in range(2)]
    for game in games:
        cube = 1
        for action in game["actions"]:
            side = action["side"]
            kind = action["kind"]
            if kind in {"double", "take", "drop"}:
                close = list(_RULES)
                cube *= 2 if kind == "take" else 1
            elif "no_double" in action:
                stakes = stakes_of_both(table, game["score"], cube, match_length)[side]
                equities = normalised_equities(action, stakes)
                close = [name for name, rule in _RULES.items() if rule(*equities)]
            else:
                continue
            for name in close:
                counts[side][name] += 1
    return counts


def stakes_of_both(
    table: Table | None, score: Sequence[int], cube: int, match_length: int
) -> Sequence[tuple[float, float]]:
    """Return the stakes of the left and the right player.

    A player's stakes are the match-winning chances after winning and losing the cube's value. For
    money (no `table`) gnubg's equities are normalised already: they go from 1 to -1.
    """
    if table is None:
        return [(1.0, -1.0)] * 2
    left, right = [match_length - points for points in score]
    # No cube is turned in the Crawford game, so a game with a decision at one away is after it.
    post_crawford = 1 in {left, right}
    won = match_winning_chance(table, (left - cube, right), post_crawford)
    lost = match_winning_chance(table, (left, right - cube), post_crawford)
    return (won, lost), (1.0 - lost, 1.0 - won)
