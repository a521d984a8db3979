"""Write the report of a study and the summary that it prints.

Inputs: points.csv, coefficients.csv, formula.json (with their provenance) and the folder of figures.
Outputs: the report as one HTML page and the summary as text.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bgrating.entry import reporting
from bgrating.model.formula import read_formula
from bgrating.model.published import published_formula
from bgrating.provenance import read_provenance, replace
from bgrating.report.contents import Study
from bgrating.report.page import in_order, page
from bgrating.report.summary import summary

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    formula = read_formula(Path(snakemake.input.formula))
    study = Study(
        name=snakemake.wildcards.study,
        points=pd.read_csv(snakemake.input.points, dtype={"player": str, "opponent": str}),
        coefficients=pd.read_csv(snakemake.input.coefficients, dtype={"epc_definition": str}),
        formula=formula,
        published=published_formula(formula.facts["model"].partition("-")[0]),
        provenance=read_provenance(Path(snakemake.input.formula)),
    )
    report = Path(snakemake.output.report)
    figures = in_order(list(Path(snakemake.input.figures).glob("*.svg")))
    replace(report, page(study, figures))
    replace(Path(snakemake.output.summary), summary(study, report))
