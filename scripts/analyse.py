"""Analyse one archive of .mat files.

Settings: engine, engine_version, time_limit_minutes. Inputs: the archive, the analysis level and the move filters
(gnubg_configs/). Outputs: the table of one row per match and player, and its provenance.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating import shards
from bgrating.entry import engine_of, limits_of, reporting
from bgrating.tournament.design import study_design

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    shards.analyse_archive(
        engine_of(snakemake.config),
        study_design(snakemake.wildcards.study, snakemake.config).analysis_level(),
        Path(snakemake.input.archive),
        Path(snakemake.output.table),
        limits_of(snakemake.config, snakemake.log[0]),
    )
