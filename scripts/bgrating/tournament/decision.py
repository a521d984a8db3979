"""Is the first level stronger than the second? A sequential test that asks for no more matches than the answer needs.

Wald's test (Annals of Mathematical Statistics 16 (1945) 117) of a rating difference of `equal` FIBS points (0 by
default) against one of `min_gain`. At `equal` it decides "stronger" with probability `alpha`. At `min_gain` it decides
"not stronger" with probability `beta`; in between either answer may come. The test's statistic is the mean of the
results less luck, nearly normal, so the likelihood ratio is that of a normal mean with the estimated variance, as
chess engines are tested today. A match's result, 1 or 0, is taken less the players' net luck (match-winning chance)
times a coefficient that is fitted to the matches so far (control variate): luck has mean zero, whatever the players'
strength.

The interval at the end is a confidence sequence (rating/intervals.py), which holds whenever one stops. Both error
rates and the number of matches are checked by simulation (study/decision_errors.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from bgrating.rating.fibs import Floats, rating_difference, win_probability
from bgrating.rating.intervals import CONFIDENCE, anytime_factor
from bgrating.settings import SettingsError
from bgrating.tables.dictionary import columns

STRONGER, NOT_STRONGER, UNDECIDED = "stronger", "not stronger", "undecided"
FIRST_LOOK = 100  # matches; with fewer the estimated variance is not to be trusted
COLUMNS = columns("tournament/decision")
_FLAT = 1e-6


@dataclass(frozen=True)
class Question:
    """A test: is the difference `equal` or `min_gain` points in matches to `match_length`, with which error rates.

    Matches are looked at every `step`; without an answer the test ends after `max_matches`.
    """

    match_length: int
    min_gain: float = 20.0
    equal: float = 0.0
    alpha: float = 0.05
    beta: float = 0.05
    step: int = 100
    max_matches: int = 20_000

    def bounds(self) -> tuple[float, float]:
        """Return the logarithms of the likelihood ratio at which the test says "not stronger" and "stronger"."""
        return float(np.log(self.beta / (1 - self.alpha))), float(np.log((1 - self.beta) / self.alpha))

    def fixed(self, variance: float) -> int:
        """Return how many matches a test of fixed size with these error rates needs."""
        quantiles = stats.norm.isf(self.alpha) + stats.norm.isf(self.beta)
        return int(np.ceil(variance * (quantiles / (self._chance(self.min_gain) - self._chance(self.equal))) ** 2))

    def ratio(self, chance: Floats, error: Floats) -> Floats:
        """Return the logarithm of the likelihood ratio of `min_gain` to `equal` for chances with standard errors."""
        high, low = self._chance(self.min_gain), self._chance(self.equal)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((high - low) * (chance - (high + low) / 2) / error**2)

    def _chance(self, points: float) -> float:
        return float(win_probability(-points, self.match_length))


def of_elo(elo: float, match_length: int) -> float:
    """Return FIBS points of an Elo difference, for which P = 1 / (1 + 10^(-D / 400)) whatever the match length is."""
    return float(5 * elo / match_length**0.5)


def question(config: Mapping[str, Any], match_length: int, step: int) -> Question:
    """Return the question that the settings ask. Raises SettingsError where it cannot be answered."""
    fields = {"better": "min_gain", "alpha": "alpha", "beta": "beta", "most": "max_matches"}
    asked = {fields[key]: config[key] for key in fields if key in config}
    if "elo0" in config or "elo1" in config:
        if "better" in config or not {"elo0", "elo1"} <= set(config):
            raise SettingsError("--elo0 and --elo1 go together, and take the place of --better")
        asked |= {"equal": of_elo(config["elo0"], match_length), "min_gain": of_elo(config["elo1"], match_length)}
    found = Question(match_length=match_length, step=step, **asked)
    if found.min_gain <= found.equal:
        raise SettingsError(f"--elo1 {config['elo1']:g} must be above --elo0 {config['elo0']:g}")
    if found.max_matches < max(found.step, FIRST_LOOK):
        raise SettingsError(
            f"--most {found.max_matches}: the first look is after {max(found.step, FIRST_LOOK)} matches"
        )
    return found


def estimates(won: Floats, luck: Floats, looks: NDArray[np.int64]) -> tuple[Floats, Floats]:
    """Return the chance less luck and its standard error at every look: arrays (tests, looks).

    `won` (0 or 1) and `luck` (net luck of the same player) have the shape (tests, matches). Where all results so far
    are alike the coefficient is 1, as published.
    """
    n = looks.astype(float)
    at = looks - 1
    y, x = (np.cumsum(values, axis=1)[:, at] / n for values in (won, luck))
    yy, xx, xy = (np.cumsum(p * q, axis=1)[:, at] / n for p, q in ((won, won), (luck, luck), (won, luck)))
    spread, shared, own = xx - x * x, xy - x * y, yy - y * y
    slope = np.where((own > _FLAT) & (spread > _FLAT), shared / np.maximum(spread, _FLAT), 1.0)
    variance = np.maximum(own - 2 * slope * shared + slope**2 * spread, 0.0) * n / (n - 2)
    return y - slope * x, np.sqrt(variance / n)


def looks_of(question: Question, matches: int) -> NDArray[np.int64]:
    """Return after which numbers of matches the test looks, as far as there are so many."""
    first = -(-FIRST_LOOK // question.step) * question.step
    return np.arange(first, min(matches, question.max_matches) + 1, question.step)


def decided(question: Question, ratio: Floats) -> NDArray[np.object_]:
    """Return what the test says at every look."""
    low, high = question.bounds()
    return np.where(ratio >= high, STRONGER, np.where(ratio <= low, NOT_STRONGER, UNDECIDED)).astype(object)


def answers(question: Question, won: Floats, luck: Floats) -> pd.DataFrame:
    """Return what the test says of matches in their order, one row per look up to the one that decides (COLUMNS)."""
    looks = looks_of(question, len(won))
    if not len(looks):
        return pd.DataFrame(columns=COLUMNS)
    chance, error = (values[0] for values in estimates(won[None, :], luck[None, :], looks))
    ratio = question.ratio(chance, error)
    says = decided(question, ratio)
    last = int(np.argmax(says != UNDECIDED)) + 1 if (says != UNDECIDED).any() else len(looks)
    made_for = max(FIRST_LOOK, question.fixed(float(error[0] ** 2 * looks[0])) / 2)
    half = error * anytime_factor(looks.astype(float), CONFIDENCE, made_for)
    low, high = question.bounds()
    points = {name: -rating_difference(value, question.match_length) for name, value in
              (("difference", chance), ("ci_low", chance - half), ("ci_high", chance + half))}  # fmt: skip
    table = pd.DataFrame(
        {"matches": looks, "wins": np.cumsum(won)[looks - 1].astype(int), "chance": chance, "std_error": error,
         **points, "log_likelihood_ratio": ratio, "lower": low, "upper": high, "decision": says}
    )  # fmt: skip
    return table[COLUMNS].head(last)
