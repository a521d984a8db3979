"""The sides of a match by their names: a level of gnubg, `LEVEL@ENGINE`, `bgsage[:LEVEL]` or `ubgi:COMMAND`.

Each plays in a process of its own. gnubg plays the match along (gnubg_side.py); every other side speaks UBGI, the
Universal Backgammon Interface (draft of Øystein Schønning-Johansen, keywords as in version 0.2 of bgci): a position
as XGID, `dice`, `go chequer`, `go cube`; we add `bestcube take` and `bestcube drop` for a position with a double.
"""

import hashlib
import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bgrating.decisions.position import Position, position_id, xgid
from bgrating.engine import levels
from bgrating.engine.commands import check_players, play_commands
from bgrating.engine.errors import EngineVersionError
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine, check_identity, find_clock, find_engine, program_version
from bgrating.engine.nets import KnownEngine
from bgrating.matchtext.model import Hops
from bgrating.referee.match import DOUBLE, GARBAGE, Dice, Forfeit, State
from bgrating.referee.process import Process, SideError
from bgrating.settings import SettingsError

UBGI, BGSAGE = "ubgi:", "bgsage"
BGSAGE_LEVELS = ("1ply", "2ply", "3ply", "4ply", "truncated1", "truncated2", "truncated3")
START_SECONDS = 60.0
_GNUBG_SIDE = Path(__file__).with_name("gnubg_side.py")
_BGSAGE_SIDE = Path(__file__).with_name("bgsage_side.py")
_PLAIN = re.compile(r"[^A-Za-z0-9@.+-]+")
_CHATTER = ("info", "id", "key", "value", "proto")

Json = dict[str, Any]


@dataclass(frozen=True)
class Spec:
    """A side as it was asked for: its `name`, and a level with its engine, or a command that speaks UBGI."""

    name: str
    level: PlayerLevel | None = None
    engine: Engine | None = None
    command: tuple[str, ...] = ()

    @property
    def slug(self) -> str:
        """Return its name for files and columns of a match."""
        path = self.name.rpartition("/")[2] if "/" in self.name else self.name
        head = self.name.split("/")[0].partition("@")[0] if "@" in self.name else ""
        short = f"{head}@{path}" if head and "/" in self.name else path
        return _PLAIN.sub("-", short.removeprefix(UBGI))[:24].strip("-") or "side"


def names_of(text: str) -> tuple[str, ...]:
    """Return the sides that a setting names, with commas between; a UBGI command can hold none."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def are_levels(text: str) -> bool:
    """Tell whether gnubg can play these sides by itself: all are levels of one engine."""
    return not any("@" in name or ":" in name or name == BGSAGE for name in names_of(text))


def spec(name: str, engine: Engine) -> Spec:
    """Return a side by its name; `engine` plays a level that names none. Raises SettingsError, EngineError."""
    if name.startswith(UBGI):
        command = tuple(shlex.split(name.removeprefix(UBGI)))
        program = shutil.which(command[0]) if command else None
        if not program:
            raise SettingsError(f"{name}: {command[0] if command else 'an empty command'} is no program here")
        return Spec(name, command=(program, *command[1:]))
    if name == BGSAGE or name.startswith(f"{BGSAGE}:"):
        level = name.partition(":")[2] or BGSAGE_LEVELS[0]
        if level not in BGSAGE_LEVELS:
            raise SettingsError(f"{name}: bgsage has no level {level}; it has {', '.join(BGSAGE_LEVELS)}")
        if importlib.util.find_spec(BGSAGE) is None:
            raise SettingsError(f"{name}: the package bgsage is not installed: pip install 'bgrating[bgsage]'")
        return Spec(name, command=(sys.executable, str(_BGSAGE_SIDE), level))
    level_name, at, wanted = name.partition("@")
    player = levels.player(level_name)
    if player.dilution:
        raise SettingsError(f"{name}: diluted levels play in a tournament, not against another program")
    return Spec(name, player, _engine(wanted) if at else engine)


def _engine(wanted: str) -> Engine:
    """Return a known engine, or any gnubg program by its path: an own build may have any version and nets."""
    try:
        return find_engine(wanted)
    except EngineVersionError:
        program = shutil.which(wanted)
        version = program_version(Path(program)) if program else ""
        if not program or not version.startswith("GNU Backgammon"):
            raise
        own = KnownEngine(wanted, is_module=False, nets="", version=version, package="", install="", checksums={})
        return Engine(own, Path(program).absolute(), find_clock())


def start(side: Spec, seat: int, clock: datetime, seconds: float, log: Path) -> "GnubgSide | UbgiSide":
    """Start a side for the seat 0 (left) or 1 (right).

    `clock` is the second that gnubg's noise is seeded with, `seconds` its limit for an answer. Raises SideError.
    """
    try:
        if side.level and side.engine:
            return GnubgSide(side.level, side.engine, seat, clock, seconds, log)
        return UbgiSide(side.command, seat, seconds, log)
    except Forfeit as problem:
        raise SideError(f"{side.name} does not start: {problem}; what it printed is in {log}") from problem
    except SideError as problem:
        raise SideError(f"{side.name}: {problem}") from problem


class GnubgSide:
    """A level of gnubg that plays the match along."""

    def __init__(
        self, level: PlayerLevel, engine: Engine, seat: int, clock: datetime, seconds: float, log: Path
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bgrating-", ignore_cleanup_errors=True)
        self._seconds, self._seat = seconds, seat
        self._events: list[list[Any]] = []
        self._own: Dice | None = None
        job = {"seat": seat, "match_equity_table": level.match_equity_table, "commands": play_commands(level, level)}
        environment = {
            **engine.environment(clock, "play"), "HOME": self._folder.name, "TZ": "UTC", "LC_ALL": "C.UTF-8",
            "PATH": os.environ.get("PATH", os.defpath), "BGRATING_INSIDE": str(_GNUBG_SIDE),
            "BGRATING_JOB": json.dumps(job),
        }  # fmt: skip
        command = engine.command(_GNUBG_SIDE)
        self.process = Process(command, log, environment=environment, folder=self._folder.name)
        try:
            self.about = self._check(engine, level)
        except BaseException:
            self.close()
            raise

    def _check(self, engine: Engine, level: PlayerLevel) -> Json:
        until, text = time.monotonic() + START_SECONDS, ""
        while not text.startswith("{"):  # a program greets first
            text = self.process.hear(until)
        told = json.loads(text)
        if engine.known.checksums:
            check_identity(engine, told)
        check_players(told["shown"], (level, level))
        return {"version": told["version"], "checksums": told["checksums"]}

    def _ask(self, question: list[Any]) -> str:
        self.process.tell(json.dumps([*self._events, question], separators=(",", ":")))
        self._events.clear()
        return self.process.hear(time.monotonic() + self._seconds)

    def begin(self, state: State, opening: Dice) -> None:
        """See Side."""
        new = sum(state.score) == 0
        self._events.append(["match", state.length, *opening] if new else ["game", *opening])
        self._starts = opening[self._seat] == max(opening)

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        """See Side."""
        question = ["turn"] if self._starts else ["turn", *dice]
        self._starts = False
        return self._ask(question)

    def play(self, state: State, dice: Dice) -> str:
        """See Side."""
        self._events.append(["take"])
        return self._ask(["turn"])

    def answer(self, state: State) -> str:
        """See Side."""
        return self._ask(["double"])

    def saw(self, dice: Dice, hops: Hops) -> None:
        """See Side."""
        self._events.append(["saw", *dice, " ".join(f"{source}/{target}" for source, target in hops)])
        self._starts = False

    def dropped(self) -> None:
        """See Side."""
        self._events.append(["drop"])

    def close(self) -> None:
        """End the process."""
        self.process.close()
        self._folder.cleanup()


class UbgiSide:
    """A program that speaks UBGI."""

    def __init__(self, command: tuple[str, ...], seat: int, seconds: float, log: Path) -> None:
        self._seat, self._seconds = seat, seconds
        self.process = Process(command, log)
        try:
            self.about = self._greet(command)
        except BaseException:
            self.process.close()
            raise

    def _greet(self, command: tuple[str, ...]) -> Json:
        """Say hello; learn its name, and whether it takes a position as XGID or its board alone."""
        until = time.monotonic() + START_SECONDS
        said = self._until("ubgiok", until, "ubgi")
        names = [line.removeprefix("id name ") for line in said if line.startswith("id name ")]
        opening = State(1, (0, 0), crawford=False).position(0)
        refused = self._until("readyok", until, f"position xgid {xgid(opening)}", "isready")
        self._xgid = not any(line.startswith("error") for line in refused)
        files = [Path(word) for word in command if Path(word).is_file()]
        sums = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}
        return {"version": names[0] if names else command[0], "checksums": sums}

    def _until(self, last: str, until: float, *lines: str) -> list[str]:
        for line in lines:
            self.process.tell(line)
        heard: list[str] = []
        while last not in heard:
            heard.append(self.process.hear(until))
        return heard

    def _ask(self, place: Position, *lines: str, answer: str) -> str:
        """Return what follows the word `answer` in its reply to the last of the lines."""
        named = f"xgid {xgid(place)}" if self._xgid else f"gnubgid {position_id(place)}"
        for line in (f"position {named}", *lines):
            self.process.tell(line)
        until = time.monotonic() + self._seconds
        while (text := self.process.hear(until)).split(" ")[0] in (*_CHATTER, ""):
            pass
        word, _, rest = text.partition(" ")
        if word != answer:
            raise Forfeit(GARBAGE, f"it answered {text[:60]!r} to '{lines[-1]}'")
        return rest.strip()

    def begin(self, state: State, opening: Dice) -> None:
        """See Side."""
        self.process.tell("newgame")

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        """See Side; it learns the dice after it has decided not to double."""
        if may_double:
            cube = self._ask(state.position(self._seat), "go cube", answer="bestcube")
            if cube == DOUBLE:
                return DOUBLE
            if cube != "nodouble":
                raise Forfeit(GARBAGE, f"it answered {cube[:60]!r} to 'go cube'")
        return self.play(state, dice)

    def play(self, state: State, dice: Dice) -> str:
        """See Side."""
        rolled = f"dice {dice[0]} {dice[1]}"
        return self._ask(state.position(self._seat, dice), rolled, "go chequer", answer="bestmove")

    def answer(self, state: State) -> str:
        """See Side."""
        return self._ask(state.position(self._seat, doubled=True), "go cube", answer="bestcube")

    def saw(self, dice: Dice, hops: Hops) -> None:
        """See Side; the next position tells."""

    def dropped(self) -> None:
        """See Side."""

    def close(self) -> None:
        """End the process."""
        self.process.close()
