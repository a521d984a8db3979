"""Play a shard with the engine of one nets, and analyse it with those of both.

Settings: time_limit_minutes. Inputs: levels and move filters (gnubg_configs/). Outputs: an archive of .mat files, a
table for each nets, their provenance. Params: the study's seed. Wildcards: the nets that play, the shard.
"""

from dataclasses import replace
from pathlib import Path

from bgrating.engine.locate import find_engine
from bgrating.entry import reporting
from bgrating.play import designs
from bgrating.play.shards import limits_of
from study.translation.gather import play_for_both
from study.translation.names import NETS

with reporting(snakemake.log[0]):
    w = snakemake.wildcards
    design = replace(designs.design(w.study), seed=int(snakemake.params.seed))
    point = design.point(w.player, w.opponent, int(w.match_length))
    play_for_both(
        design,
        point,
        list(point.shards())[int(w.shard)],
        w.nets,
        {nets: find_engine(nets=nets) for nets in NETS},
        Path(snakemake.output.archive),
        limits_of(snakemake.config, snakemake.log[0]),
    )
