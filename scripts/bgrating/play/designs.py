"""Read designs of studies (config/designs): who plays how many matches, and where they lie."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, product
from pathlib import Path

from bgmatch.records import Record
from bgrating.engine import levels
from bgrating.places import DATA, user_files
from bgrating.settings_files import SettingsError, read_settings, settings_files, shown_path
from bgrating.suggestion import did_you_mean
from bgrating.tables.provenance import checked_provenance, provenance_path

# The maximum number of shards of a cell, since their numbers have three digits.
MOST_SHARDS = 1000
DESIGNS = DATA / "config" / "designs"


@dataclass(frozen=True)
class Shard:
    """The matches of one engine process: its number within the design point, and how many."""

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

    def shard_path(self, shard: Shard) -> str:
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
    return settings_files(DESIGNS, user_files("designs"))


def published() -> list[str]:
    """Return the names of the project's designs that repeat a published study.

    It parses no file.
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
        nearest = did_you_mean(study, files)
        raise SettingsError(
            f"no study {study!r} in config/designs{nearest}; there are: {', '.join(files)}"
        )
    settings: Record = read_settings(DESIGNS, files[study], "design")
    result = Design(
        study,
        settings["seed"],
        settings["analysis"],
        settings.get("match_equity_table"),
        tuple(_points(settings)),
    )
    try:
        _check(result)
    except SettingsError as problem:
        raise SettingsError(f"{shown_path(files[study])}: {problem}") from problem
    return result


def _check(design: Design) -> None:
    """Raise SettingsError for unknown levels, a point twice, and too many shards."""
    if len(design.points) > len(design._by_key):
        raise SettingsError("a design point is given twice")
    design.analysis_level()
    pairs = ((point.player, point.opponent) for point in design.points)
    for spec in dict.fromkeys(chain.from_iterable(pairs)):
        levels.player(spec)
    most = max(math.ceil(point.matches / point.shard_matches) for point in design.points)
    if most > MOST_SHARDS:
        raise SettingsError(
            f"a cell has {most:,} shards, and {MOST_SHARDS:,} are the most: raise shard_matches"
        )


def frozen_table(results: Path, study: str, match_length: int) -> Path:
    return results / study / "frozen" / f"{match_length}.parquet"


def frozen_tables(results: Path, design: Design) -> dict[int, Path]:
    """Return the frozen tables of a design that have matches, by match length.

    Raises ProvenanceError.
    """
    tables = {}
    for length in design.match_lengths():
        table = frozen_table(results, design.study, length)
        if provenance_path(table).is_file() and checked_provenance(table)["rows"]:
            tables[length] = table
    return tables


def _points(settings: Record) -> Iterator[DesignPoint]:
    """Yield the points of all groups, the first match length first."""
    by_length: dict[int, list[DesignPoint]] = {}
    for group in settings["points"]:
        size = group["matches"], settings["shard_matches"]
        halves = product(group.get("chequer", ()), group.get("cube", ()))
        players = group.get("players") or list(map("+".join, halves))
        for length, player in product(group["match_lengths"], players):
            point = DesignPoint(player, group["opponent"], length, *size)
            by_length.setdefault(length, []).append(point)
    return chain.from_iterable(by_length.values())
