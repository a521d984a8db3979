"""Gather the formulas of the kept results into the file of the calculator.

Inputs: the formula files and tables it gathers. Outputs: formulas.json.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import replace
from study import formulas

with reporting(snakemake.log[0]):
    replace(Path(snakemake.output[0]), formulas.text())
