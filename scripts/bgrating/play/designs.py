"""Designs of studies (config/designs).

Players and numbers of matches, and the paths of shards and frozen tables.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

from bgmatch.records import Record
from bgrating.engine import levels
from bgrating.places import DATA, own_files
from bgrating.settings import (
    SettingsError,
    check,
    check_name,
    load_yaml,
    settings_files,
    shown_path,
)
from bgrating.tables.provenance import checked_provenance, provenance_path

# The maximum number of shards of a cell, since their numbers have three digits.
MOST_SHARDS = 1000
DESIGNS = DATA / "config" / "designs"


@dataclass(frozen=True)
class Shard:
    """The matches of one engine process.

    A number within the design point and a number of matches.
    """

    number: int
    matches: int


@dataclass(frozen=True)
class ShardTask:
    """The parameters of a shard's play; the first player sits in the left column."""

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
        return map(self.shard, range(math.ceil(self.matches / self.shard_matches)))

    def shard(self, number: int) -> Shard:
        """Return a shard by its number.

        A shard with too high a number has no matches (0 or fewer).
        """
        return Shard(number, min(self.shard_matches, self.matches - number * self.shard_matches))

    def place(self, shard: Shard) -> str:
        """Return the path of a shard's files below a folder, without suffix."""
        return f"{self.match_length}/{self.player}~{self.opponent}/{shard.number:03d}"


@dataclass(frozen=True)
class Design:
    """A study's design: its name, its seed and its analysis level.

    Its design points are in order of priority. `match_equity_table`, if any, replaces that of the
    levels.
    """

    study: str
    seed: int
    analysis: str
    match_equity_table: str | None
    points: tuple[DesignPoint, ...]

    def player_level(self, spec: str) -> levels.PlayerLevel:
        player = levels.player(spec)
        return replace(
            player, match_equity_table=self.match_equity_table or player.match_equity_table
        )

    def analysis_level(self) -> levels.Analysis:
        level = levels.analysis(self.analysis)
        return replace(
            level, match_equity_table=self.match_equity_table or level.match_equity_table
        )

    def task(self, point: DesignPoint, shard: Shard) -> ShardTask:
        players = self.player_level(point.player), self.player_level(point.opponent)
        return ShardTask(players, point.match_length, self.seed, shard.number, shard.matches)

    def point(self, player: str, opponent: str, match_length: int) -> DesignPoint:
        """Return a design point. Raises KeyError if the study has no such point."""
        return self._by_key[player, opponent, match_length]

    @cached_property
    def _by_key(self) -> dict[tuple[str, str, int], DesignPoint]:
        return {(point.player, point.opponent, point.match_length): point for point in self.points}

    def points_of(self, match_length: int) -> list[DesignPoint]:
        return [point for point in self.points if point.match_length == match_length]

    def match_lengths(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(point.match_length for point in self.points))


def studies() -> dict[str, Path]:
    """Return the files of designs by study: the project's, then the user's own."""
    return settings_files(DESIGNS, own_files("designs"))


def published() -> list[str]:
    """Return the names of the project's designs that repeat a published study, without parsing the
    files.
    """
    return [
        path.stem
        for path in sorted(DESIGNS.glob("*.yaml"))
        if "\npublished: true\n" in path.read_text("utf-8")
    ]


@cache
def design(study: str) -> Design:
    """Return a study's design. Raises SettingsError naming a wrong key, level or study."""
    files = studies()
    if study not in files:
        raise SettingsError(f"no study {study!r} in config/designs; there are: {', '.join(files)}")
    check_name(DESIGNS, files[study])
    where = shown_path(files[study])
    settings: Record = load_yaml(files[study])
    check(settings, "design", where)
    lengths = list(
        dict.fromkeys(length for group in settings["points"] for length in group["match_lengths"])
    )
    points = tuple(sorted(_points(settings), key=lambda point: lengths.index(point.match_length)))
    if len(points) > len({(point.player, point.opponent, point.match_length) for point in points}):
        raise SettingsError(f"{where}: a design point is given twice")
    try:
        for spec in dict.fromkeys(
            spec for point in points for spec in (point.player, point.opponent)
        ):
            levels.player(spec)
        levels.analysis(settings["analysis"])
    except SettingsError as problem:
        raise SettingsError(f"{where}: {problem}") from problem
    largest = max(math.ceil(point.matches / point.shard_matches) for point in points)
    if largest > MOST_SHARDS:
        raise SettingsError(
            f"{where}: a cell has {largest:,} shards, and {MOST_SHARDS:,} are the most: raise"
            " shard_matches"
        )
    return Design(
        study=study,
        seed=settings["seed"],
        analysis=settings["analysis"],
        match_equity_table=settings.get("match_equity_table"),
        points=points,
    )


def frozen_table(results: Path, study: str, match_length: int) -> Path:
    return results / study / "frozen" / f"{match_length}.parquet"


def frozen_tables(results: Path, design: Design) -> dict[int, Path]:
    """Return the frozen tables of a design that have matches, by match length.

    Raises ProvenanceError.
    """
    tables = {
        length: frozen_table(results, design.study, length) for length in design.match_lengths()
    }
    return {
        length: table
        for length, table in tables.items()
        if provenance_path(table).is_file() and checked_provenance(table)["rows"]
    }


def _points(settings: Record) -> Iterator[DesignPoint]:
    for group in settings["points"]:
        players = group.get("players") or [
            f"{a}+{b}" for a in group["chequer"] for b in group["cube"]
        ]
        for length in group["match_lengths"]:
            for player in players:
                yield DesignPoint(
                    player, group["opponent"], length, group["matches"], settings["shard_matches"]
                )
