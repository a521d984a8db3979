"""Analyse a batch of people's matches with the engine of one nets.

Settings: time_limit_minutes. Inputs: the batch, the analysis level and the move filters (gnubg_configs/). Outputs: the
table of figures and its provenance. Params: the level's name. Wildcards: the nets.
"""

from pathlib import Path

from bgrating.collection.analysis import analyse_batch
from bgrating.entry import reporting
from bgrating.gnubg import levels
from bgrating.gnubg.locate import find_engine
from bgrating.study.shards import limits_of

with reporting(snakemake.log[0]):
    analyse_batch(
        find_engine(nets=snakemake.wildcards.nets),
        levels.analysis(snakemake.params.level),
        Path(snakemake.input.batch),
        Path(snakemake.output.table),
        limits_of(snakemake.config, snakemake.log[0]),
    )
