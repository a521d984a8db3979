"""Pool the shards that have been played so far into frozen tables, one for each match length of each study.

Params: the studies, the folder of results. A table says in its provenance how many of its planned matches it holds; a
table that holds more than the shards at hand (it came with the repository, they did not) is left alone.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.play import designs
from bgrating.play.wins import freeze_wins
from bgrating.tournament.design import study_design
from study.pooling import freeze_what_is_there

with reporting(snakemake.log[0]):
    for study in snakemake.params.studies:
        design, results = study_design(study, snakemake.config), Path(snakemake.params.results)
        if design.analysis == designs.NO_ANALYSIS:
            print(freeze_wins(design, results))
            continue
        for line in freeze_what_is_there(design, results):
            print(line)
