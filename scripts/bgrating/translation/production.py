"""Play and analyse what is translated: every match by the engines of both nets."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from bgrating.collection.plan import Plan, make_plan
from bgrating.gnubg.levels import Analysis
from bgrating.gnubg.locate import Engine
from bgrating.settings import SettingsError
from bgrating.study.designs import Design, DesignPoint, Shard
from bgrating.study.shards import Limits, analyse_archive, play_shard


def analysed_by(archive: Path, nets: str) -> Path:
    """Return where the table of an archive's matches stands as these nets see them."""
    return archive.with_name(f"{archive.stem}.{nets}.csv")


def play_for_both(
    design: Design,
    point: DesignPoint,
    shard: Shard,
    played_by: str,
    engines: Mapping[str, Engine],
    archive: Path,
    limits: Limits,
) -> None:
    """Play a shard with the engine of the nets `played_by` into an archive, and analyse it with each engine.

    `engines`: by nets. The tables stand beside the archive (`analysed_by`).
    """
    players = (design.player_level(point.player), design.player_level(point.opponent))
    play_shard(
        engines[played_by],
        players,
        point.match_length,
        study_seed=design.seed,
        shard=shard.number,
        matches=shard.matches,
        archive=archive,
        limits=limits,
    )
    for nets, engine in engines.items():
        analyse_archive(engine, design.analysis_level(), archive, analysed_by(archive, nets), limits)


def plan_of_collections(collections: Sequence[Path], folder: Path, level: Analysis) -> Plan:
    """Read folders of match files as one collection, so that a match that stands in two of them counts once.

    `folder` takes links to them (by their names, which the pairs keep as their source), the readings and the batches.
    Raises SettingsError where a folder is missing or two have the same name.
    """
    links = folder / "collection"
    links.mkdir(parents=True, exist_ok=True)
    for old in links.iterdir():
        old.unlink()
    for collection in collections:
        link = links / collection.resolve().name
        if not collection.is_dir():
            raise SettingsError(f"collections={collection}: no such folder (paths start at the project's folder)")
        if link.is_symlink():
            raise SettingsError(f"collections: two folders are named {link.name}; pairs go by the folder's name")
        link.symlink_to(collection.resolve())
    return make_plan(str(links), folder / "readings.jsonl", folder / "batches", level, folder / "batches")
