"""The third test, inside people's range: its power, computed before its matches (docs/preregistration-people.md)."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy import special

from bgrating.play.designs import Design
from bgrating.rating.fibs import Floats, win_probability
from study.law.forms import FORMS, RATES_OF_A_SIDE, Fitted, Points, outcome

MOVES_A_POINT = 11.0  # unforced moves of a player per point of match length, in the trial


def expected_points(design: Design, rates: pd.DataFrame, truth: Fitted, variance: Floats) -> Points:
    """Return the design's points as a form would have them, without chance: rates of a trial, chances of the form.

    `rates` has one row per level (`level`, `epm`, `cube_per_move`); `variance` is that of a match's deviation as a
    line: a constant, and what the sums of both players' chequer and cube errors per move add.
    """
    by_level = rates.set_index("level")
    sides = []
    for side in ("player", "opponent"):
        own = by_level.loc[[getattr(point, side) for point in design.points], ["epm", "cube_per_move"]].to_numpy()
        sides.append(own)
    length = np.array([float(point.match_length) for point in design.points])
    # The three rates that the tested forms take stand first; the others do not matter.
    others = np.zeros((len(length), len(RATES_OF_A_SIDE) - 3))
    both = [np.column_stack([own, own[:, 0] * MOVES_A_POINT * length, others]) for own in sides]
    matches = np.array([point.matches for point in design.points])
    covariance = np.zeros((len(length), 1 + 2 * len(RATES_OF_A_SIDE), 1 + 2 * len(RATES_OF_A_SIDE)))
    of_a_match = np.column_stack([np.ones(len(length)), sides[0] + sides[1]]) @ variance
    covariance[:, 0, 0] = of_a_match / matches
    every = np.hstack(both)
    return Points(
        study=np.full(len(length), design.study),
        pair=np.array([f"{point.player} against {point.opponent}" for point in design.points]),
        length=length, matches=matches, rates=every, covariance=covariance,
        chance=win_probability(truth.form.difference(every, length, truth.estimate), length),
    )  # fmt: skip


def variance_of_a_match(points: Points, of_points: Floats) -> Floats:
    """Return the line of `expected_points`, by least squares, from the variances of played points."""
    rates = points.rates
    side = len(RATES_OF_A_SIDE)
    sums = rates[:, :2] + rates[:, side : side + 2]
    multiplied = np.column_stack([np.ones(len(points)), sums])
    return np.asarray(np.linalg.lstsq(multiplied, of_points * points.matches)[0])


def power(design: Design, rates: pd.DataFrame, fitted: Mapping[str, Fitted], variance: Floats) -> pd.DataFrame:
    """Return how likely each form passes, whichever is true and however much all errors cost more or less.

    One row per true form, factor by which its rating differences are multiplied, and form tested: the expected slope,
    its standard error and the chance to pass.
    """
    rows = []
    for truth, true in fitted.items():
        for factor in (0.94, 0.96, 0.98, 1.0, 1.02, 1.04, 1.06):
            points = expected_points(design, rates, true, variance)
            cost = factor * true.form.difference(points.rates, points.length, true.estimate)
            points = Points(**{**vars(points), "chance": win_probability(cost, points.length)})
            for name, tested in fitted.items():
                found = outcome(points, FORMS[name], tested.estimate, tested.covariance)
                error = (found.slope_high - found.slope_low) / 2 / 1.6448536
                half = (found.slope_high - found.slope_low) / 2
                ends = (1.05 - half - found.slope) / error, (0.95 + half - found.slope) / error
                passing = max(0.0, float(special.ndtr(ends[0]) - special.ndtr(ends[1])))
                rows.append((truth, factor, name, found.n_points, found.slope, error, passing))
    columns = ["truth", "cost_factor", "tested", "n_points", "expected_slope", "slope_se", "chance_to_pass"]
    return pd.DataFrame(rows, columns=columns)
