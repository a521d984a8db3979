"""Take over the shards of the same tournament that another machine has played.

Settings: those of `./run tournament`, and merge=DIR, a folder results/tournament/<name>.
"""

from pathlib import Path

from bgrating.engine.nets import of_run
from bgrating.entry import reporting
from bgrating.settings import SettingsError
from bgrating.tournament.design import tournament
from bgrating.tournament.played import merge

with reporting(snakemake.log[0]):
    if "merge" not in snakemake.config:
        raise SettingsError("no folder to merge: ./run tournament_merge --config merge=DIR")
    design = tournament(snakemake.config).design
    for line in merge(design, of_run(snakemake.config), Path(snakemake.config["merge"])):
        print(line)
