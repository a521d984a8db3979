"""Play one side of a match inside gnubg: the referee sends actions and dice, gnubg answers with its decisions.

A gnubg program or the embedded engine runs this file (BGRATING_INSIDE), so it imports only the standard library,
`gnubg` and inside.py. gnubg plays along the complete match against a human, since a position alone allows neither
offered doubles nor Crawford games. Its dice come from a pipe.

BGRATING_JOB holds JSON: `seat` (0 left, 1 right), `match_equity_table`, `commands` and `show`. The first line of the
answer is JSON about the engine. Then each line of standard input is a list of events in JSON. The last event is a
question, and its answer is one line: `double`, `take`, `drop` or a play. Events:

- ["match", length, left, right], ["game", left, right]: a new match (0: money game) or game, with the opening roll
- ["saw", die, die, play]: the other side's roll and play
- ["turn"], ["turn", die, die]: the question for gnubg's action; with the dice that it rolls if it does not double
- ["move", die, die, choice, cube], ["answer", choice, cube]: the question where gnubg waits for a side of the ladder
- ["double"]: the question whether gnubg takes; ["take"], ["drop"]: the other side's answer to gnubg's double
"""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gnubg

sys.path.append(str(Path(os.environ["BGRATING_INSIDE"]).parents[2]))
from bgrating.engine import inside

PIPE = "dice"
Event = list[Any]


class Mirror:
    """The match that gnubg plays along."""

    def __init__(self, seat: int, *, waits: bool) -> None:
        self.seat, self.letter = seat, "XO"[seat]
        os.mkfifo(PIPE)
        self.pipe = os.open(PIPE, os.O_RDWR)
        self.rolled = ""
        gnubg.command("set output rawboard on")  # shorter than boards for a human
        gnubg.command(f"set rng file {PIPE}")
        for rule in ("jacoby on", "beavers 0"):  # of money games
            gnubg.command(f"set {rule}")
        for what in ("game", "roll", "move", "bearoff"):
            gnubg.command(f"set automatic {what} off")
        gnubg.command(f"set player {1 - seat} human")
        gnubg.command(f"set player {seat} {'human' if waits else 'gnubg'}")

    def throw(self, *dice: int) -> None:
        os.write(self.pipe, "".join(map(str, dice)).encode())

    def do(self, event: Event, own: Sequence[int] = ()) -> None:
        """Repeat an action of the other side or the referee; on its turn gnubg continues by itself, with `own` dice."""
        kind, *values = event
        is_rolled = kind == "saw" and gnubg.posinfo()["dice"] == (0, 0)
        self.throw(*(values[:2] if is_rolled else ()), *own)
        if kind in {"match", "game"}:
            self.throw(*values[-2:])
            gnubg.command("new game" if kind == "game" else f"new match {values[0]}" if values[0] else "new session")
        elif kind == "saw":
            *_, play = values
            if is_rolled:
                gnubg.command("roll")
            if play:
                gnubg.command(f"move {play}")
        elif kind in {"double", "take"}:
            gnubg.command(kind)
        elif kind == "drop":
            gnubg.command(kind)
            gnubg.dicerolls(1)  # the dice that it would have rolled
        while gnubg.posinfo()["resigned"]:
            gnubg.command("decline")

    def answer(self, events: list[Event]) -> str:
        """Do events and return gnubg's decision."""
        *before, question = events
        is_turn = question[0] == "turn"
        actions = before if is_turn else events
        for place, event in enumerate(actions):
            self.do(event, question[1:] if is_turn and place == len(actions) - 1 else ())
        state = gnubg.posinfo()
        if question[0] == "double":
            return "take" if state["gamestate"] == inside.PLAYING else "drop"
        return "double" if state["doubled"] else self.play()

    def decide(self, events: list[Event]) -> str:
        """Do events and one decision of a side of the ladder, for which gnubg waits as for a human."""
        *before, (kind, *dice, choice, cube) = events
        for event in before:
            self.do(event)
        if kind == "answer":
            gnubg.command("double")
        elif gnubg.posinfo()["dice"] == (0, 0):
            self.throw(*dice)
            gnubg.command("roll")  # which passes if there is no play
        chosen = choice.get("choice") or (self.worst(kind, choice, cube) if choice.get("worst") else "")
        if chosen:
            gnubg.command(chosen if kind == "answer" else f"move {chosen}")
        elif gnubg.posinfo()["turn"] == self.seat and gnubg.posinfo()["gamestate"] == inside.PLAYING:
            gnubg.command(f"set player {self.seat} gnubg")
            gnubg.command("play")
            while gnubg.posinfo()["resigned"]:
                gnubg.command("decline")
            gnubg.command(f"set player {self.seat} human")
        if kind == "move":
            return self.play()
        return "take" if gnubg.posinfo()["gamestate"] == inside.PLAYING else "drop"

    def worst(self, kind: str, choice: dict[str, list[str]], cube: list[Any]) -> str:
        """Return what leaves the opponent best, by gnubg at 0-ply with the cube."""
        value, owner, length, score, crawford = cube
        plain = {"cubeful": 1, "plies": 0, "deterministic": 0, "noise": 0.0}

        now = gnubg.cubeinfo(value, owner, 1 - self.seat, length, tuple(score), crawford)
        if kind == "move":
            ahead = [gnubg.evaluate(gnubg.positionfromid(place), now, plain)[5] for place in choice["after"]]
            return choice["worst"][ahead.index(max(ahead))]
        taken = gnubg.cubeinfo(2 * value, self.seat, 1 - self.seat, length, tuple(score), crawford)
        equity = gnubg.evaluate(gnubg.positionfromid(choice["after"][0]), taken, plain)[5]
        return "take" if gnubg.eq2mwc(equity, taken) > gnubg.eq2mwc(1.0, now) else "drop"

    def play(self) -> str:
        for record in reversed(gnubg.match(analysis=0, boards=0)["games"][-1]["game"]):
            if record["action"] == "move":
                if record["player"] != self.letter:
                    break
                return " ".join(f"{source}/{target}" for source, target in record["move"]) or "pass"
        raise RuntimeError(f"gnubg has not played: {gnubg.posinfo()}")


def main() -> None:
    """Answer the referee's lines of events with the gnubg that runs this file."""
    inside.bound()
    job = json.loads(os.environ["BGRATING_JOB"])
    asked, told = inside.asker()
    questions, answers = os.fdopen(asked, "r"), os.fdopen(told, "w")
    about = inside.identity()
    about["shown"] = inside.set_up(job, about["engine"])  # before one side is human, whose level gnubg does not show
    mirror = Mirror(job["seat"], waits=job["waits"])
    answer = mirror.decide if job["waits"] else mirror.answer
    print(json.dumps(about), file=answers, flush=True)
    for line in questions:
        print(answer(json.loads(line)), file=answers, flush=True)


if __name__ == "__main__":
    main()
