"""Write the tables of a collection: files, matches and players.

Inputs: the readings, the plan and the tables of its batches. Outputs: files.csv, matches.csv, players.csv and their
provenance. Params: the collection, the level, offset, coefficients and the table of aliases (or an empty string).
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.human.formulas import choose
from bgrating.human.settings import batch_tables
from bgrating.human.tables import Sources, write_tables

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    params = snakemake.params
    write_tables(
        Sources(
            readings=Path(snakemake.input.readings),
            batches=tuple(Path(table) for table in batch_tables(snakemake.input.plan)),
            aliases=Path(params.aliases) if params.aliases else None,
        ),
        choose(params.coefficients, params.level),
        params.offset,
        Path(snakemake.output.files).parent,
        {"collection": params.collection, "analysis": params.level, "coefficients": params.coefficients},
    )
