"""Make every table of the translation between nets.

Inputs: the pairs, the formulas of both nets (`coefficients=fitted`) as far as they are there. Outputs: the tables with
their provenance.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import one_provenance, read_provenance, sha256
from bgrating.tables.tables import write_all
from study.translation.names import NETS, formula_files
from study.translation.pairs import read_pairs
from study.translation.prediction import tables

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    pairs, paths = Path(snakemake.input.pairs), formula_files()
    facts = read_provenance(pairs)
    about = {name: facts[name] for name in ("engines", "analysis", "matches", "people")}
    formulas = {nets: sha256(paths[nets]) if nets in paths else "not fitted yet" for nets in NETS}
    made = tables(read_pairs(pairs), {nets: read_formula(path) for nets, path in paths.items()})
    about |= {"pairs_sha256": facts["sha256"], "formulas": formulas}
    write_all(made, Path(snakemake.output.tables[0]).parent, "translation", **about)
