"""Draw the figure of the law and write its page and the lines that it prints.

Inputs: the tables of the law and the formula. Outputs: a folder of figures, the report, the summary. Params: the nets.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.pages.style import save
from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import replace
from bgrating.tables.tables import read_table
from study.law.page import figures, page, summary

with reporting(snakemake.log[0]):
    tables = {path.stem: read_table(path) for path in map(Path, snakemake.input.tables)}
    formula, nets = read_formula(Path(snakemake.input.formula)), snakemake.params.nets
    folder, report = Path(snakemake.output.figures), Path(snakemake.output.report)
    save(figures(tables), folder)
    replace(report, page(tables, formula, folder, nets))
    replace(Path(snakemake.output.summary), summary(tables, formula, nets, report))
