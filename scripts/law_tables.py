"""Fit the law inside its domain, and judge it on the matches of its preregistered test.

Inputs: matches of the studies that it is fitted to and of the test, as far as they have been played; the coefficients
of other nets. Outputs: the tables of the law with one provenance. Params: the nets.
"""

from pathlib import Path

from bgrating.comparison.studies import matches_of
from bgrating.entry import reporting
from bgrating.law.tables import tables
from bgrating.provenance import one_provenance
from bgrating.tables import read_table, write_all

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    nets, folder = snakemake.params.nets, Path(snakemake.output.tables[0]).parent
    matches, studies = matches_of(snakemake.input.matches, nets)
    others = {path.parents[1].name: read_table(path) for path in map(Path, snakemake.input.others)}
    write_all(tables(matches, others, nets), folder, "law", studies=studies, nets=nets)
