"""Make the page of a folder of tables: figures, report.html and summary.txt.

Inputs: the tables. Outputs: the page and what stands beside it. Params: what it is about (study/pages.py).
"""

from pathlib import Path

from bgrating.entry import reporting
from study.pages import write

with reporting(snakemake.log[0]):
    write(snakemake.params.about, Path(snakemake.output.report).parent)
