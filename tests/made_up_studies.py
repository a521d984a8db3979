"""Studies that a test makes up, and a formula by hand."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from bgrating.engine.known_engines import known_engines
from bgrating.rating.formula import RatingFormula
from study.formula.catalogue import coefficients, fit_all, recommended
from study.formula.design_points import points
from study.formula.regressions import UndeterminedError

BY_HAND = RatingFormula(
    terms=("a2_const", "a2_inv", "b_const", "b_inv"),
    estimate=np.array([9000.0, 25000, 1000, -500]),
    covariance=np.diag([100.0**2, 500**2, 20**2, 50**2]),
    dof=44.0,
    confidence=0.9,
    epc_definition="today",
    match_lengths=(3, 5, 7),
    ranges={"epm": (0.0, 0.024), "epc": (0.01, 0.12)},
    metadata={"study": "by hand", "tau": 0.02},
)


def engine_facts(engine_version: str = "1.07.001") -> dict[str, Any]:
    known = next(engine for engine in known_engines() if engine.version == engine_version)
    return {"version": known.reported, "package": known.package, "checksums": dict(known.checksums)}


@dataclass(frozen=True)
class PlayedStudy:
    points: pd.DataFrame
    coefficients: pd.DataFrame
    formula: RatingFormula | None


def played(name: str, matches: pd.DataFrame) -> PlayedStudy:
    """Return a study with these matches and what is fitted to them."""
    reduced = points(matches)
    results = list(fit_all(reduced))
    try:
        formula = recommended(results, reduced, {"study": name})
    except UndeterminedError:
        formula = None
    return PlayedStudy(reduced, coefficients(results), formula)
