"""The model question: which shape of the formula, and which function of N, predicts best what it was not fitted to.

Every rival (comparison/rivals.py) predicts each design point from a fit without it: without the cell at one length,
without the player at every length, without the whole length; and fitted to all cells, what it was never fitted to: the
design points of other studies (evidence/tables.py). Two measures of how well:

- rating points: the difference between measured and predicted chance over |dP/dR|, its root mean square with the
  inverse of the measured variance as weight. What the measurement's own noise adds is taken off in `misfit`.
- log loss per match: -(p ln q + (1 - p) ln(1 - q)), p the measured and q the predicted chance, less its least possible
  value (q = p), in thousandths, its mean over matches. It is linear in p, so noise in p does not bias a difference of
  two rivals.

Differences between a rival and a reference are paired, point by point. Their interval is Student's t over a delete-one
jackknife of players: a player's cells at all lengths are correlated through his errors.

Does rating scale with the root of match length? The FIBS formula says ln(odds) = -ln(10) R sqrt(N) / 2000. With
R = (A f(N) + B g(N)) rate, any pair f, g in place of const + inv / N is another scaling. Each is judged as the rivals
are, with the rates of one of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.intervals import CONFIDENCE, jackknife
from bgrating.rating.shapes import Shape
from bgrating.tables.dictionary import columns
from study.comparison import rivals
from study.comparison.rivals import RIVALS, predicted_left_out, ways
from study.comparison.studies import Played, pooled
from study.formula.points import Observations
from study.formula.regressions import UndeterminedError, fit_chances

INCUMBENT = "bilinear"  # the published shape, with gnubg's own count of close decisions
WAYS = ("left_out_point", "left_out_player", "left_out_length")
OTHERS = "other_studies"
MILLI = 1000.0
CONTEST_COLUMNS, SCALING_COLUMNS = columns("statistics/contest"), columns("statistics/scalings")
SCALINGS: dict[str, tuple[str, tuple[Callable[[Floats], Floats], ...]]] = {
    "published": ("root of N, coefficients const + inv / N", (np.ones_like, lambda n: 1 / n)),
    "root": ("root of N alone", (np.ones_like,)),
    "root-inverse-root": ("root of N, coefficients const + inv / root of N", (np.ones_like, lambda n: n**-0.5)),
    "root-logarithm": ("root of N, coefficients const + slope ln N", (np.ones_like, np.log)),
    "third-root": ("third root of N", (lambda n: n ** (1 / 3 - 1 / 2),)),
    "fourth-root": ("fourth root of N", (lambda n: n ** (1 / 4 - 1 / 2),)),
    "two-powers": ("root of N, coefficients in 1 / N and its square", (np.ones_like, lambda n: 1 / n, lambda n: n**-2)),
}


def contest(study: Played, others: Sequence[Played] = ()) -> pd.DataFrame:
    """Judge every rival in every way of leaving out, and on `others` if there are any, beside INCUMBENT.

    Columns: CONTEST_COLUMNS. Rows without numbers: what is left does not determine that rival's coefficients (one
    length, say).
    """
    seen = {name: study.observed(rival) for name, rival in RIVALS.items()}
    rows = []
    for way in WAYS:
        left_out = {name: rivals.rival_left_out(seen[name], RIVALS[name], ways(seen[name])[way]) for name in RIVALS}
        rows += list(_judged(way, seen, left_out))
    if others:
        elsewhere = {name: pooled(others, rival) for name, rival in RIVALS.items()}
        predictions = {name: _elsewhere(seen[name], elsewhere[name], rival) for name, rival in RIVALS.items()}
        rows += list(_judged(OTHERS, elsewhere, predictions))
    return pd.DataFrame(rows, columns=CONTEST_COLUMNS)


def _elsewhere(cells: Observations, points: Observations, rival: Shape) -> Floats:
    try:
        return rivals.predicted(rivals.fitted(cells, rival), points, rival)
    except UndeterminedError:
        return np.full(len(points), np.nan)


def _judged(way: str, seen: Mapping[str, Observations], predictions: Mapping[str, Floats]) -> Iterator[dict[str, Any]]:
    for name, rival in RIVALS.items():
        points, own, reference = seen[name], predictions[name], predictions[INCUMBENT]
        row: dict[str, Any] = {
            "way": way, "rival": name, "words": rival.words, "n_points": len(points), "reference": INCUMBENT,
            "parameters": len(rivals.term_names(rival, len(points.lengths) > 1)), "confidence": CONFIDENCE,
            **measures(points, own),
        }  # fmt: skip
        comparable = len(own) == len(reference) and np.isfinite([own, reference]).all()
        if name != INCUMBENT and len(own) and comparable:
            row |= _difference(points, own, reference)
        yield row


def scalings(study: Played, name: str) -> pd.DataFrame:
    """Judge every scaling with the rates of one rival (SCALING_COLUMNS); measures as in the contest of rivals."""
    seen, rows = study.observed(RIVALS[name]), []
    for scaling, (words, functions) in SCALINGS.items():
        points = scaled(seen, functions)
        terms = tuple(f"{term} {i}" for term in rivals.names(RIVALS[name]) for i in range(len(functions)))

        def predict(rest: Observations, out: Observations, terms: tuple[str, ...] = terms) -> Floats:
            return np.asarray(out.predictors @ fit_chances(rest, rest.predictors, terms).estimate)

        about = {
            "scaling": scaling, "words": words, "rival": name, "parameters": len(terms), "n_points": len(points),
        }  # fmt: skip
        for way, groups in ways(points).items():
            rows.append({"way": way, **about, **measures(points, predicted_left_out(points, groups, predict))})
    return pd.DataFrame(rows, columns=SCALING_COLUMNS)


def scaled(points: Observations, functions: tuple[Callable[[Floats], Floats], ...]) -> Observations:
    """Multiply every predictor by every function of N: points by predictors times functions."""
    n = points.match_length.astype(float)
    products = [x * function(n) for x in points.predictors.T for function in functions]
    return replace(points, predictors=np.column_stack(products))


def measures(points: Observations, predicted: Floats) -> dict[str, float]:
    """Return the measures of predictions of design points, `points`, `misfit` and `log_loss`; nothing without any."""
    if not len(points) or not np.isfinite(predicted).all():
        return {}
    error = errors(points, predicted)
    return {"points": rms(*error), "misfit": misfit(*error), "log_loss": per_match(points, predicted)}


def errors(points: Observations, predicted: Floats) -> tuple[Floats, Floats]:
    """Return measured less predicted in rating points, and its standard error by the delta method, for every point."""
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
    """Log loss per match over the least possible, thousandths of a nat, one entry per point."""
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


def _difference(points: Observations, rival: Floats, reference: Floats) -> dict[str, float]:
    """Set a rival beside a reference: differences (rival less reference, below 0 is better) with their intervals."""
    both = [errors(points, predicted) for predicted in (rival, reference)]
    losses = loss(points, rival) - loss(points, reference)

    def points_apart(keep: NDArray[np.bool_]) -> float:
        first, second = (rms(error[keep], std_error[keep]) for error, std_error in both)
        return first - second

    def loss_apart(keep: NDArray[np.bool_]) -> float:
        return float(np.average(losses[keep], weights=points.n_matches[keep]))

    row: dict[str, float] = {}
    for name, apart in (("points", points_apart), ("log_loss", loss_apart)):
        ends = jackknife(apart, points.pairs)
        row |= {f"{name}_{end}": value for end, value in zip(("difference", "low", "high"), ends, strict=True)}
    return row
