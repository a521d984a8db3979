"""Turn gnubg's figures of an analysed match into one row a player, with the field's terms as names.

The input is a match as inside.py writes it (engine/sgf.py). Errors are magnitudes (gnubg's text shows them negative).
EMG is equity normalised by the cube, MWC match-winning chance. An absent figure is None: luck that was not analysed,
the result of an unfinished match, match-winning chances in a money session.
"""

from collections.abc import Mapping
from typing import Any

from bgrating.engine.cube_decisions import Table, close_counts
from bgrating.engine.sgf import CUBE_ERRORS

Row = dict[str, Any]

_SEATS = (("left", "X", "O"), ("right", "O", "X"))
_COUNTS = ("total_moves", "unforced_moves", "doubtful_moves", "bad_moves", "very_bad_moves")


def match_rows(match: Mapping[str, Any], table: Table | None) -> list[Row]:
    """Return two rows, for the left and the right player of an analysed match.

    `table` is gnubg's match-equity table for the match's length, None for money sessions.
    """
    length, games = int(match["length"]), match["games"]
    score = final_score(games)
    counts = close_counts(games, length, table)
    complete = length > 0 and max(score.values()) >= length
    figures = {seat: dict.fromkeys(_ADDED, 0) | match["figures"][seat] for seat in ("X", "O")}
    moves = sum(totals["total_moves"] for totals in figures.values())
    rows = []
    for side, seat, other in _SEATS:
        totals, close = figures[seat], counts[seat]
        won = score[seat] > score[other] if complete else None
        row = {
            "player": match["names"][seat],
            "opponent": match["names"][other],
            "side": side,
            "match_length": length,
            "games": len(games),
            "rolls": sum(game["rolls"] for game in games),
            "score": score[seat],
            "opponent_score": score[other],
            "complete": complete,
            "won": won,
            **{name: totals[name] for name in _COUNTS},
            "chequer_error_emg": totals["chequer_error_emg"],
            "chequer_error_mwc": totals["chequer_error_mwc"] if length else None,
            **_cube(totals, length, close.today),
            "close_cube_decisions_2003": close.in_2003,
            **_luck(totals, figures[other], length, won),
        }
        rates = _rates(row, moves)
        rows.append({**row, **rates, **_ratings(rates, length)})
    return rows


def final_score(games: list[Mapping[str, Any]]) -> dict[str, int]:
    """Return the points of both players (keys X and O) after the last game; an unfinished game adds none."""
    if not games:
        return {"X": 0, "O": 0}
    score = dict(games[-1]["score"])
    if winner := games[-1]["winner"]:
        score[winner] += games[-1]["points"]
    return score


def _cube(totals: Mapping[str, Any], length: int, close: int) -> Row:
    row: Row = {
        "total_cube_decisions": totals["total_cube_decisions"],
        "close_cube_decisions": close,
        **{name: totals[name] for name in ("doubles", "takes", "passes")},
        "cube_error_emg": sum(totals[f"{name}_emg"] for name in CUBE_ERRORS),
        "cube_error_mwc": sum(totals[f"{name}_mwc"] for name in CUBE_ERRORS) if length else None,
    }
    for name, number in CUBE_ERRORS.items():
        row[number] = totals[number]
        row[f"{name}_emg"] = totals[f"{name}_emg"]
        row[f"{name}_mwc"] = totals[f"{name}_mwc"] if length else None
    return row


# The figures that are 0 where no game of a match was analysed.
_ADDED = (
    *_COUNTS,
    *("chequer_error_emg", "chequer_error_mwc", "total_cube_decisions", "doubles", "takes", "passes"),
    *CUBE_ERRORS.values(),
    *(f"{name}_{unit}" for name in CUBE_ERRORS for unit in ("emg", "mwc")),
)


def _luck(totals: Mapping[str, Any], opponents: Mapping[str, Any], length: int, won: bool | None) -> Row:
    has_luck = "luck_emg" in totals
    actual = None if won is None else 0.5 if won else -0.5
    return {
        "luck_emg": totals["luck_emg"] if has_luck else None,
        "luck_mwc": totals["luck_mwc"] if has_luck and length else None,
        "actual_result": actual,
        "luck_adjusted_result": actual - totals["luck_mwc"] + opponents["luck_mwc"] if has_luck and actual else None,
    }


def _rates(row: Row, moves_of_both: int) -> Row:
    errors = row["chequer_error_emg"] + row["cube_error_emg"]
    return {
        "epm": _ratio(row["chequer_error_emg"], row["unforced_moves"]),
        "epc": _ratio(row["cube_error_emg"], row["close_cube_decisions"]),
        "epc_2003": _ratio(row["cube_error_emg"], row["close_cube_decisions_2003"]),
        "pr": _ratio(500.0 * errors, row["unforced_moves"] + row["close_cube_decisions"]),
        "snowie_error_rate": _ratio(1000.0 * errors, moves_of_both),
    }


def _ratings(rates: Row, length: int) -> Row:
    """Return gnubg's own rating and its two losses: the coefficients of 2003, offset 2050; money has none.

    Source: gnubg's analysis.c (absoluteFibsRating).
    """
    if not length or rates["epm"] is None:
        return dict.fromkeys(("error_based_rating", "chequer_rating_loss", "cube_rating_loss"))
    chequer = (8798 + 25526 / length) * rates["epm"]
    cube = None if rates["epc"] is None else (863 - 519 / length) * rates["epc"]
    return {
        "error_based_rating": 2050 - chequer - (cube or 0.0),
        "chequer_rating_loss": chequer,
        "cube_rating_loss": cube,
    }


def _ratio(total: float, count: int) -> float | None:
    return total / count if count else None
