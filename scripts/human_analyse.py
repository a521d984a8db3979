"""Analyse a batch of matches of a collection.

Settings: engine, nets, time_limit_minutes. Inputs: the batch, the analysis level and the move filters
(gnubg_configs/). Outputs: the table of figures, its provenance, the decisions. Params: the level's name.
"""

from pathlib import Path

from bgrating.collection.analysis import analyse_batch
from bgrating.entry import reporting
from bgrating.gnubg import levels
from bgrating.gnubg.choice import engine_of
from bgrating.study.shards import limits_of

with reporting(snakemake.log[0]):
    analyse_batch(
        engine_of(snakemake.config),
        levels.analysis(snakemake.params.level),
        Path(snakemake.input.batch),
        Path(snakemake.output.table),
        limits_of(snakemake.config, snakemake.log[0]),
        Path(snakemake.output.decisions),
    )
