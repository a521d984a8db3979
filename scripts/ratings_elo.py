"""Rate games one by one, and again and again over games drawn anew.

Settings: those of `./run ratings`. Inputs: games.csv and the plan. Outputs: elo.csv, elo_log.csv, elo_runs.csv,
odds.csv, first_mover.csv, with one provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.provenance import one_provenance
from bgrating.ratings.games import read_games_table
from bgrating.ratings.plan import read_plan
from bgrating.ratings.settings import settings
from bgrating.ratings.tables import write_elo

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    games, plan = Path(snakemake.input.games), read_plan(Path(snakemake.input.plan))
    for line in write_elo(read_games_table(games), settings(snakemake.config), games.parent, plan.facts):
        print(f"elo: {line}")
