"""Designs of studies (config/designs): players and numbers of matches, and the paths of shards and frozen tables."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from bgrating.engine import levels
from bgrating.places import DATA
from bgrating.settings import SettingsError, check, load_yaml
from bgrating.tables.provenance import provenance_path, read_provenance

DESIGNS = DATA / "config" / "designs"


@dataclass(frozen=True)
class Shard:
    """The matches of one engine process: a number within the design point and a number of matches."""

    number: int
    matches: int


@dataclass(frozen=True)
class ShardTask:
    """All parameters of playing a shard; the first player sits in the left column."""

    players: tuple[levels.PlayerLevel, levels.PlayerLevel]
    match_length: int
    study_seed: int
    shard: int
    matches: int


@dataclass(frozen=True)
class DesignPoint:
    """Two players (specs, the player first), a match length in points and a number of matches."""

    player: str
    opponent: str
    match_length: int
    matches: int
    shard_matches: int

    def shards(self) -> Iterator[Shard]:
        """Yield the shards in their order; the last may be smaller."""
        for number, first in enumerate(range(0, self.matches, self.shard_matches)):
            yield Shard(number, min(self.shard_matches, self.matches - first))


@dataclass(frozen=True)
class Design:
    """A study's design: its name, whether it repeats a published study, its seed and its analysis level.

    Its design points are in order of priority. `match_equity_table`, if any, replaces that of the levels.
    """

    study: str
    published: bool
    seed: int
    analysis: str
    match_equity_table: str | None
    points: tuple[DesignPoint, ...]

    def player_level(self, spec: str) -> levels.PlayerLevel:
        player = levels.player(spec)
        return replace(player, match_equity_table=self.match_equity_table or player.match_equity_table)

    def analysis_level(self) -> levels.Analysis:
        level = levels.analysis(self.analysis)
        return replace(level, match_equity_table=self.match_equity_table or level.match_equity_table)

    def task(self, point: DesignPoint, shard: Shard) -> ShardTask:
        players = self.player_level(point.player), self.player_level(point.opponent)
        return ShardTask(players, point.match_length, self.seed, shard.number, shard.matches)

    def point(self, player: str, opponent: str, match_length: int) -> DesignPoint:
        """Return a design point. Raises KeyError if the study has no such point."""
        for point in self.points:
            if (point.player, point.opponent, point.match_length) == (player, opponent, match_length):
                return point
        raise KeyError(f"{self.study} has no design point {player} against {opponent} at {match_length} points")

    def points_of(self, match_length: int) -> list[DesignPoint]:
        return [point for point in self.points if point.match_length == match_length]

    def match_lengths(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(point.match_length for point in self.points))


def studies() -> list[str]:
    return sorted(path.stem for path in DESIGNS.glob("*.yaml"))


@cache
def design(study: str) -> Design:
    """Return a study's design. Raises SettingsError naming a wrong key, level or study."""
    if study not in studies():
        raise SettingsError(f"no study {study!r} in config/designs; there are: {', '.join(studies())}")
    where = f"config/designs/{study}.yaml"
    settings: Mapping[str, Any] = load_yaml(DESIGNS / f"{study}.yaml")
    check(settings, "design", where)
    points = tuple(sorted(_points(settings), key=lambda point: _rank(settings, point)))
    played = {(point.player, point.opponent, point.match_length) for point in points}
    if len(played) < len(points):
        raise SettingsError(f"{where}: a design point is given twice")
    for point in points:
        for spec in (point.player, point.opponent):
            levels.player(spec)
    levels.analysis(settings["analysis"])
    return Design(
        study=study,
        published=settings["published"],
        seed=settings["seed"],
        analysis=settings["analysis"],
        match_equity_table=settings.get("match_equity_table"),
        points=points,
    )


def shard_table(results: Path, study: str, point: DesignPoint, shard: int) -> Path:
    """Return the path of a shard's table of one row per match and player; its archive is beside it (.zip)."""
    players = f"{point.player}~{point.opponent}"
    return results / study / "shards" / str(point.match_length) / players / f"{shard:03d}.csv"


def require_seed(archive: Path, seed: int) -> None:
    played_with = read_provenance(archive)["study_seed"]
    if played_with != seed:
        raise SettingsError(
            f"{archive.parent} holds matches of the seed {played_with}, not of {seed}: give --seed {played_with}, or "
            "another --name"
        )


def require_matches(table: Path, design: Design) -> None:
    held, planned = int(read_provenance(table)["rows"]), sum(point.matches for point in design.points)
    if held < planned:
        raise SettingsError(f"{table} holds {held:,} matches, and {planned:,} are asked for: give another --name")


def frozen_table(results: Path, study: str, match_length: int) -> Path:
    return results / study / "frozen" / f"{match_length}.parquet"


def frozen_matches(results: Path, design: Design) -> dict[int, int]:
    tables = {length: frozen_table(results, design.study, length) for length in design.match_lengths()}
    return {
        length: int(read_provenance(table)["rows"])
        for length, table in tables.items()
        if provenance_path(table).is_file()
    }


def _points(settings: Mapping[str, Any]) -> Iterator[DesignPoint]:
    for group in settings["points"]:
        players = group.get("players") or [f"{a}+{b}" for a in group["chequer"] for b in group["cube"]]
        for length in group["match_lengths"]:
            for player in players:
                yield DesignPoint(player, group["opponent"], length, group["matches"], settings["shard_matches"])


def _rank(settings: Mapping[str, Any], point: DesignPoint) -> int:
    order = dict.fromkeys(length for group in settings["points"] for length in group["match_lengths"])
    return list(order).index(point.match_length)
