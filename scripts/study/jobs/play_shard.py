"""Play a shard; write its archive of .mat files, and its provenance."""

from pathlib import Path

from bgrating import BgratingError
from bgrating.engine.locate import engine_of
from bgrating.play.archive import limits_of
from bgrating.play.shards import play_shard
from study.workflow_settings import Settings


def run(settings: Settings, log: str, out: str, study: str, *shard: str) -> None:
    """Play a shard; `study` and `shard` are the wildcards of its place (as of `Settings.shard`)."""
    point, matches, _ = settings.shard(study, *shard)
    design = settings.design(study)
    engine = engine_of(settings.config)
    limits = limits_of(settings.config, log)
    programs = settings.programs(study)
    if not programs:
        play_shard(engine, design.task(point, matches), Path(out), limits)
        return
    from bgduel import shard as referee  # noqa: PLC0415 - two levels of one engine need no referee

    names = {name: programs[name] for name in (point.player, point.opponent)}
    sides = referee.programs(names, referee.Conditions(engine, design.seed), Path(log))
    given_up = referee.play(sides, referee.ShardFiles(point, matches, Path(out), Path(log)))
    sides.close()
    if given_up:
        raise BgratingError(given_up)
