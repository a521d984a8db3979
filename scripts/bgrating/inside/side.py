"""Play one side of a match inside gnubg.

The referee sends actions and dice, gnubg answers with its decisions.

gnubg plays the complete match against a human: a position alone allows neither offered doubles nor
Crawford games. Its dice come from a pipe.

`side` of the first request has the `seat` (0: left). Each later request has `events`. The last is a
question, and its `answer` is `double`, `take`, `drop` or a play. Events:

- ["match", length, left, right], ["game", left, right]: a new match (0: money game) or game, with
  the opening roll
- ["saw", die, die, play]: the other side's roll and play
- ["turn"], ["turn", die, die]: the question for gnubg's action; with the dice that it rolls if it
  does not double
- ["double"]: the question whether gnubg takes; ["take"], ["drop"]: the other side's answer to
  gnubg's double
"""

import os
from collections.abc import Sequence
from typing import Any

import gnubg

from bgmatch.records import Json
from bgrating.inside.engine import run
from bgrating.inside.play import PLAYING

PIPE = "dice"


class Mirror:
    """gnubg's copy of the match."""

    def __init__(self, seat: int) -> None:
        self.letter = "XO"[seat]
        os.mkfifo(PIPE)
        self.pipe = os.open(PIPE, os.O_RDWR)
        run(("set output rawboard on", f"set rng file {PIPE}"))  # a raw board is shorter
        run(("set jacoby on", "set beavers 0"))  # the rules of money games
        run(f"set automatic {step} off" for step in ("game", "roll", "move", "bearoff"))
        run((f"set player {1 - seat} human", f"set player {seat} gnubg"))

    def side(self, request: Json) -> Json:
        """Do the events of a request and return gnubg's decision."""
        *before, question = request["events"]
        is_turn = question[0] == "turn"
        actions = before if is_turn else request["events"]
        for index, event in enumerate(actions):
            self.do(event, question[1:] if is_turn and index == len(actions) - 1 else ())
        state = gnubg.posinfo()
        if question[0] == "double":
            return {"answer": "take" if state["gamestate"] == PLAYING else "drop"}
        return {"answer": "double" if state["doubled"] else self.play()}

    def throw(self, *dice: int) -> None:
        os.write(self.pipe, "".join(map(str, dice)).encode())

    def do(self, event: list[Any], dice: Sequence[int] = ()) -> None:
        """Repeat an event.

        If it is then gnubg's turn, gnubg continues by itself with these `dice`.
        """
        kind, *values = event
        is_rolled = kind == "saw" and gnubg.posinfo()["dice"] == (0, 0)
        self.throw(*(values[:2] if is_rolled else ()), *dice)
        if kind in {"match", "game"}:
            self.throw(*values[-2:])
            begin = "new game"
            if kind == "match":
                begin = f"new match {values[0]}" if values[0] else "new session"
            gnubg.command(begin)
        elif kind == "saw":
            *_, play = values
            if is_rolled:
                gnubg.command("roll")
            if play:
                gnubg.command(f"move {play}")
        else:
            gnubg.command(kind)
            if kind == "drop":
                gnubg.dicerolls(1)  # the dice that it would have rolled
        while gnubg.posinfo()["resigned"]:
            gnubg.command("decline")

    def play(self) -> str:
        for record in reversed(gnubg.match(analysis=0, boards=0)["games"][-1]["game"]):
            if record["action"] == "move":
                if record["player"] != self.letter:
                    break
                return " ".join(f"{source}/{target}" for source, target in record["move"]) or "pass"
        raise RuntimeError(f"gnubg has not played: {gnubg.posinfo()}")
