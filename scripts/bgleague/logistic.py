"""Pairwise logistic ratings with a first-mover bias, after rolandbernard/mcts.

A binomial regression.

p(first wins) = sigma(s (b + beta_i - beta_j)) with s = ln 3 / 200 (200 points are 75 %); a draw is
half a win. Without an anchor the mean score is 1500; with one, its score holds and s stays; with
several, s is fitted too. Intervals hold 90 % (normal), on every score by the delta method. An
anchor has no interval. Without anchors, intervals are against the mean.

The likelihood has a maximum if wins lead from every player to every other (Ford 1957). A draw is
half a win for both. Separated players have no finite score of maximum likelihood. They get two half
games, one won and one lost, against a player at the others' mean. This is the log-F(1,1) penalty
(Greenland and Mansournia 2015).

A bias is fitted if half of the games are of pairs that met in both orders. Otherwise the bias may
only reflect the order in which names are listed. Some pair must have both outcomes in both orders,
or the bias may have no finite maximum.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from scipy.sparse import coo_array, csr_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, gammaln, rel_entr, xlogy

from bgleague.games import RESULT, Names, indices, players_of
from bgleague.pair_counts import target, totals
from bgleague.regression import Outcomes, most_likely, solve_dense
from bgleague.settings import ByPlayer, GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgmatch.records import Json
from bgrating.rating.fibs_formula import Floats, log_odds_per_point
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns

COLUMNS = columns("ratings/logistic")
POINTS_FOR_75 = 200.0
MEAN = 1500.0
REACH = quantile(CONFIDENCE)  # standard errors from the middle of an interval to its ends
PENALISED = (
    "penalised: two half games, one won and one lost, against the mean of the others (log-F(1,1))"
)
UNLINKED = "no games link this player to those rated"
MOST_PLAYERS = 5_000  # of one fit, since its information matrix is dense
MEAN_PLAYER = ""  # the opponent in virtual games, at the mean of the players who are not separated


@dataclass(frozen=True)
class LogisticFit:
    """A fit: the players with their scores, best first, and the covariance of the scores.

    `statistics` are about bias, scale and likelihood.
    """

    players: pd.DataFrame
    statistics: Json
    covariance: pd.DataFrame = field(repr=False)

    @property
    def scores(self) -> dict[str, float]:
        return dict(self.players.set_index("player")["score"].dropna())

    @property
    def slope(self) -> float:
        return math.log(3) / float(self.statistics["scale"])

    def ratings(self, files: Json, metadata: Json, slope: float) -> MethodRatings:
        table = self.players.rename(columns={"score": "rating"})
        return MethodRatings(files, table, metadata, slope=slope, covariance=self.covariance)


def problem(_: RatingsSettings, games: GamesToRate) -> str:
    number = len(players_of(games.games))
    if number <= MOST_PLAYERS:
        return ""
    return (
        f"a fit takes up to {MOST_PLAYERS:,} players, and these games have {number:,}: use --since"
        " and --through, or a smaller file"
    )


def rate(settings: RatingsSettings, games: GamesToRate) -> MethodRatings:
    """Rate games.

    If the order of names does not tell who moved first, a bias is fitted only with bias=on.
    """
    bias = False if settings.bias is None and not games.seats else settings.bias
    fitted = fit(games.games, settings.fix, bias=bias)
    order = [name for name in fitted.players["player"] if name in games.listed]
    files = {
        "logistic.csv": fitted.players,
        "logistic.json": fitted.scores,
        "logistic_fit.json": fitted.statistics,
        "target.csv": target(games.games, order),
        "pred.csv": predictions(fitted, order),
    }
    metadata = {"fix": dict(settings.fix), "confidence": CONFIDENCE}
    return fitted.ratings(files, metadata, fitted.slope)


@dataclass(frozen=True)
class _Plan:
    """What is fitted: the players, their tallies, and what is held.

    `penalised` has the tallies of ordered pairs, and behind them the virtual games of the players
    who are separated (`lone`).
    """

    names: list[str]
    tallies: pd.DataFrame
    penalised: pd.DataFrame
    lone: np.ndarray
    anchors: ByPlayer
    why_no_bias: str

    @property
    def size(self) -> int:
        """The number of parameters: the strengths of the players and of MEAN_PLAYER, the bias, the
        slope.
        """
        return len(self.names) + 3

    def rows(self) -> csr_array:
        """Return the log-odds of every tally as rows over the parameters."""
        number = len(self.penalised)
        first, second = indices(self.penalised, [*self.names, MEAN_PLAYER])
        parameters = np.concatenate([first, second, np.full(number, self.size - 2)])
        weight = self.penalised["weight"]
        has_seats = self.penalised["second"] != MEAN_PLAYER
        values = np.concatenate([weight, -weight, has_seats])
        tallies = np.tile(np.arange(number), 3)
        return csr_array((values, (tallies, parameters)), (number, self.size))

    def basis(self) -> csr_array:
        """Return all parameters as linear functions of the free ones, a row for each.

        Without anchors the mean strength is 0. An anchor's strength is the slope times its distance
        from the first. The bias is free if it is fitted, the slope if there are several anchors.
        """
        size = len(self.names)
        basis = np.eye(self.size)
        is_free = np.ones(self.size, dtype=bool)
        for name, level in self.anchors.items():
            index = self.names.index(name)
            basis[index, -1] = level - next(iter(self.anchors.values()))
            is_free[index] = False
        if not self.anchors:
            basis[size - 1, : size - 1] = -1.0
            is_free[size - 1] = False
        base = self.lone == self.lone.all()
        basis[size] = base @ basis[:size] / base.sum()
        is_free[size:] = (False, not self.why_no_bias, len(self.anchors) > 1)
        return csr_array(basis[:, is_free])


def fit(
    games: pd.DataFrame,
    anchors: ByPlayer | None = None,
    *,
    bias: bool | None = None,
    lengths: bool = False,
) -> LogisticFit:
    """Fit scores to a table of games.

    With `lengths`, scores are FIBS points: a match to `length` points has log-odds of ln(10)
    sqrt(length) / 2000 a point. A virtual game of the penalty then has the mean root of the
    lengths. If `bias` is None, a bias is fitted if the games identify it. The players have the
    columns ratings/logistic. Component 0 is the rated group; players outside it have no score.
    `covariance` is that of the scores. Raises RatingsError for anchors that give no scale, and for
    a requested bias that the games do not identify.
    """
    group, plan = _plan(games, anchors or {}, bias, lengths)
    slope = -float(log_odds_per_point(1)) if lengths else math.log(3) / POINTS_FOR_75
    rows = plan.rows()
    basis = plan.basis()
    values, covariance = _most_likely(plan, rows, basis, slope)
    slope = float(values[-1])
    points = values[:-1] / slope
    # By the delta method.
    shared = np.outer(points, covariance[-1, :-1] - covariance[-1, -1] * points / 2)
    spread = (covariance[:-1, :-1] - shared - shared.T) / slope**2
    fixed = [plan.names.index(name) for name in plan.anchors]
    spread[fixed] = spread[:, fixed] = 0.0
    scale = math.log(3) / slope
    lone = np.array(plan.names, dtype=object)[plan.lone].tolist()
    statistics = {
        **_with_ends("bias", points[-1], spread[-1, -1]),
        "bias_fitted": not plan.why_no_bias,
        "bias_note": plan.why_no_bias,
        **_with_ends("scale", scale, (scale / slope) ** 2 * covariance[-1, -1]),
        "scale_fitted": len(plan.anchors) > 1,
        **_losses(plan.tallies, expit(rows @ values)[: len(plan.tallies)]),
        "n_games": int(plan.tallies["count"].sum()),
        "n_players": len(plan.names),
        "parameters": basis.shape[1],
        "confidence": CONFIDENCE,
        "anchors": plan.anchors,
        "method": f"maximum likelihood, {PENALISED}" if lone else "maximum likelihood",
        "separated": lone,
        "not_linked": group.index[group > 0].tolist(),
    }
    size = len(plan.names)
    scores = pd.Series(points[:size] + next(iter(plan.anchors.values()), MEAN), plan.names)
    by_pair = pd.DataFrame(spread[:size, :size], plan.names, plan.names)
    return LogisticFit(_table(totals(games), group, scores, by_pair, lone), statistics, by_pair)


def _plan(
    games: pd.DataFrame, anchors: ByPlayer, bias: bool | None, lengths: bool
) -> tuple[pd.Series, _Plan]:
    """Return the group of every player, 0 for that which is rated, and the plan of its fit."""
    everyone = players_of(games)
    fixed = list(anchors)
    # Anchors are linked by their scores, as if they had drawn.
    draws = pd.DataFrame({"first": fixed[:-1], "second": fixed[1:], "first_score": 0.5})
    linked = pd.concat([games[RESULT], draws], ignore_index=True)
    numbers = components(linked, everyone)
    main = numbers[everyone.index(fixed[0])] if fixed else 0
    group = pd.Series(np.where(numbers == main, 0, numbers + (numbers < main)), everyone)
    names = group.index[group == 0].tolist()
    tallies = _by_seat(games, names, lengths)
    lone = separated(linked[linked["first"].isin(names)], names)
    virtual = {
        "first": np.array(names, dtype=object)[lone],
        "second": MEAN_PLAYER,
        "weight": np.average(tallies["weight"], weights=tallies["count"]),
        "count": 1.0,
        "won": 0.5,
    }
    penalised = pd.concat([tallies, pd.DataFrame(virtual)])
    return group, _Plan(names, tallies, penalised, lone, dict(anchors), _why_no_bias(tallies, bias))


def _most_likely(
    plan: _Plan, rows: csr_array, basis: csr_array, slope: float
) -> tuple[Floats, Floats]:
    """Return the most likely parameters, and their covariance.

    The slope is held; with several anchors it is fitted.
    """
    start = np.zeros(plan.size)
    if len(plan.anchors) < 2:
        start[-1] = slope
    else:
        played = rows[: len(plan.tallies)] @ basis
        if np.linalg.matrix_rank((played.T @ played).toarray()) < basis.shape[1]:
            raise RatingsError(
                "fix: the games between the anchors' groups do not determine the scale; fix one"
                " player only"
            )

    def solve(curvature: csr_array, gradient: Floats) -> Floats:
        free = solve_dense(basis.T @ curvature @ basis, basis.T @ gradient)
        return np.asarray(basis @ free)

    won = plan.penalised["won"].to_numpy(float)
    count = plan.penalised["count"].to_numpy(float)
    no_prior = csr_array((plan.size, plan.size))
    values, curvature = most_likely(Outcomes(rows, won, count), no_prior, start, solve)
    if values[-1] <= 0:
        raise RatingsError(
            "fix: the anchors contradict the games: the higher ones have worse results. Fix one"
            " player only"
        )
    return values, solve(curvature, np.eye(plan.size))


def _by_seat(games: pd.DataFrame, names: Names, lengths: bool) -> pd.DataFrame:
    """Add up the games of some players by ordered pair, and with `lengths` by match length.

    Columns: `first`, `second`, `weight` (root of the length, or 1), `count`, `won`, `coefficient`
    (logarithm of the binomial coefficient).
    """
    games = games[games["first"].isin(names)]
    count = games["count"]
    score = games["first_score"]
    table = games.assign(
        weight=np.sqrt(games["length"]) if lengths else 1.0,
        won=count * score,
        coefficient=-count * (gammaln(1 + score) + gammaln(2 - score)),
    )
    keys = ["first", "second", "weight"]
    return table.groupby(keys, as_index=False)[["count", "won", "coefficient"]].sum()


def _why_no_bias(tallies: pd.DataFrame, bias: bool | None) -> str:
    """Return why no bias is fitted, nothing if one is.

    Raises RatingsError if `bias` is True but cannot be fitted.
    """
    if bias is False:
        return "off"
    pairs = tallies.groupby(["first", "second"])[["count", "won"]].sum()
    mutual = pairs[pairs.swaplevel().index.isin(pairs.index)]
    undecided = mutual[(mutual["won"] > 0) & (mutual["won"] < mutual["count"])]
    if mutual.empty:
        why = "no two players met in both orders, so nothing tells the bias"
    elif not undecided.swaplevel().index.isin(undecided.index).any():
        why = "no two players won and lost in both orders, so nothing bounds the bias"
    elif bias is None and 2 * mutual["count"].sum() < pairs["count"].sum():
        why = (
            "the games cannot tell the bias from the scores: too few are of pairs that met in both"
            " orders"
        )
    else:
        return ""
    if bias:
        raise RatingsError(f"bias=on: {why}. Use bias=off")
    return why


def _with_ends(name: str, value: float, variance: float) -> dict[str, float]:
    error = math.sqrt(max(variance, 0.0))
    ends = {f"{name}_ci_low": value - REACH * error, f"{name}_ci_high": value + REACH * error}
    return {name: value, f"{name}_std_error": error, **ends}


def _table(
    table: pd.DataFrame,
    group: pd.Series,
    scores: pd.Series,
    covariance: pd.DataFrame,
    lone: Sequence[str],
) -> pd.DataFrame:
    """Add scores with their errors to a table of totals; the scores are of the rated group."""
    error = pd.Series(np.sqrt(np.diag(covariance).clip(min=0)), scores.index)
    table = table.set_index("player").assign(
        score=scores,
        std_error=error,
        ci_low=scores - REACH * error,
        ci_high=scores + REACH * error,
        component=group,
        separated=group.index.isin(lone),
    )
    status = np.where(table["separated"], "separated: " + PENALISED, "ok")
    table["status"] = np.where(table["component"] == 0, status, UNLINKED)
    # Scores that differ only by rounding are in the order of the names.
    return table.reset_index()[COLUMNS].sort_values(
        "score", ascending=False, kind="stable", ignore_index=True, key=lambda score: score.round(6)
    )


def _losses(tallies: pd.DataFrame, probability: Floats) -> dict[str, float]:
    """Return how well the chances fit.

    The measures are means over games in nats, and the deviance of the tallies of ordered pairs.

    `binary_cross_entropy` counts a draw as half a win. `cross_entropy` is the mean negative
    log-likelihood of a game in the binomial family, with the coefficient 1 / Gamma(3/2)^2 for a
    draw. Without draws the two are equal.
    """
    count = tallies["count"].to_numpy(float)
    won = tallies["won"].to_numpy(float)
    results = np.stack([won, count - won])
    chances = np.stack([probability, 1 - probability])
    binary = -xlogy(results, chances).sum() / count.sum()
    coefficient = float(tallies["coefficient"].sum()) / count.sum()
    return {
        "cross_entropy": float(binary - coefficient),
        "binary_cross_entropy": float(binary),
        "deviance": float(2 * rel_entr(results, count * chances).sum()),
    }


def predictions(fitted: LogisticFit, players: list[str]) -> pd.DataFrame:
    """Return the chance of the row's player against the column's without the bias.

    It is NaN for players without a score.
    """
    score = fitted.players.set_index("player")["score"].reindex(players).to_numpy()
    chances = expit(fitted.slope * np.subtract.outer(score, score))
    return pd.DataFrame(chances, players, players)


def components(games: pd.DataFrame, players: Names) -> np.ndarray:
    """Return for every player the number of the group that games link; the largest group has 0."""
    return _by_size(games, players, "weak")


def separated(games: pd.DataFrame, players: Names) -> np.ndarray:
    """Tell which players of a linked group are separated from its main part.

    The main part is the largest set in which every player beat every other, directly or through
    others. If it is a single player, all are separated.
    """
    turned = games.assign(first=games["second"], second=games["first"])
    wins = pd.concat([games[games["first_score"] > 0], turned[games["first_score"] < 1]])
    is_main = _by_size(wins, players, "strong") == 0
    return ~is_main if is_main.sum() > 1 or len(players) == 1 else np.ones_like(is_main)


def _by_size(games: pd.DataFrame, players: Names, connection: str) -> np.ndarray:
    """Return the number of each player's part of the graph from first to second players.

    The largest part has 0; of equal parts the first one comes first.
    """
    size = len(players)
    graph = coo_array((np.ones(len(games)), indices(games, players)), shape=(size, size))
    number, labels = connected_components(graph, directed=True, connection=connection)
    order = np.argsort(-np.bincount(labels, minlength=number), kind="stable")
    return np.asarray(np.argsort(order)[labels])
