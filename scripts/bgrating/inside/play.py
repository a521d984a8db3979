"""Play matches: gnubg against itself, each side at its level."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import gnubg

from bgrating.inside.engine import Json, captured, run

PLAYING = 1
"""gnubg's word for a game that goes on."""
EXPORTED = Path("match.mat")


def play(request: Json) -> Json:
    """Play a match to `length` points with the dice of `seed`; return its `text` (.mat)."""
    run((f"set seed {request['seed']}", f"new match {request['length']}"))
    return {"text": _exported()}


def diluted(levels: Json) -> Callable[[Json], Json]:
    """Return what plays a match of diluted players.

    `levels` has by seat ("0", "1") the `share` of the weak level's decisions, and the commands of both levels (`strong`
    and `weak`). A request also has `coins`, by seat the seed of its coins. Its answer has `weak`, by seat a digit for
    each decision: 1 where the weak level took it.
    """
    return lambda request: _play_diluted(request, levels)


def _play_diluted(request: Json, levels: Json) -> Json:
    """Play a match decision by decision, each of a diluted player's at the level that its coin gives.

    Both seats count as human, so gnubg waits. The side to decide becomes gnubg for one `play`. That answers a double or
    a resignation, resigns, doubles, or rolls and plays. A turn is one decision, or two if it begins with a double. The
    next game is begun here, since gnubg would go on by itself with the player who has just moved.
    """
    run(f"set automatic {step} off" for step in ("game", "roll", "bearoff", "move"))
    run(("set player 0 human", "set player 1 human", f"set seed {request['seed']}", f"new match {request['length']}"))
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
    """Return whether a decision is the weak level's: a number of [0, 1) made of seed and place is below the share."""
    digest = hashlib.sha256(f"{seed}/{decision}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64 < share


def _is_playing() -> bool:
    """Return whether the match goes on. If a game has ended, begin the next; gnubg refuses that after the last."""
    if gnubg.posinfo()["gamestate"] != PLAYING:
        gnubg.command("new game")
    return bool(gnubg.posinfo()["gamestate"] == PLAYING)


def show_weak(levels: Json) -> str:
    run(command for level in levels.values() for command in level["weak"])
    text = captured("show player")
    run(command for level in levels.values() for command in level["strong"])
    return text


def _exported() -> str:
    """Return the match as gnubg exports it; without its end where the disk was full, which gnubg does not report."""
    EXPORTED.unlink(missing_ok=True)
    gnubg.command(f'export match mat "{EXPORTED}"')
    return EXPORTED.read_text(encoding="ascii", errors="replace") if EXPORTED.is_file() else ""
