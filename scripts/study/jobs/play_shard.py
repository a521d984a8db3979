"""Play a shard; write its archive of .mat files, and its provenance."""

from pathlib import Path

from bgrating import BgratingError
from bgrating.engine.locate import engine_of
from bgrating.play.archive import limits_of
from bgrating.play.shards import play_shard
from study.workflow_settings import Settings


def run(settings: Settings, log: str, out: str, study: str, *shard: str) -> None:
    """Play a shard; `study` and `shard` are the wildcards of its place (as of `Settings.shard`)."""
    part = settings.shard(study, *shard)
    design = settings.design(study)
    engine = engine_of(settings.config)
    limits = limits_of(settings.config, log)
    programs = settings.programs(study)
    if not programs:
        play_shard(engine, design.task(part.point, part.shard), Path(out), limits)
        return
    from bgduel import shard as referee  # noqa: PLC0415 - two levels of one engine need no referee

    names = {name: programs[name] for name in (part.point.player, part.point.opponent)}
    both = referee.programs(names, referee.Conditions(engine, design.seed), Path(log))
    given_up = referee.play(both, referee.ShardFiles(part.point, part.shard, Path(out), Path(log)))
    both.close()
    if given_up:
        raise BgratingError(given_up)
