"""Draw the figures of a study, and write its report and the summary that it prints.

Inputs: points.csv, coefficients.csv, formula.json (with their provenance), the law where it is kept. Outputs: a folder
with every figure (SVG), the report as one HTML page, the summary as text. A study that determines no formula has the
picture of its points beside the published ones.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.formula.formula import NoFormulaError, read_formula
from bgrating.formula.published import beside_published, published_formula
from bgrating.formula.recommended import METHOD
from bgrating.provenance import read_provenance, replace
from bgrating.report.style import save
from bgrating.study_report.contents import Pairs, Study
from bgrating.study_report.figures import figures
from bgrating.study_report.measured_figures import comparison
from bgrating.study_report.page import in_order, page, pairs_page, pairs_summary, summary
from bgrating.tables import read_table

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
