"""Check whether a program speaks UBGI: its commands, unknown input, and ten positions."""

from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import NamedTuple

from bgduel.match import CRASH, DROP, GARBAGE, LATE, TAKE, Forfeit, State, legal_hops
from bgduel.programs import Spec
from bgduel.sides import Seat, SideError, UbgiSide
from bgmatch.position import position_id, read_xgid, xgid
from bgrating.engine.locate import ANALYSIS_CLOCK

PASS = "pass"
FAIL = "FAIL"
NONE = "none"
"""The verdict on an optional feature that a program lacks."""
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
Test = Callable[[], str]
"""Returns PASS, FAIL or NONE. Raises Forfeit."""


class Check(NamedTuple):
    """The result of a check: PASS, FAIL or NONE, what was checked, and the program's line."""

    verdict: str
    what: str
    read: str


def checks(program: Spec, seconds: float, log: Path) -> Iterator[Check]:
    """Yield the checks of a program one by one; the first missing answer ends them."""
    label = "ubgi, isready and options are answered"
    seat = Seat(0, ANALYSIS_CLOCK, seconds, log)
    try:
        with closing(_Checked(program.command, dict(program.options), seat)) as side:
            yield Check(PASS, label, side.identity["version"])
            for label, test in side.tests():
                yield side.checked(label, test)
    except (Forfeit, SideError) as problem:
        yield Check(FAIL, label, str(problem))


class _Checked(UbgiSide):
    """A program with tests of its features."""

    def tests(self) -> Iterator[tuple[str, Test]]:
        """Yield the tests with their names, in their order."""
        position = State(3, (0, 0), crawford=False).position(0, (3, 1))
        by_id = f"position gnubgid {position_id(position)}"
        by_xgid = f"position xgid {xgid(position)}"
        # The line to send, the verdict if the program accepts it, and the verdict if it refuses it.
        lines = {"an unknown command is answered by an error": ("frobnicate 1", FAIL, PASS)}
        if self.is_new:
            lines["an unknown key is answered by an error"] = ("set no.such.key 1", FAIL, PASS)
        lines |= {
            "an empty line ends nothing": ("", PASS, PASS),
            "newgame": ("newgame", PASS, FAIL),
            "position gnubgid": (by_id, PASS, FAIL),
            "position xgid (for matches above 1 point)": (by_xgid, PASS, NONE),
            "dice": ("dice 3 1", PASS, FAIL),
            "stop": ("stop", PASS, NONE),
        }
        more_lines = ("keys",) if self.is_new else CONTEXT
        lines |= {line: (line, PASS, FAIL) for line in more_lines}
        for label, arguments in lines.items():
            yield label, partial(self._sent, *arguments)
        for label, xgid_text in PLAYS.items():
            yield label, partial(self._plays, xgid_text)
        yield "a double, by an XGID", self._doubles
        yield "a trivial take, by an XGID", partial(self._answers, _AHEAD, TAKE)
        yield "a trivial drop, by an XGID", partial(self._answers, _LOST, DROP)
        yield "quit ends it", self._quits

    def checked(self, label: str, test: Test) -> Check:
        """Return the result of a test. Raises Forfeit if the program does not answer any more."""
        self.talk.heard.clear()
        self.talk.limit(self.seconds)
        try:
            result = test()
        except Forfeit as problem:
            if problem.reason in {LATE, CRASH}:
                raise
            return Check(FAIL, label, str(problem))
        heard = [line for line in self.talk.heard if line.startswith("<") and line != "< readyok"]
        return Check(result, label, heard[-1].removeprefix("< ") if heard else "")

    def _sent(self, line: str, accepted: str, refused: str) -> str:
        return refused if self.refused(line) else accepted

    def _plays(self, text: str) -> str:
        """Test the play of the roll in an XGID."""
        state = _state(text)
        dice = read_xgid(text).dice
        assert dice
        legal_hops(state, 0, dice, self.play(state, dice))
        return PASS

    def _doubles(self) -> str:
        if not self.reads_xgid:
            return NONE
        self.doubles(_state(_EVEN))
        return PASS

    def _answers(self, text: str, right: str) -> str:
        if not self.reads_xgid:
            return NONE
        reply = self.answer(_state(text))
        if reply != right:
            sense = f"where only {right!r} makes sense"
            raise Forfeit(GARBAGE, f"its answer to a double is {reply!r}, {sense}")
        return PASS

    def _quits(self) -> str:
        self.talk.tell("quit")
        try:
            while True:
                self.talk.hear()
        except Forfeit as end:
            return PASS if "exit code 0" in str(end) else FAIL


def _state(text: str) -> State:
    position = read_xgid(text)
    boards = (list(position.player), list(position.opponent))
    return State(position.length, (0, 0), crawford=False, boards=boards)
