"""Make the tables of the statistics and the recommended formula.

Inputs: matches, points, coefficients and formula of the study of cells, measured costs, and the frozen parts of the
planned study where they are there. Outputs: the tables and both formulas with their provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from bgrating.compare.sources import read
from bgrating.entry import reporting
from bgrating.match_table import read_checked
from bgrating.model.formula import write_no_formula
from bgrating.model.tables import write_table
from bgrating.provenance import read_provenance, write_provenance
from bgrating.statistics.tables import tables

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    study = read(Path(snakemake.input.matches).parent)
    costs = Path(snakemake.input.costs)
    origin = {"studies": {study.name: study.facts}, "costs_sha256": read_provenance(costs)["sha256"]}
    parts = None
    if snakemake.input.plain:
        parts = {
            "luck": read_checked(Path(snakemake.input.luck[0])),
            "errors": read_checked(Path(snakemake.input.errors[0])),
            "plain": pd.read_csv(snakemake.input.plain[0], dtype={"player": str, "opponent": str}),
        }  # fmt: skip
        for path in (*snakemake.input.luck, *snakemake.input.errors, *snakemake.input.plain):
            facts = read_provenance(Path(path))
            origin["studies"][facts["study"]] = facts
    made, formulas = tables(study, pd.read_csv(costs), parts)
    path = Path(snakemake.output.formula)
    for name, table in made.items():
        write_table(table, path.with_name(f"{name}.csv"), **origin)
    for file in (path, Path(snakemake.output.per_decision)):
        if file.stem in formulas:
            formulas[file.stem].write(file)
        else:
            write_no_formula(file, "the study of cells has not been played at two match lengths", {"study": study.name})
        write_provenance(file, **origin)
