"""A UBGI 0.2 engine with a cube. It avoids blots, and takes and doubles by the pip count."""

import base64
import sys


def read_xgid(text):
    """Return chequers by point.

    The player's are positive, the opponent's negative. The bars are at the ends.
    """
    return [(ord(c) - 64 if c < "a" else 96 - ord(c)) if c != "-" else 0 for c in text[:26]]


def read_gnubgid(text):
    bits = "".join(f"{byte:08b}"[::-1] for byte in base64.b64decode(text + "=="))
    counts = [len(ones) for ones in bits.split("0")[:50]]
    other, own = counts[:25], counts[25:]
    return [-other[24], *(own[i] - other[23 - i] for i in range(24)), own[24]]


def hop(board, source, die):
    """Return the board after a chequer has moved by a die, or None if the rules forbid it."""
    target = source - die
    if board[source] <= 0 or (board[25] > 0 and source < 25) or (target > 0 and board[target] < -1):
        return None
    if target <= 0 and any(n > 0 for n in board[7:] + (board[source + 1 : 7] if target else [])):
        return None
    after = board.copy()
    after[source] -= 1
    if target > 0:
        after[0] -= board[target] == -1
        after[target] = max(board[target], 0) + 1
    return after


def plays(board, dice):
    """Return the plays that use most dice, the larger one if only one can be used."""
    found, is_double = [], dice[0] == dice[1]

    def go(board, left, hops):
        found.append((hops, board))
        for source in range(hops[-1][0] if hops and is_double else 25, 0, -1) if left else ():
            if after := hop(board, source, left[0]):
                go(after, left[1:], [*hops, (source, left[0])])

    for order in [dice * 2] if is_double else [dice, dice[::-1]]:
        go(board, order, [])
    used = [(len(hops), hops[0][1] if len(hops) == 1 else 0) for hops, _ in found]
    return [play for play, size in zip(found, used, strict=True) if size == max(used)]


def pips(board):
    return sum(i * max(n, 0) for i, n in enumerate(board)), sum(
        (25 - i) * max(-n, 0) for i, n in enumerate(board)
    )


board, dice, doubled = [0] * 26, [1, 2], False
for line in sys.stdin:
    match line.split():
        case ["ubgi"]:
            print("id name example\nproto 0.2\nubgiok")
        case ["isready"]:
            print("readyok")
        case ["position", "xgid", text]:
            places, _, _, turn, *_ = text.removeprefix("XGID=").split(":")
            board, doubled = read_xgid(places), turn == "-1"
        case ["position", "gnubgid", text]:
            board, doubled = read_gnubgid(text), False
        case ["dice", one, two]:
            dice = [int(one), int(two)]
        case ["go", "cube"]:
            own, other = pips(board)
            yes, no, most = ("take", "drop", 1.12) if doubled else ("double", "nodouble", 0.92)
            print("bestcube", yes if own < most * other else no)
        case ["go"] | ["go", "chequer"]:
            hops, _ = min(plays(board, dice), key=lambda play: play[1][1:25].count(1))
            moves = [f"{'bar' if s == 25 else s}/{s - d if s > d else 'off'}" for s, d in hops]
            print("bestmove", " ".join(moves) or "pass")
        case ["quit"]:
            break
        case [word, *_] if word not in {"newgame", "keys", "stop"}:
            print("error bad_command")
    sys.stdout.flush()
