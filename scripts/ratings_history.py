"""Rate dated games by whole-history ratings: a rating of every player over time.

Settings: those of `./run ratings`. Inputs: games.csv and the plan. Outputs: history.csv with its provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.provenance import one_provenance
from bgrating.ratings.games import read_games_table
from bgrating.ratings.plan import read_plan
from bgrating.ratings.settings import settings
from bgrating.ratings.tables import write_history

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    games, plan = Path(snakemake.input.games), read_plan(Path(snakemake.input.plan))
    write_history(read_games_table(games), settings(snakemake.config), games.parent, plan)
