"""Rate the players of a full table of cells by Elo World.

Settings: those of `./run ratings`. Inputs: games.csv, self_play.csv and the plan. Outputs: eloworld.csv, ablation.csv,
cells.csv, outcomes.png, and diluted.csv if diluted players are named, with one provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.provenance import one_provenance
from bgrating.ratings.games import read_games_table
from bgrating.ratings.plan import read_plan
from bgrating.ratings.settings import settings
from bgrating.ratings.tables import write_elo_world

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    games, plan = Path(snakemake.input.games), read_plan(Path(snakemake.input.plan))
    write_elo_world(
        read_games_table(games),
        read_games_table(Path(snakemake.input.self_play)),
        settings(snakemake.config),
        games.parent,
        plan.facts,
        snakemake.threads,
    )
