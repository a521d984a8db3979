"""Gather the formulas of the kept results into the file of the calculator.

Inputs: the formula files and tables it gathers. Outputs: formulas.json.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.calculator import formulas
from bgrating.entry import reporting
from bgrating.provenance import replace

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    replace(Path(snakemake.output[0]), formulas.text())
