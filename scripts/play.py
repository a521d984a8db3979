"""Play one shard of a design point.

Settings: engine, engine_version, time_limit_minutes. Inputs: levels and move filters (gnubg_configs/). Outputs: the
archive of .mat files and its provenance. Params: the study's seed. Resources: the number of matches.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from bgrating import shards
from bgrating.entry import engine_of, limits_of, reporting
from bgrating.tournament.design import study_design

if TYPE_CHECKING:
    from snakemake.script import snakemake

with reporting(snakemake.log[0]):
    design = study_design(snakemake.wildcards.study, snakemake.config)
    shards.play_shard(
        engine_of(snakemake.config),
        (design.player_level(snakemake.wildcards.player), design.player_level(snakemake.wildcards.opponent)),
        int(snakemake.wildcards.match_length),
        study_seed=snakemake.params.seed,
        shard=int(snakemake.wildcards.shard),
        matches=snakemake.resources.matches,
        archive=Path(snakemake.output.archive),
        limits=limits_of(snakemake.config, snakemake.log[0]),
    )
