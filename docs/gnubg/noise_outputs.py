"""Noise as gnubg adds it to the chance of winning, in standard deviations.

Run: gnubg -t -q -r -p noise_outputs.py.

Positions come from 20 matches of 0-ply players without noise; those are kept whose chance of
winning is between 0.3 and 0.7, so that nothing is clipped. Each is evaluated at 0-ply with and
without noise, in both modes.
"""

import math
import os
import statistics
import tempfile

import gnubg

NOISE = 0.01


def context(deterministic, noise):
    """Return a 0-ply cubeless evaluation context."""
    return {"cubeful": 0, "plies": 0, "deterministic": deterministic, "noise": noise}


def positions():
    """Play 20 matches to 5 points and return the boards on which a move was to be made."""
    for words in (
        "threads 1",
        "display off",
        "confirm new off",
        "player 0 gnubg",
        "player 1 gnubg",
        "seed 1",
    ):
        gnubg.command(f"set {words}")
    for words in ("game", "roll", "bearoff", "crawford", "move"):
        gnubg.command(f"set automatic {words} on")
    for seat in (0, 1):
        for kind in ("chequerplay", "cubedecision"):
            gnubg.command(f"set player {seat} {kind} evaluation plies 0")
    for _ in range(20):
        gnubg.command("new match 5")
        for game in gnubg.match(analysis=0, boards=1, statistics=0)["games"]:
            for action in game["game"]:
                if action["action"] == "move":
                    yield gnubg.positionfromid(action["board"])


def main():
    """Print mean and standard deviation of both modes."""
    cube = gnubg.cubeinfo(1, -1, 0, 0, (0, 0), 0, 0)
    shifts = {1: [], 0: []}
    for board in positions():
        clean = gnubg.evaluate(board, cube, context(0, 0.0))[0]
        if 0.3 < clean < 0.7:
            for deterministic, found in shifts.items():
                noisy = gnubg.evaluate(board, cube, context(deterministic, NOISE))[0]
                found.append((noisy - clean) / NOISE)
    for deterministic, found in shifts.items():
        mean, deviation = statistics.mean(found), statistics.stdev(found)
        half = 1.645 * deviation / math.sqrt(len(found))
        print(
            f"deterministic {'on ' if deterministic else 'off'}: n = {len(found)}, mean {mean:+.3f}"
            f" +- {half:.3f} (90 %), standard deviation {deviation:.3f},"
            f" {sum(shift < 0 for shift in found)} below zero"
        )


os.chdir(tempfile.mkdtemp())
main()
