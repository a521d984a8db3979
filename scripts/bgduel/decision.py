"""Is the first side stronger than the second? A sequential test on luck-adjusted results.

Wald's test (Annals of Mathematical Statistics 16 (1945) 117) compares a rating difference of `equal` FIBS points, 0 by
default, with `min_gain`. At `equal` it decides "stronger" with probability `alpha`, at `min_gain` "not stronger" with
probability `beta`. The statistic is the mean luck-adjusted result, which is nearly normal. So the likelihood ratio is
that of a normal mean with the estimated variance, as in tests of chess engines. The control variate is the players' net
luck (match-winning chance, mean zero), with the coefficient of smallest variance over the matches so far. If luck saves
too few matches for its price, the test uses the results without it.

In money games (match length 0) a result is points won or lost, and differences are points a game.

The interval depends on the matches alone, not on the question. Error rates, matches and coverage come from simulation
(tests/oracles/verdicts.py).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgmatch.records import Record
from bgrating.rating.fibs import Floats, of_elo, rating_difference, win_probability
from bgrating.rating.intervals import CONFIDENCE
from bgrating.settings import SettingsError
from bgrating.tables.dictionary import columns

STRONGER, NOT_STRONGER, UNDECIDED = "stronger", "not stronger", "undecided"
FIRST_LOOK = 40  # matches
UNSEEN, MONEY_UNSEEN = 4.0, 256.0
"""Squared residuals of unseen matches, which the variance includes: 4 matches of 1, or a gammon at a cube of 8.

Rare large losses are seldom among the first matches. Without them the variance is too small, and the test ends early.
"""
FIBS, ELO, MONEY = "FIBS points", "Elo", "points a game"
NORMALISED = 800 / np.log(10)
COLUMNS = columns("tournament/decision")
MONEY_GAIN = 0.05  # points a game to detect in money games, by default
HALF_WIDTH = 1.85
"""Standard errors from the estimate to an end of its interval.

A test stops when the estimate is extreme, so the 1.645 of a fixed number of matches would cover less than 90 %. At
every verdict the estimate is at least 2.4 standard errors from the refuted difference (1.85 with error rates of 15 %).
So the interval never contains that difference.
"""
ALONE_PRICE, REFEREE_PRICE = 6.0, 2.0
"""CPU of a match with luck over one without luck, if gnubg plays alone and before the referee (`./run bench`)."""
_FLAT = 1e-9


@dataclass(frozen=True)
class Question:
    """A test of `equal` against `min_gain` points in matches to `match_length`, with error rates `alpha` and `beta`.

    A look follows every `step` matches; the test ends after `max_matches`. `in_elo`: the settings are in Elo.
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
        return MONEY if not self.match_length else ELO if self.in_elo else FIBS

    @property
    def unseen(self) -> float:
        return UNSEEN if self.match_length else MONEY_UNSEEN

    def bounds(self) -> tuple[float, float]:
        """Return the bounds of the log-likelihood ratio for "not stronger" and "stronger"."""
        return float(np.log(self.beta / (1 - self.alpha))), float(np.log((1 - self.beta) / self.alpha))

    def ratio(self, chance: Floats, error: Floats) -> Floats:
        """Return the log-likelihood ratio of `min_gain` to `equal` for chances with standard errors."""
        high, low = self.chance(self.min_gain), self.chance(self.equal)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((high - low) * (chance - (high + low) / 2) / error**2)

    def chance(self, points: float) -> float:
        """Return the mean result at a difference: a chance, or points of a money game."""
        if not self.match_length:
            return points
        return float(win_probability(-points, self.match_length))


def question(config: Record, match_length: int, step: int) -> Question:
    """Return the question of the settings. Raises SettingsError for settings that contradict each other."""
    fields = {"better": "min_gain", "alpha": "alpha", "beta": "beta", "most": "max_matches"}
    values = {fields[key]: config[key] for key in fields if key in config}
    if not match_length:
        values.setdefault("min_gain", MONEY_GAIN)
    if "elo0" in config or "elo1" in config:
        if not match_length:
            raise SettingsError("--elo0 and --elo1 are for matches; --better is in points a game with --money")
        if "better" in config or not {"elo0", "elo1"} <= set(config):
            raise SettingsError("--elo0 and --elo1 go together, and take the place of --better")
        bounds = {"equal": of_elo(config["elo0"], match_length), "min_gain": of_elo(config["elo1"], match_length)}
        values |= bounds | {"in_elo": True}
    question = Question(match_length=match_length, step=step, **values)
    if question.min_gain <= question.equal:
        raise SettingsError(f"--elo1 {config['elo1']:g} must be above --elo0 {config['elo0']:g}")
    return question


def estimates(
    won: Floats, luck: Floats, looks: NDArray[np.int64], counts: Floats | None = None, unseen: float = UNSEEN
) -> tuple[Floats, Floats]:
    """Return the luck-adjusted chance and its standard error at every look: arrays (tests, looks).

    `won` (0 or 1, or points), `luck` (net luck of the same player) and `counts` (0 for matches to leave out) have the
    shape (tests, matches), or one row for all tests. If all results are equal, the coefficient of luck is 0.
    """
    at, left_in = looks - 1, np.ones_like(won) if counts is None else counts
    n = np.maximum(np.cumsum(left_in, axis=1)[:, at], 3.0)
    y, x, yy, xx, xy = (
        np.cumsum(left_in * values, axis=1)[:, at] / n for values in (won, luck, won * won, luck * luck, won * luck)
    )
    var_luck, covariance, var_won = xx - x * x, xy - x * y, yy - y * y
    slope = np.divide(covariance, var_luck, out=np.zeros_like(var_luck), where=var_luck > _FLAT)
    variance = np.maximum(var_won - slope * covariance, 0.0) * n / (n - 2)
    return y - slope * x, np.sqrt((variance + unseen / n) / n)


def saved_by_luck(won: Floats, luck: Floats) -> float:
    """Return the factor by which luck reduces the matches of a test: variance of results over that without luck.

    It is 1 if all results are equal.
    """
    left, spread = won - won.mean(), luck - luck.mean()
    if left.var() <= _FLAT or spread.var() <= _FLAT:
        return 1.0
    explained = np.mean(left * spread) ** 2 / spread.var()
    return float(left.var() / max(left.var() - explained, _FLAT))


def looks_of(question: Question, matches: int) -> NDArray[np.int64]:
    first = -(-FIRST_LOOK // question.step) * question.step
    return np.arange(first, min(matches, question.max_matches) + 1, question.step)


def decided(question: Question, ratio: Floats) -> NDArray[np.object_]:
    low, high = question.bounds()
    return np.where(ratio >= high, STRONGER, np.where(ratio <= low, NOT_STRONGER, UNDECIDED)).astype(object)


def answers(question: Question, won: Floats, luck: Floats, forfeited: Floats | float = 0.0) -> pd.DataFrame:
    """Apply the test to matches in their order; one row per look up to the deciding one (COLUMNS).

    A forfeit is a loss. A verdict needs the same decision from the matches that were not `forfeited`.
    """
    looks = looks_of(question, len(won))
    if not len(looks):
        return pd.DataFrame(columns=COLUMNS)
    all_matches = np.ones_like(won)
    counts = np.stack([all_matches, all_matches - forfeited])
    chances, errors = estimates(won[None, :], luck[None, :], looks, counts, question.unseen)
    ratios = question.ratio(chances, errors)
    decisions, without = decided(question, ratios)
    decisions = np.where(decisions == without, decisions, UNDECIDED)
    chance, error = chances[0], errors[0]
    settled = np.flatnonzero(decisions != UNDECIDED)
    wins = np.cumsum(won > 0)[looks - 1]
    half = half_widths(question, error, looks, wins)
    low, high = question.bounds()
    length = question.match_length
    points = {
        name: -rating_difference(value, length) if length else value
        for name, value in (("difference", chance), ("ci_low", chance - half), ("ci_high", chance + half))
    }
    table = pd.DataFrame(
        {
            "matches": looks,
            "wins": wins,
            "chance": chance,
            "std_error": error,
            **points,
            "log_likelihood_ratio": ratios[0],
            "lower": low,
            "upper": high,
            "decision": decisions,
        }
    )
    return table[COLUMNS].head(settled[0] + 1 if len(settled) else len(looks))


def half_widths(question: Question, error: Floats, looks: NDArray[np.int64], wins: NDArray[Any]) -> Floats:
    """Return half the widths of 90 % intervals at the looks; `error` is that of `estimates`.

    The interval includes one unseen match. If all results are equal, it has the exact bound of Clopper and Pearson
    (Biometrika 26 (1934) 404).
    """
    seen = np.sqrt(error**2 - (question.unseen - 1) / looks.astype(float) ** 2)
    of_equal = 1 - ((1 - CONFIDENCE) / 2) ** (1 / looks)
    is_equal = (question.match_length > 0) & ((wins == 0) | (wins == looks))
    return np.where(is_equal, of_equal, HALF_WIDTH * seen)


def in_units(question: Question, table: pd.DataFrame) -> dict[str, tuple[float, float, float]]:
    """Return difference and interval of the last look by unit; the unit of the question is first.

    Normalised Elo is the advantage over the standard deviation of a match's result, here less luck, times 800 / ln(10)
    (Van den Bergh, "Normalized Elo", 2020). A test takes matches in proportion to 1 / its square.
    """
    last = table.iloc[-1]
    looks, wins = np.array([last["matches"]]), np.array([last["wins"]])
    half = half_widths(question, last["std_error"], looks, wins)[0]
    chance = last["chance"]
    points = tuple(float(last[name]) for name in ("difference", "ci_low", "ci_high"))
    per_match = NORMALISED / (last["std_error"] * last["matches"] ** 0.5)
    even = 0.5 if question.match_length else 0.0
    # No result is further from even than that, so a bound beyond it is infinite.
    furthest = 0.5 if question.match_length else MONEY_UNSEEN**0.5 / 2
    ahead = np.array([chance, chance - half, chance + half]) - even
    ahead = np.where(abs(ahead) < furthest, ahead, np.copysign(np.inf, ahead))
    found = {"normalised Elo": tuple((ahead * per_match).tolist())}
    if question.match_length:
        found |= {FIBS: points, ELO: tuple(value / of_elo(1.0, question.match_length) for value in points)}
    else:
        found[MONEY] = tuple(ahead.tolist())
    return dict(sorted(found.items(), key=lambda unit: unit[0] != question.unit))
