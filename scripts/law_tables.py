"""Fit the law inside its domain, and judge it on the matches of its preregistered test.

Inputs: matches of the studies that it is fitted to and of the test, as far as they have been played; the coefficients
of other nets. Outputs: the tables of the law with one provenance. Params: the nets.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.gnubg.nets import one_nets
from bgrating.law.tables import tables
from bgrating.provenance import one_provenance, read_provenance
from bgrating.study.matches import read_checked
from bgrating.tables import read_table, write_table

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    paths = [Path(path) for path in snakemake.input.matches]
    studies = {path.parent.name: read_provenance(path) for path in paths}
    nets = snakemake.params.nets
    one_nets({name: facts["engine"] for name, facts in studies.items()}, nets)
    theirs = [Path(path) for path in snakemake.input.others]
    others = {path.parents[1].name: read_table(path) for path in theirs}
    matches = {path.parent.name: read_checked(path) for path in paths}
    made = tables(matches, others, nets)
    folder = Path(snakemake.output.tables[0]).parent
    for name, table in made.items():
        write_table(table, folder / f"{name}.csv", f"law/{name}", studies=studies, nets=nets)
