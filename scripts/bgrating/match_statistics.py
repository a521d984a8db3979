"""Read what gnubg says of an analysed match: one row a player, every figure named by the field's terms.

The input is a match as inside.py writes it. Errors are given as magnitudes (gnubg's text shows them negative). EMG is
equity normalised by the cube, MWC match-winning chance. What is absent (luck that was not analysed, results of a match
without an end, match-winning chances in a money session) is None.
"""

from collections.abc import Mapping
from typing import Any

from bgrating.cube_decisions import Table, close_counts

Row = dict[str, Any]

# gnubg's name of each class of cube error, and ours: of one error (for its cost) and of many (for their number).
CUBE_ERRORS = {
    "missed-double-below-cp": ("missed_double_below_cp", "missed_doubles_below_cp"),
    "missed-double-above-cp": ("missed_double_above_cp", "missed_doubles_above_cp"),
    "wrong-double-below-dp": ("wrong_double_below_dp", "wrong_doubles_below_dp"),
    "wrong-double-above-tg": ("wrong_double_above_tg", "wrong_doubles_above_tg"),
    "wrong-take": ("wrong_take", "wrong_takes"),
    "wrong-drop": ("wrong_pass", "wrong_passes"),
}
_SEATS = (("left", "X", "O"), ("right", "O", "X"))


def match_rows(match: Mapping[str, Any], table: Table | None) -> list[Row]:
    """Return two rows, for the left and the right player of an analysed match.

    `table` is gnubg's match-equity table for the match's length, None for money sessions.
    """
    info, games = match["info"], match["games"]
    length = int(info["match-length"])
    score = final_score(games)
    counts = close_counts(games, length, table)
    complete = length > 0 and max(score.values()) >= length
    moves = sum(match["statistics"][key]["moves"]["total-moves"] for key in ("X", "O"))
    rows = []
    for side, own, other in _SEATS:
        figures = match["statistics"][own]
        row = {
            "player": info[own].get("name", ""),
            "opponent": info[other].get("name", ""),
            "side": side,
            "match_length": length,
            "games": len(games),
            "rolls": sum(game["rolls"] for game in games),
            "score": score[own],
            "opponent_score": score[other],
            "complete": complete,
            "won": score[own] > score[other] if complete else None,
            **_chequer_play(figures, length),
            **_cube(figures, length),
            "close_cube_decisions_2003": counts[own].in_2003,
            **_luck(figures, length, complete),
        }
        rows.append({**row, **_rates(row, moves), **_ratings(figures, length)})
    return rows


def final_score(games: list[Mapping[str, Any]]) -> dict[str, int]:
    """Return the points of both players (keys X and O) after the last game; an unfinished game adds none."""
    if not games:
        return {"X": 0, "O": 0}
    last = games[-1]["info"]
    score = {"X": int(last["score-X"]), "O": int(last["score-O"])}
    if last.get("winner"):
        score[last["winner"]] += int(last["points-won"])
    return score


def _chequer_play(figures: Mapping[str, Any], length: int) -> Row:
    moves = figures["moves"]
    return {
        "total_moves": moves["total-moves"],
        "unforced_moves": moves["unforced-moves"],
        "doubtful_moves": moves["marked"]["doubtful"],
        "bad_moves": moves["marked"]["bad"],
        "very_bad_moves": moves["marked"]["very bad"],
        "chequer_error_emg": moves["error-skill"],  # a total
        "chequer_error_mwc": moves["error-cost"] if length else None,
    }


def _cube(figures: Mapping[str, Any], length: int) -> Row:
    """Return counts and errors of cube decisions.

    gnubg's `error-skill` is per close decision; the totals are the sums over the six classes of error.
    """
    cube = figures["cube"]
    row: Row = {
        "total_cube_decisions": cube["total-cube"],
        "close_cube_decisions": cube["close-cube"],
        "doubles": cube["n-doubles"],
        "takes": cube["n-takes"],
        "passes": cube["n-drops"],
        "cube_error_emg": sum(cube[f"err-{name}-skill"] for name in CUBE_ERRORS),
        "cube_error_mwc": sum(cube[f"err-{name}-cost"] for name in CUBE_ERRORS) if length else None,
    }
    for name, (ours, number) in CUBE_ERRORS.items():
        row[number] = cube[name]
        row[f"{ours}_emg"] = cube[f"err-{name}-skill"]
        row[f"{ours}_mwc"] = cube[f"err-{name}-cost"] if length else None
    return row


def _luck(figures: Mapping[str, Any], length: int, complete: bool) -> Row:
    """Return luck and results; `actual-result` and `luck-adjusted-result` are match-winning chances less one half."""
    dice = figures.get("dice") or {}
    return {
        "luck_emg": dice.get("luck"),
        "luck_mwc": dice.get("luck-cost") if length else None,
        "actual_result": dice.get("actual-result") if complete else None,
        "luck_adjusted_result": dice.get("luck-adjusted-result") if complete else None,
    }


def _rates(row: Row, moves_of_both: int) -> Row:
    """Return the error rates that follow from the totals (methods.md gives their definitions)."""
    errors = row["chequer_error_emg"] + row["cube_error_emg"]
    return {
        "epm": _ratio(row["chequer_error_emg"], row["unforced_moves"]),
        "epc": _ratio(row["cube_error_emg"], row["close_cube_decisions"]),
        "epc_2003": _ratio(row["cube_error_emg"], row["close_cube_decisions_2003"]),
        "pr": _ratio(500.0 * errors, row["unforced_moves"] + row["close_cube_decisions"]),
        "snowie_error_rate": _ratio(1000.0 * errors, moves_of_both),
    }


def _ratings(figures: Mapping[str, Any], length: int) -> Row:
    """Return gnubg's own rating (published coefficients, offset 2050) and its two losses; money has none."""
    rating = figures.get("error-based-fibs-rating") or {}
    return {
        "error_based_rating": rating.get("total") if length else None,
        "chequer_rating_loss": rating.get("chequer") if length else None,
        "cube_rating_loss": rating.get("cube") if length else None,
    }


def _ratio(total: float, count: int) -> float | None:
    return total / count if count else None
