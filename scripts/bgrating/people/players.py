"""From matches to players: error rates, luck and ratings of everyone in a collection."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgmatch.records import Json
from bgmatch.scales import performance_rating
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs_formula import rate
from bgrating.rating.player import Errors, losses, match_rating, ratings
from bgrating.rating.population import Population, population_of, shrink
from bgrating.rating.terms import beyond
from bgrating.tables.dictionary import columns

_NUMBERS = [
    "unforced_moves",
    "chequer_error_emg",
    "close_cube_decisions",
    "cube_error_emg",
    "match_length",
    "luck_adjusted_result",
    "recorded_rating",
    "net_luck_mwc",
    "won",
]
LEAST_DECISIONS = 20
"""Smallest number of unforced moves and close cube decisions of a rating; its interval is then 700
points wide."""
PROVISIONAL = 100
"""Smallest number of decisions of a rating that is not provisional; a match to 7 points has about
as many."""
RATED, TENTATIVE, UNRATED = STANDINGS = ("rated", "provisional", "none")
"""The standings of ratings, in the order in which players are listed."""
OWNED = 0.9
"""A player in at least this share of the matches owns the collection."""
OWN = ("own_rating", "own_low", "own_high")
RATING = ("rating", "ci_low", "ci_high")
"""Columns of the raw rating, and of the rating shrunk towards the population mean, if there is a
population."""
INSIDE = "inside"
OUTSIDE = "outside"  # whether the formula holds for a loss
_COUNTS = ("matches", "money_sessions", "decided_matches", "finished_matches", "won")
_MEANS = ("recorded_rating", "luck_adjusted_result")


def with_ratings(matches: pd.DataFrame, model: RatingModel, offset: float) -> pd.DataFrame:
    """Add to each row the rating by its match alone (`rating`), a note on it (`rating_note`), and
    the net luck.
    """
    of_both = matches.groupby(["file", "match"], sort=False)["luck_mwc"].transform(
        "sum", min_count=2
    )
    net_luck = 2.0 * matches["luck_mwc"].astype(float) - of_both.astype(float)
    errors = errors_of(matches, model)
    ratings = match_rating(errors, model.formula, offset)
    counts = matches[model.decisions].astype(float)
    cube_errors = matches["cube_error_emg"].astype(float) / counts.where(counts > 0)
    each = zip(matches["match_length"], ratings, cube_errors, strict=True)
    notes = [_note(n, value, cube_error, model, offset) for n, value, cube_error in each]
    return matches.assign(rating=ratings, net_luck_mwc=net_luck, rating_note=notes)


def _note(
    length: float, rating: float, cube_error: float, model: RatingModel, offset: float
) -> str:
    """Return a sentence if a match has no rating, or one outside the measured range of the formula;
    otherwise an empty text.
    """
    if length == 0:
        return "money play: it has no match length, so no rating; error rates only"
    if math.isnan(rating):
        return "no rating: no unforced move, or a match length outside the formula"
    return beyond(model.formula.match_lengths, length) or outside(
        offset - rating, cube_error, model
    )


def outside(loss: float, cube_error: float, model: RatingModel) -> str:
    """Return why a loss (points) with a cube error (EMG a decision) is outside the formula's
    domain, or an empty text.
    """
    if loss > model.limit:
        return f"outside: the formula holds for losses below {model.limit:.0f} points"
    if cube_error > model.cube_limit:
        return (
            f"outside: the formula holds for cube errors up to {1000 * model.cube_limit:.0f}"
            " milli-EMG a move"
        )
    return ""


def players_table(
    matches: pd.DataFrame,
    model: RatingModel,
    offset: float,
    stored: pd.DataFrame | None = None,
    rated_by: pd.DataFrame | None = None,
) -> tuple[pd.DataFrame, Population | None]:
    """Return one row per player, and the population. Players with a rating come first, the best of
    them first.

    Errors and rates are those of `matches`. Ratings come from `rated_by`: the same rows with the
    losses that are put into the formula (default: `matches`).

    A player has no rating with fewer than LEAST_DECISIONS decisions, a provisional one with fewer
    than PROVISIONAL. Players without a name are left out, and matches of a name against itself,
    since the sides cannot be told apart. `matches` counts all rows of a player. `rated_matches`
    counts those of the rating: matches, complete or not, without money sessions. `decided_matches`
    counts those of figures from results. The population is the collection, with the players of
    `stored` matches as its prior (rating/population.py). Without a population, an interval is
    Student's t over the player's own matches, and a single match has no interval.
    """
    is_named = (matches["player"] != "") & (matches["player"] != matches["opponent"])
    named = matches[is_named]
    sums = _sums(named, model)
    rows = named if rated_by is None else rated_by[is_named]
    errors = errors_of(rows, model)
    number, _ = pd.factorize(named["player"], sort=True)
    rating_rows = ratings(errors, number, model.formula, offset)
    few = sums["decisions"].to_numpy() < LEAST_DECISIONS
    rating_rows.loc[few, ["loss", "rating", "low", "high"]] = math.nan
    dates = named["date"].where(named["date"] != "").groupby(number)
    table = sums.assign(
        standing=np.select([few, sums["decisions"] < PROVISIONAL], [UNRATED, TENTATIVE], RATED),
        domain=_domains(rating_rows["loss"], errors, number, model),
        rated_matches=rating_rows["matches"].astype(int),
        first_date=dates.min().fillna(""),
        last_date=dates.max().fillna(""),
    )
    prior = None if stored is None else stored_population(stored, model)
    population = population_of(rating_rows, prior)
    table[[*OWN]] = table[[*RATING]] = rating_rows[["rating", "low", "high"]]
    if population is not None:
        table = table.assign(**shrink(rating_rows, population, offset))
    ordered = table.assign(rank=table["standing"].map(STANDINGS.index)).sort_values(
        ["rank", "rating", "matches", "player"],
        ascending=[True, False, False, True],
        ignore_index=True,
    )
    return ordered.reindex(columns=columns("human/players")), population


def owner(players: pd.DataFrame, matches: int) -> str:
    """Return the player of a collection (rows of `players_table`) who played OWNED of its matches,
    or an empty text.
    """
    owners = players.loc[players["matches"] >= OWNED * matches, "player"]
    return str(owners.iloc[0]) if len(owners) == 1 else ""


def stored_population(stored: pd.DataFrame, model: RatingModel) -> Population | None:
    """Return the population of stored matches (`population_table`), None if too few.

    Their analysis is at 0-ply.
    """
    number, _ = pd.factorize(stored["player"], sort=True)
    return population_of(losses(errors_of(stored, model), number, model.formula))


def _sums(matches: pd.DataFrame, model: RatingModel) -> pd.DataFrame:
    """Return the totals, rates and means over matches, one row per player in the order of names."""
    # For all players at once: a loop over players takes ten times as long.
    numbers = matches[_NUMBERS].astype(float)
    moves = numbers["unforced_moves"]
    decided = numbers["luck_adjusted_result"].notna()
    is_rated = model.formula.holds_at(numbers["match_length"]) & (moves > 0)
    decisions = moves + numbers["close_cube_decisions"].fillna(0.0)
    each = numbers.assign(
        matches=1.0,
        decisions=decisions.where(is_rated, 0.0),
        money_sessions=numbers["match_length"] == 0.0,
        decided_matches=decided,
        finished_matches=numbers["won"].notna(),
        net_luck_mwc=numbers["net_luck_mwc"].where(decided),
    )
    by_player = each.groupby(matches["player"].to_numpy(), sort=True)
    sums = by_player.sum(min_count=1)
    totals = sums.fillna(0.0).astype(dict.fromkeys(_COUNTS, int))
    totals[[*_MEANS]] = by_player[[*_MEANS]].mean()
    totals["net_luck_mwc"] = sums["net_luck_mwc"]
    totals = totals.assign(**error_rates(totals))
    return totals.rename_axis("player").reset_index()


def error_rates(rows: pd.DataFrame) -> Json:
    """Return the error rates of rows with losses and counts; NaN without a decision."""
    names = ("chequer_error_emg", "cube_error_emg", "unforced_moves", "close_cube_decisions")
    chequer, cube, moves, close = (rows[name].astype(float) for name in names)
    decisions = moves.fillna(0.0) + close.fillna(0.0)
    return {
        "epm": chequer / moves.where(moves > 0),
        "epc": cube / close.where(close > 0),
        "pr": performance_rating(chequer + cube, decisions.where(decisions > 0)),
    }


def _domains(
    loss: pd.Series, errors: Errors, player: NDArray[np.intp], model: RatingModel
) -> NDArray[np.str_]:
    """Return for every player whether the formula holds for the loss and the cube errors.

    The text is empty for a player without a loss.
    """
    cube, decisions = (
        np.bincount(player, each).astype(float)
        for each in (errors.cube_error, errors.close_cube_decisions)
    )
    is_outside = (loss > model.limit) | (rate(cube, decisions) > model.cube_limit)
    return np.select([loss.isna(), is_outside], ["", OUTSIDE], INSIDE)


def errors_of(matches: Any, model: RatingModel) -> Errors:
    """Return the errors of matches (a table, or its columns by name), with the decisions of the
    chosen formula.
    """
    names = (
        "match_length",
        "chequer_error_emg",
        "unforced_moves",
        "cube_error_emg",
        model.decisions,
    )
    return Errors(*(np.nan_to_num(np.asarray(matches[name], dtype=float)) for name in names))
