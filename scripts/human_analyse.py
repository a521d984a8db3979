"""Analyse a batch of people's matches, with the engine of the settings or of the nets that a wildcard names.

Settings: engine, nets, time_limit_minutes. Inputs: the batch, the analysis level and the move filters
(gnubg_configs/). Outputs: the table of figures, its provenance and, where the rule wants them, the decisions. Params:
the level's name.
"""

from pathlib import Path

from bgrating.collection.analysis import analyse_batch
from bgrating.engine import levels
from bgrating.engine.choice import engine_of
from bgrating.engine.locate import find_engine
from bgrating.entry import reporting
from bgrating.play.shards import limits_of

with reporting(snakemake.log[0]):
    nets, decisions = snakemake.wildcards.get("nets"), snakemake.output.get("decisions")
    analyse_batch(
        find_engine(nets=nets) if nets else engine_of(snakemake.config),
        levels.analysis(snakemake.params.level),
        Path(snakemake.input.batch),
        Path(snakemake.output.table),
        limits_of(snakemake.config, snakemake.log[0]),
        Path(decisions) if decisions else None,
    )
