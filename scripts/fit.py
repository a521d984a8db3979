"""Fit rating formulas to a study.

Inputs: its points, and the matches they came from (for the bootstrap). Outputs: coefficients.csv,
formula.json and their provenance. Params: confidence, bootstrap replicates and their seed.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bgrating.entry import reporting
from bgrating.match_table import read_checked
from bgrating.model.bootstrap import resamples
from bgrating.model.catalogue import fit_all
from bgrating.model.cells import cells
from bgrating.model.coefficients import coefficients
from bgrating.model.formula import write_no_formula
from bgrating.model.recommended import recommended
from bgrating.model.regressions import UndeterminedError
from bgrating.model.tables import inherited, write_table
from bgrating.provenance import write_provenance

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    params = snakemake.params
    matches = Path(snakemake.input.matches)
    points = pd.read_csv(snakemake.input.points, dtype={"player": str, "opponent": str})
    draws = resamples(cells(read_checked(matches)), params.bootstrap, params.seed)
    results = list(fit_all(points, draws))
    origin = inherited(matches) | {"bootstrap_replicates": params.bootstrap, "bootstrap_seed": params.seed}
    table = coefficients(results, params.confidence)
    write_table(table, Path(snakemake.output.coefficients), **origin)
    formula, study = Path(snakemake.output.formula), {"study": snakemake.wildcards.study}
    try:
        recommended(results, points, params.confidence, study).write(formula)
    except UndeterminedError as reason:  # such as a study of a few pairs of players: its points are its result
        write_no_formula(formula, str(reason), study)
    write_provenance(formula, **origin)
