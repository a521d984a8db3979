"""Reduce a study's matches to design points.

Inputs: one or more match tables (Parquet) with their provenance. Output: points.csv and its provenance.
Params: the confidence of the intervals.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.model.points import points
from bgrating.model.tables import inherited, read_matches, write_table

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    matches, facts = read_matches([Path(table) for table in snakemake.input.matches])
    table = points(matches, snakemake.params.confidence)
    write_table(table, Path(snakemake.output.points), **inherited(facts), n_matches=len(matches))
