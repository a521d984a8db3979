"""Have a part of a collection analysed that no store has yet.

Settings: those of the collection. Inputs: the store of what was read. Outputs: a store of analyses. Params: the number
of parts, the store of earlier runs, the nets where they are not those of the settings.
"""

from pathlib import Path

from bgrating.collection.shards import analyse_part, asked_of
from bgrating.entry import reporting

with reporting(snakemake.log[0]):
    params = snakemake.params
    before = [Path(snakemake.input.read), Path(params.before)]
    asked = asked_of({**snakemake.config, **params.get("instead", {})})
    new, failed = analyse_part(asked, int(snakemake.wildcards.part), params.parts, before, Path(snakemake.output.store))
    print(
        f"part {snakemake.wildcards.part}: {new} matches analysed" + (f", {failed} to be tried again" if failed else "")
    )
