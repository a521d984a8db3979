"""Fit the law to all studies of the nets: the formula that people are rated by, and the one for outside its domain.

Inputs: matches of the studies, as far as they have been played. Outputs: cuts.csv, lengths.csv, formula.json,
outside.json with one provenance. Params: the nets.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import write_all
from study.comparison.studies import matches_of
from study.law.tables import of_all_studies

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    nets, folder = snakemake.params.nets, Path(snakemake.output.tables[0]).parent
    matches, studies = matches_of(snakemake.input.matches, nets)
    made, formulas = of_all_studies(matches, nets)
    write_all(made, folder, "law", studies=studies, nets=nets)
    for name, formula in formulas.items():
        formula.write(folder / f"{name}.json", studies=studies, nets=nets)
