"""Check whether a program speaks UBGI: its commands, unknown input, time, and ten positions."""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bgduel.match import CRASH, DROP, GARBAGE, LATE, TAKE, Forfeit, State, legal_hops
from bgduel.programs import Spec
from bgduel.sides import SideError, UbgiSide
from bgmatch import board
from bgmatch.position import position_id, read_xgid, xgid
from bgrating.engine.process import QUIT_SECONDS

PASS = "pass"
FAIL = "FAIL"
NONE = "none"
"""NONE: the program lacks a feature that the specifications leave open."""
_KEY = re.compile(r"key (\S+) (?:int|bool|enum|string)(?: \S+)? (\S+)")
_OPTION = re.compile(r"option name (.+?) type \S+.*? default (\S+)")
# Positions of the tests as XGIDs, the side that decides at the bottom.
PLAYS = {
    "the first move": "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:1:10",
    "a double": "XGID=-b----E-C---eE---c-e----B-:0:0:1:66:0:0:0:1:10",
    "a dance": "XGID=------F-D---cD-----bbbbbbA:0:0:1:65:0:0:0:1:10",
    "one die enters, the other does not": "XGID=------F-C---eD------bbbbbB:0:0:1:65:0:0:0:1:10",
    "a hit from the bar": "XGID=-b----F-D---dD---c-e-a---A:0:0:1:42:0:0:0:1:10",
    "only one die can be played": "XGID=-FFB---------c---bb-bbbbA-:0:0:1:65:0:0:0:1:10",
    "bearing off": "XGID=-BBBCCC------------eee----:0:0:1:65:0:0:0:1:10",
    "bearing off by a larger die": "XGID=-ABB---------------eee----:0:0:1:65:0:0:0:1:10",
    "bearing off by a double": "XGID=--B-C--------------eee----:0:0:1:22:0:0:0:1:10",
    "the last chequer": "XGID=---A---------------eed--a-:0:0:1:51:0:0:0:1:10",
}
_EVEN = "XGID=----EEE------------eee----:0:0:1:00:0:0:0:5:10"
_AHEAD = "XGID=----EEE-----e----e-e------:0:0:1:00:0:0:0:5:10"  # 75 pips against 135
# The opponent bears off with the next roll.
_LOST = "XGID=------E-E----E----------b-:0:0:1:00:0:0:0:5:10"


CONTEXT = (
    "newsession type match length 3 crawford on",
    "setscore 0 0",
    "setcube value 1 owner center",
    "setturn p0",
)


@dataclass(frozen=True)
class Check:
    """A checked feature, PASS, FAIL or NONE, and the program's line."""

    what: str
    verdict: str
    read: str


Test = Callable[[UbgiSide], str]
"""Returns PASS, FAIL or NONE. Raises Forfeit."""


def checks(program: Spec, seconds: float, log: Path) -> Iterator[Check]:
    """Yield the checks of a program one by one; the first missing answer ends them."""
    what = "ubgi, isready and options are answered"
    try:
        side = UbgiSide(program.command, 0, seconds, log, dict(program.options))
    except (Forfeit, SideError) as problem:
        yield Check(what, FAIL, str(problem))
        return
    try:
        yield Check(what, PASS, side.about["version"])
        for what, test in (*_commands(side), *_positions(side, seconds), ("quit ends it", _quits)):
            side.process.heard.clear()
            yield _checked(side, what, test)
    except Forfeit as problem:
        yield Check(what, FAIL, str(problem))
    finally:
        side.close()


def _checked(side: UbgiSide, what: str, test: Test) -> Check:
    """Return the result of a check. Raises Forfeit if the program does not answer any more."""
    side.process.limit(side.seconds)
    try:
        result = test(side)
    except Forfeit as problem:
        if problem.reason in {LATE, CRASH}:
            raise
        return Check(what, FAIL, str(problem))
    heard = [line for line in side.process.heard if line.startswith("<")]
    answers = [line[2:] for line in heard if line != "< readyok"]
    return Check(what, result, answers[-1] if answers else "")


def _accepts(line: str, otherwise: str = FAIL) -> Test:
    def test(side: UbgiSide) -> str:
        return otherwise if side.refused(line) else PASS

    return test


def _refuses_unknown(side: UbgiSide) -> str:
    return PASS if side.refused("frobnicate 1") else FAIL


def _none(_: UbgiSide) -> str:
    return NONE


def _commands(side: UbgiSide) -> list[tuple[str, Test]]:
    place = State(3, (0, 0), crawford=False).position(0, (3, 1))
    by_xgid = f"position xgid {xgid(place)}"
    tests = [
        ("an unknown command is answered by an error", _refuses_unknown),
        ("an empty line ends nothing", _accepts("", PASS)),
        ("newgame", _accepts("newgame")),
        ("position gnubgid", _accepts(f"position gnubgid {position_id(place)}")),
        ("position xgid (for matches above 1 point)", _accepts(by_xgid, NONE)),
        ("dice", _accepts("dice 3 1")),
        ("stop", _accepts("stop", NONE)),
    ]
    if side.is_new:
        return [*tests, ("keys, get and set", _keys)]
    context = [(line, _accepts(line)) for line in CONTEXT]
    return [*tests, *context, ("setoption", _option)]


def _keys(side: UbgiSide) -> str:
    _require(side, "keys")
    key = _first_match(_KEY, side.process.heard)
    if key:
        _require(side, f"get {key[1]}")
        _require(side, f"set {key[1]} {key[2]}")
    if not side.refused("set no.such.key 1"):
        raise Forfeit(GARBAGE, "it accepts 'set no.such.key 1', which is no key")
    return PASS


def _require(side: UbgiSide, request: str) -> None:
    refusal = side.refused(request)
    if refusal:
        raise Forfeit(GARBAGE, f"it answers {request!r} by {refusal!r}")


def _option(side: UbgiSide) -> str:
    option = _first_match(_OPTION, side.greeting)
    if not option:
        return NONE
    return FAIL if side.refused(f"setoption name {option[1]} value {option[2]}") else PASS


def _first_match(pattern: re.Pattern[str], lines: Iterable[str]) -> re.Match[str] | None:
    return next(filter(None, map(pattern.search, lines)), None)


def _positions(side: UbgiSide, seconds: float) -> list[tuple[str, Test]]:
    times: list[float] = []

    def plays(text: str) -> Test:
        """Return the test of a play of the roll in an XGID."""

        def test(side: UbgiSide) -> str:
            state = _state(text)
            dice = read_xgid(text).dice
            assert dice
            began = time.monotonic()
            hops = legal_hops(state, 0, dice, side.play(state, dice))
            times.append(time.monotonic() - began)
            side.refused()  # reads the lines after the answer
            named = [line for line in side.process.heard if line.startswith("< bestmoveid")]
            board.make(*state.boards, hops)
            # The specification leaves open which side names the position after the play.
            after = {position_id(state.position(seat)) for seat in (0, 1)}
            return PASS if not named or named[0].split()[-1] in after else FAIL

        return test

    def doubles(side: UbgiSide) -> str:
        side.doubles(_state(_EVEN))
        return PASS

    def answers(text: str, right: str) -> Test:
        def test(side: UbgiSide) -> str:
            reply = side.answer(_state(text))
            if reply != right:
                sense = f"where only {right!r} makes sense"
                raise Forfeit(GARBAGE, f"its answer to a double is {reply!r}, {sense}")
            return PASS

        return test

    def in_time(_: UbgiSide) -> str:
        slowest = max(times, default=0.0)
        side.process.heard.append(f"< {slowest:.2f} s for the slowest play")
        return PASS if slowest < seconds else FAIL

    cubes = [
        ("a double", doubles),
        ("a trivial take", answers(_AHEAD, TAKE)),
        ("a trivial drop", answers(_LOST, DROP)),
    ]
    return [
        *((name, plays(text)) for name, text in PLAYS.items()),
        *((f"{name}, by an XGID", test if side.reads_xgid else _none) for name, test in cubes),
        ("time", in_time),
    ]


def _state(text: str) -> State:
    place = read_xgid(text)
    return State(place.length, (0, 0), crawford=False, boards=(list(place.own), list(place.other)))


def _quits(side: UbgiSide) -> str:
    side.process.limit(QUIT_SECONDS)
    side.process.tell("quit")
    try:
        while True:
            side.process.hear()
    except Forfeit as end:
        return PASS if "exit code 0" in str(end) else FAIL
