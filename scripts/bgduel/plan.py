"""Plan a duel: its two sides, the question, who plays the matches, and where they lie.

Two levels of one engine meet in matches that gnubg plays by itself. Any other two sides meet before
the referee. The name of the folder of matches depends on the programs and settings that play them,
so no other program continues them.
"""

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Event
from typing import NamedTuple

from bgduel.decision import (
    ALONE_PRICE,
    EVEN_VARIANCE,
    REFEREE_PRICE,
    Question,
    question,
)
from bgduel.shard import Conditions, Programs, play_part, programs
from bgmatch.records import Json, Record
from bgrating.engine import levels
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.engine.side_names import are_levels, pair_of, slugs
from bgrating.places import TOURNAMENT
from bgrating.play.designs import DesignPoint, Shard, ShardTask
from bgrating.play.shards import Limits, play_and_judge
from bgrating.settings import SettingsError, load_yaml
from bgrating.tables.folder import check_name
from bgrating.tables.provenance import has_provenance, provenance_path, read_provenance

SHARD = 10  # matches of one seat between two looks


class Part(NamedTuple):
    """A shard of a duel: its cell, its matches, the table of their analysis, and its log."""

    cell: DesignPoint
    shard: Shard
    table: Path
    log: Path

    def is_kept(self) -> bool:
        return provenance_path(self.table).is_file()

    def record(self) -> Json:
        """Return the record of a refereed shard; it is empty if gnubg played alone.

        It has `forfeits`, `void` matches, `scores`, matches played again (`ended`), `played`. A
        score is the match with its points, left and right. A forfeit and an end have match, side
        (left or right), player, sentence and conversation; a forfeit has a reason, too.
        """
        archive = self.table.with_suffix(".zip")
        return read_provenance(archive) if has_provenance(archive) else {}

    def conditions(self, conditions: Conditions, *, with_luck: bool) -> Conditions:
        """Return how this shard is played and analysed."""
        level = replace(conditions.level, luck=with_luck)
        return replace(conditions, level=level, limits=replace(conditions.limits, log=self.log))


@dataclass(frozen=True)
class Alone:
    """Two levels of one gnubg, which plays their matches by itself."""

    levels: Mapping[str, PlayerLevel]
    conditions: Conditions
    luck_price = ALONE_PRICE

    @property
    def about(self) -> Mapping[str, Json]:
        return {name: asdict(level) for name, level in self.levels.items()}

    def play(self, part: Part, *, with_luck: bool) -> None:
        """Play and analyse a shard. Raises EngineError."""
        how = part.conditions(self.conditions, with_luck=with_luck)
        cell = part.cell
        shard = part.shard
        players = self.levels[cell.player], self.levels[cell.opponent]
        task = ShardTask(players, cell.match_length, how.seed, shard.number, shard.matches)
        play_and_judge(how.judge, task, how.level, part.table, how.limits, resume=True)
        for _ in range(shard.matches):
            how.on_match()

    def stop(self) -> None:
        """Do nothing: an engine that is ended spoils no match."""

    def close(self) -> None:
        """Do nothing: an engine ends with its shard."""


@dataclass(frozen=True)
class Refereed:
    """Two programs, which meet before the referee."""

    programs: Programs
    luck_price = REFEREE_PRICE

    @property
    def about(self) -> Mapping[str, Json]:
        return self.programs.about

    def play(self, part: Part, *, with_luck: bool) -> None:
        """Play and analyse a shard. Raises StoppedError, GivenUpError, SideError, EngineError."""
        how = part.conditions(self.programs.conditions, with_luck=with_luck)
        play_part(replace(self.programs, conditions=how), part.cell, part.shard, part.table)

    def stop(self) -> None:
        """Let no side forfeit that is ended from now on."""
        self.programs.conditions.stop.set()

    def close(self) -> None:
        self.programs.close()


@dataclass(frozen=True)
class Run:
    """The engine that judges, its `seconds` of CPU a shard, and what stops and watches a run.

    `judge` also plays the levels that name no other engine.
    """

    judge: Engine
    seconds: float
    stop: Event
    on_match: Callable[[], None]


@dataclass(frozen=True)
class Plan:
    """Two sides, the question of the test, and who plays their matches.

    `names` are as in the settings, `players` as in tables and matches. `matches` is the folder of
    the shards, `folder` that of the answer. `luck_price` is the CPU of a match with luck over one
    without luck; if it is None, luck is never subtracted.
    """

    names: tuple[str, ...]
    players: tuple[str, ...]
    question: Question
    seed: int
    player: Alone | Refereed
    matches: Path
    folder: Path
    luck_price: float | None

    def parts(self) -> Iterator[Part]:
        """Yield the shards in their order: round by round, both seats."""
        first, second = self.players
        length = self.question.match_length
        most = -(-self.question.max_matches // 2)
        seats = [(first, second), (second, first)]
        cells = [DesignPoint(left, right, length, most, SHARD) for left, right in seats]
        for shard in cells[0].shards():
            for cell in cells:
                table = self.matches / "shards" / f"{cell.place(shard)}.csv"
                log = f"{cell.player}~{cell.opponent}-{shard.number:03d}.log"
                yield Part(cell, shard, table, self.matches / "logs" / log)

    def kept(self) -> int:
        """Return the number of matches that lie in the folder already."""
        return sum(part.shard.matches for part in self.parts() if part.is_kept())

    def warnings(self) -> list[str]:
        """Return what a user should know before the first match, a sentence each."""
        found = []
        kept = self.kept()
        if kept:
            what = f"{kept:,} matches that these programs have played already"
            found.append(f"uses {what} ({self.matches})")
        found += self._not_used()
        asked = self.question
        expected = asked.expected_matches(EVEN_VARIANCE)
        if asked.match_length and self.luck_price is None and asked.max_matches < expected:
            found.append(
                f"--most {asked.max_matches:,} may leave the question open: between equal sides "
                f"this test takes {expected:,.0f} matches on average"
            )
        return found

    def _not_used(self) -> list[str]:
        """Return a sentence for each folder with matches of other programs or settings."""
        found = []
        for folder in sorted(self.matches.parent.glob("*/shards")):
            archive = min(folder.rglob("*.zip"), default=None)
            if folder.parent == self.matches or archive is None or not has_provenance(archive):
                continue
            theirs = read_provenance(archive).get("sides") or {}
            changed = []
            for name in self.player.about.keys() & theirs.keys():
                differences = _differences(self.player.about[name], theirs[name])
                changed += [f"{name}: {what}" for what in differences]
            why = ", ".join(sorted(changed)) or "their settings differ"
            found.append(f"does not use the matches in {folder.parent}: {why}")
        return found


def _differences(now: Json, then: Json) -> list[str]:
    """Return in words which identifying facts of a side have changed; files have their names."""
    before = then.get("files", {})
    after = now.get("files", {})
    files = _changed(before, after)
    others = [key for key in _changed(then, now) if key != "files"]
    changed = [f"the file {name.rpartition(' ')[0]} has changed" for name in files]
    return changed + [f"{key} differs" for key in others]


def _changed(before: Json, after: Json) -> list[str]:
    return sorted(k for k in before.keys() | after.keys() if before.get(k) != after.get(k))


def plan(config: Record, results: Path, run: Run) -> Plan:
    """Return the duel of the settings. Programs start once, to give their versions.

    Raises SettingsError, EngineError and SideError.
    """
    names = pair_of(str(config["levels"]))
    defaults = load_yaml(TOURNAMENT)
    length = _match_length(config, defaults["match_length"])
    asked = question(config, length, 2 * SHARD)
    is_alone = are_levels(names) and length > 0
    players = names if is_alone else slugs(names)
    home = results / "decide" / _home(config, players, length)
    level = levels.analysis(defaults["analysis"])
    conditions = Conditions(
        run.judge,
        replace(level, luck=not config.get("no_luck")),
        config.get("seed", defaults["seed"]),
        Limits(run.seconds, home / "logs" / "decide.log"),
        float(config.get("answer_limit", 60.0)),
        run.stop,
        run.on_match,
        config,
    )
    player: Alone | Refereed
    if is_alone:
        player = Alone({name: levels.player(name) for name in names}, conditions)
    else:
        player = Refereed(programs(dict(zip(players, names, strict=True)), conditions))
    matches = home / _identity(player, conditions, length)
    return Plan(
        names,
        players,
        asked,
        conditions.seed,
        player,
        matches,
        matches / _of_question(config, asked),
        None if config.get("no_luck") else player.luck_price,
    )


def _match_length(config: Record, default: int) -> int:
    """Return the points of a match, 0 for money games. Raises SettingsError."""
    if config.get("money") and "match_length" in config:
        raise SettingsError("--money and --match-length exclude each other")
    return 0 if config.get("money") else int(config.get("match_length", default))


def _home(config: Record, players: tuple[str, ...], length: int) -> str:
    """Return the name of the results. Raises SettingsError for one that leads elsewhere."""
    name = str(config.get("name") or "")
    if name:
        check_name(name)
        return name
    games = f"{length}-points" if length else "money"
    return f"{'~'.join(players)}-{games}"


def _identity(player: Alone | Refereed, conditions: Conditions, length: int) -> str:
    """Return a name for the matches of these programs and settings."""
    judge = conditions.judge
    level = asdict(conditions.level)
    by = [player.about, judge.known.version, judge.package(), level]
    made = json.dumps([*by, conditions.seed, length, conditions.seconds], sort_keys=True)
    return hashlib.sha256(made.encode()).hexdigest()[:12]


def _of_question(config: Record, asked: Question) -> str:
    """Return the name of a question: each about the same matches has its own folder."""
    name = f"better-{asked.min_gain:g}"
    if asked.in_elo:
        name = f"elo-{config['elo0']:g}-{config['elo1']:g}"
    rates = [f"-{rate}-{config[rate]:g}" for rate in ("alpha", "beta") if rate in config]
    return name + "".join(rates)
