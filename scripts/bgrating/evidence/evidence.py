"""All evidence of coverage from one set of simulated studies."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.evidence.coverage import (
    DEFAULT,
    FITS,
    FITS_OF_MISFIT,
    MISFIT,
    OWN,
    coefficient_coverage,
    rating_coverage,
    scattered,
)
from bgrating.evidence.persons import fitted_formulas, person_coverage
from bgrating.evidence.simulation import simulate
from bgrating.formula.formula import RatingFormula
from bgrating.formula.points import points
from bgrating.formula.populations import LEAST, Population, populations
from bgrating.formula.rates import COUNTS, KEY
from bgrating.formula.recommended import METHOD
from bgrating.plan.sequential import simulated_stopping

CONFIDENCE = 0.9
PERSONS = ("noise-0.02+noise-0.1", "expert+noise-0.4", "intermediate+noise-0.05", "noise-0.02+noise-0.8")
PERSON_MATCHES = (10, 40)
BATCH, MOST = 100, 2000
STOPPED = ("expert+noise-0.1", "noise-0.02+noise-0.4", "intermediate+noise-0.1", "beginner+noise-0.4")
TARGETS = (15.0, 25.0)  # rating points, for chances above and below 0.3


class NoPopulationError(BgratingError, ValueError):
    """No match length has enough matches in every cell to draw studies from."""


def evidence(
    matches: pd.DataFrame, formula: RatingFormula, own: RatingFormula, studies: int, cell_matches: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Simulate and count: tables `coverage`, `person_coverage` and `sequential`.

    `formula` is the recommended one, `own` that of the study with gnubg's EPC, which people may ask for by name: of it
    only the coefficients are counted, as it is fitted. The same formula twice is counted once.
    Match lengths with fewer than LEAST matches in a cell are left out. Raises NoPopulationError where none is left.
    """
    rng = np.random.default_rng(seed)
    there = truths(matches, formula)
    drawn = simulate(there, studies, cell_matches, rng)
    moved = scattered(drawn, MISFIT, rng)
    same = (own.terms, own.epc_definition) == (formula.terms, formula.epc_definition)
    coverage = pd.concat(
        [
            coefficient_coverage(drawn, formula, CONFIDENCE, "exact", FITS),
            coefficient_coverage(moved, formula, CONFIDENCE, "misfit", FITS_OF_MISFIT),
            *([] if same else _own(matches, own, studies, cell_matches, rng)),
            rating_coverage(drawn, CONFIDENCE, "exact"),
        ],
        ignore_index=True,
    )
    lengths = {one.match_length for one in there}
    people = matches[matches["match_length"].isin(lengths)]
    stopping = [
        simulated_stopping(
            one, rng, runs=studies, batch=BATCH, most=MOST, target=TARGETS[int(one.p < 0.3)], confidence=CONFIDENCE
        )
        for one in there
        if one.player in STOPPED
    ]
    return {
        "coverage": coverage,
        "person_coverage": person_coverage(
            people, fitted_formulas(drawn, formula), formula, PERSONS, PERSON_MATCHES, rng
        ),
        "sequential": pd.concat(stopping, ignore_index=True),
    }


def _own(
    matches: pd.DataFrame, own: RatingFormula, studies: int, cell_matches: int, rng: np.random.Generator
) -> Iterator[pd.DataFrame]:
    drawn = simulate(truths(matches, own), studies, cell_matches, rng)
    for world, seen in (("exact", drawn), ("misfit", scattered(drawn, MISFIT, rng))):
        yield coefficient_coverage(seen, own, CONFIDENCE, world, (DEFAULT,), OWN)


def truths(matches: pd.DataFrame, formula: RatingFormula) -> list[Population]:
    """Make populations of the cells of every length that has enough matches, with R as the formula gives it."""
    sizes = matches.groupby(KEY, observed=True).size().groupby("match_length").min()
    whole = matches[matches["match_length"].isin(sizes[sizes >= LEAST].index)]
    if whole.empty:
        raise NoPopulationError(f"no match length has {LEAST} matches in every cell: play more of the study first")
    rate = COUNTS[formula.epc_definition].rate
    rows = points(whole)
    rows = rows[rows["method"] == METHOD]
    difference, _ = formula.rating_difference(
        rows["match_length"].to_numpy(float), epm=rows["epm"].to_numpy(float), epc=rows[rate].to_numpy(float)
    )
    truth = {
        (int(length), str(player), str(opponent)): float(value)
        for length, player, opponent, value in zip(*(rows[name] for name in KEY), difference, strict=True)
    }
    return populations(whole, truth, ("epm", rate))
