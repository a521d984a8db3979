"""Play a shard: an archive of .mat files, and its record."""

from pathlib import Path

from bgrating.engine.locate import engine_of
from bgrating.play.shards import limits_of, play_shard
from study.asked import Asked


def run(
    asked: Asked, log: str, study: str, match_length: str, player: str, opponent: str, shard: str, out: str
) -> None:
    """Play the shard that the wildcards name."""
    part, design = asked.shard(study, player, opponent, match_length, shard), asked.design(study)
    engine, limits = engine_of(asked.config), limits_of(asked.config, log)
    programs = asked.programs(study)
    if not programs:
        play_shard(engine, design.task(part.point, part.shard), Path(out), limits)
        return
    from bgrating.referee import shard as referee  # noqa: PLC0415 - a level against a level needs no referee

    names = {name: programs[name] for name in (player, opponent)}
    sides = referee.programs(names, engine, design.analysis_level(), design.seed, limits)
    referee.play(sides, part.point, part.shard, Path(out))
