"""Judge the forms of the rating formula and fit the formula of an engine.

Inputs: matches of the studies, as far as they have been played; the coefficients fixed before the third test; the
table `lengths` of other nets. Outputs: the tables of the law and formula.json with one provenance. Params: the nets.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import read_table, write_all
from study.comparison.studies import matches_of
from study.law.tables import tables
from study.law.tests import fixed_coefficients

with reporting(snakemake.log[0]):
    nets, folder = snakemake.params.nets, Path(snakemake.output.tables[0]).parent
    matches, studies = matches_of(snakemake.input.matches, nets)
    fixed = {name: one for path in snakemake.input.fixed for name, one in fixed_coefficients(Path(path)).items()}
    others = {path.parents[1].name: read_table(path) for path in map(Path, snakemake.input.others)}
    made, formula = tables(matches, fixed, others, nets)
    with one_provenance(Path(snakemake.output.provenance)):
        write_all(made, folder, "law", studies=studies, nets=nets)
    formula.write(Path(snakemake.output.formula), studies=studies, nets=nets)
