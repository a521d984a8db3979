"""Every table of the comparison, by name; one that needs a study not played yet is there without rows."""

from collections.abc import Mapping

import pandas as pd

from bgrating.comparison import (
    DEEP,
    PAIRS,
    PART_1,
    PART_2,
    SHALLOW,
    TABLES,
    ZADEH,
    additivity,
    causes,
    cube_only,
    curvature,
    depth,
    out_of_sample,
    rivals,
)
from bgrating.comparison import coefficients as by_coefficient
from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.formula import RatingFormula
from bgrating.formula.regressions import UndeterminedError

CONFIDENCE = 0.9


def tables(studies: Mapping[str, Played]) -> tuple[dict[str, pd.DataFrame], RatingFormula | None]:
    """Make every table of TABLES from the studies at hand, and the alternative formula where Part II determines it."""
    part1, part2, zadeh = (studies.get(name) for name in (PART_1, PART_2, ZADEH))
    forms = [(study, form) for study, form in ((part1, "linear"), (part2, "bilinear")) if study is not None]
    other = None if part2 is None else _alternative(part2)
    shallow, deep = studies.get(SHALLOW), studies.get(DEEP)
    pairs = [studies[name] for name in PAIRS if name in studies]
    cubes = [study for study in (part2, studies.get("appendix2")) if study is not None]
    made = {name: pd.DataFrame(columns=columns(f"comparison/{name}")) for name in TABLES}
    made["coefficients"] = by_coefficient.beside_published(forms)
    made["cube_only"] = cube_only.cube_only(cubes)
    made["out_of_sample"] = out_of_sample.out_of_sample(pairs, None if part2 is None else part2.formula, other)
    if part1 is not None:
        made["both_err"] = additivity.additivity(part1, CONFIDENCE)
    if part2 is not None:
        made["causes"] = causes.causes(part2, zadeh, CONFIDENCE)
        made["curvature"] = curvature.curvature(part2, CONFIDENCE)
        made["rivals"] = rivals.rivals(part2)
        made["rival_coefficients"] = rivals.coefficients(part2, CONFIDENCE)
        if zadeh is not None:
            made["equity_table"] = causes.equity_table_cells(part2, zadeh)
    if shallow is not None and deep is not None:
        made["depth"] = depth.depth(shallow, deep, CONFIDENCE)
    return made, other


def _alternative(study: Played) -> RatingFormula | None:
    try:
        return rivals.alternative(study, CONFIDENCE)
    except UndeterminedError:
        return None
