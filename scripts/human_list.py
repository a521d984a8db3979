"""Read a collection of match files; no engine is started.

Settings: those of the collection. Outputs: a store of what was read.
"""

from pathlib import Path

from bgrating.collection.shards import asked_of, read_all
from bgrating.entry import reporting

with reporting(snakemake.log[0]):
    print(f"{read_all(asked_of(snakemake.config), Path(snakemake.output.read))} files")
