"""Is the first side stronger than the second? A sequential test on luck-adjusted results.

Wald's test (Annals of Mathematical Statistics 16 (1945) 117) compares a rating difference of
`equal` FIBS points, 0 by default, with `min_gain`. At `equal` it decides "stronger" with
probability `alpha`, at `min_gain` "not stronger" with probability `beta`. The statistic is the mean
luck-adjusted result, which is nearly normal. So the likelihood ratio is that of a normal mean with
the estimated variance, as in tests of chess engines. The control variate is the players' net luck
(match-winning chance, mean zero). Its coefficient has the smallest variance over the matches so
far. If luck saves too few matches for its price, the test uses the results without it.

A difference far above `min_gain` moves this ratio little if `min_gain` is small. So the results of
matches themselves may decide, too. A confidence sequence ends the test where it excludes `equal`
(Robbins, Annals of Mathematical Statistics 41 (1970) 1397). It holds for numbers of wins
only, so it never uses luck, and money games have none. Test and sequence share the error rates.

In money games (match length 0) a result is points won or lost, and differences are points a game.

Estimates and intervals allow for the test having stopped itself (stages.py). Error rates, matches
and coverage come from simulation (tests/oracles/verdicts.py).
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from bgduel.stages import Normal, Stage, Wins, interval, stages
from bgmatch.records import Record
from bgrating.rating.fibs_formula import Floats, of_elo, rating_difference, win_probability
from bgrating.settings_files import SettingsError
from bgrating.tables.dictionary import columns

STRONGER = "stronger"
NOT_STRONGER = "not stronger"
UNDECIDED = "undecided"
WORDS = np.array([UNDECIDED, STRONGER, NOT_STRONGER], dtype=object)
"""Decisions by the sign of a stop: 0, 1, -1."""
FIRST_LOOK = 40  # matches
SEQUENCE = 0.1
"""Share of both error rates that the confidence sequence has; the likelihood ratio has the rest."""
UNSEEN = 4.0
MONEY_UNSEEN = 256.0
"""Squared residuals of unseen matches in the variance of the test: 4 matches of 1, or a gammon at a
cube of 8.

Rare large losses are seldom among the first matches. Without them the variance is too small, and
the test ends early. Intervals include a quarter.
"""
FIBS = "FIBS points"
ELO = "Elo"
MONEY = "points a game"
NORMALISED = 800 / np.log(10)
COLUMNS = columns("tournament/decision")
MONEY_GAIN = 0.05  # points a game to detect in money games, by default
ALONE_PRICE = 6.0
REFEREE_PRICE = 2.0
"""CPU of a match with luck over one without luck, if gnubg plays alone and before the referee
(`./run bench`)."""
EVEN_VARIANCE = 0.25  # of the result of a match between equal sides
_FLAT = 1e-9  # a variance below it is zero
_SURE = 1e-6  # nearest that the chance of a walk comes to 0 and 1


@dataclass(frozen=True)
class Question:
    """A test of `equal` against `min_gain` points in matches to `match_length`.

    `alpha` and `beta` are its error rates. A look follows every `step` matches; the test ends after
    `max_matches`. `in_elo`: the settings are in Elo.
    """

    match_length: int
    min_gain: float = 20.0
    equal: float = 0.0
    alpha: float = 0.05
    beta: float = 0.05
    step: int = 20
    max_matches: int = 20_000
    in_elo: bool = False

    @property
    def unit(self) -> str:
        if not self.match_length:
            return MONEY
        return ELO if self.in_elo else FIBS

    @property
    def per_unit(self) -> float:
        """FIBS points, or points of a money game, in a point of the unit."""
        return of_elo(1.0, self.match_length) if self.in_elo else 1.0

    @property
    def unseen(self) -> float:
        return UNSEEN if self.match_length else MONEY_UNSEEN

    def bounds(self) -> tuple[float, float]:
        """Return the bounds of the log-likelihood ratio for "not stronger" and "stronger"."""
        share = 1 - SEQUENCE if self.match_length else 1.0
        alpha = share * self.alpha
        beta = share * self.beta
        return math.log(beta / (1 - alpha)), math.log((1 - beta) / alpha)

    def ratio(self, chance: Floats, error: Floats) -> Floats:
        """Return the log-likelihood ratio of `min_gain` to `equal` at chances with errors."""
        high = self.chance(self.min_gain)
        low = self.chance(self.equal)
        return np.asarray((high - low) * (chance - (high + low) / 2) / error**2)

    def stops(self, chance: Floats, error: Floats, wins: Floats, matches: Any) -> NDArray[Any]:
        """Return 1 where the test decides "stronger", -1 "not stronger", 0 where it goes on."""
        by_ratio = self.by_ratio(chance, error)
        return np.where(by_ratio == 0, self._excluded(wins, matches), by_ratio)

    def by_ratio(self, chance: Floats, error: Floats) -> NDArray[Any]:
        """Return the stops of the likelihood ratio alone."""
        low, high = self.bounds()
        ratio = self.ratio(chance, error)
        return np.asarray((ratio >= high).astype(int) - (ratio <= low))

    def _excluded(self, wins: Floats, matches: Any) -> NDArray[Any]:
        """Return 1 or -1 where the confidence sequence has `equal` below or above it, else 0.

        The mixture of all chances of winning is uniform.
        """
        if not self.match_length:
            return np.zeros(np.shape(wins), dtype=int)
        equal = self.chance(self.equal)
        by_chance = special.xlogy(wins, equal) + special.xlog1py(matches - wins, -equal)
        mixture = special.betaln(wins + 1, matches - wins + 1) - by_chance
        side = np.sign(wins - equal * matches)
        rate = np.where(side > 0, self.alpha, self.beta)
        return np.where(mixture >= -np.log(SEQUENCE * rate), side, 0).astype(int)

    def chance(self, points: float) -> float:
        """Return the mean result at a difference: a chance, or points of a money game."""
        if not self.match_length:
            return points
        return float(win_probability(-points, self.match_length))

    def points(self, chance: float) -> float:
        """Return the difference of a mean result; infinite for a chance of 0 or 1."""
        if not self.match_length:
            return chance
        if not 0 < chance < 1:
            return float(np.copysign(np.inf, chance - 0.5))
        return float(-rating_difference(chance, self.match_length))

    def name(self) -> str:
        """Return a name for the folder of the answer."""
        low, high = (points / self.per_unit for points in (self.equal, self.min_gain))
        hypotheses = f"elo-{low:g}-{high:g}" if self.in_elo else f"better-{high:g}"
        return f"{hypotheses}-alpha-{self.alpha:g}-beta-{self.beta:g}"

    def expected_matches(self, variance: float) -> float:
        """Return the mean number of matches if the sides differ by `equal` (Wald, 1945).

        `variance` is that of a match's result, less luck if the test subtracts it.
        """
        low, high = self.bounds()
        at_end = (1 - self.alpha) * low + self.alpha * high
        gain = self.chance(self.min_gain) - self.chance(self.equal)
        return -2 * at_end * variance / gain**2


def question_of(config: Record, match_length: int, step: int) -> Question:
    """Return the question of the settings. Raises SettingsError for contradictory settings."""
    fields = {"better": "min_gain", "alpha": "alpha", "beta": "beta", "most": "max_matches"}
    values = {fields[key]: config[key] for key in fields if key in config}
    if not match_length:
        values.setdefault("min_gain", MONEY_GAIN)
    hypothesis_options = config.keys() & {"elo0", "elo1", "better"}
    if hypothesis_options - {"better"}:
        if not match_length or hypothesis_options != {"elo0", "elo1"}:
            raise SettingsError(
                "--elo0 and --elo1 go together; they are for matches, in the place of --better"
            )
        values["equal"] = of_elo(config["elo0"], match_length)
        values["min_gain"] = of_elo(config["elo1"], match_length)
        values["in_elo"] = True
    question = Question(match_length=match_length, step=step, **values)
    if question.min_gain <= question.equal:
        raise SettingsError(f"--elo1 {config['elo1']:g} must be above --elo0 {config['elo0']:g}")
    return question


def estimates(
    won: Floats, luck: Floats, looks: NDArray[np.int64], counts: Floats, unseen: float
) -> tuple[Floats, Floats]:
    """Return the mean luck-adjusted result and its standard error at every look: (tests, looks).

    `won` has 0 or 1, or points. `luck` has the net luck of the same player. `counts` has 0 for
    matches to leave out. Their shape is (tests, matches), or one row for all tests. If all results
    are equal, the coefficient of luck is 0. The error includes `unseen` squared residuals.
    """
    n = np.maximum(_sums(counts, looks), 1.0)

    def mean(values: Floats) -> Floats:
        return _sums(counts * values, looks) / n

    y = mean(won)
    x = mean(luck)
    var_luck = mean(luck * luck) - x * x
    covariance = mean(won * luck) - x * y
    explains = var_luck > _FLAT
    slope = np.divide(covariance, var_luck, out=np.zeros_like(var_luck), where=explains)
    residual = mean(won * won) - y * y - slope * covariance
    variance = np.maximum(residual, 0.0) * n / np.maximum(n - 2, 1)
    return y - slope * x, np.sqrt((variance + unseen / n) / n)


def _sums(values: Floats, looks: NDArray[np.int64]) -> Floats:
    """Return the sums of the values of every test up to each look."""
    return np.asarray(np.cumsum(values, axis=1)[:, looks - 1])


def saved_by_luck(won: Floats, luck: Floats) -> float:
    """Return the factor by which luck reduces the matches of a test.

    It is the variance of results over that without luck, and 1 if all results are equal.
    """
    (variance, covariance), (_, var_luck) = np.cov(won, luck, bias=True)
    if min(variance, var_luck) <= _FLAT:
        return 1.0
    return float(variance / max(variance - covariance**2 / var_luck, _FLAT))


def looks_of(question: Question, matches: int) -> NDArray[np.int64]:
    """Return after how many matches there is a look: at every step, and at the last match."""
    first = -(-FIRST_LOOK // question.step) * question.step
    most = question.max_matches
    looks = np.arange(first, min(matches, most) + 1, question.step)
    return np.union1d(looks, [most]) if matches >= most else looks


def answers(
    question: Question,
    won: Floats,
    luck: Floats,
    forfeited: Floats | float = 0.0,
) -> pd.DataFrame:
    """Apply the test to matches in their order; one row per look up to the deciding one.

    A forfeit is a loss. A verdict needs the same decision from the matches that were not
    `forfeited`. The columns are COLUMNS without difference and interval (`with_difference`).
    """
    looks = looks_of(question, len(won))
    counts = np.stack([np.ones_like(won), np.ones_like(won) - forfeited])
    chance, error = estimates(won[None, :], luck[None, :], looks, counts, question.unseen)
    wins = _sums(counts * (won > 0), looks)
    all_stops, without_forfeits = question.stops(chance, error, wins, _sums(counts, looks))
    agreed = np.where(all_stops == without_forfeits, all_stops, 0)
    settled = np.flatnonzero(agreed)
    low, high = question.bounds()
    table = pd.DataFrame(
        {
            "matches": looks,
            "wins": wins[0].astype(int),
            "chance": chance[0],
            "std_error": error[0],
            "log_likelihood_ratio": question.ratio(chance[0], error[0]),
            "lower": low,
            "upper": high,
            "decision": WORDS[agreed],
        }
    )
    return table.head(settled[0] + 1) if len(settled) else table


class Test:
    """The looks of a test as random walks, which give estimates and intervals (stages.py)."""

    def __init__(self, question: Question, looks: NDArray[np.int64]) -> None:
        self._question = question
        self._looks = looks
        middle = question.chance((question.equal + question.min_gain) / 2)
        self._wins = Wins(float(np.clip(middle, _SURE, 1 - _SURE)))

    @cached_property
    def _of_wins(self) -> list[Stage]:
        """The looks at results of matches with their luck."""

        def stops(means: Floats, matches: int) -> NDArray[Any]:
            variance = means * (1 - means) * matches / max(matches - 2, 1)
            error = self._error(variance, matches)
            return self._question.stops(means, error, means * matches, matches)

        return stages(self._wins, self._looks, stops)

    def _error(self, variance: Any, matches: int) -> Any:
        return np.sqrt((variance + self._question.unseen / matches) / matches)

    def exact(self, look: int, wins: float) -> tuple[float, float, float]:
        """Return the chance of winning and its interval after so many wins, luck left in."""
        reached = self._of_wins[: look + 1]
        return interval(self._wins, reached, wins / reached[-1].matches)

    def less_luck(self, look: int, mean: float, error: float) -> tuple[float, float, float]:
        """Return the mean result and its interval; `error` is that of `estimates`."""
        matches = int(self._looks[look])
        unseen = self._question.unseen
        variance = matches * error**2 - unseen / matches

        def stops(means: Floats, matches: int) -> NDArray[Any]:
            return self._question.by_ratio(means, self._error(variance, matches))

        walk = Normal(mean, variance + unseen / 4 / matches, self._question.step)
        return interval(walk, stages(walk, self._looks[: look + 1], stops), mean)

    def difference(self, look: int, row: Any, *, less_luck: bool) -> tuple[float, float, float]:
        """Return difference and interval at a look with its `wins`, `chance` and `std_error`.

        Where the interval less luck leaves the chances, that of the results takes its place.
        """
        is_money = not self._question.match_length
        if less_luck or is_money:
            means = self.less_luck(look, row["chance"], row["std_error"])
            if is_money or (means[1] > 0 and means[2] < 1):
                return means
        return self.exact(look, row["wins"])


def with_difference(question: Question, table: pd.DataFrame, *, less_luck: bool) -> pd.DataFrame:
    """Return the looks with the difference of the last one and its interval (COLUMNS).

    `less_luck` tells whether luck was subtracted. An end of the interval may be infinite.
    """
    looks = table.reindex(columns=COLUMNS)
    if len(table):
        test = Test(question, table["matches"].to_numpy())
        means = test.difference(len(table) - 1, table.iloc[-1], less_luck=less_luck)
        points = [question.points(mean) for mean in means]
        looks.loc[table.index[-1], ["difference", "ci_low", "ci_high"]] = points
    return looks


def in_units(question: Question, table: pd.DataFrame) -> dict[str, list[float | None]]:
    """Return difference and interval of the last look by unit, rounded; None for an infinite one.

    The unit of the question is first.

    Normalised Elo is the advantage over the standard deviation of a match's result, times
    800 / ln(10) (Van den Bergh, "Normalized Elo", 2020). Here the result is less luck. A test takes
    matches in proportion to 1 / its square.
    """
    last = table.iloc[-1]
    points = last[["difference", "ci_low", "ci_high"]].to_numpy(float)
    ahead = np.array([question.chance(value) for value in points]) - question.chance(0.0)
    ahead = np.where(np.isfinite(points), ahead, points)
    per_match = NORMALISED / (last["std_error"] * last["matches"] ** 0.5)
    units = {question.unit: points / question.per_unit, "normalised Elo": ahead * per_match}
    if question.match_length:
        units |= {FIBS: points, ELO: points / of_elo(1.0, question.match_length)}
    return {unit: list(map(_rounded, values.tolist())) for unit, values in units.items()}


def _rounded(value: float) -> float | None:
    return round(value, 3) if math.isfinite(value) else None
