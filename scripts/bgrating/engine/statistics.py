"""Turn gnubg's figures of an analysed match (bgmatch/gnubg_sgf.py) into one row a player.

Errors are magnitudes (gnubg's text shows them negative). EMG is equity normalised by the cube, MWC
match-winning chance. An absent figure is None. Luck may not have been analysed, an unfinished match
has no result, and a money session no match-winning chances.
"""

from collections.abc import Sequence

from bgmatch.gnubg_sgf import CUBE_COSTS, CUBE_ERRORS
from bgmatch.records import Json, Record
from bgmatch.scales import OFFSET
from bgrating.engine.cube_decisions import Table, close_counts, match_winning_chance

Row = Json

SIDES = ("left", "right")
_COUNTS = ("total_moves", "unforced_moves", "total_cube_decisions", "doubles", "takes", "passes")
# The figures that are 0 where no game of a match was analysed.
_TOTALS = (*_COUNTS, "chequer_error_emg", "chequer_error_mwc", *CUBE_COSTS)


def match_rows(match: Record, table: Table | None) -> list[Row]:
    """Return two rows, for the left and the right player of an analysed match.

    `table` is gnubg's match-equity table for the match's length, None for money sessions.
    """
    length = int(match["length"])
    games = match["games"]
    score = final_score(games)
    counts = close_counts(games, length, table)
    is_complete = length > 0 and max(score) >= length
    figures = [dict.fromkeys(_TOTALS, 0) | totals for totals in match["figures"]]
    chances = _chances_before(games, length, table)
    rows = []
    for side, name in enumerate(SIDES):
        opponent = 1 - side
        totals = figures[side]
        won = score[side] > score[opponent] if is_complete else None
        row = {
            "player": match["names"][side],
            "opponent": match["names"][opponent],
            "side": name,
            "match_length": length,
            "games": len(games),
            "rolls": sum(game["rolls"] for game in games),
            "score": score[side],
            "opponent_score": score[opponent],
            "complete": is_complete,
            "won": won,
            **{name: totals[name] for name in _TOTALS},
            "cube_error_emg": sum(totals[f"{name}_emg"] for name in CUBE_ERRORS),
            "cube_error_mwc": sum(totals[f"{name}_mwc"] for name in CUBE_ERRORS),
            **counts[side],
            **_luck(totals, figures[opponent], None if won is None else won - chances[side]),
        }
        if not length:
            row |= {name: None for name in row if name.endswith("_mwc")}
        rows.append(row | {"error_based_rating": _rating(row)})
    return rows


def final_score(games: list[Record]) -> list[int]:
    """Return the points of left and right after the last game.

    An unfinished game adds none.
    """
    last = games[-1]
    score = list(last["score"])
    if last["winner"] is not None:
        score[last["winner"]] += last["points"]
    return score


def _chances_before(
    games: Sequence[Record], length: int, table: Table | None
) -> tuple[float, float]:
    """Return the match-winning chances of left and right at the first score.

    If a player is one point away, the first game is the Crawford game. If it is empty, it only
    stands for that game.
    """
    if table is None:
        return 0.5, 0.5
    left, right = games[0]["score"]
    is_over = not games[0]["actions"]
    chance = match_winning_chance(table, (length - left, length - right), post_crawford=is_over)
    return chance, 1.0 - chance


def _luck(totals: Record, opponents: Record, actual: float | None) -> Row:
    adjusted = None
    if "luck_mwc" in totals and actual is not None:
        adjusted = actual - totals["luck_mwc"] + opponents["luck_mwc"]
    return {
        "luck_emg": totals.get("luck_emg"),
        "luck_mwc": totals.get("luck_mwc"),
        "actual_result": actual,
        "luck_adjusted_result": adjusted,
    }


def _rating(row: Row) -> float | None:
    """Return gnubg's own rating; None for money or without an unforced move.

    Source: gnubg's analysis.c (absoluteFibsRating), with the coefficients and offset of 2003.
    """
    length = row["match_length"]
    moves = row["unforced_moves"]
    decisions = row["close_cube_decisions"]
    if not length or not moves:
        return None
    chequer = (8798 + 25526 / length) * row["chequer_error_emg"] / moves
    cube = (863 - 519 / length) * row["cube_error_emg"] / decisions if decisions else 0.0
    return float(OFFSET - chequer - cube)
