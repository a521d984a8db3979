"""Pairwise logistic ratings with a first-mover bias, after rolandbernard/mcts: a binomial regression.

p(first wins) = sigma(s (b + beta_i - beta_j)) with s = ln 3 / 200 (200 points are 75 %); a draw is half a win. Without
an anchor the mean score is 1500; with one, its score holds and s stays; with several, s is fitted too. Intervals hold
90 % (normal), on every score by the delta method. An anchor has none, and without anchors they are against the mean.

The likelihood has a maximum if wins lead from every player to every other (a draw is half a win for both): Ford (1957).
Separated players have no finite score of maximum likelihood. They get two half games, one won and one lost, against a
player at the others' mean. This is the log-F(1,1) penalty (Greenland and Mansournia 2015). A bias without a finite
maximum gets the same.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array, hstack, vstack
from scipy.sparse.csgraph import connected_components
from scipy.special import gammaln, xlog1py, xlogy

from bgrating.league.cells import meetings, target, totals
from bgrating.league.games import indices, players_of
from bgrating.league.regression import has_full_rank, maximum_likelihood, separable
from bgrating.league.settings import GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgrating.rating.fibs import log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns

COLUMNS = columns("ratings/logistic")
POINTS_FOR_75, MEAN = 200.0, 1500.0
REACH = quantile(CONFIDENCE)  # standard errors from the middle of an interval to its ends
PENALISED = "penalised: two half games, one won and one lost, against the mean of the others (log-F(1,1))"
UNLINKED = "no games link it to the rated players"
MOST_PLAYERS = 5_000  # of one fit, since its information is a dense matrix: two minutes, 800 MB
MOST_PAIRS = 60  # up to so many players every pair has a row; of more players, the pairs that met


@dataclass(frozen=True)
class LogisticFit:
    """A fit: the players with their scores, best first, and `facts` about bias, scale and likelihood."""

    players: pd.DataFrame
    facts: dict[str, Any]
    scores: dict[str, float] = field(repr=False)
    covariance: pd.DataFrame = field(repr=False)

    @property
    def slope(self) -> float:
        return math.log(3) / float(self.facts["scale"])


@dataclass(frozen=True)
class _Rows:
    """Rows of the regression, first those of games, then those of the penalty.

    `differences` of scores has a column per player. The outcomes are those of the first player.
    """

    differences: csr_array
    seats: np.ndarray
    successes: np.ndarray
    failures: np.ndarray


@dataclass(frozen=True)
class _Design:
    """The linear parameters of the logit s (seat b + differences · beta).

    With several anchors, `level` holds their scores (0 for other players) and the slope s comes first. Then s b, if
    there is a bias, and s times the scores of the `free` players above the first anchor.
    """

    level: np.ndarray
    free: np.ndarray
    slope: float | None
    bias: bool

    def matrix(self, rows: _Rows) -> csr_array:
        lead = [rows.differences @ self.level] * (self.slope is None) + [rows.seats] * self.bias
        parts = [csr_array(np.stack(lead, axis=1))] if lead else []
        return csr_array(hstack([*parts, rows.differences[:, self.free]]))

    def divided(self, values: np.ndarray, covariance: np.ndarray) -> tuple[float, float, np.ndarray, np.ndarray]:
        """Return the slope with its standard error, and bias and scores with their covariance, by the delta method."""
        if self.slope is not None:
            return self.slope, 0.0, values / self.slope, covariance / self.slope**2
        slope, points = float(values[0]), values[1:] / values[0]
        shared = np.outer(points, covariance[0, 1:])
        spread = covariance[1:, 1:] - shared - shared.T + covariance[0, 0] * np.outer(points, points)
        return slope, math.sqrt(covariance[0, 0]), points, spread / slope**2


def problem(_: RatingsSettings, field: GamesToRate) -> str:
    number = len(players_of(field.games))
    if number <= MOST_PLAYERS:
        return ""
    return (
        f"a fit takes up to {MOST_PLAYERS:,} players, and these games have {number:,}: use --since and --through, or a "
        "smaller file"
    )


def rated(settings: RatingsSettings, field: GamesToRate) -> MethodRatings:
    """Rate games. Where the order of names does not tell who moved first, a bias is fitted only with bias=on."""
    fitted = fit(field.games, settings.fix, bias=False if settings.bias is None and not field.seats else settings.bias)
    shown = fitted.players["player"].isin(field.listed)
    order = fitted.players.loc[shown, "player"].tolist()
    files = {
        "logistic.csv": fitted.players,
        "logistic.json": fitted.scores,
        "logistic_fit.json": fitted.facts,
        "target.csv": target(field.games, order),
        "pred.csv": predictions(fitted, order),
        "head_to_head.csv": chances(field.games, fitted, order),
    }
    ratings = fitted.players.rename(columns={"score": "rating"})
    return MethodRatings(files, ratings, {"fix": dict(settings.fix), "confidence": CONFIDENCE})


def fit(
    games: pd.DataFrame, anchors: Mapping[str, float] | None = None, *, bias: bool | None = None, lengths: bool = False
) -> LogisticFit:
    """Fit scores to a table of games.

    With `lengths`, scores are FIBS points: a match to `length` points has log-odds of ln(10) sqrt(length) / 2000 a
    point. A virtual game of the penalty then has the mean root of the lengths. With `bias` None it is fitted where the
    games identify it. The players have the columns ratings/logistic; component 0 is the rated group, and players
    outside it have no score. `covariance` is that of the scores. Raises RatingsError for anchors that give no
    scale, and a requested bias that the games do not identify.
    """
    anchors = dict(anchors or {})
    everyone = players_of(games)
    numbers = components(games, everyone, list(anchors))
    main = numbers[everyone.index(next(iter(anchors)))] if anchors else 0
    group = pd.Series(np.where(numbers == main, 0, numbers + (numbers < main)), everyone)
    names = group.index[group == 0].tolist()
    tallies = _by_seat(games, names, lengths)
    lone = separated(tallies.assign(first_score=tallies["won"] / tallies["count"]), names, list(anchors))
    rows = _observations(tallies, names, lone)
    base = next(iter(anchors.values()), 0.0)
    level = np.array([anchors.get(name, base) - base for name in names], dtype=float)
    free = np.array([name not in anchors for name in names]) if anchors else np.arange(len(names)) > 0
    unit = -float(log_odds_per_point(1)) if lengths else math.log(3) / POINTS_FOR_75
    design = _Design(level, np.flatnonzero(free), None if len(anchors) > 1 else unit, bias=True)
    design, why = _with_bias(design, rows, bias)
    matrix, half = _penalised_bias(design, rows)
    values, covariance, chances = maximum_likelihood(
        matrix, np.append(rows.successes, half), np.append(rows.failures, half)
    )
    slope, slope_se, points, spread = design.divided(values, covariance)
    if slope <= 0:
        raise RatingsError(
            "fix: the anchors contradict the games: the higher ones have worse results. Fix one player only"
        )
    lead = int(design.bias)
    bias_points, bias_se = (float(points[0]), math.sqrt(spread[0, 0])) if design.bias else (0.0, 0.0)
    scores, around = base + level, np.zeros((len(names), len(names)))
    scores[design.free] += points[lead:]
    around[np.ix_(design.free, design.free)] = spread[lead:, lead:]
    if not anchors:  # distances from the mean
        scores += MEAN - scores.mean()
        shared = around.mean(axis=0)
        around += shared.mean() - shared[:, None] - shared
    facts = {
        **_with_ends("bias", bias_points, bias_se),
        "bias_fitted": design.bias,
        "bias_note": why,
        **_with_ends("scale", math.log(3) / slope, math.log(3) / slope**2 * slope_se),
        "scale_fitted": design.slope is None,
        **_losses(tallies, chances[: len(tallies)]),
        "n_games": int(tallies["count"].sum()),
        "n_players": len(names),
        "parameters": matrix.shape[1],
        "confidence": CONFIDENCE,
        "anchors": anchors,
        "method": "maximum likelihood" if not (lone.any() or len(half)) else f"maximum likelihood, {PENALISED}",
        "separated": [name for name, alone in zip(names, lone, strict=True) if alone],
        "bias_separated": bool(len(half)),
        "not_linked": group.index[group > 0].tolist(),
    }
    by_pair = pd.DataFrame(around, index=names, columns=names)
    table = _table(totals(games), group, pd.Series(scores, names), by_pair, pd.Series(lone, names))
    by_name = dict(table[["player", "score"]].dropna().itertuples(index=False, name=None))
    return LogisticFit(table, facts, by_name, by_pair)


def _by_seat(games: pd.DataFrame, names: Sequence[str], lengths: bool) -> pd.DataFrame:
    """Add up games by ordered pair of some players, who are sorted, and with `lengths` by match length.

    Columns: `first`, `second`, `weight` (root of the length, or 1), `count`, `won`, `coefficient` (its logarithm).
    """
    count, score = games["count"], games["first_score"]
    coefficient = -count * (gammaln(1 + score) + gammaln(2 - score))
    weight = np.sqrt(games["length"]) if lengths else 1.0
    # Numbers of players are grouped in a fraction of the time that their names take.
    first, second = (pd.Categorical.from_codes(place, pd.Index(names)) for place in indices(games, names))
    table = pd.DataFrame({"weight": weight, "count": count, "won": count * score, "coefficient": coefficient})
    table = table.assign(first=first, second=second)
    keys = ["first", "second", "weight"]
    return table.groupby(keys, as_index=False, observed=True)[["count", "won", "coefficient"]].sum()


def _observations(tallies: pd.DataFrame, names: Sequence[str], lone: np.ndarray) -> _Rows:
    """Make a row of every ordered pair that met, and one of the penalty for every separated player."""
    place, shape = np.arange(len(tallies)), (len(tallies), len(names))
    count, won, weight = (tallies[name].to_numpy(float) for name in ("count", "won", "weight"))
    first, second = (csr_array((weight, (place, seat)), shape) for seat in indices(tallies, names))
    base = ~lone if (~lone).any() else np.ones(len(names), dtype=bool)
    penalty = csr_array(np.average(weight, weights=count) * (np.eye(len(names))[lone] - base / base.sum()))
    half = np.full(int(lone.sum()), 0.5)
    seats = np.append(np.ones(len(tallies)), np.zeros(len(half)))
    return _Rows(
        csr_array(vstack([first - second, penalty])), seats, np.append(won, half), np.append(count - won, half)
    )


def _with_bias(design: _Design, rows: _Rows, wanted: bool | None) -> tuple[_Design, str]:
    """Return a design with a bias if the games identify it, else without one, and why. Raises RatingsError."""
    why = "off"
    if wanted is not False:
        if has_full_rank(design.matrix(rows)):
            return design, ""
        why = "the games cannot tell the bias from the scores: who meets whom always sits in the same seat"
        if wanted:
            raise RatingsError(f"bias=on: {why}. Use bias=off")
    design = replace(design, bias=False)
    if design.slope is None and not has_full_rank(design.matrix(rows)):
        raise RatingsError("fix: the games between the anchors' groups do not determine the scale; fix one player only")
    return design, why


def _penalised_bias(design: _Design, rows: _Rows) -> tuple[csr_array, np.ndarray]:
    """Return the regression's matrix, and the weight of a row that penalises the bias if that has no finite value.

    Raises RatingsError where the scale has no finite value.
    """
    matrix = design.matrix(rows)
    # The penalty bounds all scores; bias and scale may still have no finite value.
    bounded = design.slope is not None and not design.bias
    if bounded or not separable(matrix, rows.successes, rows.failures):
        return matrix, np.empty(0)
    if design.bias:
        held_back = csr_array(([1.0], ([0], [int(design.slope is None)])), shape=(1, matrix.shape[1]))
        matrix, half = csr_array(vstack([matrix, held_back])), np.full(1, 0.5)
        if not separable(matrix, np.append(rows.successes, half), np.append(rows.failures, half)):
            return matrix, half
    if design.slope is None:
        raise RatingsError("fix: no finite scale fits these anchors best (every result agrees with them); fix one only")
    raise RatingsError("the scores have no finite values that fit best, and the penalty does not hold them")


def _with_ends(name: str, value: float, error: float) -> dict[str, float]:
    ends = {f"{name}_ci_low": value - REACH * error, f"{name}_ci_high": value + REACH * error}
    return {name: value, f"{name}_std_error": error, **ends}


def _table(
    table: pd.DataFrame, group: pd.Series, scores: pd.Series, covariance: pd.DataFrame, lone: pd.Series
) -> pd.DataFrame:
    """Add scores with their errors to a table of totals; the series have an entry a player."""
    variance = pd.Series(np.diag(covariance), covariance.index)
    to_mean = variance - 2 * covariance.mean() + covariance.to_numpy().mean()
    error, error_to_mean = (np.sqrt(values.clip(lower=0)) for values in (variance, to_mean))
    table = table.set_index("player").assign(
        score=scores,
        std_error=error,
        ci_low=scores - REACH * error,
        ci_high=scores + REACH * error,
        std_error_to_mean=error_to_mean,
        component=group,
        separated=lone.reindex(group.index, fill_value=False),
    )
    status = np.where(table["separated"], "separated: " + PENALISED, "ok")
    table["status"] = np.where(table["component"] == 0, status, UNLINKED)
    return table.reset_index()[COLUMNS].sort_values("score", ascending=False, kind="stable", ignore_index=True)


def _losses(tallies: pd.DataFrame, probability: np.ndarray) -> dict[str, float]:
    """Return how well the chances fit: means over games in nats, and the deviance of the tallies of ordered pairs.

    `binary_cross_entropy` counts a draw as half a win. `cross_entropy` is the mean negative log-likelihood of a game in
    the binomial family, with the coefficient 1 / Gamma(3/2)^2 for a draw. Without draws the two are equal.
    """
    count, won = tallies["count"].to_numpy(float), tallies["won"].to_numpy(float)
    binary = -(xlogy(won, probability) + xlog1py(count - won, -probability)).sum() / count.sum()
    share = won / count
    best = -(xlogy(won, share) + xlogy(count - won, 1 - share)).sum() / count.sum()
    coefficient = float(tallies["coefficient"].sum()) / count.sum()
    return {
        "cross_entropy": float(binary - coefficient),
        "binary_cross_entropy": float(binary),
        "deviance": float(2 * count.sum() * (binary - best)),
    }


def predictions(fitted: LogisticFit, players: Sequence[str]) -> pd.DataFrame:
    """Return the chance of the row's player against the column's with the bias left out; nan for who has no score."""
    value = np.array([fitted.scores.get(name, math.nan) for name in players])
    chance = 1 / (1 + np.exp(-fitted.slope * (value[:, None] - value[None, :])))
    return pd.DataFrame(chance, index=list(players), columns=list(players))


def chances(games: pd.DataFrame, fitted: LogisticFit, players: Sequence[str]) -> pd.DataFrame:
    """Return results and fitted chances of pairs (ratings/head_to_head): all pairs, or those that met if many.

    Intervals are normal in the log-odds, by the covariance of both scores.
    """
    names = [name for name in players if name in fitted.scores]
    met = meetings(games, names)
    if len(names) <= MOST_PAIRS:
        first, second = np.triu_indices(len(names), 1)
        every = pd.DataFrame({"player_p": np.array(names)[first], "player_q": np.array(names)[second]})
        absent = {"p_wins": 0.0, "q_wins": 0.0, "last": ""}
        met = every.merge(met, on=["player_p", "player_q"], how="left").fillna(absent)
    place = pd.Series(range(len(fitted.covariance)), index=fitted.covariance.index)
    i, j = (place[met[side]].to_numpy() for side in ("player_p", "player_q"))
    covariance = fitted.covariance.to_numpy()
    error = fitted.slope * np.sqrt(np.maximum(covariance[i, i] + covariance[j, j] - 2 * covariance[i, j], 0.0))
    logit = fitted.slope * (met["player_p"].map(fitted.scores) - met["player_q"].map(fitted.scores)).to_numpy(float)
    ends = {"": 0.0, "_ci_low": -REACH, "_ci_high": REACH}
    return met.assign(**{f"chance{end}": 1 / (1 + np.exp(-(logit + reach * error))) for end, reach in ends.items()})


def components(games: pd.DataFrame, players: Sequence[str], anchors: Sequence[str] = ()) -> np.ndarray:
    """Return the numbers of the groups of players that games link, the largest 0; anchors are linked to each other."""
    first, second = _with_links(*indices(games, players), players, anchors)
    return _by_size(first, second, len(players), "weak")


def separated(games: pd.DataFrame, players: Sequence[str], anchors: Sequence[str] = ()) -> np.ndarray:
    """Tell which players of a linked group are separated from its main part.

    The main part is the largest set of players each of whom beat each other directly or through others. If it is a
    single player, all are separated. Several anchors count as linked by their scores.
    """
    first, second = indices(games, players)
    score = games["first_score"].to_numpy(float)
    winner = np.concatenate([first[score > 0], second[score < 1]])
    loser = np.concatenate([second[score > 0], first[score < 1]])
    for order in (list(anchors), list(anchors)[::-1]):
        winner, loser = _with_links(winner, loser, players, order)
    main = _by_size(winner, loser, len(players), "strong") == 0
    return ~main if main.sum() > 1 or len(players) == 1 else np.ones(len(players), dtype=bool)


def _with_links(
    start: np.ndarray, end: np.ndarray, players: Sequence[str], anchors: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    place = [list(players).index(name) for name in anchors]
    return np.append(start, place[:-1]).astype(int), np.append(end, place[1:]).astype(int)


def _by_size(start: np.ndarray, end: np.ndarray, size: int, connection: str) -> np.ndarray:
    """Return the number of each node's connected part, the largest 0, of equals the first."""
    graph = coo_array((np.ones(len(start)), (start, end)), shape=(size, size))
    number, labels = connected_components(graph, directed=True, connection=connection)
    order = np.argsort(-np.bincount(labels, minlength=number), kind="stable")
    return np.asarray(np.argsort(order)[labels])
