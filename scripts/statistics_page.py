"""Draw the figures of the statistics and write their page and the lines that it prints.

Inputs: the tables and the recommended formula. Params: tables of coverage, shown where they have been made. Outputs: a
folder of figures, report.html, summary.txt.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.rating.formula import formula_if_any
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import read_table
from study.evidence.figures import figures
from study.evidence.page import Statistics, statistics_page, summary

with reporting(snakemake.log[0]):
    report = Path(snakemake.output.report)
    paths = [Path(path) for path in (*snakemake.input.tables, *snakemake.params.coverage)]
    tables = {path.stem: read_table(path) for path in paths if path.is_file()}
    recommended = Path(snakemake.input.formula)
    given = Statistics(tables, formula_if_any(recommended), read_provenance(recommended))
    replace(report, statistics_page(given, save(figures(tables), Path(snakemake.output.figures))))
    replace(Path(snakemake.output.summary), summary(given, str(report)))
