"""An engine written from one public specification of UBGI alone (its argument: 0.1 or 0.2), without
code of ours.

Sources: docs/ubgi-v0.1-spec.md and docs/ubgi-v0.2-spec.md of bungogood/bgci, and gnubg's manual for
the position ID. It implements what the version requires and refuses everything else with the
version's error codes: no XGID, and in 0.2 no cube. Of all plays it takes the one that leaves the
fewest pips on single chequers.
"""

import base64
import sys

BAR, OFF = 24, -1  # points are counted from 0, the nearest to home


def decode(text):
    raw = base64.b64decode(text + "==")
    bits = "".join(str(byte >> place & 1) for byte in raw for place in range(8))
    counts = [len(ones) for ones in bits.split("0")[:50]]
    return tuple(counts[25:]), tuple(counts[:25])


def encode(roller, other):
    bits = "".join("1" * count + "0" for count in (*other, *roller)).ljust(80, "0")
    raw = bytes(
        sum(int(bit) << place for place, bit in enumerate(bits[at : at + 8]))
        for at in range(0, 80, 8)
    )
    return base64.b64encode(raw).decode().rstrip("=")


def steps(mine, theirs, die):
    """Yield all moves of one chequer by a die, with both sides' chequers after it."""
    for source in (BAR,) if mine[BAR] else range(23, -1, -1):
        if not mine[source]:
            continue
        target = source - die
        if target < 0:
            if any(mine[6:]) or (target < -1 and any(mine[source + 1 : 6])):
                continue
            target = OFF
        elif theirs[23 - target] > 1:
            continue
        ours, others = list(mine), list(theirs)
        ours[source] -= 1
        if target != OFF:
            ours[target] += 1
            if others[23 - target]:
                others[23 - target] = 0
                others[BAR] += 1
        yield (source, target), tuple(ours), tuple(others)


def plays(mine, theirs, dice):
    found = {}

    def go(mine, theirs, left, done, used):
        moved = False
        for place, die in enumerate(left):
            if die in left[:place]:
                continue
            for move, ours, others in steps(mine, theirs, die):
                moved = True
                go(ours, others, left[:place] + left[place + 1 :], [*done, move], [*used, die])
        if not moved:
            found.setdefault(
                (len(done), max(used, default=0) if len(done) == 1 else 0, mine, theirs), done
            )

    go(mine, theirs, list(dice) * (2 if dice[0] == dice[1] else 1), [], [])
    most = max(key[:2] for key in found)
    return [(done, key[2], key[3]) for key, done in found.items() if key[:2] == most]


def best(mine, theirs, dice):
    return min(
        plays(mine, theirs, dice), key=lambda play: sum(n + 1 for n in range(24) if play[1][n] == 1)
    )


def written(move):
    source, target = move
    return f"{'bar' if source == BAR else source + 1}/{'off' if target == OFF else target + 1}"


class Engine:
    """The state that both versions share, and the commands that both know."""

    name = "from the specification"
    greeting = ()

    def __init__(self):
        self.place = self.dice = None

    def command(self, words):
        """Return the answer to a command, some lines; None if it is unknown."""
        if words == ["ubgi"]:
            return [
                f"id name {self.name} {type(self).__name__}",
                "id author a reader",
                *self.greeting,
                "ubgiok",
            ]
        if words == ["isready"]:
            return ["readyok"]
        if words == ["newgame"]:
            self.place = self.dice = None
            return []
        if words[:2] == ["position", "gnubgid"] and len(words) == 3:
            self.place = decode(words[2])
            return []
        if words[:1] == ["dice"] and len(words) == 3:
            self.dice = tuple(map(int, words[1:]))
            return []
        return None

    def move(self):
        done, mine, theirs = best(*self.place, self.dice)
        return " ".join(map(written, done)) or "pass", encode(theirs, mine)


class Version01(Engine):
    greeting = ("option name Seed type spin min 0 max 9 default 0",)
    context = ("setoption", "newsession", "setscore", "setcube", "setturn", "stop")

    def command(self, words):
        if words[0] in self.context:
            return []
        if words[:2] == ["go", "role"] and len(words) > 2:
            if words[2] == "cube":
                return ["bestcube nodouble"]
            if words[2] == "chequer" and self.place and self.dice:
                text, after = self.move()
                return ["info role chequer", f"bestmove {text}", f"bestmoveid {after}"]
            return ["error missing_context give a position and dice"]
        if words[0] in {"position", "go", "dice"} and super().command(words) is None:
            return ["error unsupported_feature"]
        answer = super().command(words)
        return ["error unknown_command"] if answer is None else answer


class Version02(Engine):
    greeting = ("proto 0.2",)
    key, meaning = "engine.seed", "int * 0 ! not used"

    def __init__(self):
        super().__init__()
        self.keys = {self.key: "0"}

    def command(self, words):  # noqa: PLR0911 - a command each
        if words == ["keys"]:
            return [f"key {self.key} {self.meaning}"]
        if words[0] == "set":
            if len(words) != 3:
                return ["error bad_command expected: set <key> <value>"]
            if words[1] not in self.keys:
                return [f"error unsupported {words[1]}"]
            self.keys[words[1]] = words[2]
            return []
        if words[0] == "get":
            known = len(words) == 2 and words[1] in self.keys
            return [f"value {words[1]} {self.keys[words[1]]}" if known else "error unsupported"]
        if words in (["go"], ["go", "chequer"]):
            return (
                [f"bestmove {self.move()[0]}"]
                if self.place and self.dice
                else ["error bad_state missing position"]
            )
        if words[0] == "go":
            return (
                ["error unsupported"]
                if words[1:] in (["cube"], ["turn"])
                else ["error bad_command"]
            )
        if words[0] == "position" and words[1:2] != ["gnubgid"]:
            return ["error unsupported position"]
        answer = super().command(words)
        return ["error bad_command"] if answer is None else answer


def converse(engine):
    for line in sys.stdin:
        if line.split() == ["quit"]:
            break
        for reply in engine.command(line.split()) if line.split() else []:
            print(reply, flush=True)


if __name__ == "__main__":
    converse({"0.1": Version01, "0.2": Version02}[sys.argv[1]]())
