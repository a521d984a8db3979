"""Plan a duel: its two sides, the question, who plays the matches, and where they lie.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before
the referee. The name of the folder of matches depends on the programs and settings that play them,
so no other program continues them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from itertools import permutations
from pathlib import Path

from bgduel.decision import ALONE_PRICE, Question, question_of
from bgduel.shard import Conditions, Programs, ShardFiles, programs
from bgmatch.records import Json, Record
from bgrating.engine import levels
from bgrating.engine.levels import Analysis, PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.engine.side_names import are_levels, pair_of, slugs
from bgrating.places import TOURNAMENT
from bgrating.play.archive import ArchiveAnalyst, Limits
from bgrating.play.designs import DesignPoint, ShardTask
from bgrating.play.shards import play_and_analyse
from bgrating.settings_files import SettingsError, load_yaml
from bgrating.tables.folder import check_name
from bgrating.tables.provenance import digest

SHARD = 10  # matches of one seat between two looks


@dataclass(frozen=True)
class Alone:
    """Two levels of one gnubg, which plays their matches by itself."""

    levels: Mapping[str, PlayerLevel]
    conditions: Conditions
    luck_price = ALONE_PRICE

    @property
    def identities(self) -> Mapping[str, Json]:
        return {name: asdict(level) for name, level in self.levels.items()}

    def play(self, files: ShardFiles, analyst: ArchiveAnalyst) -> None:
        """Play and analyse a shard. Raises EngineError."""
        cell = files.cell
        shard = files.shard
        players = self.levels[cell.player], self.levels[cell.opponent]
        seed = self.conditions.seed
        task = ShardTask(players, cell.match_length, seed, shard.number, shard.matches)
        play_and_analyse(analyst, task, files.table)
        self.conditions.on_matches(shard.matches)

    def close(self) -> None:
        """Do nothing: an engine ends with its shard."""


@dataclass(frozen=True)
class Plan:
    """Two sides, the question of the test, and who plays their matches.

    `names` are as in the settings, `players` as in tables and matches. `matches` is the folder of
    the shards, `folder` that of the answer. `level` is that of the analysis, which may take
    `seconds` of CPU a shard. If it has no luck, luck is never subtracted.
    """

    names: tuple[str, ...]
    players: tuple[str, ...]
    question: Question
    player: Alone | Programs
    level: Analysis
    seconds: float
    matches: Path
    folder: Path

    def shard_files(self) -> Iterator[ShardFiles]:
        """Yield the shards in their order: round by round, both seats."""
        length = self.question.match_length
        most = -(-self.question.max_matches // 2)
        seats = permutations(self.players)
        cells = [DesignPoint(left, right, length, most, SHARD) for left, right in seats]
        for shard in cells[0].shards():
            for cell in cells:
                archive = self.matches / "shards" / f"{cell.shard_path(shard)}.zip"
                log = f"{cell.player}~{cell.opponent}-{shard.number:03d}.log"
                yield ShardFiles(cell, shard, archive, self.matches / "logs" / log)

    def play(self, files: ShardFiles, *, with_luck: bool) -> None:
        """Play and analyse a shard that is not stored. Raises StoppedError, EngineError."""
        if not files.is_stored():
            level = replace(self.level, luck=with_luck)
            limits = Limits(self.seconds, files.log)
            self.player.play(files, ArchiveAnalyst(self.player.conditions.engine, level, limits))

    def stored_matches(self) -> int:
        """Return the number of matches that lie in the folder already."""
        return sum(files.shard.matches for files in self.shard_files() if files.is_stored())

    def warnings(self) -> Iterator[str]:
        """Yield what a user should know before the first match: matches that lie there already."""
        stored = self.stored_matches()
        if stored:
            matches = f"{stored:,} matches that these programs have played already"
            yield f"uses {matches} ({self.matches})"
        for folder in sorted(self.matches.parent.glob("*/shards")):
            if folder.parent != self.matches:
                yield (
                    f"does not use the matches in {folder.parent}: the programs, their files or the"
                    " settings differ"
                )


def plan(config: Record, results: Path, engine: Engine, on_matches: Callable[[int], None]) -> Plan:
    """Return the duel of the settings. Programs start once, to give their versions.

    `engine` analyses, and plays the levels that name no other engine. `time_limit` of the settings
    are its minutes of CPU a shard. Raises SettingsError, EngineError and SideError.
    """
    names = pair_of(str(config["levels"]))
    if config.get("money"):
        if "match_length" in config:
            raise SettingsError("--money and --match-length exclude each other")
        config = {**config, "match_length": 0}
    config = {**load_yaml(TOURNAMENT), **config}
    length = int(config["match_length"])
    question = question_of(config, length, 2 * SHARD)
    is_alone = are_levels(names) and length > 0
    players = names if is_alone else slugs(names)
    level = levels.analysis(config["analysis"])
    level = replace(level, luck=not config.get("no_luck"))
    answer_limit = float(config["answer_limit"])
    conditions = Conditions(engine, config["seed"], answer_limit, config, on_matches)
    if config.get("name"):
        check_name(config["name"])
    games = f"{length}-points" if length else "money"
    home = results / "decide" / (config.get("name") or f"{'~'.join(players)}-{games}")
    player: Alone | Programs
    if is_alone:
        player = Alone({name: levels.player(name) for name in names}, conditions)
    else:
        sides = dict(zip(players, names, strict=True))
        player = programs(sides, conditions, home / "logs" / "decide.log")
    # The name depends on everything that may change a match.
    programs_and_level = [player.identities, engine.known.reported, engine.package(), asdict(level)]
    settings = [player.luck_price, conditions.seed, length, answer_limit]
    matches = home / digest(programs_and_level + settings)[:12]
    seconds = 60 * float(config["time_limit"])
    folder = matches / question.name()
    return Plan(names, players, question, player, level, seconds, matches, folder)
