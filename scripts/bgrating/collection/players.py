"""From matches to players: error rates, luck and ratings of everyone in a collection."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.choose import RatingModel
from bgrating.rating.field import STORED, Field, field_of, shrink
from bgrating.rating.formula import BEYOND
from bgrating.rating.player import (
    NOTHING,
    Errors,
    losses,
    luck_based_difference,
    match_luck_based_difference,
    match_rating,
    rating,
)
from bgrating.tables.dictionary import columns

_SUMS = [
    "total_moves", "unforced_moves", "chequer_error_emg", "chequer_error_mwc", "total_cube_decisions",
    "close_cube_decisions", "close_cube_decisions_2003", "cube_error_emg", "cube_error_mwc",
]  # fmt: skip
FIELD_COLUMNS = columns("field/matches")
MOST_STORED = 40
LEAST_DECISIONS = 20
"""Unforced moves and close cube decisions below which no rating is shown: its interval is 700 points wide and more."""
PROVISIONAL = 100
"""Decisions below which a rating is provisional; a match to 7 points has about as many."""
RATED, TENTATIVE, UNRATED = STANDINGS = ("rated", "provisional", "none")
"""What a player's rating is; players are listed in this order."""
INSIDE, OUTSIDE = "inside", "outside"  # whether a loss is one that the formula holds for
_NUMBERS = [
    *_SUMS, "match_length", "luck_adjusted_result", "actual_result", "error_based_rating", "recorded_rating",
    "moves_of_both", "luck_emg", "luck_mwc", "won",
]  # fmt: skip


def with_ratings(matches: pd.DataFrame, model: RatingModel, offset: float) -> pd.DataFrame:
    """Add to each row the rating that its match alone gives (`rating`), and the luck-based rating difference."""
    luck = match_luck_based_difference(
        matches["luck_adjusted_result"].to_numpy(float), matches["match_length"].to_numpy(float)
    )
    ratings = match_rating(errors_of(matches, model), model.formula, offset)
    counts = matches[model.decisions].astype(float)
    cube_errors = matches["cube_error_emg"].astype(float) / counts.where(counts > 0)
    each = zip(matches["match_length"], ratings, cube_errors, strict=True)
    notes = [_note(n, value, cube_error, model, offset) for n, value, cube_error in each]
    return matches.assign(rating=ratings, luck_based_rating_difference=luck, rating_note=notes)


def _note(length: float, rating: float, cube_error: float, model: RatingModel, offset: float) -> str:
    """Say in a sentence what a match's rating lacks; nothing where it is as the formula was measured."""
    if length == 0:
        return "money play: it has no match length, so no rating; error rates only"
    if math.isnan(rating):
        return "no rating: no unforced move, or a match length outside the formula"
    if model.formula.basis(length) == BEYOND:
        measured = ", ".join(map(str, model.formula.match_lengths))
        return f"the formula was measured at {measured} points; {length:g} points are beyond that"
    return outside(offset - rating, cube_error, model)


def outside(loss: float, cube_error: float, model: RatingModel) -> str:
    """Say why a loss (points) with a cube error (EMG per decision) lies outside the formula's domain, or nothing."""
    if loss > model.limit:
        return f"outside: the formula holds for losses below {model.limit:.0f} points"
    if cube_error > model.cube_limit:
        return f"outside: the formula holds for cube errors up to {1000 * model.cube_limit:.0f} milli-EMG a move"
    return ""


def players_table(
    matches: pd.DataFrame, model: RatingModel, offset: float, stored: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, Field | None]:
    """Return one row per player by standing, those with most matches first, and the field they were shrunk towards.

    A player has no rating with fewer than LEAST_DECISIONS decisions, a provisional one with fewer than PROVISIONAL.
    Left out are players without a name, and matches of a name against itself: nobody can tell whose figures are whose.
    `matches` counts all of a player's rows. `rated_matches` counts those behind the rating: matches, complete or not,
    no money sessions. `decided_matches` counts those behind results-based figures. The field is that of the collection
    if it is large enough, else that of `stored` matches (rating/field.py). Without either, an interval is Student's t
    over the player's own matches, and one match has none.
    """
    named = matches[(matches["player"] != "") & (matches["player"] != matches["opponent"])]
    numbers = {column: named[column].to_numpy(float, na_value=math.nan) for column in _NUMBERS}
    texts = {column: named[column].fillna("").to_numpy(str) for column in ("status", "date")}
    groups = named.groupby("player", sort=True).indices
    errors = errors_of(numbers, model)
    # Of all players at once: what takes a microsecond for many rows takes ten for a few.
    sums = pd.DataFrame(numbers, index=named["player"].to_numpy()).groupby(level=0, sort=True).sum(min_count=1)
    totals = dict(zip(map(str, sums.index), sums.to_dict("records"), strict=True))
    rows = [
        _player(
            str(name), {column: values[rows] for column, values in (numbers | texts).items()},
            errors.at(np.asarray(rows)), totals[str(name)], model, offset,
        )
        for name, rows in groups.items()
    ]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns("human/players"))
    field = field_of(_for_field(table, offset))
    if field is None and stored is not None:
        field = stored_field(stored, model)
    if field is not None:
        shrunk = shrink(_for_field(table, offset), field, offset)
        table = table.assign(
            ci_low=shrunk.low, ci_high=shrunk.high, shrunk_rating=shrunk.shrunk, shrunk_low=shrunk.shrunk_low,
            shrunk_high=shrunk.shrunk_high,
        )  # fmt: skip
    place = table["standing"].map(STANDINGS.index)
    return table.assign(place=place).sort_values(
        ["place", "rated_matches", "matches", "player"], ascending=[True, False, False, True], ignore_index=True
    ).drop(columns="place"), field


def stored_field(stored: pd.DataFrame, model: RatingModel) -> Field | None:
    """Return the field of stored matches (columns of `field_matches`) as a formula rates them; None of too few.

    A 0-ply analysis judged them, so the formula for its errors rates them, whatever the level of `model`.
    """
    number, _ = pd.factorize(stored["player"], sort=True)
    of_players = losses(errors_of(stored, model), number, model.at_0_ply or model.formula)
    return field_of(pd.DataFrame({name: of_players[name] for name in ("loss", "own_se", "matches", "moves")}), STORED)


def rated(errors: Errors, model: RatingModel, offset: float) -> dict[str, float]:
    """Return a player's `rating`, `ci_low`, `ci_high`, and what rating/field.py asks for."""
    estimate = rating(errors, model.formula, offset)
    return {
        "rating": estimate.value, "ci_low": estimate.low, "ci_high": estimate.high, "loss": offset - estimate.value,
        "own_se": estimate.se_matches, "matches": estimate.matches, "moves": estimate.moves,
        "known_se": estimate.se_formula,
    }  # fmt: skip


def field_matches(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the matches of named players as a stored field keeps them: numbers in place of names (FIELD_COLUMNS).

    Of a player who is in very many matches only the first MOST_STORED count, so that nobody is most of the field.
    """
    rated = matches[
        (matches["player"].fillna("") != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)
    ]
    first_matches = rated[rated.groupby("player").cumcount() < MOST_STORED]
    names = {name: number for number, name in enumerate(dict.fromkeys(first_matches["player"]), 1)}
    return first_matches.assign(player=first_matches["player"].map(names))[FIELD_COLUMNS].sort_values(
        "player", ignore_index=True
    )


def _for_field(table: pd.DataFrame, offset: float) -> pd.DataFrame:
    level = np.nan_to_num(table["rating_se_level"].to_numpy(float))
    formula = np.nan_to_num(table["rating_se_formula"].to_numpy(float))
    return pd.DataFrame(
        {
            "loss": offset - table["rating"], "own_se": table["rating_se_matches"], "matches": table["rated_matches"],
            "moves": table["rated_moves_at_7"], "known_se": np.hypot(level, formula),
        }
    )  # fmt: skip


def _player(
    name: str, rows: Mapping[str, Any], errors: Errors, sums: Mapping[Any, float], model: RatingModel, offset: float
) -> dict[str, Any]:
    """Return a player's row from the columns of his matches, their errors and the sums of the columns (NaN: none)."""
    estimate = rating(errors, model.formula, offset, model.level_error)
    here = model.formula.holds_at(rows["match_length"]) & (np.nan_to_num(rows["unforced_moves"]) > 0)
    decisions = float(np.nansum(rows["unforced_moves"][here]) + np.nansum(rows["close_cube_decisions"][here]))
    standing = UNRATED if decisions < LEAST_DECISIONS else TENTATIVE if decisions < PROVISIONAL else RATED
    if standing == UNRATED:
        estimate = replace(NOTHING, matches=estimate.matches, moves=estimate.moves)
    decided = ~np.isnan(rows["luck_adjusted_result"])
    dates = [date for date in rows["date"] if date]
    # Of one match nobody can tell how far it is off.
    several = decided if decided.sum() > 1 else np.zeros_like(decided)
    luck = luck_based_difference(rows["luck_adjusted_result"][several], rows["match_length"][several])
    total = {column: 0.0 if math.isnan(sums[column]) else sums[column] for column in (*_SUMS, "moves_of_both", "won")}
    error = total["chequer_error_emg"] + total["cube_error_emg"]
    # gnubg's own ratings of single matches, weighted by unforced moves: what its chequer part is an average over.
    weights = np.where(np.isnan(rows["error_based_rating"]), 0.0, rows["unforced_moves"])
    return {
        "player": name,
        "matches": len(rows["match_length"]),
        "epm": _ratio(total["chequer_error_emg"], total["unforced_moves"]),
        "epc": _ratio(total["cube_error_emg"], total["close_cube_decisions"]),
        "pr": _ratio(500.0 * error, total["unforced_moves"] + total["close_cube_decisions"]),
        "rating": estimate.value,
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "shrunk_rating": math.nan,
        "shrunk_low": math.nan,
        "shrunk_high": math.nan,
        "standing": standing,
        "domain": _domain(offset - estimate.value, errors, model),
        "recorded_rating": _mean(rows["recorded_rating"]),
        "rated_matches": estimate.matches,
        "rated_moves": float(np.nansum(rows["unforced_moves"][model.formula.holds_at(rows["match_length"])])),
        "rated_moves_at_7": estimate.moves,
        "rating_se_matches": estimate.se_matches,
        "rating_se_formula": estimate.se_formula,
        "rating_se_level": estimate.se_level,
        "error_based_rating": _ratio(float(np.nansum(rows["error_based_rating"] * weights)), float(weights.sum())),
        "epc_2003": _ratio(total["cube_error_emg"], total["close_cube_decisions_2003"]),
        "snowie_error_rate": _ratio(1000.0 * error, total["moves_of_both"]),
        **{column: total[column] for column in _SUMS},
        "luck_emg": sums["luck_emg"],
        "luck_mwc": sums["luck_mwc"],
        "money_sessions": int((rows["match_length"] == 0).sum()),
        "incomplete_matches": int((rows["status"] == "incomplete").sum()),
        "decided_matches": int(decided.sum()),
        "finished_matches": int((~np.isnan(rows["won"])).sum()),
        "won": int(total["won"]),
        "actual_result": _mean(rows["actual_result"][decided]),
        "luck_adjusted_result": _mean(rows["luck_adjusted_result"]),
        "luck_based_rating_difference": luck.value,
        "luck_based_ci_low": luck.low,
        "luck_based_ci_high": luck.high,
        "first_date": str(min(dates, default="")),
        "last_date": str(max(dates, default="")),
    }


def _domain(loss: float, errors: Errors, model: RatingModel) -> str:
    if math.isnan(loss):
        return ""
    cube_error = _ratio(float(errors.cube_error.sum()), float(errors.close_cube_decisions.sum()))
    return OUTSIDE if outside(loss, cube_error, model) else INSIDE


def errors_of(matches: Any, model: RatingModel) -> Errors:
    """Return the errors of matches (a table, or its columns by name) as the chosen formula counts decisions."""
    names = ("match_length", "chequer_error_emg", "unforced_moves", "cube_error_emg", model.decisions)
    return Errors(*(np.nan_to_num(np.asarray(matches[name], dtype=float)) for name in names))


def _mean(values: Any) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _ratio(total: float, count: float) -> float:
    return total / count if count else math.nan
