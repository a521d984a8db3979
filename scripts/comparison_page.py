"""Draw the figures of the comparison and write its page and the lines that it prints.

Inputs: the comparison's tables and formulas. Outputs: a folder of figures, report.html, summary.txt.
Params: the studies not played yet.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.rating.formula import formula_if_any
from bgrating.rating.published import published_formula
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import read_table
from study.comparison import PART_2, TABLES
from study.comparison.figures import figures
from study.comparison.page import Comparison, comparison_page, summary

with reporting(snakemake.log[0]):
    report = Path(snakemake.output.report)
    tables = {name: read_table(report.with_name(f"{name}.csv")) for name in TABLES}
    published = published_formula("bilinear")
    formulas = {Path(path).parent.name: Path(path) for path in snakemake.input.formulas}
    facts = read_provenance(Path(snakemake.input.tables[0]))
    given = Comparison(
        tables=tables,
        fitted=formula_if_any(formulas[PART_2]) if PART_2 in formulas else None,
        published=published,
        held={name: facts["studies"][name]["rows"] for name in formulas},
        absent=tuple(snakemake.params.absent),
        provenance=facts,
    )
    drawn = save(figures(tables, published), Path(snakemake.output.figures))
    replace(report, comparison_page(given, drawn))
    replace(Path(snakemake.output.summary), summary(given, str(report)))
