"""Check that every reader takes linear time: `python benchmarks/linear.py`.

Inputs are sound and hostile files. Each is read at one size and at eight times that size. A reader
is linear if the least CPU time of three grows by less than sixteen. The exit status is 1 if one is
not.
"""

import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from bgmatch.decoder import decoded
from bgmatch.errors import BgmatchError
from bgmatch.formats.saved import read_file

GROWTH, MOST, TIMES = 8, 16.0, 3
LEAST_SECONDS = 0.02
"""Inputs grow until the smaller one takes this long, since shorter times are noise."""
HEAD = " 7 point match\n\n Game 1\n ann : 0                        bob : 0\n"
ROW = "{n:3d}) 31: 8/5 6/5                31: 8/5 6/5\n"
DOUBLED = "{n:3d}) Doubles => 2               31: 8/5 6/5\n"
SET = "; Set Pos=-b----E-C---eE---c-e----B-/0\n{n:3d}) 31: 8/5 6/5\n"
OLD = "Score is 0-0 in a 5 point match.\nann is X - ben is O\n"


def rows(row: str, count: int) -> str:
    return HEAD + "".join(row.format(n=n % 9999 + 1) for n in range(count))


INPUTS: dict[str, tuple[str, Callable[[int], str]]] = {
    ".mat, rows": (".mat", lambda n: rows(ROW, n)),
    ".mat, games": (
        ".mat",
        lambda n: "".join(rows(ROW, 20).replace("Game 1", f"Game {k + 1}") for k in range(n // 20)),
    ),
    ".mat, doubles that nobody answers": (".mat", lambda n: rows(DOUBLED, n)),
    ".mat, positions set by hand": (".mat", lambda n: rows(SET, n)),
    ".mat, notes": (".mat", lambda n: HEAD + "Automatic doubles: 1\n" * n),
    ".mat, headers": (".mat", lambda n: '; [Event "x"]\n' * n + rows(ROW, 20)),
    ".mat, matches below many headers": (
        ".mat",
        lambda n: '; [Event "x"]\n' * n + HEAD + " Game 1\n" * n,
    ),
    ".mat, one long play": (
        ".mat",
        lambda n: HEAD + ("  1) 31: " + "8/5 " * 2000 + "\n") * (n // 1000),
    ),
    ".sgf, values without an end": (".sgf", lambda n: "(;GM[6]MI[length:7]" + "C[\\]" * n),
    ".sgf, capitals": (".sgf", lambda n: "(;GM[6]" + "A" * n),
    ".sgf, nodes": (
        ".sgf",
        lambda n: (
            "(;FF[4]GM[6]MI[length:7][game:0][ws:0][bs:0]PW[a]PB[b]RU[Crawford]"
            + ";B[31qtst];W[62xrmk]" * n
            + ")"
        ),
    ),
    ".match": (
        ".match",
        lambda n: (
            "JavaFIBS internal match representation\n8:bob:7\n13:::\n"
            + "0:You:3 1\n1:You:8-5 6-5\n" * n
        ),
    ),
    ".gmd": (
        ".gmd",
        lambda n: (
            "GMD-1\nLength:7\nPlayer:W:ann\nPlayer:B:bob\nGame:1\n"
            + "Roll:W:3 1\nMove:W:8-5 6-5\n" * n
        ),
    ),
    "oldmoves": (".txt", lambda n: OLD + "O: (3 1) 8-5 6-5\nX: (3 1) 8-5 6-5\n" * n),
    "names in a code page": (".mat", lambda n: "".join(f"Łukasz{k}ę\n" for k in range(n))),
}


def seconds(text: str, suffix: str) -> float:
    """Return the least CPU time of three readings of a text."""
    data = text.encode("cp1250")
    least = float("inf")
    for _ in range(TIMES):
        before = time.process_time()
        try:
            decoded(data)
            read_file(data, suffix)
        except BgmatchError:
            pass
        least = min(least, time.process_time() - before)
    return least


def growth(suffix: str, make: Callable[[int], str]) -> tuple[int, float, float]:
    """Return the size of the smaller input, and the times of both."""
    count = 200
    small = seconds(make(count), suffix)
    while small < LEAST_SECONDS and count < 200_000:
        count *= 4
        small = seconds(make(count), suffix)
    return count, small, seconds(make(GROWTH * count), suffix)


def main() -> int:
    worst = 0.0
    for name, (suffix, make) in INPUTS.items():
        count, small, large = growth(suffix, make)
        worst = max(worst, large / small)
        print(
            f"{name:36} {count:7d} {small:8.3f} s {large:8.3f} s {large / small:5.1f}", flush=True
        )
    return int(worst >= MOST)


if __name__ == "__main__":
    sys.exit(main())
