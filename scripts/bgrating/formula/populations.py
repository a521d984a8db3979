"""Design points as populations with a known truth, from which studies can be drawn again and again.

The frozen matches of a design point are given weights such that a match drawn by them has exactly the chance of winning
that a known formula gives, luck of mean zero, and errors at exactly the known rates. The weights are those nearest to
equal ones (least Kullback-Leibler divergence: exponential tilting, Efron, Biometrika 68 (1981) 589). What is drawn has
the spread, the skewness and the dependence of result, luck and errors that real matches of these players have.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize

from bgrating.formula.cells import UnusableMatchesError, by_key
from bgrating.formula.estimators import FLAT
from bgrating.formula.fibs import win_probability
from bgrating.formula.rates import RATES

Floats = NDArray[np.float64]
LEAST = 400  # matches of a design point below which they are not taken for a population
MOST_WEIGHT = 25.0  # a weight beyond this many times the mean stands for matches that the sample hardly has
SIDES = ("player", "opponent")
QUANTITIES = ("actual_result", "player_luck_mwc", "opponent_luck_mwc", "luck_adjusted_result")


@dataclass(frozen=True)
class Population:
    """One design point with its truth: `rating_difference` in points, `p` the chance, `rates` the true differences.

    `matches` by quantity, one entry a match; `weights` sum to one.
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
    """Make a population of every design point that `truth` (rating difference by KEY) names.

    Raises UnusableMatchesError where a point has too few matches, or no weights bring its matches to the truth.
    """
    return [_population(key, rows, truth[key], rates) for key, rows in by_key(matches).items() if key in truth]


def _population(
    key: tuple[int, str, str], rows: pd.DataFrame, rating_difference: float, rates: tuple[str, ...]
) -> Population:
    if len(rows) < LEAST:
        raise UnusableMatchesError(f"{key}: {len(rows)} matches are too few for a population, {LEAST} are wanted")
    needed = {name for rate in rates for part in RATES[rate] for name in part}
    own = {name: rows[name].to_numpy(float) for name in QUANTITIES}
    own |= {f"{s}_{name}": rows[f"{s}_{name}"].to_numpy(float) for s in SIDES for name in sorted(needed)}
    own["actual_result"] = np.round(own["actual_result"], 6)
    p = float(win_probability(rating_difference, key[0]))
    found = {rate: _difference(own, rate) for rate in rates}
    # The rates are ratios of means: each stays what it is if errors less rate times decisions keep their mean.
    fixed = [own["actual_result"] - (p - 0.5), own["player_luck_mwc"], own["opponent_luck_mwc"]]
    for rate in rates:
        for side in SIDES:
            errors, counts = (sum(own[f"{side}_{name}"] for name in part) for part in RATES[rate])
            balance = np.asarray(errors - counts * (np.sum(errors) / np.sum(counts)))
            if balance.std() > FLAT:
                fixed.append(balance)
    weights = tilted(np.column_stack(fixed), f"{key[0]} points, {key[1]} against {key[2]}")
    return Population(key[0], key[1], key[2], rating_difference, p, found, own, weights)


def _difference(own: dict[str, Floats], rate: str) -> float:
    errors, counts = RATES[rate]
    player, opponent = (
        sum(own[f"{side}_{name}"].sum() for name in errors) / sum(own[f"{side}_{name}"].sum() for name in counts)
        for side in SIDES
    )
    return float(player - opponent)


def tilted(constraints: Floats, where: str) -> Floats:
    """Give the weights (sum one) nearest to equal ones under which every column of `constraints` has mean zero.

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
