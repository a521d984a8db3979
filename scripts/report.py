"""Write the report of a study and the summary that it prints.

Inputs: points.csv, coefficients.csv, formula.json (with their provenance) and the folder of figures.
Outputs: the report as one HTML page and the summary as text.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bgrating.entry import reporting
from bgrating.model.comparison import beside_published
from bgrating.model.formula import NoFormulaError, read_formula
from bgrating.model.published import published_formula
from bgrating.model.recommended import METHOD
from bgrating.provenance import read_provenance, replace
from bgrating.report.contents import Study
from bgrating.report.page import in_order, page, pairs_page
from bgrating.report.pairs import Pairs
from bgrating.report.summary import pairs_summary, summary

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    name, report = snakemake.wildcards.study, Path(snakemake.output.report)
    points = pd.read_csv(snakemake.input.points, dtype={"player": str, "opponent": str})
    provenance = read_provenance(Path(snakemake.input.formula))
    figures = in_order(list(Path(snakemake.input.figures).glob("*.svg")))
    try:
        formula = read_formula(Path(snakemake.input.formula))
    except NoFormulaError as none:
        pairs = Pairs(name, beside_published(points, METHOD), none.reason, provenance)
        html, text = pairs_page(pairs, figures), pairs_summary(pairs, report)
    else:
        coefficients = pd.read_csv(snakemake.input.coefficients, dtype={"epc_definition": str})
        published = published_formula(formula.facts["model"].partition("-")[0])
        study = Study(name, points, coefficients, formula, published, provenance)
        html, text = page(study, figures), summary(study, report)
    replace(report, html)
    replace(Path(snakemake.output.summary), text)
