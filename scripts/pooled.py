"""Pool all shards of one match length of a study into one table.

Inputs: the tables of all shards. Outputs: the table (one row a match) and its provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating import match_table
from bgrating.entry import reporting
from bgrating.tournament.design import study_design

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    design, length = study_design(snakemake.wildcards.study, snakemake.config), int(snakemake.wildcards.match_length)
    shards = [(point, shard.number) for point in design.points_of(length) for shard in point.shards()]
    tables = [Path(table) for table in snakemake.input.tables]
    match_table.pool_shards(
        design,
        length,
        [(point, number, table) for (point, number), table in zip(shards, tables, strict=True)],
        Path(snakemake.output.table),
    )
