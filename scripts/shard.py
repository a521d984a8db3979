"""Play one shard of a design point and analyse it.

Settings: engine, nets, time_limit_minutes. Inputs: levels and move filters (gnubg_configs/). Outputs: the archive of
.mat files, the table of one row per match and player, and their provenance. Params: the study's seed. Resources: the
number of matches.
"""

from dataclasses import replace
from pathlib import Path

from bgrating.engine.locate import engine_of
from bgrating.entry import reporting
from bgrating.play.designs import Shard
from bgrating.play.shards import limits_of, play_and_judge
from bgrating.referee.shard import play_part, programs
from bgrating.tournament.design import programs_of, study_design

with reporting(snakemake.log[0]):
    w, table = snakemake.wildcards, Path(snakemake.output.table)
    design = replace(study_design(w.study, snakemake.config), seed=int(snakemake.params.seed))
    point, shard = (
        design.point(w.player, w.opponent, int(w.match_length)),
        Shard(int(w.shard), snakemake.resources.matches),
    )
    engine, limits = engine_of(snakemake.config), limits_of(snakemake.config, snakemake.log[0])
    if names := programs_of(w.study, snakemake.config):
        both = {slug: names[slug] for slug in (w.player, w.opponent)}
        sides = programs(both, engine, design.analysis_level(), design.seed, limits)
        play_part(sides, point, shard, table)
    else:
        play_and_judge(engine, design.task(point, shard), design.analysis_level(), table, limits)
