"""Draw the figures of a study, and write its report and the summary that it prints.

Inputs: points.csv, coefficients.csv, formula.json (with their provenance), the law where it is kept. Outputs: a folder
with every figure (SVG), the report as one HTML page, the summary as text. A study that determines no formula has the
picture of its points beside the published ones.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.rating.formula import NoFormulaError, read_formula
from bgrating.rating.published import beside_published, published_formula
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import read_table
from study.formula.recommended import METHOD
from study.report.contents import Pairs, Study
from study.report.figures import figures
from study.report.measured_figures import comparison
from study.report.page import in_order, page, pairs_page, pairs_summary, summary

with reporting(snakemake.log[0]):
    name, report, folder = snakemake.wildcards.study, Path(snakemake.output.report), Path(snakemake.output.figures)
    points = read_table(Path(snakemake.input.points))
    provenance = read_provenance(Path(snakemake.input.formula))
    try:
        formula = read_formula(Path(snakemake.input.formula))
    except NoFormulaError as none:
        pairs = Pairs(name, beside_published(points, METHOD), none.reason, provenance)
        picture = comparison(pairs.rows, float(pairs.rows["confidence"].iloc[0]))
        html, text = pairs_page(pairs, save([("comparison", picture)], folder)), pairs_summary(pairs, report)
    else:
        coefficients = read_table(Path(snakemake.input.coefficients))
        published = published_formula(formula.facts["model"].partition("-")[0])
        drawn = save(figures(points, coefficients, formula, published), folder)
        law = read_formula(Path(snakemake.input.law[0])) if snakemake.input.law else None
        study = Study(name, points, coefficients, formula, published, provenance)
        html, text = page(study, in_order(drawn), law), summary(study, report)
    replace(report, html)
    replace(Path(snakemake.output.summary), text)
