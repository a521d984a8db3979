"""The sides of a match, each in a separate process with a time limit; every failure is one sentence.

gnubg plays the match along (inside/side.py). Every other side speaks UBGI, the Universal Backgammon Interface. Sources:
the draft of Øystein Schønning-Johansen, and the specifications 0.1 and 0.2 of bgci. As in UCI, lines that nobody asked
for are ignored. We add `bestcube take` and `bestcube drop` for a position with a double.
"""

import json
import re
import signal
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import IO, Any

from bgrating import BgratingError
from bgrating.decisions.position import CENTRE, OTHER, OWN, Position, position_id, xgid
from bgrating.engine.commands import check_players, play_setup
from bgrating.engine.errors import EngineCrashedError, EngineKilledError, EngineNotFoundError, EngineTimeoutError
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine
from bgrating.engine.process import EndedError, FloodError, LateError, Process
from bgrating.engine.session import Session
from bgrating.matchtext.model import Hops
from bgrating.referee.match import CRASH, DOUBLE, GARBAGE, LATE, Dice, Forfeit, State
from bgrating.referee.names import Spec

START_SECONDS, LOADING = 60.0, 10.0
"""Most seconds until a side greets, and what a program has for loading beside the time limit of an answer."""
_HEARD = 400  # lines of a conversation that are kept, and characters of each
# Somebody may have sent these to a side, as the system's memory guard does; another signal is a crash of the side.
_FROM_OUTSIDE = {signal.SIGKILL, signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_ANSWERS = {"chequer": "move", "cube": "cube"}
_BUDGETS = ("movetime", "depth", "nodes", "trials")  # of `go` in UBGI 0.1
_SEED = re.compile(r"option name (Seed) type|key (engine\.seed) int")

Json = dict[str, Any]


class SideError(BgratingError):
    """A side cannot be started; the message names it and what went wrong."""


class Talk:
    """What was said to a side and by it: `heard` is the end of it since `heard.clear()`.

    `trace`, if a file is set, receives every line.
    """

    trace: IO[str] | None = None

    def __init__(self) -> None:
        self.heard: deque[str] = deque(maxlen=_HEARD)

    def note(self, line: str) -> None:
        self.heard.append(line)
        if self.trace:
            print(line, file=self.trace)


class Conversation(Talk):
    """Lines to and from a side's process; what fails is a Forfeit."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        super().__init__()
        log.parent.mkdir(parents=True, exist_ok=True)
        self._log, self._since = log, log.stat().st_size if log.is_file() else 0
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
            self._process.close()  # so that the log has all that it said
            raise _ended(end.code, _last_line(self._log, self._since)) from None
        if text.startswith("info") and self.heard and self.heard[-1].startswith("< info"):
            self.heard.pop()  # the last of them tells enough
        self.note(f"< {text[:_HEARD]}")
        return text

    def close(self, farewell: str = "") -> None:
        self._process.close(farewell.encode())


def _ended(code: int | None, last: str) -> Forfeit:
    """Return the forfeit of a side whose process ended; `last` is the last line of its standard error."""
    said = f"; its last line on standard error is {last[:200]!r}" if last else ""
    if code is None:
        return Forfeit(CRASH, f"it closed its output{said}")
    how = f"was ended by {signal.Signals(-code).name}" if code < 0 else f"ended with exit code {code}"
    return Forfeit(CRASH, f"its process {how}{said}", from_outside=-code in _FROM_OUTSIDE)


def _last_line(log: Path, since: int) -> str:
    """Return the last line of a log, from a byte on, that is not blank; the log may not exist."""
    text = log.read_bytes()[since:].decode("utf-8", "replace") if log.is_file() else ""
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")


@contextmanager
def _forfeited() -> Iterator[None]:
    """Turn what ends an engine into a Forfeit."""
    try:
        yield
    except EngineTimeoutError as late:
        raise Forfeit(LATE, f"it did not answer in time ({late})") from None
    except EngineKilledError as killed:
        raise Forfeit(CRASH, f"its process was ended: {killed}", from_outside=True) from None
    except EngineCrashedError as crashed:
        raise Forfeit(CRASH, f"its process ended: {crashed}") from None


def start(side: Spec, seat: int, clock: datetime, seconds: float, log: Path) -> "GnubgSide | UbgiSide":
    """Start a side for the seat 0 (left) or 1 (right).

    `clock` seeds gnubg's noise, `seconds` is the time limit of an answer. Raises SideError.
    """
    try:
        if side.level and side.engine:
            return GnubgSide(side.level, side.engine, seat, clock, seconds, log)
        return UbgiSide(side.command, seat, seconds, log, dict(side.options))
    except Forfeit as problem:
        raise SideError(f"{side.name} does not start: {problem}; its output is in {log}") from problem
    except (SideError, EngineNotFoundError) as problem:
        raise SideError(f"{side.name}: {problem}") from problem


class GnubgSide:
    """A level of gnubg that plays the match along."""

    def __init__(
        self, level: PlayerLevel, engine: Engine, seat: int, clock: datetime, seconds: float, log: Path
    ) -> None:
        self._seconds, self._seat = seconds, seat
        self._events: list[list[Any]] = []
        self.process = Talk()
        setup = play_setup(level, level) | {"side": {"seat": seat}}
        self._session = Session(engine, clock=clock, log=log)
        try:
            with _forfeited():
                self._session.begin(setup)
            about = self._session.about
            check_players(about["shown"]["show player"], (level, level))
        except BaseException:
            self.close()
            raise
        self.about = {name: about[name] for name in ("version", "checksums")}

    def _ask(self, question: list[Any]) -> str:
        events = [*self._events, question]
        self._events.clear()
        self.process.note(f"> {json.dumps(events)}")
        with _forfeited():
            answer = self._session.ask({"task": "side", "events": events}, self._seconds)
        self.process.note(f"< {json.dumps(answer)}")
        if "answer" not in answer:
            raise Forfeit(GARBAGE, str(self._session.error(answer)))
        return str(answer["answer"])

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
        self._session.close()


class UbgiSide:
    """A program that speaks UBGI 0.1 or 0.2.

    `isready` parts what a command may be answered with (errors, stray lines) from the answer to the next one. `is_new`
    tells version 0.2, `greeting` is what it said first. The seat may change between matches.
    """

    def __init__(
        self, command: tuple[str, ...], seat: int, seconds: float, log: Path, options: Mapping[str, str] | None = None
    ) -> None:
        self.seat, self.seconds = seat, seconds
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
        budget = "".join(f" {name} {options[name]}" for name in _BUDGETS if name in options)
        if new and budget:
            raise SideError(f"it speaks UBGI 0.2, whose `go` takes no{budget}; its own keys may limit it")
        self._requests = {
            role: (f"go {role}", f"go role {role}{budget}")[:: 1 if new else -1] for role in ("chequer", "cube")
        }
        for name, value in options.items():
            if name in _BUDGETS:
                continue
            forms = (f"set {name} {value}", f"setoption name {name} value {value}")[:: 1 if new else -1]
            refused = [error for form in forms if (error := self.refused(form))]
            if len(refused) == len(forms):
                raise SideError(f"it refuses the option {name}={value}: {refused[0]!r}")
        if new:
            self.refused("keys")
        named = [found for line in self.process.heard if (found := _SEED.search(line))]
        offered = (found[1] or found[2] for found in named)
        self._seed = next((name for name in offered if name not in options), "")
        self.reads_xgid = not self.refused(f"position xgid {xgid(State(1, (0, 0), crawford=False).position(0))}")
        return {"version": names[0] if names else command[0], "seeded": bool(self._seed)}

    def seed(self, value: int) -> None:
        """Begin a match with a seed, where the program offers one."""
        if self._seed:
            self.refused(f"set {self._seed} {value}" if self.is_new else f"setoption name {self._seed} value {value}")

    def _until(self, last: str, *lines: str) -> list[str]:
        self.process.tell(*lines)
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
        before = (*self._named(place), *lines, "isready")
        refused = []
        for request in self._requests[role]:
            self.process.tell(*before, request)
            while before and self.process.hear() != "readyok":
                pass
            before = ()
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
            f"newsession type match length {place.length} crawford on"
            if place.length
            else "newsession type money jacoby on",
            f"setscore {place.score} {place.other_score}",
            f"setcube value {place.cube} owner {owner}",
            "setturn p0",
            f"position gnubgid {position_id(place)}",
        )

    def begin(self, state: State, opening: Dice) -> None:
        self.process.tell("newgame")

    def turn(self, state: State, dice: Dice, *, may_double: bool) -> str:
        """See Side; the program receives the dice after it has decided not to double."""
        return DOUBLE if may_double and self.doubles(state) else self.play(state, dice)

    def doubles(self, state: State) -> bool:
        """Return the program's decision to double. Raises Forfeit."""
        cube = self._ask(state.position(self.seat), "cube")
        if cube not in {DOUBLE, "nodouble"}:
            raise Forfeit(GARBAGE, f"it answered {cube[:60]!r} to 'go cube'")
        return cube == DOUBLE

    def play(self, state: State, dice: Dice) -> str:
        return self._ask(state.position(self.seat, dice), "chequer", f"dice {dice[0]} {dice[1]}")

    def answer(self, state: State) -> str:
        if not self.reads_xgid:
            raise Forfeit(GARBAGE, "it reads no XGID, so it can only play matches to 1 point: UBGI has no other double")
        return self._ask(state.position(self.seat, doubled=True), "cube")

    def saw(self, dice: Dice, hops: Hops) -> None:
        """See Side; the next position includes the play."""

    def dropped(self) -> None:
        """See Side; the next position follows a new game."""

    def close(self) -> None:
        self.process.close("quit")
