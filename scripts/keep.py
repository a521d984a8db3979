"""Gather the formulas of the results for the calculator. Inputs: the formula files. Outputs: formulas.json."""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import write_atomic
from study import formulas

with reporting(snakemake.log[0]):
    write_atomic(Path(snakemake.output[0]), formulas.text())
