"""Check whether a program speaks UBGI: each command of its version, stray input, time, and ten positions."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bgrating.decisions.position import position_id, xgid
from bgrating.engine.process import QUIT_SECONDS
from bgrating.matchtext import board
from bgrating.referee.match import CRASH, DROP, GARBAGE, LATE, TAKE, Dice, Forfeit, State, legal_hops
from bgrating.referee.names import Spec
from bgrating.referee.sides import SideError, UbgiSide

PASS, FAIL, NONE = "pass", "FAIL", "none"
"""NONE: it lacks something that the specifications leave open."""
_EVEN, _BEHIND, _LAST = {6: 5, 5: 5, 4: 5}, {6: 5, 8: 5, 13: 5}, {1: 2}
"""Chequers of races: 75 pips, 135 pips, and the last roll."""
_WALL = dict.fromkeys(range(1, 7), 2)
_KEY = re.compile(r"key (\S+) (?:int|bool|enum|string)(?: \S+)? (\S+)")
_OPTION = re.compile(r"option name (.+?) type \S+.*? default (\S+)")
# The chequers of the side to play and of the other one, each by its own points; the dice.
PLAYS: dict[str, tuple[dict[int, int], dict[int, int], Dice]] = {
    "the first move": ({6: 5, 8: 3, 13: 5, 24: 2}, {6: 5, 8: 3, 13: 5, 24: 2}, (3, 1)),
    "a double": ({6: 5, 8: 3, 13: 5, 24: 2}, {6: 5, 8: 3, 13: 5, 24: 2}, (6, 6)),
    "a dance": ({25: 1, 6: 6, 8: 4, 13: 4}, {**_WALL, 13: 3}, (6, 5)),
    "one die enters, the other does not": ({25: 2, 6: 6, 8: 3, 13: 4}, {**_WALL, 6: 0, 13: 5}, (6, 5)),
    "a hit from the bar": ({25: 1, 6: 6, 8: 4, 13: 4}, {6: 5, 8: 3, 13: 4, 24: 2, 4: 1}, (4, 2)),
    "only one die can be played": ({24: 1, 3: 2, 2: 6, 1: 6}, {2: 2, 3: 2, 4: 2, 5: 2, 7: 2, 8: 2, 12: 3}, (6, 5)),
    "bearing off": ({6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}, {6: 5, 5: 5, 4: 5}, (6, 5)),
    "bearing off by a larger die": ({3: 2, 2: 2, 1: 1}, {6: 5, 5: 5, 4: 5}, (6, 5)),
    "bearing off by a double": ({4: 3, 2: 2}, {6: 5, 5: 5, 4: 5}, (2, 2)),
    "the last chequer": ({3: 1}, {6: 5, 5: 5, 4: 4, 1: 1}, (5, 1)),
}


@dataclass(frozen=True)
class Check:
    """What was checked, PASS, FAIL or NONE, and the line that was read."""

    what: str
    verdict: str
    read: str


def checks(program: Spec, seconds: float, log: Path) -> Iterator[Check]:
    """Yield the checks of a program one by one; after the first missing answer there are no more."""
    what = "ubgi, isready and options are answered"
    try:
        side = UbgiSide(program.command, 0, seconds, log, dict(program.options))
    except (Forfeit, SideError) as problem:
        yield Check(what, FAIL, str(problem))
        return
    try:
        yield Check(what, PASS, side.about["version"])
        for what, verdict in (*_commands(side), *_positions(side, seconds), ("quit ends it", _quits)):
            side.process.heard.clear()
            yield _checked(side, what, verdict)
    except Forfeit as problem:
        yield Check(what, FAIL, str(problem))
    finally:
        side.close()


def _checked(side: UbgiSide, what: str, verdict: Callable[[UbgiSide], str]) -> Check:
    """Return the result of a check. Raises Forfeit for a program that does not answer any more."""
    side.process.limit(side.seconds)
    try:
        result, reason = verdict(side), ""
    except Forfeit as problem:
        if problem.reason in {LATE, CRASH}:
            raise
        result, reason = FAIL, str(problem)
    answers = [line[2:] for line in side.process.heard if line.startswith("<") and line != "< readyok"]
    return Check(what, result, reason or (answers[-1] if answers else ""))


def _accepts(*lines: str, needed: bool = True) -> Callable[[UbgiSide], str]:
    return lambda side: PASS if not side.refused(*lines) else FAIL if needed else NONE


def _commands(side: UbgiSide) -> list[tuple[str, Callable[[UbgiSide], str]]]:
    place = State(3, (0, 0), crawford=False).position(0, (3, 1))
    yes = [
        ("an unknown command is answered by an error", lambda side: PASS if side.refused("frobnicate 1") else FAIL),
        ("an empty line ends nothing", _accepts_any("")),
        ("newgame", _accepts("newgame")),
        ("position gnubgid", _accepts(f"position gnubgid {position_id(place)}")),
        ("position xgid (for matches above 1 point)", _accepts(f"position xgid {xgid(place)}", needed=False)),
        ("dice", _accepts("dice 3 1")),
        ("stop", _accepts("stop", needed=False)),
    ]
    if side.is_new:
        return [*yes, ("keys, get and set", _keys)]
    lines = ("newsession type match length 3 crawford on", "setscore 0 0", "setcube value 1 owner center", "setturn p0")
    return [*yes, *((line, _accepts(line)) for line in lines), ("setoption", _option)]


def _accepts_any(line: str) -> Callable[[UbgiSide], str]:
    def verdict(side: UbgiSide) -> str:
        side.refused(line)
        return PASS

    return verdict


def _keys(side: UbgiSide) -> str:
    if refusal := side.refused("keys"):
        raise Forfeit(GARBAGE, f"it answers keys by {refusal!r}")
    for name, value in [found.groups() for line in side.process.heard if (found := _KEY.search(line))][:1]:
        for request in (f"get {name}", f"set {name} {value}"):
            if refusal := side.refused(request):
                raise Forfeit(GARBAGE, f"it answers {request!r} by {refusal!r}")
    if not side.refused("set no.such.key 1"):
        raise Forfeit(GARBAGE, "it accepts 'set no.such.key 1', which is no key")
    return PASS


def _option(side: UbgiSide) -> str:
    for name, value in [found.groups() for line in side.greeting if (found := _OPTION.search(line))][:1]:
        return FAIL if side.refused(f"setoption name {name} value {value}") else PASS
    return NONE


def _positions(side: UbgiSide, seconds: float) -> list[tuple[str, Callable[[UbgiSide], str]]]:
    slowest = [0.0]

    def plays(own: dict[int, int], other: dict[int, int], dice: Dice) -> Callable[[UbgiSide], str]:
        def verdict(side: UbgiSide) -> str:
            state = State(1, (0, 0), crawford=False, boards=(_chequers(own), _chequers(other)))
            began = time.monotonic()
            hops = legal_hops(state, 0, dice, side.play(state, dice))
            slowest[0] = max(slowest[0], time.monotonic() - began)
            side.refused()  # what follows the answer
            named = [line.split()[-1] for line in side.process.heard if line.startswith("< bestmoveid")]
            board.make(*state.boards, hops)
            return PASS if not named or named[0] in _ids(state) else FAIL

        return verdict

    def doubles(side: UbgiSide) -> str:
        side.doubles(_race(_EVEN, _EVEN))
        return PASS

    def answers(own: dict[int, int], other: dict[int, int], right: str) -> Callable[[UbgiSide], str]:
        def verdict(side: UbgiSide) -> str:
            reply = side.answer(_race(own, other))
            if reply != right:
                raise Forfeit(GARBAGE, f"its answer to a double is {reply!r}, where only {right!r} makes sense")
            return PASS

        return verdict

    def in_time(_: UbgiSide) -> str:
        side.process.heard.append(f"< {slowest[0]:.2f} s for the slowest play")
        return PASS if slowest[0] < seconds else FAIL

    cubes = [
        ("a double", doubles),
        ("a trivial take", answers(_EVEN, _BEHIND, TAKE)),
        ("a trivial drop", answers(_BEHIND, _LAST, DROP)),
    ]
    return [
        *((name, plays(*about)) for name, about in PLAYS.items()),
        *((f"{name}, by an XGID", verdict if side.reads_xgid else lambda _: NONE) for name, verdict in cubes),
        ("time", in_time),
    ]


def _race(own: dict[int, int], other: dict[int, int]) -> State:
    return State(5, (0, 0), crawford=False, boards=(_chequers(own), _chequers(other)))


def _chequers(points: dict[int, int]) -> board.Chequers:
    chequers = [points.get(point, 0) for point in range(26)]
    chequers[board.OFF] = 15 - sum(chequers)
    return chequers


def _ids(state: State) -> set[str]:
    """Return the position after a play as either side names it; the specification does not tell which."""
    return {position_id(state.position(0)), position_id(state.position(1))}


def _quits(side: UbgiSide) -> str:
    side.process.limit(QUIT_SECONDS)
    side.process.tell("quit")
    try:
        while True:
            side.process.hear()
    except Forfeit as end:
        return PASS if "exit code 0" in str(end) else FAIL
