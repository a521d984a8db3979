"""Attack the reader with changed match files and write the table of what became of them.

Settings: collection, seed. Outputs: attacks.csv (columns: results/README.md) and its provenance. Params: the
collection, the numbers of changed texts and .xg files.
"""

from pathlib import Path

from bgrating.entry import reporting
from study.fuzz.run import run

with reporting(snakemake.log[0]):
    params = snakemake.params
    totals = run(
        Path(params.collection),
        params.texts,
        params.binaries,
        params.seed,
        snakemake.threads,
        Path(snakemake.output.table),
    )
    print(", ".join(f"{count} {name.replace('_', ' ')}" for name, count in totals.items()))
