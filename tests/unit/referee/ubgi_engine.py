"""A program that speaks UBGI in a few lines: it plays the first legal move, never doubles and takes every double.

Its argument makes it fail as engines do, at its fifth decision: see FAULT below.
"""

import base64
import os
import signal
import sys
import time
from pathlib import Path

sys.path.append(str(Path(__file__).parents[3] / "scripts"))
from bgrating.decisions.position import Position, read_xgid
from bgrating.matchtext import board

FAULT, AT = (sys.argv[1:] or [""])[0], 5
decisions = 0


def first(mover: board.Chequers, opponent: board.Chequers, dice: tuple[int, int]) -> list[tuple[int, int]]:
    sides, hops = (mover.copy(), opponent.copy()), []
    for die in dice * (2 if dice[0] == dice[1] else 1):
        source = next((point for point in range(25, 0, -1) if board.can_hop(*sides, point, die)), None)
        if source is None:  # perhaps the dice can be used in another order
            return list(next(iter(board.plays(mover, opponent, dice)), ((),))[0])
        hops.append((source, max(source - die, 0)))
        board.make(*sides, hops[-1:])
        if sides[0][0] == 15:
            break
    return hops


def read_position_id(text: str) -> Position:
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(text + "=="))
    counts = [len(run) for run in bits.split("0")]
    sides = [(0, *counts[at : at + 25]) for at in (25, 0)]
    return Position(*[(15 - sum(side), *side[1:]) for side in sides], 0, 0, 0)


VALUES = {"engine.ply": "1"}

for line in sys.stdin:
    words, reply = line.split(), ""
    if words == ["ubgi"]:
        reply = "id name any legal play\nid author nobody\nproto 0.2\nubgiok"
    elif words == ["isready"]:
        reply = "readyok"
    elif words == ["quit"]:
        break
    elif words == ["newgame"]:
        pass
    elif words == ["keys"]:
        reply = "key engine.ply int 0..3 1 plies"
    elif words[:1] == ["get"] and len(words) == 2:
        reply = f"value {words[1]} {VALUES[words[1]]}" if words[1] in VALUES else f"error unsupported {words[1]}"
    elif words[:1] == ["set"] and len(words) == 3:
        if words[1] in VALUES:
            VALUES[words[1]] = words[2]
        else:
            reply = f"error unsupported {words[1]}"
    elif words[:2] == ["position", "xgid"]:
        place = read_xgid(words[2])
    elif words[:2] == ["position", "gnubgid"]:
        place = read_position_id(words[2])
    elif words[:1] == ["dice"]:
        dice = (int(words[1]), int(words[2]))
    elif words[:1] == ["go"] and words[1:2] != ["role"]:
        decisions += 1
        if words[-1] == "cube":
            reply = "bestcube " + ("take" if place.doubled else "nodouble")
        else:
            hops = first(list(place.own), list(place.other), dice)
            named = [f"{'bar' if source == 25 else source}/{target or 'off'}" for source, target in hops]
            reply = "info nodes 1\nbestmove " + (" ".join(named) or "pass")
        if decisions == AT:
            if FAULT == "crash":
                sys.exit(3)
            if FAULT == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if FAULT == "hang":
                time.sleep(600)
            while FAULT.startswith("chatty"):
                os.write(1, b"info x\n" * (1 if FAULT == "chatty" else 1000))
                time.sleep(0.01 if FAULT == "chatty" else 0)
            if FAULT == "closed":
                os.close(1)
                signal.pause()
            reply = {
                "garbage": "bestmove @#!",
                "stray": "@#!\n" + reply,
                "illegal": "bestmove 24/1 24/1",
                "refusing": "error internal",
            }.get(FAULT, reply)
    else:
        reply = "error bad_command"
    if reply:
        print(reply, flush=True)
