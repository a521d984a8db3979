"""The model question: which shape of the formula predicts best what it was not fitted to.

Every rival (comparison/rivals.py) predicts each design point from a fit without it: without the cell at one length,
without the player at every length, without the whole length; and fitted to all cells, what it was never fitted to: the
design points of other studies (evidence/other_studies.py). Two measures of how well:

- rating points: the difference between measured and predicted chance over |dP/dR|, its root mean square with the
  inverse of the measured variance as weight. What the measurement's own noise adds is taken off in `misfit`.
- log loss per match: -(p ln q + (1 - p) ln(1 - q)), p the measured and q the predicted chance, less its least possible
  value (q = p), in thousandths, its mean over matches. It is linear in p, so noise in p does not bias a difference of
  two rivals.

Differences between a rival and a reference are paired, point by point. Their interval is Student's t over a delete-one
jackknife of players: a player's cells at all lengths hang together through his errors.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.comparison.rivals import RIVALS, fitted, observed, predicted, predicted_left_out, term_names
from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.evidence.other_studies import pooled
from bgrating.formula.fibs import log_odds_per_point, win_probability
from bgrating.formula.intervals import jackknife
from bgrating.formula.observations import Observations
from bgrating.formula.regressions import UndeterminedError
from bgrating.formula.shapes import Shape

Floats = NDArray[np.float64]
INCUMBENT = "bilinear"  # the published shape, with gnubg's own count of close decisions
WAYS = ("left_out_point", "left_out_player", "left_out_length")
OTHERS = "other_studies"
MILLI = 1000.0
COLUMNS = columns("statistics/contest")


def contest(study: Played, confidence: float, others: Sequence[Played] = ()) -> pd.DataFrame:
    """Judge every rival in every way of leaving out, and on `others` if there are any, beside INCUMBENT (COLUMNS).

    Rows without numbers: what is left does not determine that rival's coefficients (one length, say).
    """
    seen = {name: observed(study, rival) for name, rival in RIVALS.items()}
    rows = []
    for way in WAYS:
        said = {name: _left_out(way, seen[name], rival) for name, rival in RIVALS.items()}
        rows += list(_judged(way, seen, said, INCUMBENT, confidence))
    if others:
        elsewhere = {name: pooled(others, rival) for name, rival in RIVALS.items()}
        said = {name: _elsewhere(seen[name], elsewhere[name], rival) for name, rival in RIVALS.items()}
        rows += list(_judged(OTHERS, elsewhere, said, INCUMBENT, confidence))
    return pd.DataFrame(rows, columns=COLUMNS)


def _left_out(way: str, points: Observations, rival: Shape) -> Floats:
    groups: dict[str, NDArray[Any]] = {
        "left_out_point": np.arange(len(points)), "left_out_player": points.labels,
        "left_out_length": points.match_length,
    }  # fmt: skip
    return predicted_left_out(points, rival, groups[way])


def _elsewhere(cells: Observations, points: Observations, rival: Shape) -> Floats:
    try:
        return predicted(*fitted(cells, rival), points, rival)
    except UndeterminedError:
        return np.full(len(points), np.nan)


def _judged(
    way: str, seen: dict[str, Observations], said: dict[str, Floats], reference: str, confidence: float
) -> Iterator[dict[str, Any]]:
    common = seen[reference]
    for name, rival in RIVALS.items():
        points = seen[name]
        row: dict[str, Any] = {
            "way": way, "rival": name, "words": rival.words, "n_points": len(points), "reference": reference,
            "parameters": len(term_names(rival, len(points.lengths) > 1)), "confidence": confidence,
        }  # fmt: skip
        if len(points) and np.all(np.isfinite(said[name])):
            mine = errors(points, said[name])
            row |= {"points": rms(*mine), "misfit": misfit(*mine), "log_loss": per_match(points, said[name])}
            if name != reference and len(points) == len(common) and np.all(np.isfinite(said[reference])):
                row |= _difference(points, said[name], said[reference], confidence)
        yield row


def errors(points: Observations, predicted: Floats) -> tuple[Floats, Floats]:
    """Give measured less predicted in rating points, and its standard error by the delta method, one entry a point."""
    chance = win_probability(predicted, points.match_length)
    slope = np.abs(log_odds_per_point(points.match_length)) * chance * (1 - chance)
    return (chance - points.p) / slope, points.p_se / slope


def rms(error: Floats, std_error: Floats) -> float:
    """Root mean square of errors in rating points, weighted with the inverse of their variances."""
    weight = std_error**-2
    return float(np.sqrt(weight @ error**2 / weight.sum()))


def misfit(error: Floats, std_error: Floats) -> float:
    """Root mean square of errors with what the measurement's own noise adds taken off; 0 where noise is all."""
    weight = std_error**-2
    return float(np.sqrt(max(0.0, (weight @ error**2 - len(error)) / weight.sum())))


def loss(points: Observations, predicted: Floats) -> Floats:
    """Log loss per match over the least possible, thousandths of a nat, one entry a point."""
    measured = np.clip(points.p, 0.0, 1.0)
    return MILLI * (_log_loss(points.p, win_probability(predicted, points.match_length)) - _entropy(measured))


def per_match(points: Observations, predicted: Floats) -> float:
    """Log loss per match over the least possible, thousandths of a nat: the mean over matches, not over points."""
    return float(np.average(loss(points, predicted), weights=points.n_matches))


def _log_loss(p: Floats, q: Floats) -> Floats:
    return np.asarray(-(p * np.log(q) + (1 - p) * np.log1p(-q)))


def _entropy(p: Floats) -> Floats:
    inside = np.clip(p, 1e-300, 1 - 1e-16)
    return np.asarray(-(inside * np.log(inside) + (1 - inside) * np.log1p(-inside)))


def _difference(points: Observations, rival: Floats, reference: Floats, confidence: float) -> dict[str, float]:
    """Set a rival beside a reference: differences (rival less reference, below 0 is better) with their intervals."""
    mine, theirs = errors(points, rival), errors(points, reference)
    losses = loss(points, rival) - loss(points, reference)
    by_points = jackknife(
        lambda keep: rms(*(part[keep] for part in mine)) - rms(*(part[keep] for part in theirs)),
        points.labels,
        confidence,
    )
    by_loss = jackknife(
        lambda keep: float(np.average(losses[keep], weights=points.n_matches[keep])), points.labels, confidence
    )
    return dict(zip(("points_difference", "points_low", "points_high"), by_points, strict=True)) | dict(
        zip(("log_loss_difference", "log_loss_low", "log_loss_high"), by_loss, strict=True)
    )
