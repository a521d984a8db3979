"""Write the tables of a collection: files, matches and players.

Inputs: the readings, the plan, the tables of its batches and a stored field of players. Outputs: files.csv,
matches.csv, players.csv, alias_suggestions.csv with one provenance. Params: the collection, the level, offset,
coefficients and the table of aliases (or an empty string).
"""

from pathlib import Path

from bgrating.collection.settings import batch_tables
from bgrating.collection.tables import Sources, write_tables
from bgrating.entry import reporting
from bgrating.rating.choose import choose
from bgrating.tables.provenance import one_provenance

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    params = snakemake.params
    write_tables(
        Sources(
            readings=Path(snakemake.input.readings),
            batches=tuple(Path(table) for table in batch_tables(snakemake.input.plan)),
            aliases=Path(params.aliases) if params.aliases else None,
        ),
        choose(params.coefficients, params.nets, params.level),
        params.offset,
        Path(snakemake.output.files).parent,
        {"collection": params.collection, "analysis": params.level, "coefficients": params.coefficients},
        Path(snakemake.input.field[0]) if snakemake.input.field else None,
    )
