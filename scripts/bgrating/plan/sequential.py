"""Stopping when an interval is narrow enough, with repeated looks accounted for.

Who looks after every batch and stops when he likes what he sees gets intervals that hold the truth too seldom. A
confidence sequence holds it at every look at once, so that any rule of stopping is allowed. Source: Robbins, Annals of
Mathematical Statistics 41 (1970) 1397 (normal mixture); for means of anything with a variance, with the estimated
variance and many matches: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, Annals of Statistics 52 (2024) 2613, theorem
2.2. It is wider than the interval of a study of fixed size, least so (about 1.5 times) near the number of matches that
it was made for.
"""

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.fibs import rating_difference
from bgrating.formula.intervals import quantile
from bgrating.formula.populations import Population

Floats = NDArray[np.float64]
FIRST_LOOK = 100  # matches; with fewer the estimated variance is not to be trusted


def factor(matches: "float | Floats", confidence: float, made_for: float) -> Floats:
    """Give the half-width of a confidence sequence over the standard error of the mean, after so many matches.

    `made_for`: the number of matches at which it is to be narrowest.
    """
    if not 0 < confidence < 1 or made_for <= 0:
        raise ValueError("a confidence lies between 0 and 1, and the sequence is made for a number of matches above 0")
    alpha = 1 - confidence
    n = np.asarray(matches, dtype=float)
    rho2 = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha)) + 1) / made_for
    return np.asarray(np.sqrt((2 * (n * rho2 + 1) / (n * rho2)) * np.log(np.sqrt(n * rho2 + 1) / alpha)))


SEQUENCE_COLUMNS = columns("statistics/sequential")
WIDTH, DECIDED = "narrow enough", "a chosen value of R lies outside"
FIXED, SEQUENCE = "fixed size", "confidence sequence"


def simulated_stopping(
    population: Population, rng: np.random.Generator, *, runs: int, batch: int, most: int, target: float,
    confidence: float,
) -> pd.DataFrame:  # fmt: skip
    """Play one design point in batches again and again, stop by two rules, and count how often the interval held.

    Rules: the half-width of R is at most `target` points (DECIDED: the true R itself lies outside the interval, the
    most harmful of rules). Intervals: that of a study of fixed size, looked at repeatedly, and the confidence sequence.
    Matches are corrected by luck with the coefficients of the population. A run that never stops ends after `most`.
    """
    own = population.matches
    luck = np.column_stack([own["player_luck_mwc"], own["opponent_luck_mwc"]])
    moments = np.cov(np.column_stack([own["actual_result"], luck]), rowvar=False, aweights=population.weights)
    values = own["actual_result"] - luck @ np.linalg.solve(moments[1:, 1:], moments[1:, 0]) + 0.5
    drawn = values[rng.choice(len(values), size=(runs, most), p=population.weights)]
    looks = np.arange(max(batch, FIRST_LOOK), most + 1, batch)
    n = looks.astype(float)
    mean = np.cumsum(drawn, axis=1)[:, looks - 1] / n
    square = np.cumsum(drawn**2, axis=1)[:, looks - 1] / n
    error = np.sqrt(np.maximum(square - mean**2, 0) * n / (n - 1) / n)
    rows: list[dict[str, Any]] = []
    for interval in (FIXED, SEQUENCE):
        wide = quantile(confidence, n - 1) if interval == FIXED else factor(n, confidence, most / 2)
        half = error * wide
        low, high = (rating_difference(mean + sign * half, population.match_length) for sign in (1, -1))
        holds = (mean - half <= population.p) & (population.p <= mean + half)
        for rule, stop in ((WIDTH, (high - low) / 2 <= target), (DECIDED, ~holds)):
            last = np.where(stop.any(axis=1), stop.argmax(axis=1), len(looks) - 1)
            rows.append(
                {
                    "match_length": population.match_length, "player": population.player, "stops_when": rule,
                    "interval": interval, "batch": batch, "most_matches": most, "target": target, "runs": runs,
                    "coverage": float(holds[np.arange(runs), last].mean()), "mean_matches": float(looks[last].mean()),
                    "stopped": float(stop.any(axis=1).mean()), "confidence": confidence,
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=SEQUENCE_COLUMNS)
