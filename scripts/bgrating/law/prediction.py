"""The preregistered test: matches that nothing was fitted to, predicted from their errors.

docs/preregistration.md names what is computed and what counts as confirmed or refuted. The covariance of the deviations
(measured chance less predicted) has three parts: of the measured chances, of the measured rates, and of the fitted
coefficients, which all points share.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from bgrating.comparison.sources import Played
from bgrating.evidence.contest import errors, loss, per_match, rms
from bgrating.formula.cells import by_key
from bgrating.formula.fibs import log_odds_per_point, win_probability
from bgrating.formula.intervals import jackknife, quantile
from bgrating.formula.observations import Observations
from bgrating.formula.rates import RATES
from bgrating.law import LIMIT
from bgrating.law.domain import Law, study_points

Floats = NDArray[np.float64]

CONFIRMED, REFUTED, UNDECIDED = "confirmed", "refuted", "undecided"
LEAST_P, REFUTING_P = 0.05, 0.01
SLOPES = (0.95, 1.05)


@dataclass(frozen=True)
class Outcome:
    """What a count's test gives: one row of figures, and one row a design point."""

    row: dict[str, object]
    points: pd.DataFrame


def outcome(study: Played, law: Law, confidence: float, limit: float = LIMIT) -> Outcome:
    """Test a law on a study that it was not fitted to (its points predicted below the limit)."""
    everything = study_points(study, law.count)
    predicted = law.predicted(everything)
    here = predicted < limit
    points, predicted = everything.select(here), predicted[here]
    chance = win_probability(predicted, points.match_length)
    per_point = log_odds_per_point(points.match_length) * chance * (1 - chance)  # dP/dR
    design = law.design(points)
    in_points = rate_variances(study, law, here) + np.zeros(len(points))
    covariance = np.diag(points.p_se**2 + per_point**2 * in_points)
    covariance += np.outer(per_point, per_point) * (design @ law.fit.covariance @ design.T)
    deviation = points.p - chance
    chi_square = float(deviation @ np.linalg.solve(covariance, deviation))
    p_value = float(stats.chi2.sf(chi_square, len(points)))
    in_ratings = covariance / np.outer(per_point, per_point)
    measured = predicted + deviation / per_point
    weighed = np.linalg.solve(in_ratings, predicted)
    slope = float(weighed @ measured / (weighed @ predicted))
    half = float(quantile(confidence) / np.sqrt(weighed @ predicted))
    off = errors(points, predicted)
    row: dict[str, object] = {
        "count": law.count, "n_points": len(points), "n_left_out": int((~here).sum()),
        "n_matches": int(points.n_matches.sum()), "chi_square": chi_square, "p_value": p_value, "slope": slope,
        "slope_low": slope - half, "slope_high": slope + half, "rms_points": rms(*off),
        "log_loss": per_match(points, predicted), "verdict": verdict(p_value, slope - half, slope + half),
        "confidence": confidence,
    }  # fmt: skip
    table = pd.DataFrame(
        {
            "count": law.count, "match_length": points.match_length, "pair": points.labels,
            "n_matches": points.n_matches, "measured": measured, "predicted": predicted,
            "std_error": np.sqrt(np.diag(in_ratings)), "log_loss": loss(points, predicted),
        }
    )  # fmt: skip
    return Outcome(row, table)


def verdict(p_value: float, slope_low: float, slope_high: float) -> str:
    """Return what was written down before the data: confirmed, refuted or undecided."""
    low, high = SLOPES
    if p_value >= LEAST_P and low <= slope_low and slope_high <= high:
        return CONFIRMED
    if p_value < REFUTING_P or slope_high < low or slope_low > high:
        return REFUTED
    return UNDECIDED


def rate_variances(study: Played, law: Law, here: NDArray[np.bool_]) -> Floats:
    """Return the variance that the errors of the measured rates add to each predicted rating difference.

    A rate is a sum of errors over a sum of counts; its error over matches is linearised, and both rates of a point come
    from the same matches, so their errors are taken together.
    """
    labels = study_points(study, law.count).labels[here]
    rows = _by_label(study.matches)
    found = []
    for label, length in zip(labels, _lengths(study, law, here), strict=True):
        matches = rows[int(length), str(label)]
        own = _coefficients(law, int(length))
        parts = sum(value * influence(matches, rate) for rate, value in own.items())
        found.append(float(np.var(parts, ddof=1) / len(matches)))
    return np.array(found)


def influence(matches: pd.DataFrame, rate: str) -> Floats:
    """Return what each match adds to the error of a rate's difference, player less opponent (mean 0)."""
    sides = []
    for side in ("player", "opponent"):
        error = matches[[f"{side}_{name}" for name in RATES[rate].errors]].sum(axis=1).to_numpy(float)
        names = ["games" if name == "games" else f"{side}_{name}" for name in RATES[rate].per]
        count = matches[names].sum(axis=1).to_numpy(float)
        sides.append((error - count * error.sum() / count.sum()) / count.mean())
    return np.asarray(sides[0] - sides[1])


def _coefficients(law: Law, length: int) -> dict[str, float]:
    """Return a law's coefficients at a match length by the rate that they multiply."""
    unit = np.eye(len(law.shape.terms))
    one = Observations(
        match_length=np.full(len(unit), length), predictors=unit, p=np.full(len(unit), 0.5), p_se=np.ones(len(unit)),
        n_matches=np.ones(len(unit), dtype=np.int64), labels=np.array(["x"] * len(unit)),
    )  # fmt: skip
    return {term[0]: float(value) for term, value in zip(law.shape.terms, law.predicted(one), strict=True)}


def _by_label(matches: pd.DataFrame) -> dict[tuple[int, str], pd.DataFrame]:
    return {(n, f"{player} against {other}"): part for (n, player, other), part in by_key(matches).items()}


def _lengths(study: Played, law: Law, here: NDArray[np.bool_]) -> NDArray[np.int64]:
    return study_points(study, law.count).match_length[here]


def beside_the_law(outcomes: dict[str, Outcome], reference: str, confidence: float) -> pd.DataFrame:
    """Return the rows of all counts, with the difference of log loss from the law's over the points that both have.

    Intervals leave out one pair of players at a time.
    """
    rows = []
    law = outcomes[reference].points
    for count, found in outcomes.items():
        row = dict(found.row)
        if count != reference:
            both = law.merge(found.points, on=["match_length", "pair", "n_matches"], suffixes=("_law", ""))
            pairs = both["pair"].to_numpy(np.str_)
            value, low, high = jackknife(partial(_mean_difference, both), pairs, confidence)
            row |= {"log_loss_difference": value, "log_loss_low": low, "log_loss_high": high}
        rows.append(row)
    return pd.DataFrame(rows)


def _mean_difference(both: pd.DataFrame, keep: NDArray[np.bool_]) -> float:
    """Return the mean difference of log loss per match over the rows to keep."""
    rows = both[keep]
    return float(np.average(rows["log_loss"] - rows["log_loss_law"], weights=rows["n_matches"]))
