"""Draw the figures of the translation between nets and write its page and the lines that it prints.

Inputs: the tables. Outputs: a folder of figures, report.html, summary.txt.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import read_table
from study.translation.figures import figures
from study.translation.names import TABLES
from study.translation.page import page, summary

with reporting(snakemake.log[0]):
    report = Path(snakemake.output.report)
    paths = {name: report.with_name(f"{name}.csv") for name in TABLES}
    tables = {name: read_table(path) for name, path in paths.items()}
    facts = read_provenance(next(iter(paths.values())))
    replace(report, page(tables, save(figures(tables), Path(snakemake.output.figures)), facts))
    replace(Path(snakemake.output.summary), summary(tables, facts, str(report)))
