"""Count how often intervals hold the truth, over simulated studies, persons and rules of stopping.

Inputs: matches of the study of cells, the recommended formula and the study's own. Makes coverage.csv,
person_coverage.csv and sequential.csv with one provenance in `folder`. Params: that folder, number of studies,
matches of a cell, seed.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.rating.formula import read_formula
from bgrating.tables.provenance import one_provenance
from bgrating.tables.tables import inherited, write_all
from study.evidence.coverage import HIGH, LOW, outside
from study.evidence.coverage_tables import coverage_tables

with reporting(snakemake.log[0]):
    params, matches = snakemake.params, Path(snakemake.input.matches)
    origin = inherited(matches) | {"simulated_studies": params.studies, "seed": params.seed}
    made = coverage_tables(
        read_checked(matches),
        *(read_formula(Path(file)) for file in (snakemake.input.formula, snakemake.input.own)),
        params.studies,
        params.matches,
        params.seed,
    )
    folder = Path(params.folder)
    with one_provenance(folder / "coverage_tables.provenance.json"):
        write_all(made, folder, "statistics", **origin)
    table = made["coverage"]
    print(table[table["default"]][["world", "quantity", "kind", "match_length", "term", "coverage"]].to_string())
    print(made["person_coverage"][["player", "matches", "coverage"]].to_string())
    print(made["sequential"][["match_length", "player", "stops_when", "interval", "coverage"]].to_string())
    for line in outside(table):
        print(f"not within {LOW:.0%} to {HIGH:.0%}: {line}")
