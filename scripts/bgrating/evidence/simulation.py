"""Draw many studies from populations at once, and reduce each to what the fits are given.

Everything is an array over studies: a study is what chances, error rates and their errors come out as when `matches`
matches of every population are drawn afresh. The estimators are those of formula/estimators.py written for many studies
together; a test compares the two.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bgrating.formula.observations import Observations, usable
from bgrating.formula.populations import SIDES, Population
from bgrating.formula.rates import RATES

Floats = NDArray[np.float64]
METHODS = ("actual", "luck-adjusted", "control-variate")
AT_ONCE = 250  # studies whose matches are held in memory together


@dataclass(frozen=True)
class Studies:
    """Simulated studies of one population: every array has one entry a study.

    `p`, `p_se` and `dof` by estimator; `rates` the differences of error rates found.
    """

    population: Population
    p: dict[str, Floats]
    p_se: dict[str, Floats]
    dof: dict[str, int]
    rates: dict[str, Floats]


def simulate(populations: Sequence[Population], studies: int, matches: int, rng: np.random.Generator) -> list[Studies]:
    """Draw `studies` studies with `matches` matches of every population."""
    return [_simulate(population, studies, matches, rng) for population in populations]


def _simulate(population: Population, studies: int, matches: int, rng: np.random.Generator) -> Studies:
    parts = []
    for first in range(0, studies, AT_ONCE):
        size = (min(AT_ONCE, studies - first), matches)
        drawn = rng.choice(len(population.weights), size=size, p=population.weights)
        parts.append(_reduced(population, drawn))
    chances, spreads, rates = zip(*parts, strict=True)
    return Studies(
        population,
        {m: np.concatenate([part[m] for part in chances]) for m in METHODS},
        {m: np.concatenate([part[m] for part in spreads]) for m in METHODS},
        {"actual": matches - 1, "luck-adjusted": matches - 1, "control-variate": matches - 3},
        {rate: np.concatenate([part[rate] for part in rates]) for rate in population.rates},
    )


def _reduced(
    population: Population, drawn: NDArray[np.intp]
) -> tuple[dict[str, Floats], dict[str, Floats], dict[str, Floats]]:
    own = population.matches
    result = own["actual_result"][drawn]
    luck = np.stack([own["player_luck_mwc"][drawn], own["opponent_luck_mwc"][drawn]], axis=2)
    chances, spreads = {}, {}
    for method, values, fitted in (
        ("actual", result, 0),
        ("luck-adjusted", own["luck_adjusted_result"][drawn], 0),
        ("control-variate", control_variates(result, luck), 2),
    ):
        n = values.shape[1]
        chances[method] = values.mean(axis=1) + 0.5
        spreads[method] = np.sqrt(values.var(axis=1) * n / (n - 1 - fitted) / n)
    flat = np.ptp(result, axis=1) < 1e-6
    spreads["control-variate"][flat] = np.nan
    rates = {}
    for rate in population.rates:
        errors, counts = RATES[rate]
        player, opponent = (
            sum(own[f"{side}_{name}"][drawn].sum(axis=1) for name in errors)
            / sum(own[f"{side}_{name}"][drawn].sum(axis=1) for name in counts)
            for side in SIDES
        )
        rates[rate] = player - opponent
    return chances, spreads, rates


def control_variates(result: Floats, luck: Floats) -> Floats:
    """Take luck off every result with coefficients fitted without that match (studies by matches).

    `result` is studies by matches, `luck` studies by matches by two; as `model.estimators.control_variate`.
    """
    design = np.concatenate([np.ones((*result.shape, 1)), luck], axis=2)
    normal = np.einsum("smi,smj->sij", design, design)
    inverse = np.linalg.inv(normal)
    coefficients = np.einsum("sij,smj,sm->si", inverse, design, result, optimize=True)
    influence = np.einsum("smi,sij->smj", design, inverse)
    leverage = np.einsum("smi,smi->sm", influence, design)
    residual = (result - np.einsum("smi,si->sm", design, coefficients)) / (1 - leverage)
    without = coefficients[:, None, 1:] - influence[:, :, 1:] * residual[:, :, None]
    return np.asarray(result - np.einsum("smi,smi->sm", luck, without))


def observations_of(studies: Sequence[Studies], number: int, method: str, rates: Sequence[str]) -> Observations:
    """Give one simulated study as what a fit is given."""
    return usable(
        Observations(
            match_length=np.array([one.population.match_length for one in studies]),
            predictors=np.array([[one.rates[rate][number] for rate in rates] for one in studies]),
            p=np.array([one.p[method][number] for one in studies]),
            p_se=np.array([one.p_se[method][number] for one in studies]),
            n_matches=np.full(len(studies), one_dof(studies)),
            labels=np.array([f"{one.population.player} against {one.population.opponent}" for one in studies]),
        )
    )


def one_dof(studies: Sequence[Studies]) -> int:
    """Give the number of matches of every cell."""
    return studies[0].dof["actual"] + 1
