"""An engine of UBGI 0.2 with a cube: it plays the first legal move, never doubles, and drops when
it is far behind.

Its argument makes it fail as engines do: `taking` takes every double, the others fail at its fifth
decision. Before its second game it waits for the file that the variable UBGI_WAITS names.
"""

import os
import signal
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "scripts"))
from spec_engine import Version02, converse, written

from bgmatch import board
from bgmatch.position import read_xgid

FAULT, AT = (sys.argv[1:] or [""])[0], 5
WAITS = os.environ.get("UBGI_WAITS", "")
FAR_BEHIND = 4  # times the opponent's pips


def first(
    mover: board.Chequers, opponent: board.Chequers, dice: tuple[int, int]
) -> list[tuple[int, int]]:
    sides, hops = (mover.copy(), opponent.copy()), []
    for die in dice * (2 if dice[0] == dice[1] else 1):
        sources = (point for point in range(25, 0, -1) if board.can_hop(*sides, point, die))
        source = next(sources, None)
        if source is None:  # perhaps the dice can be used in another order
            return list(next(iter(board.plays(mover, opponent, dice)), ((),))[0])
        hops.append((source, max(source - die, 0)))
        board.make(*sides, hops[-1:])
        if sides[0][0] == 15:
            break
    return hops


def pips(points: tuple[int, ...]) -> int:
    return sum(point * count for point, count in enumerate(points, 1))


def failing(answer: list[str]) -> list[str]:
    """Return what is said in place of an answer, if the fault leaves anything to say."""
    if FAULT == "crash":
        sys.exit(3)
    if FAULT == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if FAULT == "real-time signal":
        os.kill(os.getpid(), 40)
    if FAULT == "hang":
        time.sleep(600)
    while FAULT.startswith("chatty"):
        os.write(1, b"info x\n" * (1 if FAULT == "chatty" else 1000))
        time.sleep(0.01 if FAULT == "chatty" else 0)
    if FAULT == "closed":
        os.close(1)
        signal.pause()
    lines = {"garbage": ["bestmove @#!"], "illegal": ["bestmove 24/1 24/1"]}
    lines["refusing"] = ["error internal"]
    return lines.get(FAULT, ["@#!", *answer] if FAULT == "stray" else answer)


class AnyPlay(Version02):
    name = "any legal play"
    key, meaning = "engine.ply", "int 0..3 1 plies"
    decisions, games, doubled = 0, 0, False

    def command(self, words: list[str]) -> list[str]:
        if words == ["newgame"]:
            self.games += 1
            while self.games == 2 and WAITS and not Path(WAITS).exists():
                time.sleep(0.01)
        if words[:2] == ["position", "xgid"]:
            place = read_xgid(words[2])
            self.place, self.doubled = (place.player[1:], place.opponent[1:]), place.doubled
            return []
        if words[0] == "go" and words[1:2] != ["role"]:
            self.decisions += 1
            answer = self.decision(words)
            return failing(answer) if self.decisions == AT else answer
        return super().command(words)

    def decision(self, words: list[str]) -> list[str]:
        if words[-1] == "cube":
            own, other = map(pips, self.place)
            is_lost = own > FAR_BEHIND * other and FAULT != "taking"
            return ["bestcube " + (("drop" if is_lost else "take") if self.doubled else "nodouble")]
        sides = ([15 - sum(points), *points] for points in self.place)
        hops = [(source - 1, target - 1) for source, target in first(*sides, self.dice)]
        named = list(map(written, hops))
        return ["info nodes 1", f"bestmove {' '.join(named) or 'pass'}"]


converse(AnyPlay())
