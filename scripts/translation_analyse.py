"""Have people's matches judged by the engine of one of both nets.

Outputs: a store of analyses. Params: the folders.
"""

from pathlib import Path

from bgrating.entry import reporting
from study.translation.gather import judged

with reporting(snakemake.log[0]):
    store = Path(snakemake.output.store)
    folders = [Path(name) for name in snakemake.params.collections]
    found = judged(folders, store.parent, snakemake.wildcards.nets, store, snakemake.threads)
    print(f"{len(found.files)} files, {len(found.matches) // 2} matches judged by gnubg {snakemake.wildcards.nets}")
