"""Draw the figures of a study.

Inputs: points.csv, coefficients.csv and formula.json. Output: a folder with every figure as SVG and PNG. A study that
determines no formula has the picture of its points beside the published ones.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bgrating.entry import reporting
from bgrating.figures.comparison import comparison
from bgrating.figures.draw import figures
from bgrating.figures.style import save
from bgrating.model.comparison import beside_published
from bgrating.model.formula import NoFormulaError, read_formula
from bgrating.model.published import published_formula
from bgrating.model.recommended import METHOD

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    folder = Path(snakemake.output.figures)
    folder.mkdir(parents=True, exist_ok=True)
    points = pd.read_csv(snakemake.input.points, dtype={"player": str, "opponent": str})
    coefficients = pd.read_csv(snakemake.input.coefficients, dtype={"epc_definition": str})
    try:
        formula = read_formula(Path(snakemake.input.formula))
    except NoFormulaError:
        rows = beside_published(points, METHOD)
        save(comparison(rows, float(rows["confidence"].iloc[0])), folder, "comparison")
    else:
        published = published_formula(formula.facts["model"].partition("-")[0])
        for name, figure in figures(points, coefficients, formula, published):
            save(figure, folder, name)
