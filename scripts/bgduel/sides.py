"""The sides of a match, each in its own process with a time limit; a failure is one sentence.

gnubg plays the match along (inside/side.py). Every other side speaks UBGI, the Universal Backgammon
Interface. Sources: the draft of Øystein Schønning-Johansen, and the specifications 0.1 and 0.2 of
bgci. As in UCI, unexpected lines are ignored. This module adds `bestcube take` and `bestcube drop`
for a position with a double.
"""

import json
import re
import signal
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bgduel.match import CRASH, DOUBLE, GARBAGE, LATE, Forfeit, Side, State
from bgduel.programs import Spec
from bgmatch.model import Dice, Hops
from bgmatch.position import CENTRE, OTHER, OWN, Position, position_id, xgid
from bgmatch.records import Json
from bgrating import BgratingError
from bgrating.engine.commands import check_players, play_setup
from bgrating.engine.engine_errors import (
    EngineCrashedError,
    EngineKilledError,
    EngineTimeoutError,
)
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.engine.process import EndedError, FloodError, LateError, Process, signal_name
from bgrating.engine.session import Session

LOADING = 10.0
"""Seconds for loading beyond the time limit of an answer."""
_HEARD = 400  # lines of a conversation that are kept, and characters of each
# Another process may send these, such as the system's memory guard; other signals are crashes.
_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_ANSWERS = {"chequer": "bestmove", "cube": "bestcube"}
_BUDGETS = ("movetime", "depth", "nodes", "trials")  # of `go` in UBGI 0.1
_SEED = re.compile(r"(?:option name|key) (Seed|engine\.seed) (?:type|int)")


class SideError(BgratingError):
    """A side cannot be started; the message names the fault."""


@dataclass(frozen=True)
class Seat:
    """A side's place in a match: 0 (left) or 1 (right), and how it plays there.

    `clock` seeds gnubg's noise, `seconds` is the time limit of an answer, `log` receives errors.
    """

    number: int
    clock: datetime
    seconds: float
    log: Path


class Talk:
    """The lines to and from a side; the file `trace` gets all.

    `heard` has the last ones since `heard.clear()`.
    """

    trace: Path | None = None

    def __init__(self) -> None:
        self.heard: deque[str] = deque(maxlen=_HEARD)

    def note(self, line: str) -> None:
        self.heard.append(line)
        if self.trace:
            with self.trace.open("a", encoding="utf-8") as trace:
                print(line, file=trace)


class Conversation(Talk):
    """A side's process, which receives and sends lines; every failure is a Forfeit."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        super().__init__()
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
        self._log = log
        self._log_size = log.stat().st_size
        try:
            self._process = Process(command, log)
        except OSError as problem:
            raise SideError(f"{command[0]} cannot be started: {problem.strerror}") from problem

    def limit(self, seconds: float) -> None:
        self._process.limit(seconds)

    def tell(self, *lines: str) -> None:
        for line in lines:
            self.note(f"> {line}")
        try:
            self._process.tell("\n".join(lines).encode())
        except LateError:
            raise Forfeit(LATE, "it does not read its input") from None

    def hear(self) -> str:
        """Return the next line. Raises Forfeit."""
        try:
            text = self._process.hear().decode("utf-8", "replace").strip()
        except LateError:
            last = self.heard[-1] if self.heard else ""
            last_line = f"; its last line was {last[2:62]!r}" if last.startswith("<") else ""
            raise Forfeit(LATE, f"it did not answer in time{last_line}") from None
        except FloodError as problem:
            raise Forfeit(GARBAGE, str(problem)) from None
        except EndedError as end:
            self._process.close()  # completes the log
            raise _ended(end.code, _last_line(self._log, self._log_size)) from None
        if text.startswith("info") and self.heard and self.heard[-1].startswith("< info"):
            self.heard.pop()  # the last of several is enough
        self.note(f"< {text[:_HEARD]}")
        return text

    def close(self, farewell: str = "") -> None:
        self._process.close(farewell.encode())


def _ended(code: int | None, last: str) -> Forfeit:
    """Return the forfeit of a side whose process ended; `last` is its last line of errors."""
    last_line = f"; its last line on standard error is {last[:200]!r}" if last else ""
    if code is None:
        return Forfeit(CRASH, f"it closed its output{last_line}")
    end = f"was ended by {signal_name(-code)}" if code < 0 else f"ended with exit code {code}"
    return Forfeit(CRASH, f"its process {end}{last_line}", from_outside=-code in _FROM_OUTSIDE)


def _last_line(log: Path, start: int) -> str:
    """Return the last line of a log from a byte on; empty if there is none."""
    text = log.read_bytes()[start:].decode("utf-8", "replace")
    return text.strip().rpartition("\n")[2].strip()


@contextmanager
def _forfeited() -> Iterator[None]:
    """Turn the end of an engine into a Forfeit."""
    try:
        yield
    except EngineTimeoutError as late:
        raise Forfeit(LATE, f"it did not answer in time ({late})") from None
    except EngineKilledError as killed:
        raise Forfeit(CRASH, f"its process was ended: {killed}", from_outside=True) from None
    except EngineCrashedError as crashed:
        raise Forfeit(CRASH, f"its process ended: {crashed}") from None


def start(side: Spec, seat: Seat) -> "RunningSide":
    """Start a side. Raises SideError, EngineNotFoundError, and Forfeit if it ends at once."""
    if side.level and side.engine:
        return GnubgSide(side.level, side.engine, seat)
    return UbgiSide(side.command, dict(side.options), seat)


class GnubgSide:
    """A level of gnubg that plays the match along."""

    plays_on = False
    """Whether the process may play another shard: this one's clock seeds the noise of one."""

    def __init__(self, level: PlayerLevel, engine: Engine, seat: Seat) -> None:
        self._seat = seat
        self._events: list[list[Any]] = []
        self.talk = Talk()
        setup = play_setup(level, level) | {"side": {"seat": seat.number}}
        self._session = Session(engine, clock=seat.clock, log=seat.log)
        try:
            with _forfeited():
                self._session.begin(setup)
            metadata = self._session.report
            check_players(metadata["shown"]["show player"], (level, level))
        except BaseException:
            self.close()
            raise
        self.identity = {name: metadata[name] for name in ("version", "checksums")}

    def new_match(self, seat: int, seed: int) -> None:
        """Do nothing: the first game begins the match."""

    def _ask(self, question: list[Any]) -> str:
        events = [*self._events, question]
        self._events.clear()
        self.talk.note(f"> {json.dumps(events)}")
        with _forfeited():
            answer = self._session.ask({"task": "side", "events": events}, self._seat.seconds)
        self.talk.note(f"< {json.dumps(answer)}")
        if "answer" not in answer:
            raise Forfeit(GARBAGE, str(self._session.error(answer)))
        return str(answer["answer"])

    def begin(self, state: State, opening: Dice) -> None:
        new = sum(state.score) == 0
        self._events.append(["match", state.length, *opening] if new else ["game", *opening])
        self._starts = opening[self._seat.number] == max(opening)

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
        play = " ".join(f"{source}/{target}" for source, target in hops)
        self._events.append(["saw", *dice, play])
        self._starts = False

    def dropped(self) -> None:
        self._events.append(["drop"])

    def close(self) -> None:
        self._session.close()


class UbgiSide(Side):
    """A program that speaks UBGI 0.1 or 0.2.

    `isready` separates the answers to a command (errors, stray lines) from those to the next one.
    Its next position includes the other side's plays, so it need not hear of them. `is_new` is True
    for version 0.2. The seat may change between matches.
    """

    plays_on = True

    def __init__(self, command: tuple[str, ...], options: Mapping[str, str], seat: Seat) -> None:
        self._seat = seat.number
        self.seconds = seat.seconds
        self.talk = Conversation(command, seat.log)
        try:
            self.identity = self._greet(command, options)
        except BaseException:
            self.close()
            raise

    def _greet(self, command: tuple[str, ...], options: Mapping[str, str]) -> Json:
        """Start the protocol; try dialect, options, seed and XGID; return the program's version."""
        self.talk.limit(LOADING + self.seconds)
        self.talk.tell("ubgi")
        greeting = self._until("ubgiok")
        self.is_new = any(line.startswith("proto ") for line in greeting)
        budget = "".join(f" {name} {options[name]}" for name in _BUDGETS if name in options)
        if self.is_new and budget:
            remedy = "its own keys may limit it"
            raise SideError(f"it speaks UBGI 0.2, whose `go` takes no{budget}; {remedy}")
        self._go = "go {}" if self.is_new else f"go role {{}}{budget}"
        for name, value in options.items():
            refusal = "" if name in _BUDGETS else self._set(name, value)
            if refusal:
                raise SideError(f"it refuses the option {name}={value}: {refusal!r}")
        if self.is_new:
            self.refused("keys")
        offered = [match[1] for match in map(_SEED.search, self.talk.heard) if match]
        self._seed = next((name for name in offered if name not in options), "")
        start = xgid(State(1, (0, 0), crawford=False).position(0))
        self.reads_xgid = not self.refused(f"position xgid {start}")
        names = [line for line in greeting if line.startswith("id name ")]
        version = (names or command)[0].removeprefix("id name ")
        return {"version": version, "seeded": bool(self._seed)}

    def _set(self, name: str, value: object) -> str:
        """Set an option; return the error of a program that refuses it."""
        new_form = f"set {name} {value}"
        return self.refused(new_form if self.is_new else f"setoption name {name} value {value}")

    def new_match(self, seat: int, seed: int) -> None:
        """Begin a match in a seat, with a seed if the program offers one."""
        self._seat = seat
        if self._seed:
            self._set(self._seed, seed)

    def _until(self, *first_words: str) -> list[str]:
        """Return the lines up to one that begins with one of the words. Raises Forfeit."""
        heard = [self.talk.hear()]
        while heard[-1].partition(" ")[0] not in first_words:
            heard.append(self.talk.hear())
        return heard

    def refused(self, *lines: str) -> str:
        """Send lines that need no answer; return the first error, empty if there is none."""
        self.talk.tell(*lines, "isready")
        return next((line for line in self._until("readyok") if line.startswith("error")), "")

    def _ask(self, position: Position, role: str, *lines: str) -> str:
        """Return the decision in a position after more lines. Raises Forfeit."""
        self.talk.limit(self.seconds)
        request = self._go.format(role)
        self.talk.tell(*self._position_lines(position), *lines, "isready", request)
        self._until("readyok")
        answer = self._until(_ANSWERS[role], "error")[-1]
        if answer.startswith("error"):
            raise Forfeit(GARBAGE, f"it answered {answer[:60]!r} to {request!r}")
        return answer.partition(" ")[2].strip()

    def _position_lines(self, position: Position) -> tuple[str, ...]:
        """Return the lines that set a position; p0 is the side that decides."""
        if self.reads_xgid:
            return (f"position xgid {xgid(position)}",)
        owner = {CENTRE: "center", OWN: "p0", OTHER: "p1"}[position.owner]
        length = position.length
        session = f"match length {length} crawford on" if length else "money jacoby on"
        return (
            f"newsession type {session}",
            f"setscore {position.score} {position.opponent_score}",
            f"setcube value {position.cube} owner {owner}",
            "setturn p0",
            f"position gnubgid {position_id(position)}",
        )

    def begin(self, state: State, opening: Dice) -> None:
        self.talk.tell("newgame")

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        """See Side; the program receives the dice after its decision not to double."""
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
            limit = "it can only play matches to 1 point: UBGI has no other double"
            raise Forfeit(GARBAGE, f"it reads no XGID, so {limit}")
        return self._ask(state.position(self._seat, doubled=True), "cube")

    def close(self) -> None:
        self.talk.close("quit")


RunningSide = GnubgSide | UbgiSide
