"""The sides of a match, each in a separate process with a time limit; every failure is one sentence.

gnubg plays the match along (gnubg_side.py). Every other side speaks UBGI, the Universal Backgammon Interface. Sources:
the draft of Øystein Schønning-Johansen, and the specifications 0.1 and 0.2 of bgci. As in UCI, lines that nobody asked
for are ignored. We add `bestcube take` and `bestcube drop` for a position with a double.
"""

import json
import signal
import tempfile
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from random import Random
from typing import Any

from bgrating import BgratingError
from bgrating.decisions.position import CENTRE, OTHER, OWN, Position, position_id, xgid
from bgrating.engine.commands import check_players, play_commands
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine, check_identity
from bgrating.engine.process import EndedError, FloodError, LateError, Process, isolated
from bgrating.matchtext import board
from bgrating.matchtext.model import Hops
from bgrating.referee.match import CRASH, DOUBLE, DROP, GARBAGE, LATE, TAKE, Dice, Forfeit, State
from bgrating.referee.names import Spec

START_SECONDS, LOADING = 60.0, 10.0
"""Most seconds until a side greets, and what a program has for loading beside the time limit of an answer."""
_HEARD = 400  # lines of a conversation that are kept, and characters of each
_GNUBG_SIDE = Path(__file__).with_name("gnubg_side.py")
# Somebody may have sent these to a side, as the system's memory guard does; another signal is a crash of the side.
_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_ANSWERS = {"chequer": "move", "cube": "cube"}

Json = dict[str, Any]


class SideError(BgratingError):
    """A side cannot be started; the message names it and what went wrong."""


class Conversation:
    """Lines to and from a side's process; what fails is a Forfeit. `heard` is the end of it since `heard.clear()`."""

    def __init__(
        self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None,
        folder: Path | None = None,
    ) -> None:  # fmt: skip
        log.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._process = Process(command, log, environment=environment, folder=folder)
        except OSError as problem:
            raise SideError(f"{command[0]} cannot be started: {problem.strerror}") from problem
        self.heard: deque[str] = deque(maxlen=_HEARD)

    def limit(self, seconds: float) -> None:
        self._process.limit(seconds)

    def tell(self, line: str) -> None:
        self.heard.append(f"> {line}")
        try:
            self._process.tell(line.encode())
        except LateError:
            raise Forfeit(LATE, "it does not read what it is asked") from None

    def hear(self) -> str:
        """Return the next line. Raises Forfeit."""
        try:
            text = self._process.hear().decode("utf-8", "replace").strip()
        except LateError:
            last = self.heard[-1] if self.heard else ""
            more = f"; its last line was {last[2:62]!r}" if last.startswith("<") else ""
            raise Forfeit(LATE, f"it did not answer in time{more}") from None
        except FloodError as problem:
            raise Forfeit(GARBAGE, str(problem)) from None
        except EndedError as end:
            raise _ended(end.code) from None
        if text.startswith("info") and self.heard and self.heard[-1].startswith("< info"):
            self.heard.pop()  # the last of them tells enough
        self.heard.append(f"< {text[:_HEARD]}")
        return text

    def close(self, farewell: str = "") -> None:
        self._process.close(farewell.encode())


def _ended(code: int | None) -> Forfeit:
    if code is None:
        return Forfeit(CRASH, "it closed its output")
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return Forfeit(CRASH, f"its process {how}", from_outside=-code in _FROM_OUTSIDE)


def start(side: Spec, seat: int, clock: datetime, seconds: float, log: Path) -> "GnubgSide | UbgiSide":
    """Start a side for the seat 0 (left) or 1 (right).

    `clock` seeds gnubg's noise, `seconds` is the time limit of an answer. Raises SideError.
    """
    try:
        if side.level and side.engine and (side.share is not None or side.is_worst):
            return LadderSide(side.level, side.engine, seat, clock, seconds, log, side.share)
        if side.level and side.engine:
            return GnubgSide(side.level, side.engine, seat, clock, seconds, log)
        return UbgiSide(side.command, seat, seconds, log, dict(side.options))
    except Forfeit as problem:
        raise SideError(f"{side.name} does not start: {problem}; its output is in {log}") from problem
    except SideError as problem:
        raise SideError(f"{side.name}: {problem}") from problem


class GnubgSide:
    """A level of gnubg that plays the match along."""

    offers_cube = True

    def __init__(
        self, level: PlayerLevel, engine: Engine, seat: int, clock: datetime, seconds: float, log: Path
    ) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bgrating-", ignore_cleanup_errors=True)
        self._seconds, self._seat = seconds, seat
        self._events: list[list[Any]] = []
        job = {
            "seat": seat,
            "waits": not self.offers_cube,
            "match_equity_table": level.match_equity_table,
            "commands": play_commands(level, level),
            "show": ["show player"],
        }
        folder, clock_settings = Path(self._folder.name), engine.environment(clock, "play")
        environment = isolated(_GNUBG_SIDE, folder, clock_settings | {"BGRATING_JOB": json.dumps(job)})
        self.process = Conversation(engine.command(_GNUBG_SIDE), log, environment, folder)
        try:
            self.about = self._check(engine, level)
        except BaseException:
            self.close()
            raise

    def _check(self, engine: Engine, level: PlayerLevel) -> Json:
        text = ""
        self.process.limit(START_SECONDS)
        while not text.startswith("{"):  # a program prints a greeting first
            text = self.process.hear()
        about = json.loads(text)
        if engine.known.checksums:
            check_identity(engine, about)
        check_players(about["shown"]["show player"], (level, level))
        return {"version": about["version"], "checksums": about["checksums"]}

    def _ask(self, question: list[Any]) -> str:
        self.process.tell(json.dumps([*self._events, question], separators=(",", ":")))
        self._events.clear()
        self.process.limit(self._seconds)
        return self.process.hear()

    def begin(self, state: State, opening: Dice) -> None:
        new = sum(state.score) == 0
        self._events.append(["match", state.length, *opening] if new else ["game", *opening])
        self._starts = opening[self._seat] == max(opening)

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        question = ["turn"] if self._starts else ["turn", *dice]
        self._starts = False
        return self._ask(question)

    def play(self, state: State, dice: Dice) -> str:
        self._events.append(["take"])
        return self._ask(["turn"])

    def answer(self, state: State) -> str:
        return self._ask(["double"])

    def saw(self, dice: Dice, hops: Hops) -> None:
        self._events.append(["saw", *dice, " ".join(f"{source}/{target}" for source, target in hops)])
        self._starts = False

    def dropped(self) -> None:
        self._events.append(["drop"])

    def close(self) -> None:
        self.process.close("quit")
        self._folder.cleanup()


class LadderSide(GnubgSide):
    """A side of the ladder: a share of a level's decisions is random; without a share it takes the worst ones.

    Every legal play, and each answer to a double, is as likely as the others. `random` is set anew for each match.
    """

    offers_cube = False

    def __init__(
        self, level: PlayerLevel, engine: Engine, seat: int, clock: datetime, seconds: float, log: Path,
        share: float | None,
    ) -> None:  # fmt: skip
        self.share, self.random = share, Random(str(clock))
        super().__init__(level, engine, seat, clock, seconds, log)

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        place = state.position(self._seat)
        plays = board.plays(list(place.own), list(place.other), dice)
        names = [" ".join(f"{source}/{target}" for source, target in hops) for hops, *_ in plays]
        after = [position_id(replace(place, own=tuple(theirs), other=tuple(own))) for _, own, theirs in plays]
        return self._ask(["move", *dice, self._choice(names, after), self._cube(state)])

    def answer(self, state: State) -> str:
        place = position_id(state.position(self._seat, doubled=True))
        return self._ask(["answer", self._choice([TAKE, DROP], [place]), self._cube(state)])

    def _choice(self, names: list[str], after: list[str]) -> Json:
        """Return a choice by chance, none to leave it to the level, or all choices with the positions they lead to."""
        if self.share is None:
            return {"worst": names, "after": after}
        return {"choice": self.random.choice(names) if names and self.random.random() < self.share else ""}

    def _cube(self, state: State) -> list[Any]:
        owner = -1 if state.owner is None else state.owner
        return [state.cube, owner, state.length, state.score, int(state.crawford)]


class UbgiSide:
    """A program that speaks UBGI 0.1 or 0.2.

    `isready` parts what a command may be answered with (errors, stray lines) from the answer to the next one. `is_new`
    tells version 0.2, `greeting` is what it said first.
    """

    def __init__(
        self, command: tuple[str, ...], seat: int, seconds: float, log: Path, options: Mapping[str, str] | None = None
    ) -> None:
        self._seat, self.seconds = seat, seconds
        self.process = Conversation(command, log)
        try:
            self.about = self._greet(command, options or {})
        except BaseException:
            self.close()
            raise

    def _greet(self, command: tuple[str, ...], options: Mapping[str, str]) -> Json:
        """Start the protocol; find out the program's name and dialect, and whether it reads an XGID."""
        self.process.limit(min(START_SECONDS, LOADING + self.seconds))
        self.greeting = self._until("ubgiok", "ubgi")
        names = [line.removeprefix("id name ") for line in self.greeting if line.startswith("id name ")]
        self.is_new = new = any(line.startswith("proto ") for line in self.greeting)
        self._requests = {
            role: ((f"go {role}", f"go role {role}")[:: 1 if new else -1]) for role in ("chequer", "cube")
        }
        for name, value in options.items():
            forms = (f"set {name} {value}", f"setoption name {name} value {value}")[:: 1 if new else -1]
            refused = [error for form in forms if (error := self.refused(form))]
            if len(refused) == len(forms):
                raise SideError(f"it refuses the option {name}={value}: {refused[0]!r}")
        self.reads_xgid = not self.refused(f"position xgid {xgid(State(1, (0, 0), crawford=False).position(0))}")
        return {"version": names[0] if names else command[0]}

    def _until(self, last: str, *lines: str) -> list[str]:
        for line in lines:
            self.process.tell(line)
        heard: list[str] = []
        while last not in heard:
            heard.append(self.process.hear())
        return heard

    def refused(self, *lines: str) -> str:
        """Send lines that need no answer; return the first error in answer to them."""
        heard = self._until("readyok", *lines, "isready")
        return next((line for line in heard if line.startswith("error")), "")

    def _ask(self, place: Position, role: str, *lines: str) -> str:
        """Return the decision in a position after more lines. An engine that refuses one request hears the other."""
        self.process.limit(self.seconds)
        self.refused(*(self._named(place)), *lines)
        refused = []
        for request in self._requests[role]:
            self.process.tell(request)
            words = (f"best{_ANSWERS[role]}", "error")
            while (text := self.process.hear()).partition(" ")[0] not in words:
                pass
            if not text.startswith("error"):
                self._requests[role] = (request,)
                return text.partition(" ")[2].strip()
            refused.append(f"it answered {text[:60]!r} to {request!r}")
        raise Forfeit(GARBAGE, refused[0])

    def _named(self, place: Position) -> tuple[str, ...]:
        """Return the lines that tell a position; p0 is the side that decides."""
        if self.reads_xgid:
            return (f"position xgid {xgid(place)}",)
        owner = {CENTRE: "center", OWN: "p0", OTHER: "p1"}[place.owner]
        return (
            f"newsession type match length {place.length} crawford on" if place.length else
            "newsession type money jacoby on", f"setscore {place.score} {place.other_score}",
            f"setcube value {place.cube} owner {owner}", "setturn p0", f"position gnubgid {position_id(place)}",
        )  # fmt: skip

    def begin(self, state: State, opening: Dice) -> None:
        self.process.tell("newgame")

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        """See Side; the program receives the dice after it has decided not to double."""
        return DOUBLE if may_double and self.doubles(state) else self.play(state, dice)

    def doubles(self, state: State) -> bool:
        """Return the program's decision to double. Raises Forfeit."""
        cube = self._ask(state.position(self._seat), "cube")
        if cube not in {DOUBLE, "nodouble"}:
            raise Forfeit(GARBAGE, f"it answered {cube[:60]!r} to 'go cube'")
        return cube == DOUBLE

    def play(self, state: State, dice: Dice) -> str:
        return self._ask(state.position(self._seat, dice), "chequer", f"dice {dice[0]} {dice[1]}")

    def answer(self, state: State) -> str:
        if not self.reads_xgid:
            raise Forfeit(GARBAGE, "it reads no XGID, so it can only play matches to 1 point: UBGI has no other double")
        return self._ask(state.position(self._seat, doubled=True), "cube")

    def saw(self, dice: Dice, hops: Hops) -> None:
        """See Side; the next position includes the play."""

    def dropped(self) -> None:
        """See Side; the next position follows a new game."""

    def close(self) -> None:
        self.process.close("quit")
