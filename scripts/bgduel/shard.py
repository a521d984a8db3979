"""Play a shard of matches between two sides: an archive of `.mat` files that `rate` reads.

Each finished match is stored at once, so the next run continues after a killed one. UBGI programs
live as long as the run, with a seed for each match if they offer one. A side that forfeits loses
the match, and the end of the conversation is noted. Then both sides are restarted for the next
match. A void match has no result and is not in the archive.

Another process may end a side by a signal, which is no fault of the side: that match is played
again. If a signal ends the side a second time in the same match, the side forfeits it. Else a side
that exhausts memory would block the run.

A side that forfeits several matches in a row for the same reason does not work. Sides whose matches
are void in a row never end a game. In both cases the shard is given up, and holds fewer matches.
"""

import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from bgduel.decision import REFEREE_PRICE
from bgduel.match import Figures, Forfeit, Referee, Void, seeded_dice
from bgduel.programs import Spec, by_side, checksums, options_of, spec
from bgduel.sides import RunningSide, Seat, SideError, start
from bgmatch import write_mat
from bgmatch.records import Json, Record
from bgrating.engine.engine_errors import EngineNotFoundError
from bgrating.engine.locate import ANALYSIS_CLOCK, Engine
from bgrating.play.archive import ArchiveAnalyst, analyse_archive, write_archive
from bgrating.play.designs import DesignPoint, Shard
from bgrating.play.seeds import clock_second, shard_seeds
from bgrating.tables.provenance import (
    digest,
    has_provenance,
    provenance_path,
    read_provenance,
    write_atomic,
    write_provenance,
)
from bgrating.tables.table_files import write_table

SEATS = ("left", "right")
FORFEITS = "forfeits"
VOID = "void"
PLAYED = "played"
IN_A_ROW = 3
"""Number of forfeits of a side for the same reason, or of void matches, that give a shard up."""
QUOTED = 12  # lines of the conversation before a forfeit


class StoppedError(Exception):
    """The run was stopped; finished matches are stored."""


class ShardFiles(NamedTuple):
    """A shard of two sides: its cell, its matches, their archive, and the log of their analysis."""

    cell: DesignPoint
    shard: Shard
    archive: Path
    log: Path

    @property
    def table(self) -> Path:
        """The table of the analysis, which is written last."""
        return self.archive.with_suffix(".csv")

    def is_stored(self) -> bool:
        return provenance_path(self.table).is_file()

    def record(self) -> Json:
        """Return the notes on the matches of the archive; there are none if gnubg plays alone.

        `ends` tell in order how the matches ended. `forfeits` and matches played again (`ended`)
        have match, side (left or right), player, reason, sentence and conversation. `void` matches
        have left, right, shard, match and sentence. `scores` are the matches with their points,
        left and right. `played` has the figures of a player. `given_up` is FORFEITS or VOID, or
        empty.
        """
        return _notes(self) | read_provenance(self.archive)


def _notes(files: ShardFiles) -> Json:
    names = (files.cell.player, files.cell.opponent)
    notes: Json = {kind: [] for kind in ("ends", FORFEITS, VOID, "ended", "scores")}
    return notes | {PLAYED: {name: asdict(Figures()) for name in names}, "given_up": ""}


def _nothing(_: int) -> None:
    pass


@dataclass(frozen=True)
class Conditions:
    """How two sides play.

    `engine` plays the levels that name no engine; `seed` is that of the dice. A side has `seconds`
    for an answer. `options` are those of the command: lists of `option` (SIDE:NAME=VALUE) and
    `file` (SIDE:PATH), and `trace`. `on_matches` receives numbers of played matches.
    """

    engine: Engine
    seed: int
    seconds: float = 60.0
    options: Record = field(default_factory=dict)
    on_matches: Callable[[int], None] = _nothing
    stop: threading.Event = field(default_factory=threading.Event)


@dataclass(frozen=True)
class Programs:
    """Two sides by slug, what identifies them, and how they play.

    `idle` are programs that wait for their next shard.
    """

    specs: Mapping[str, Spec]
    identities: Mapping[str, Json]
    conditions: Conditions
    idle: Mapping[str, list[RunningSide]]
    luck_price = REFEREE_PRICE

    def play(self, files: ShardFiles, analyst: ArchiveAnalyst) -> None:
        """Play a shard, and analyse its luck; its errors are never used.

        Raises StoppedError, SideError, EngineError.
        """
        if not has_provenance(files.archive):
            play(self, files)
        record = files.record()
        if record["texts"] and analyst.level.luck:
            lost = frozenset(forfeit["match"] for forfeit in record[FORFEITS])
            analyse_archive(analyst, files.archive, files.table, unfinished=lost)
        else:
            write_table(pd.DataFrame(), files.table, "study/shard", archive=files.archive.name)

    def close(self) -> None:
        for sides in self.idle.values():
            while sides:
                sides.pop().close()


def programs(names: Mapping[str, str], conditions: Conditions, log: Path) -> Programs:
    """Start every side once; return the sides with their versions.

    `names` are the names of the settings by slug. Raises SettingsError, EngineError and, for a side
    that does not start, SideError.
    """
    options = by_side(names, conditions.options.get("option", ()), "--option")
    files = by_side(names, conditions.options.get("file", ()), "--file")
    specs = {
        slug: spec(name, conditions.engine, options_of(options[slug]))
        for slug, name in names.items()
    }
    identities = {}
    for slug, side in specs.items():
        playing = _started(side, Seat(0, ANALYSIS_CLOCK, conditions.seconds, log))
        playing.close()
        identities[slug] = {
            "asked": side.name,
            "options": side.options,
            **playing.identity,
            "files": checksums(side, files[slug]),
        }
    return Programs(specs, identities, conditions, {slug: [] for slug in specs})


def _started(side: Spec, seat: Seat) -> RunningSide:
    """Start a side for the first time. Raises SideError, which names it."""
    try:
        return start(side, seat)
    except Forfeit as problem:
        sentence = f"{side.name} does not start: {problem}; its output is in {seat.log}"
        raise SideError(sentence) from problem
    except (SideError, EngineNotFoundError) as problem:
        raise SideError(f"{side.name}: {problem}") from problem


def play(programs: Programs, files: ShardFiles) -> str:
    """Play a shard and write its archive; return why it was given up, empty if it was not.

    Raises StoppedError, SideError, EngineError.
    """
    files.archive.parent.mkdir(parents=True, exist_ok=True)
    matches = _Matches(programs, files)
    try:
        matches.play()
    except BaseException:
        matches.close()
        raise
    for name, side in zip(matches.names, matches.sides, strict=False):  # after a forfeit: none
        if side.plays_on:
            programs.idle[name].append(side)
        else:
            side.close()
    write_archive(files.archive, matches.texts)
    write_provenance(
        files.archive,
        sides=programs.identities,
        players=matches.names,
        study_seed=programs.conditions.seed,
        shard=files.shard.number,
        match_length=files.cell.match_length,
        seconds_per_answer=programs.conditions.seconds,
        **matches.notes,
        texts=len(matches.texts),
        rows=files.shard.matches,
    )
    matches.file.unlink(missing_ok=True)
    given_up = matches.notes["given_up"]
    if not given_up:
        return ""
    return f"{IN_A_ROW} {given_up} in a row: {matches.notes[given_up][-1]['sentence']}"


class _Matches:
    """The matches of a shard in play: its `file` has the `notes` and the `texts` of finished ones.

    `notes` are those of `ShardFiles.record`. `sides` are the running ones.
    """

    def __init__(self, programs: Programs, files: ShardFiles) -> None:
        cell = files.cell
        shard = files.shard
        self.names = (cell.player, cell.opponent)
        self.sides: list[RunningSide] = []
        self._files = files
        self._programs = programs
        self._conditions = programs.conditions
        seeded = (self._conditions.seed, *self.names, cell.match_length, shard.number)
        self._noise = "/".join(map(str, seeded)) + "/noise"
        self._dice = shard_seeds(*seeded, shard.matches).dice
        # Another build with the same name, or other dice, must not continue an unfinished shard.
        identity = digest([programs.identities, self._dice])[:12]
        self.file = files.archive.with_suffix(f".{identity}.part")
        self.notes = _notes(files)
        self.texts: dict[str, str] = {}
        if self.file.is_file():
            self.notes, self.texts = json.loads(self.file.read_text(encoding="utf-8"))

    def play(self) -> None:
        """Play the unfinished matches, until the shard is given up.

        Raises StoppedError, SideError, EngineError.
        """
        ends = self.notes["ends"]
        while len(ends) < len(self._dice) and not self.notes["given_up"]:
            number = len(ends)
            self._match(number)
            last = ends[-IN_A_ROW:]
            if len(last) == IN_A_ROW and len(set(last)) == 1 and last[0] != PLAYED:
                self.notes["given_up"] = VOID if last[0] == VOID else FORFEITS
            write_atomic(self.file, json.dumps([self.notes, self.texts]))
            self._conditions.on_matches(len(ends) - number)

    def close(self) -> None:
        while self.sides:
            self.sides.pop().close()

    def _match(self, number: int) -> None:
        """Play a match and note its end, if it need not be played again."""
        self._check_stop()
        dice = seeded_dice(str(self._dice[number]))
        referee = Referee(self.sides, self._files.cell.match_length, dice)
        end = PLAYED
        try:
            self._seat(referee, number)
            referee.play()
        except Void as void:
            end = VOID
            note: Json = dict(zip(SEATS, self.names, strict=True))
            note |= {"shard": self._files.shard.number, "match": number, "sentence": str(void)}
            self.notes[VOID].append(note)
        except Forfeit as forfeit:
            self._check_stop()  # after Ctrl-C this program ended the side
            end = self._forfeited(forfeit, referee.asked_side, number)
        if end and end != VOID:
            self._store(referee, number)
        if end:
            self.notes["ends"].append(end)

    def _check_stop(self) -> None:
        if self._conditions.stop.is_set():
            raise StoppedError

    def _seat(self, referee: Referee, number: int) -> None:
        """Take or start the missing sides, and prepare both for a match.

        Raises Forfeit, SideError, EngineNotFoundError.
        """
        for seat, name in enumerate(self.names):
            referee.asked_side = seat
            log = self._files.log.with_name(f"{name}.{self._files.log.name}")
            clock = clock_second(f"{self._noise}/{seat}/{number}")
            if seat == len(self.sides):
                idle = self._programs.idle[name]
                placed = Seat(seat, clock, self._conditions.seconds, log)
                try:
                    side = idle.pop()  # another worker may take the last one after any look
                except IndexError:
                    side = start(self._programs.specs[name], placed)
                self.sides.append(side)
            side = self.sides[seat]
            if self._conditions.options.get("trace"):
                side.talk.trace = log.with_suffix(".trace")
            side.talk.note(f"match {number}")
            side.talk.heard.clear()
            side.new_match(seat, int(clock.timestamp()))

    def _store(self, referee: Referee, number: int) -> None:
        """Store the text of a match, if it has a roll, and note its score and figures."""
        if any(game.actions for game in referee.games):
            self.texts[f"{number:04d}.mat"] = write_mat(referee.match(), self.names)
        self.notes["scores"].append([number, *referee.score])
        for name, figures in zip(self.names, referee.figures, strict=True):
            total = self.notes[PLAYED][name]
            for kind, value in asdict(figures).items():
                total[kind] += value

    def _forfeited(self, forfeit: Forfeit, seat: int, number: int) -> str:
        """Note a forfeit and close both sides; return side and reason, empty to play again."""
        heard = list(self.sides[seat].talk.heard) if seat < len(self.sides) else []
        self.close()
        note: Json = {"match": number, "side": SEATS[seat], "player": self.names[seat]}
        is_second = any(note.items() <= end.items() for end in self.notes["ended"])
        sentence = str(forfeit)
        if forfeit.from_outside and is_second:
            sentence += ", twice in this match"
        note |= {"reason": forfeit.reason, "sentence": sentence, "conversation": heard[-QUOTED:]}
        if forfeit.from_outside and not is_second:
            self.notes["ended"].append(note)
            return ""
        self.notes[FORFEITS].append(note)
        return f"{SEATS[seat]} {forfeit.reason}"
