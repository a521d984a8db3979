"""Read a file of games, account for its rows, and say which methods can rate them.

Settings: those of `./run ratings`. Outputs: games.csv, self_play.csv and flagged.csv, with one provenance, and
plan.json.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.league.plan import make_plan, write_plan
from bgrating.league.settings import settings
from bgrating.tables.provenance import one_provenance

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    plan_file = Path(snakemake.output.plan)
    write_plan(make_plan(settings(snakemake.config), plan_file.parent), plan_file)
