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

_NUMBERS = [
    "total_moves", "unforced_moves", "chequer_error_emg", "chequer_error_mwc", "total_cube_decisions",
    "close_cube_decisions", "close_cube_decisions_2003", "cube_error_emg", "cube_error_mwc",
    "match_length", "luck_adjusted_result", "actual_result", "error_based_rating", "recorded_rating",
    "moves_of_both", "luck_emg", "luck_mwc", "net_luck_mwc", "won",
]  # fmt: skip
FIELD_COLUMNS = columns("field/matches")
MOST_STORED = 40
LEAST_DECISIONS = 20
"""Unforced moves and close cube decisions below which no rating is shown: its interval is 700 points wide and more."""
PROVISIONAL = 100
"""Decisions below which a rating is provisional; a match to 7 points has about as many."""
RATED, TENTATIVE, UNRATED = STANDINGS = ("rated", "provisional", "none")
"""What a player's rating is; players are listed in this order."""
PLAIN = ("rating", "ci_low", "ci_high")
SHRUNK = ("shrunk_rating", "shrunk_low", "shrunk_high")
"""Columns of a rating and its interval: what the errors give, and that shrunk towards the field."""
INSIDE, OUTSIDE = "inside", "outside"  # whether a loss is one that the formula holds for
_MEANS = ("recorded_rating", "actual_result", "luck_adjusted_result")


def with_ratings(matches: pd.DataFrame, model: RatingModel, offset: float) -> pd.DataFrame:
    """Add to each row the rating that its match alone gives (`rating`), the net luck, and the luck-based difference."""
    of_both = matches.groupby(["file", "match"], sort=False)["luck_mwc"].transform("sum", min_count=2)
    net_luck = 2.0 * matches["luck_mwc"].astype(float) - of_both.astype(float)
    luck = match_luck_based_difference(
        matches["luck_adjusted_result"].to_numpy(float), matches["match_length"].to_numpy(float)
    )
    ratings = match_rating(errors_of(matches, model), model.formula, offset)
    counts = matches[model.decisions].astype(float)
    cube_errors = matches["cube_error_emg"].astype(float) / counts.where(counts > 0)
    each = zip(matches["match_length"], ratings, cube_errors, strict=True)
    notes = [_note(n, value, cube_error, model, offset) for n, value, cube_error in each]
    return matches.assign(
        rating=ratings, net_luck_mwc=net_luck, luck_based_rating_difference=luck, rating_note=notes
    )  # fmt: skip


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
    sums = _sums(numbers, named, model)
    errors, dates = errors_of(numbers, model), named["date"].fillna("").to_numpy(str)
    places = named.groupby("player").indices
    of_players = ((places[name], decisions) for name, decisions in sums["decisions"].items())
    estimates = [
        _estimates(errors.at(np.asarray(rows)), numbers["luck_adjusted_result"][rows], decisions, model, offset)
        | {"first_date": str(min(filter(None, dates[rows]), default="")), "last_date": str(max(dates[rows]))}
        for rows, decisions in of_players
    ]
    table = pd.concat([sums.reset_index(drop=True), pd.DataFrame(estimates)], axis=1)
    table = table.reindex(columns=columns("human/players"))
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


def _sums(numbers: Mapping[str, Any], named: pd.DataFrame, model: RatingModel) -> pd.DataFrame:
    """Return what adds up over matches, one row per player in the order of names: totals, rates and means."""
    # Of all players at once: what takes a microsecond for many rows takes ten for a few.
    length, moves = numbers["match_length"], numbers["unforced_moves"]
    decided = ~np.isnan(numbers["luck_adjusted_result"])
    holds = model.formula.holds_at(length)
    # gnubg's own ratings of single matches, weighted by unforced moves: what its chequer part is an average over.
    weights = np.where(np.isnan(numbers["error_based_rating"]), 0.0, moves)
    each = {
        **numbers, "matches": np.ones(len(length)), "rated_moves": np.where(holds, moves, 0.0), "weights": weights,
        "decisions": np.where(holds & (moves > 0), moves + np.nan_to_num(numbers["close_cube_decisions"]), 0.0),
        "error_based_rating": numbers["error_based_rating"] * weights, "money_sessions": length == 0.0,
        "incomplete_matches": (named["status"] == "incomplete").to_numpy(), "decided_matches": decided,
        "finished_matches": ~np.isnan(numbers["won"]),
        **{name: np.where(decided, numbers[name], math.nan) for name in ("actual_result", "net_luck_mwc")},
    }  # fmt: skip
    by_player = pd.DataFrame(each, index=named["player"].to_numpy()).groupby(level=0, sort=True)
    sums, means = by_player.sum(min_count=1), by_player[list(_MEANS)].mean()
    total = sums.fillna(0.0)
    error = total["chequer_error_emg"] + total["cube_error_emg"]
    decisions = total["unforced_moves"] + total["close_cube_decisions"]
    rates = {
        "epm": (total["chequer_error_emg"], total["unforced_moves"]),
        "epc": (total["cube_error_emg"], total["close_cube_decisions"]),
        "epc_2003": (total["cube_error_emg"], total["close_cube_decisions_2003"]),
        "pr": (500.0 * error, decisions),
        "snowie_error_rate": (1000.0 * error, total["moves_of_both"]),
        "error_based_rating": (total["error_based_rating"], total["weights"]),
    }
    counts = ("matches", "money_sessions", "incomplete_matches", "decided_matches", "finished_matches", "won")
    return total.assign(
        player=sums.index.astype(str), **{name: sums[name] for name in ("luck_emg", "luck_mwc", "net_luck_mwc")},
        **{name: means[name] for name in _MEANS}, **{name: total[name].astype(int) for name in counts},
        **{name: errors / count.where(count != 0.0) for name, (errors, count) in rates.items()},
    )  # fmt: skip


def _estimates(errors: Errors, results: Any, decisions: float, model: RatingModel, offset: float) -> dict[str, Any]:
    estimate = rating(errors, model.formula, offset, model.level_error)
    standing = UNRATED if decisions < LEAST_DECISIONS else TENTATIVE if decisions < PROVISIONAL else RATED
    if standing == UNRATED:
        estimate = replace(NOTHING, matches=estimate.matches, moves=estimate.moves)
    decided = ~np.isnan(results)
    # Of one match nobody can tell how far it is off.
    several = decided if decided.sum() > 1 else np.zeros_like(decided)
    luck = luck_based_difference(results[several], errors.match_length[several])
    return {
        "rating": estimate.value, "ci_low": estimate.low, "ci_high": estimate.high, "standing": standing,
        "domain": _domain(offset - estimate.value, errors, model), "rated_matches": estimate.matches,
        "rated_moves_at_7": estimate.moves, "rating_se_matches": estimate.se_matches,
        "rating_se_formula": estimate.se_formula, "rating_se_level": estimate.se_level,
        "luck_based_rating_difference": luck.value, "luck_based_ci_low": luck.low, "luck_based_ci_high": luck.high,
    }  # fmt: skip


def _domain(loss: float, errors: Errors, model: RatingModel) -> str:
    if math.isnan(loss):
        return ""
    count = float(errors.close_cube_decisions.sum())
    cube_error = float(errors.cube_error.sum()) / count if count else math.nan
    return OUTSIDE if outside(loss, cube_error, model) else INSIDE


def errors_of(matches: Any, model: RatingModel) -> Errors:
    """Return the errors of matches (a table, or its columns by name) as the chosen formula counts decisions."""
    names = ("match_length", "chequer_error_emg", "unforced_moves", "cube_error_emg", model.decisions)
    return Errors(*(np.nan_to_num(np.asarray(matches[name], dtype=float)) for name in names))
