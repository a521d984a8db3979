"""What noise does to 5-point matches, in both of gnubg's modes.

Run: gnubg -t -q -r -p noise_matches.py.

One player has noise, the other has none; both are 0-ply. Each match goes through a .mat file before
it is analysed at 0-ply, since evaluations stored during play would be taken over. MATCHES in the
environment sets how many are played. Without a faster clock (faketime) a match takes some two
seconds: see the section on sleeps.
"""

import math
import os
import tempfile
from pathlib import Path

import gnubg

MATCHES = int(os.environ.get("MATCHES", "40"))
NOISY = {
    "cube decisions, 0.05": ("cubedecision", 0.05),
    "chequer play, 0.06": ("chequerplay", 0.06),
}


def settings(what, noise, mode):
    """Yield the commands that make player 0 noisy in one kind of decision."""
    yield from (
        "threads 1",
        "cache 0",
        "display off",
        "confirm new off",
        "analysis luck off",
        "rng mersenne",
    )
    yield from (f"automatic {kind} on" for kind in ("game", "roll", "bearoff", "crawford", "move"))
    for seat in (0, 1):
        yield f"player {seat} gnubg"
        for kind in ("chequerplay", "cubedecision"):
            level = f"player {seat} {kind} evaluation"
            yield from (
                f"{level} plies 0",
                f"{level} prune off",
                f"{level} noise 0",
                f"{level} deterministic {mode}",
            )
    yield f"player 0 {what} evaluation noise {noise}"
    for kind in ("chequerplay", "cubedecision"):
        yield from (f"analysis {kind} evaluation plies 0", f"analysis {kind} evaluation prune off")


def measure(what, noise, mode):
    """Play the matches.

    Yield for each match whether player 0 won, his errors, and from how many decisions they are.
    """
    for seed in range(1, MATCHES + 1):
        for command in settings(what, noise, mode):
            gnubg.command(f"set {command}")
        for command in (
            f"set seed {seed}",
            "new match 5",
            "export match mat m.mat",
            "import mat m.mat",
        ):
            gnubg.command(command)
        gnubg.command("analyse match")
        found = gnubg.match(analysis=1, boards=0, statistics=1)
        won = found["games"][-1]["info"]["winner"] == "X"
        moves, cube = (found["stats"]["X"][kind] for kind in ("moves", "cube"))
        if what == "cubedecision":
            yield won, abs(cube["error-skill"]) * cube["close-cube"], cube["close-cube"]
        else:
            yield won, abs(moves["error-skill"]), moves["unforced-moves"]
        Path("m.mat").unlink()


def rate(pairs):
    """Return the sum of the first over the sum of the second, and half its 90 % interval
    (matches as units).
    """
    total = sum(count for _, count in pairs)
    ratio = sum(value for value, _ in pairs) / total
    square = sum((value - ratio * count) ** 2 for value, count in pairs)
    return ratio, 1.645 * math.sqrt(square * len(pairs) / (len(pairs) - 1)) / total


os.chdir(tempfile.mkdtemp())
LINES = []
for name, (what, noise) in NOISY.items():
    for mode in ("on", "off"):
        matches = list(measure(what, noise, mode))
        won, won_half = rate([(float(won), 1) for won, _, _ in matches])
        error, error_half = rate([(error, count) for _, error, count in matches])
        LINES.append(
            f"{name}, deterministic {mode}: {MATCHES} matches, won {won:.3f} +- {won_half:.3f}, "
            f"error a decision {error:.4f} +- {error_half:.4f} (90 %)"
        )
print("\n".join(LINES))
