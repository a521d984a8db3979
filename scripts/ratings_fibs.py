"""Rate players by the FIBS formula, in which a long match says more.

Settings: those of `./run ratings`. Inputs: games.csv and the plan. Outputs: fibs.csv, fibs_chances.csv, each with its
provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating.entry import reporting
from bgrating.provenance import one_provenance
from bgrating.ratings.games import read_games_table
from bgrating.ratings.plan import read_plan
from bgrating.ratings.settings import settings
from bgrating.ratings.tables import write_fibs

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    games, plan = Path(snakemake.input.games), read_plan(Path(snakemake.input.plan))
    write_fibs(read_games_table(games), settings(snakemake.config), games.parent, plan)
