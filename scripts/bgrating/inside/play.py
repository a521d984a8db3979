"""Play matches: gnubg against itself, each side at its level."""

import hashlib
from pathlib import Path

import gnubg

from bgmatch.records import Json
from bgrating.inside.engine import captured, run, saved

PLAYING = 1
"""gnubg's state of a game that is being played."""
EXPORTED = Path("match.mat")


def play(request: Json) -> Json:
    """Play a match to `length` points with the dice of `seed`; return its `text` (.mat)."""
    run((f"set seed {request['seed']}", f"new match {request['length']}"))
    return {"text": _exported()}


def play_diluted(levels: Json, request: Json) -> Json:
    """Play a match of diluted players: a coin gives the level of each decision.

    `levels` has by seat ("0", "1") the `share` of the weak level's decisions, and the commands of
    both levels (`strong` and `weak`). The request also has `coins`, by seat the seed of its coins.
    The answer has `weak`, by seat a digit for each decision: 1 if the weak level took it.

    Both seats are set to human, so gnubg waits. The side to decide becomes gnubg for one `play`,
    which answers a double or a resignation, resigns, doubles, or rolls and plays. A turn is one
    decision, or two if it begins with a double. The next game is begun here: gnubg would continue
    by itself with the player who has just moved.
    """
    run(f"set automatic {step} off" for step in ("game", "roll", "bearoff", "move"))
    run(
        (
            "set player 0 human",
            "set player 1 human",
            f"set seed {request['seed']}",
            f"new match {request['length']}",
        )
    )
    weak: dict[str, str] = dict.fromkeys(levels, "")
    level: dict[str, bool] = {}
    while _is_playing():
        seat = str(gnubg.posinfo()["turn"])
        if seat in levels:
            is_weak = coin(request["coins"][seat], len(weak[seat]), levels[seat]["share"])
            weak[seat] += str(int(is_weak))
            if level.get(seat) != is_weak:
                run(levels[seat]["weak" if is_weak else "strong"])
                level[seat] = is_weak
        where = (gnubg.matchid(), gnubg.positionid())
        run((f"set player {seat} gnubg", "play", f"set player {seat} human"))
        if (gnubg.matchid(), gnubg.positionid()) == where:
            raise RuntimeError(f"gnubg does not play on from {where}")
    return {"text": _exported(), "weak": weak}


def coin(seed: int, decision: int, share: float) -> bool:
    """Return whether the weak level takes a decision.

    It does if a hash of seed and decision, in [0, 1), is below the share.
    """
    digest = hashlib.sha256(f"{seed}/{decision}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def _is_playing() -> bool:
    """Begin the next game if one has ended, and return whether the match goes on.

    gnubg begins no game after the last.
    """
    if gnubg.posinfo()["gamestate"] != PLAYING:
        gnubg.command("new game")
    return bool(gnubg.posinfo()["gamestate"] == PLAYING)


def show_weak(levels: Json) -> str:
    """Return gnubg's settings of the weak levels; the strong ones are set again."""
    for level in levels.values():
        run(level["weak"])
    text = captured("show player")
    for level in levels.values():
        run(level["strong"])
    return text


def _exported() -> str:
    return saved("export match mat", EXPORTED)
