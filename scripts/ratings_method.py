"""Rate games by one method.

Settings: those of `./run ratings`. Inputs: games.csv, self_play.csv and the plan. Outputs: the tables of the method
(TABLES of league/settings.py), with one provenance. Params: the method's name.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.league.plan import read_plan
from bgrating.league.settings import settings
from bgrating.league.tables import write_method
from bgrating.tables.provenance import one_provenance

with reporting(snakemake.log[0]), one_provenance(Path(snakemake.output.provenance)):
    plan, method = Path(snakemake.input.plan), snakemake.params.method
    for line in write_method(method, settings(snakemake.config), plan.parent, read_plan(plan), snakemake.threads):
        print(f"{method}: {line}")
