"""Every table of the comparison, by name; one that needs a study not played yet is written empty."""

from collections.abc import Mapping

import pandas as pd

from bgrating.tables.dictionary import columns
from study.comparison import PAIRS, PART_1, PART_2, TABLES, ZADEH, pairs
from study.comparison.causes import causes, coefficients
from study.comparison.studies import PlayedStudy


def tables(studies: Mapping[str, PlayedStudy]) -> dict[str, pd.DataFrame]:
    """Make every table of TABLES from the studies at hand."""
    part1, part2, zadeh = (studies.get(name) for name in (PART_1, PART_2, ZADEH))
    forms = [(study, form) for study, form in ((part1, "linear"), (part2, "bilinear")) if study is not None]
    made = {name: pd.DataFrame(columns=columns(f"comparison/{name}")) for name in TABLES}
    made["coefficients"] = coefficients(forms)
    if part2 is not None:
        made["causes"] = causes(part2, zadeh)
    formula = None if part2 is None else part2.formula
    made["out_of_sample"] = pairs.out_of_sample([studies[name] for name in PAIRS if name in studies], formula)
    return made
