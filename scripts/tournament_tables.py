"""Rate a tournament's players by every system.

Settings: those of `./run tournament`. Inputs: the table of matches. Outputs: tournament.csv, agreement.csv,
differences.csv, cells.csv, seats.csv, diluted.csv, scores.csv, slopes.csv, bins.csv, fit.json, outcomes.png, with one
provenance.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play.matches import read_checked
from bgrating.tables.provenance import one_provenance, read_provenance
from bgrating.tournament.design import tournament
from bgrating.tournament.tables import write_tables

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    table = Path(snakemake.input.matches)
    facts = read_provenance(table)
    kept = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed")
    about = {"matches_sha256": facts["sha256"], **{name: facts[name] for name in kept}}
    write_tables(read_checked(table), tournament(snakemake.config), table.parent, snakemake.config["nets"], about)
