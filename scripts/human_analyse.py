"""Analyse a batch of matches of a collection.

Settings: engine, engine_version, time_limit_minutes. Inputs: the batch, the analysis level and the move filters
(gnubg_configs/). Outputs: the table of figures and its provenance. Params: the level's name.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating import levels
from bgrating.entry import engine_of, limits_of, reporting
from bgrating.human.analysis import analyse_batch

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    analyse_batch(
        engine_of(snakemake.config),
        levels.analysis(snakemake.params.level),
        Path(snakemake.input.batch),
        Path(snakemake.output.table),
        limits_of(snakemake.config, snakemake.log[0]),
    )
