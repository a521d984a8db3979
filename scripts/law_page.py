"""Draw the figure of the law and write its page and the lines that it prints.

Inputs: the tables of the law. Outputs: a folder of figures, the report, the summary. Params: the nets.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.tables.provenance import read_provenance, replace
from bgrating.tables.tables import read_table
from study.law.page import figures, page, summary

with reporting(snakemake.log[0]):
    paths = [Path(path) for path in snakemake.input.tables]
    tables, nets = {path.stem: read_table(path) for path in paths}, snakemake.params.nets
    folder, report = Path(snakemake.output.figures), Path(snakemake.output.report)
    save(figures(tables), folder)
    replace(report, page(tables, folder, nets, read_provenance(paths[0])))
    replace(Path(snakemake.output.summary), summary(tables, nets, report))
