"""Gather pairs: matches with the figures of both nets side by side.

Settings: part, collections (at least one of them). Inputs: tables of both engines. Outputs: the pairs and their
provenance. Params: the design of the simulated matches and the folders of people's; where one is empty its pairs are
taken from the repository's.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play import designs
from study.translation import gather
from study.translation.names import NETS, PEOPLE, SIMULATED, batch_tables, check_wish

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
        tables = batch_tables(str(folder / "people" / "plan.json"))
        own = {nets: [Path(path) for path in tables if Path(path).parent.name == nets] for nets in NETS}
        parts.append(gather.collections(folder / "people" / "readings.jsonl", own))
    else:
        parts.append(gather.frozen(PEOPLE))
    gather.write(parts, table)
