"""Design points as populations with a known truth.

The frozen matches of a design point are given weights such that a match drawn by them has exactly the chance of winning
that a known formula gives, luck of mean zero, and errors at exactly the known rates. The weights are those nearest to
equal ones (least Kullback-Leibler divergence: exponential tilting, Efron, Biometrika 68 (1981) 589). What is drawn has
the spread, the skewness and the dependence of result, luck and errors that real matches of these players have.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy import optimize

from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.rates import RATES
from study.formula.cells import RESULT_COLUMNS, UnusableMatchesError, by_key
from study.formula.estimators import FLAT

LEAST = 400  # matches of a design point below which they are not taken for a population
MOST_WEIGHT = 25.0  # a weight beyond this many times the mean stands for matches that the sample hardly has
SIDES = ("player", "opponent")


@dataclass(frozen=True)
class Population:
    """One design point with its truth: `rating_difference` in points, `p` the chance, `rates` the true differences.

    `matches` by quantity, one entry per match; `weights` sum to one.
    """

    match_length: int
    player: str
    opponent: str
    rating_difference: float
    p: float
    rates: dict[str, float]
    matches: dict[str, Floats]
    weights: Floats


def populations(
    matches: pd.DataFrame, truth: dict[tuple[int, str, str], float], rates: tuple[str, ...]
) -> list[Population]:
    """Return a population of every design point that `truth` (rating difference by KEY) names.

    Raises UnusableMatchesError where a point has too few matches, or no weights bring its matches to the truth.
    """
    return [_population(key, rows, truth[key], rates) for key, rows in by_key(matches).items() if key in truth]


def _population(
    key: tuple[int, str, str], rows: pd.DataFrame, rating_difference: float, rates: tuple[str, ...]
) -> Population:
    if len(rows) < LEAST:
        raise UnusableMatchesError(f"{key}: {len(rows)} matches are too few for a population, {LEAST} are wanted")
    needed = sorted({name for rate in rates for part in RATES[rate] for name in part})
    names = (*RESULT_COLUMNS, *(f"{side}_{name}" for side in SIDES for name in needed))
    own = {name: rows[name].to_numpy(float) for name in names}
    own["actual_result"] = np.round(own["actual_result"], 6)
    p = float(win_probability(rating_difference, key[0]))
    fixed = [own["actual_result"] - (p - 0.5), own["player_luck_mwc"], own["opponent_luck_mwc"]]
    found = {}
    for rate in rates:
        pooled = []
        for side in SIDES:
            errors, counts = RATES[rate].parts(own, side)
            pooled.append(errors.sum() / counts.sum())
            # A rate is a ratio of means: it stays what it is if errors less rate times decisions keep their mean.
            balance = errors - counts * pooled[-1]
            if balance.std() > FLAT:
                fixed.append(balance)
        found[rate] = float(pooled[0] - pooled[1])
    weights = tilted(np.column_stack(fixed), f"{key[0]} points, {key[1]} against {key[2]}")
    return Population(key[0], key[1], key[2], rating_difference, p, found, own, weights)


def tilted(constraints: Floats, where: str) -> Floats:
    """Return the weights (sum one) nearest to equal ones under which every column of `constraints` has mean zero.

    Raises UnusableMatchesError naming `where` if there are none, or they rest on a few matches alone.
    """
    scale = constraints.std(axis=0)
    z = constraints / scale

    def dual(lam: Floats) -> tuple[float, Floats]:
        exponent = z @ lam
        top = exponent.max()
        e = np.exp(exponent - top)
        w = e / e.sum()
        return float(np.log(e.mean()) + top), np.asarray(w @ z)

    # Beyond these bounds a single match would take all the weight: the check below then says that there is no answer.
    found = optimize.minimize(
        dual, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B", bounds=[(-20.0, 20.0)] * z.shape[1],
        options={"gtol": 1e-9, "ftol": 1e-15, "maxiter": 5000},
    )  # fmt: skip
    exponent = z @ found.x
    weights = np.exp(exponent - exponent.max())
    weights /= weights.sum()
    off = float(np.abs(weights @ z).max())
    if off > 1e-5 or weights.max() * len(weights) > MOST_WEIGHT:
        raise UnusableMatchesError(f"{where}: its matches cannot be weighted to the truth that is asked for")
    return np.asarray(weights)
