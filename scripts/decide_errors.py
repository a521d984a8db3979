"""Measure how often the test of `decide` errs, and how many matches it takes, on simulated tournaments.

Inputs: a table of real matches. Outputs: decision_errors.csv with its provenance. Params: how many tests.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import write_table
from bgrating.tournament.decision import Question
from study.decision_errors import alike, error_rates

TRUTHS = (-20.0, 0.0, 10.0, 20.0, 40.0)
SEED = 2026

with reporting(snakemake.log[0]):
    frozen, path = Path(snakemake.input.matches), Path(snakemake.output.table)
    matches = alike(read_checked(frozen))
    asked = Question(match_length=int(matches["match_length"].iloc[0]))
    table = error_rates(matches, TRUTHS, asked, snakemake.params.runs, SEED)
    about = {"matches_sha256": read_provenance(frozen)["sha256"], "matches": len(matches), "seed": SEED}
    write_table(table, path, "tournament/decision_errors", **about)
    print(f"{table.T.to_string(header=False)}\nTable: {path}")
