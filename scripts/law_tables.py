"""Fit the law inside its domain, and judge it on the matches of its preregistered test.

Inputs: matches of the studies that it is fitted to and of the test, as far as they have been played; the coefficients
of other nets. Outputs: the tables of the law with one provenance. Params: the nets.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import read_table, write_all
from study.comparison.studies import matches_of
from study.law.tables import tables

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    nets, folder = snakemake.params.nets, Path(snakemake.output.tables[0]).parent
    matches, studies = matches_of(snakemake.input.matches, nets)
    others = {path.parents[1].name: read_table(path) for path in map(Path, snakemake.input.others)}
    write_all(tables(matches, others, nets), folder, "law", studies=studies, nets=nets)
