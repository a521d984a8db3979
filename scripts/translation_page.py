"""Draw the figures of the translation between nets and write its page and the lines that it prints.

Inputs: the tables. Outputs: a folder of figures, report.html, summary.txt.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.provenance import read_provenance, replace
from bgrating.report.style import save
from bgrating.tables import read_table
from bgrating.translation.figures import figures
from bgrating.translation.names import TABLES
from bgrating.translation.page import page, summary

with reporting(snakemake.log[0]):
    report = Path(snakemake.output.report)
    paths = {name: report.with_name(f"{name}.csv") for name in TABLES}
    tables = {name: read_table(path) for name, path in paths.items()}
    facts = read_provenance(next(iter(paths.values())))
    replace(report, page(tables, save(figures(tables), Path(snakemake.output.figures)), facts))
    replace(Path(snakemake.output.summary), summary(tables, facts, str(report)))
