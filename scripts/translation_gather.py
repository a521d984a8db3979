"""Gather pairs: matches with the figures of both nets side by side.

Settings: part, collections (at least one of them). Inputs: tables of both engines, stores of their analyses. Outputs:
the pairs and their provenance. Params: the design of the simulated matches and the folders of people's; where one is
empty its pairs are taken from the repository's.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play import designs
from study.translation import gather
from study.translation.names import NETS, PEOPLE, SIMULATED, check_wish

with reporting(snakemake.log[0]):
    check_wish(snakemake.config)
    table, study = Path(snakemake.output.table), snakemake.params.study
    folder = table.parent
    parts = []
    if study:
        shards = [
            (nets, point, shard.number, designs.shard_table(folder / "played" / nets, study, point, shard.number))
            for nets in NETS
            for point in designs.design(study).points
            for shard in point.shards()
        ]
        parts.append(gather.simulated([(*about, path.with_suffix(".zip")) for *about, path in shards]))
    else:
        parts.append(gather.frozen(SIMULATED))
    if snakemake.params.collections:
        folders = [Path(name) for name in snakemake.params.collections]
        stores = dict(zip(NETS, map(Path, snakemake.input.analysed), strict=True))
        parts.append(gather.collections({
            nets: gather.judged(folders, folder / "people", nets, store, snakemake.threads)
            for nets, store in stores.items()
        }))  # fmt: skip
    else:
        parts.append(gather.frozen(PEOPLE))
    gather.write(parts, table)
