"""Pairwise logistic ratings with a first-mover bias, after rolandbernard/mcts: a binomial regression.

p(first wins) = sigma(s (b + beta_i - beta_j)) with s = ln 3 / 200 (200 points are 75 %); a draw is half a win. Without
an anchor the mean score is 1500; with one, its score holds and s stays; with several, s is fitted too. Intervals hold
90 % (normal), on every score by the delta method; an anchor has none, and without anchors they are against the mean.

Who is separated (bgrating.league.separation) has no finite score of maximum likelihood. Such players get two half
games, one won and one lost, against a player at the mean of the others: the log-F(1,1) penalty (Greenland and
Mansournia 2015), on them alone. A bias that no finite value fits best gets the same.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_array, vstack
from scipy.special import gammaln, xlog1py, xlogy

from bgrating.league.cells import totals
from bgrating.league.games import RatingsError, indices, players_of, require_players
from bgrating.league.regression import Coordinates, anchored, floating, maximum_likelihood
from bgrating.league.separation import Rows, bias_is_bounded, components, independent, separable, separated
from bgrating.rating.fibs import log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns

COLUMNS = columns("ratings/logistic")
POINTS_FOR_75, MEAN = 200.0, 1500.0
REACH = quantile(CONFIDENCE)
"""Standard errors from the middle of an interval to its ends."""
PENALISED = "penalised: two half games, one won and one lost, against the mean of the others (log-F(1,1))"
UNLINKED = "no games link it to the rated players"


@dataclass(frozen=True)
class Fit:
    """A fit: the players with their scores, best first, and what else was fitted."""

    players: pd.DataFrame
    facts: dict[str, Any]
    scores: dict[str, float] = field(repr=False)
    covariance: pd.DataFrame = field(repr=False)

    @property
    def slope(self) -> float:
        """Return s, the slope of the logit per point."""
        return math.log(3) / float(self.facts["scale"])


def fit(
    games: pd.DataFrame, anchors: Mapping[str, float] | None = None, *, bias: bool | None = None, lengths: bool = False
) -> Fit:
    """Fit scores to a table of games.

    `lengths`: points are those of FIBS, and a game is a match to `length` points, with log-odds of
    ln(10) sqrt(length) / 2000 a point; a virtual game of the penalty has the mean root of the lengths.
    `bias` None takes it along where the games can tell it from the scores. The players have the columns `player`,
    `score`, `std_error`, `ci_low`, `ci_high`, `wins` (a draw is half a win), `games`, `separated`, `component` (0: the
    rated group), `status` and `std_error_to_mean` (of the distance from the mean of all); who is not linked to the
    rated group has no score. `covariance` is that of the scores.
    Raises RatingsError for an anchor without games, anchors that cannot give a scale, and a bias that was asked for
    where scores explain the same.
    """
    anchors = dict(anchors or {})
    everyone = players_of(games)
    require_players(anchors, everyone, "fix")
    group = components(games, everyone, list(anchors))
    main = int(group[everyone.index(next(iter(anchors)))]) if anchors else 0
    names = [name for name, number in zip(everyone, group, strict=True) if number == main]
    rated = _by_seat(games[games["first"].isin(names)], lengths)
    lone = separated(rated.assign(first_score=rated["won"] / rated["count"]), names, list(anchors))
    rows = _observations(rated, names, lone)
    free, why = _with_bias(rows, names, anchors, bias)
    design = _coordinates(names, anchors, free, lengths)
    matrix, held = _penalised_bias(design, rows, names, anchors, free)
    values, covariance, chances = maximum_likelihood(
        matrix, np.append(rows.successes, held), np.append(rows.failures, held)
    )
    estimate = design.decode(values, covariance)
    if estimate.slope <= 0:
        raise RatingsError("fix: the anchors contradict the games: who stands higher does worse. Fix one player only")
    table = _table(games, everyone, group, main, names, estimate.scores, estimate.covariance, lone)
    scale = math.log(3) / estimate.slope
    scale_se = scale / estimate.slope * estimate.slope_se
    facts = {
        "bias": estimate.bias,
        "bias_std_error": estimate.bias_se,
        "bias_ci_low": estimate.bias - REACH * estimate.bias_se,
        "bias_ci_high": estimate.bias + REACH * estimate.bias_se,
        "bias_fitted": free,
        "bias_note": why,
        "scale": scale,
        "scale_std_error": scale_se,
        "scale_ci_low": scale - REACH * scale_se,
        "scale_ci_high": scale + REACH * scale_se,
        "scale_fitted": len(anchors) > 1,
        **_losses(rated, chances[: len(rated)]),
        "n_games": int(rated["count"].sum()),
        "n_players": len(names),
        "parameters": matrix.shape[1],
        "confidence": CONFIDENCE,
        "anchors": anchors,
        "method": "maximum likelihood" if not (lone.any() or len(held)) else f"maximum likelihood, {PENALISED}",
        "separated": [name for name, alone in zip(names, lone, strict=True) if alone],
        "bias_separated": bool(len(held)),
        "not_linked": [name for name, number in zip(everyone, group, strict=True) if number != main],
    }
    scores = {row["player"]: float(row["score"]) for row in table.to_dict("records") if math.isfinite(row["score"])}
    return Fit(table, facts, scores, pd.DataFrame(estimate.covariance, index=names, columns=names))


def _by_seat(games: pd.DataFrame, lengths: bool) -> pd.DataFrame:
    """Add up games to one row per ordered pair, and match length if asked, whose root is `weight`, else 1.

    Columns: `first`, `second`, `weight`, `count`, `won`, `coefficient` (its logarithm).
    """
    count, score = games["count"], games["first_score"]
    coefficient = -count * (gammaln(1 + score) + gammaln(2 - score))
    weight = np.sqrt(games["length"]) if lengths else 1.0
    table = games.assign(won=count * score, coefficient=coefficient, weight=weight)
    return table.groupby(["first", "second", "weight"], as_index=False)[["count", "won", "coefficient"]].sum()


def _observations(games: pd.DataFrame, names: Sequence[str], lone: np.ndarray) -> Rows:
    """Make a row of every ordered pair that met, and one of the penalty for every separated player."""
    first, second = indices(games, names)
    place, one = np.arange(len(games)), np.ones(len(games))
    shape = (len(games), len(names))
    count, won, weight = (games[name].to_numpy(float) for name in ("count", "won", "weight"))
    differences = csr_array((weight, (place, first)), shape) - csr_array((weight, (place, second)), shape)
    base = ~lone if (~lone).any() else np.ones(len(names), dtype=bool)
    penalty = csr_array(np.average(weight, weights=count) * (np.eye(len(names))[lone] - base / base.sum()))
    half = np.full(int(lone.sum()), 0.5)
    return Rows(
        csr_array(vstack([differences, penalty])),
        np.append(one, np.zeros(len(half))),
        np.append(won, half),
        np.append(count - won, half),
    )


def _coordinates(names: Sequence[str], anchors: Mapping[str, float], bias: bool, lengths: bool) -> Coordinates:
    if len(anchors) > 1:
        return anchored(names, anchors, bias=bias)
    slope = -float(log_odds_per_point(1)) if lengths else math.log(3) / POINTS_FOR_75
    return floating(names, anchors, slope, MEAN, bias=bias)


def _with_bias(rows: Rows, names: Sequence[str], anchors: Mapping[str, float], wanted: bool | None) -> tuple[bool, str]:
    """Say whether the bias is fitted, and why not."""
    if wanted is False:
        return False, "off"
    if independent(rows, names, anchors, bias=True):
        return True, ""
    why = "the games cannot tell the bias from the scores: who meets whom always sits in the same seat"
    if wanted:
        raise RatingsError(f"bias=on: {why}. Use bias=off")
    return False, why


def _penalised_bias(
    design: Coordinates, rows: Rows, names: Sequence[str], anchors: Mapping[str, float], bias: bool
) -> tuple[csr_array, np.ndarray]:
    """Return the regression's matrix and the weight of a row that holds the bias, if one must.

    Raises RatingsError where the scale has no finite value.
    """
    matrix = design.design(rows.differences, rows.seats)
    if len(anchors) > 1 and not independent(rows, names, anchors, bias=bias):
        raise RatingsError("fix: the games between the anchors' groups cannot tell the scale; fix one player only")
    # The penalty holds the scores of the separated, and with them all scores: what may run off is bias and scale.
    if len(anchors) < 2 and (not bias or bias_is_bounded(rows)):
        return matrix, np.empty(0)
    if not separable(matrix, rows.successes, rows.failures):
        return matrix, np.empty(0)
    if bias:
        held = csr_array((1, rows.differences.shape[1]))
        matrix, half = csr_array(vstack([matrix, design.design(held, np.ones(1))])), np.full(1, 0.5)
        if not separable(matrix, np.append(rows.successes, half), np.append(rows.failures, half)):
            return matrix, half
    if len(anchors) > 1:
        raise RatingsError("fix: no finite scale fits these anchors best (every result agrees with them); fix one only")
    raise RatingsError("the scores have no finite values that fit best, and the penalty does not hold them")


def _table(
    games: pd.DataFrame,
    everyone: Sequence[str],
    group: np.ndarray,
    main: int,
    names: Sequence[str],
    scores: np.ndarray,
    covariance: np.ndarray,
    lone: np.ndarray,
) -> pd.DataFrame:
    error = np.sqrt(np.clip(np.diag(covariance), 0, None))
    to_mean = np.diag(covariance) - 2 * covariance.mean(axis=0) + covariance.mean()
    own = pd.DataFrame(
        {
            "player": names,
            "score": scores,
            "std_error": error,
            "ci_low": scores - REACH * error,
            "ci_high": scores + REACH * error,
            "separated": lone,
            "std_error_to_mean": np.sqrt(np.clip(to_mean, 0, None)),
        }
    )
    table = totals(games).merge(own, on="player", how="left")
    number = np.where(group == main, 0, np.where(group < main, group + 1, group))
    table = table.assign(
        component=pd.Series(number, index=list(everyone))[table["player"]].to_numpy(),
        separated=table["separated"].fillna(value=False).astype(bool),
    )
    status = np.where(table["separated"], "separated: " + PENALISED, "ok")
    table["status"] = np.where(table["component"] == 0, status, UNLINKED)
    return table[COLUMNS].sort_values("score", ascending=False, kind="stable", ignore_index=True)


def _losses(rated: pd.DataFrame, probability: np.ndarray) -> dict[str, float]:
    """Return how well the chances fit: means over games in nats, and the deviance of the seats' tallies.

    `binary_cross_entropy` is that of a game with a draw as half a win. `cross_entropy` is the mean negative
    log-likelihood of the same game in the binomial family, whose coefficient, 1 for a win or a loss, is
    1 / Gamma(3/2)^2 for a draw: the two are one where there are no draws.
    """
    count, won = rated["count"].to_numpy(float), rated["won"].to_numpy(float)
    binary = -(xlogy(won, probability) + xlog1py(count - won, -probability)).sum() / count.sum()
    share = won / count
    best = -(xlogy(won, share) + xlogy(count - won, 1 - share)).sum() / count.sum()
    coefficient = float(rated["coefficient"].sum()) / count.sum()
    return {
        "cross_entropy": float(binary - coefficient),
        "binary_cross_entropy": float(binary),
        "deviance": float(2 * count.sum() * (binary - best)),
    }


def predictions(fitted: Fit, players: Sequence[str]) -> pd.DataFrame:
    """Return the chance of the row's player against the column's with the bias left out; nan for who has no score."""
    value = np.array([fitted.scores.get(name, math.nan) for name in players])
    chance = 1 / (1 + np.exp(-fitted.slope * (value[:, None] - value[None, :])))
    return pd.DataFrame(chance, index=list(players), columns=list(players))
