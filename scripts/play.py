"""Play one shard of a design point.

Settings: engine, nets, time_limit_minutes. Inputs: levels and move filters (gnubg_configs/). Outputs: the
archive of .mat files and its provenance. Params: the study's seed. Resources: the number of matches.
"""

from pathlib import Path

from bgrating.entry import reporting
from bgrating.gnubg.choice import engine_of
from bgrating.study import shards
from bgrating.tournament.design import study_design

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
        limits=shards.limits_of(snakemake.config, snakemake.log[0]),
    )
