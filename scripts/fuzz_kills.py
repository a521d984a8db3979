"""Kill the processes of a study again and again and write the table of what it ended with.

Settings: seed. Outputs: kills.csv (columns: results/README.md) and its provenance. Params: the number of kills.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import PROJECT
from bgrating.tables.tables import write_table
from study.fuzz.kills import KILLS, run

with reporting(snakemake.log[0]):
    params = snakemake.params
    table = run(PROJECT, params.kills, params.seed, Path(snakemake.log[0]))
    write_table(table, Path(snakemake.output.table), "fuzz/kills", seed=params.seed)
    kills = int(table[list(KILLS)].to_numpy().sum())
    print(f"{kills} kills, {table['tables'].sum()} tables compared, {table['different'].sum()} different")
