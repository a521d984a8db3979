"""Compare judges of several depths on the same matches.

Inputs: the frozen losses of both players by every level. Outputs: the tables with one provenance. Params: offset.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tables.tables import read_rows, write_all
from study.people import judge

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    losses = Path(snakemake.input.losses)
    table = read_rows(losses, judge.SCHEMA)
    few = judge.by_few(table, snakemake.params.offset)
    made = {"judges": judge.judges(table), "judges_few": few}
    facts = {"losses_sha256": read_provenance(losses)["sha256"]}
    write_all(made, Path(snakemake.output.tables[0]).parent, "people", **facts)
