"""Reduce a study's matches to design points.

Inputs: the match table with its provenance. Output: points.csv and its provenance.
Params: the confidence of the intervals.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.match_table import read_checked
from bgrating.model.points import points
from bgrating.model.tables import inherited, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    matches = Path(snakemake.input.matches)
    table = points(read_checked(matches), snakemake.params.confidence)
    write_table(table, Path(snakemake.output.points), **inherited(matches))
