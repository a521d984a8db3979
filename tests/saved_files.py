"""Write matches as gnubg (.sgf) and BGBlitz (.bgf) do, and by gvformat as .ogxm and .gvab."""

import gzip
import json
import struct
import zlib
from collections.abc import Sequence
from typing import Any

from gvformat import bgf, write_gvab, write_gvab_v1

from bgmatch.model import CubeAction, CubeKind, Game, Match, Roll, Verdict

Json = dict[str, Any]
_NONE = [-1, -1, -1, -1]


def smile(value: Any) -> bytes:
    """Return a value in Smile, the binary JSON, as far as the library reads it."""
    if value is None or isinstance(value, bool):
        return {None: b"\x21", False: b"\x22", True: b"\x23"}[value]
    if isinstance(value, int):
        rest, word = (value << 1) ^ (value >> 63), b""
        while not word or rest:
            word, rest = bytes([rest & 0x3F | 0x80 * (not word)]) + word, rest >> 6
        return b"\x24" + word
    if isinstance(value, str):
        return b"\x20" if not value else b"\xe4" + value.encode() + b"\xfc"
    if isinstance(value, dict):
        return (
            b"\xfa"
            + b"".join(bytes([0x7F + len(key)]) + key.encode() + smile(value[key]) for key in value)
            + b"\xfb"
        )
    return b"\xf8" + b"".join(map(smile, value)) + b"\xf9"


def bgf_of(match: Match, *, packed: bool = True) -> bytes:
    """Return a match of legal plays as a .bgf file, the left player in green."""
    names = [player.name for player in match.players]
    body: Json = {
        "nameGreen": names[0],
        "nameRed": names[1],
        "matchlen": match.match_length,
        "useCrawford": match.crawford,
        "useJacoby": bool(match.jacoby),
        "date": match.date.replace("-", "."),
        "cubeLimit": 64,
        "finalGreen": match.final_score[0],
        "finalRed": match.final_score[1],
        "games": [_game(game) for game in match.games],
    }
    head = json.dumps(
        {"format": "BGF", "version": "1.0", "compress": packed, "useSmile": True}
    ).encode()
    content = b":)\n\x00" + smile(body)
    return head + b"\n" + (gzip.compress(content, mtime=0) if packed else content)


def _game(game: Game) -> Json:
    points = [0] * 26
    for point, count in ((6, 5), (8, 3), (13, 5), (24, 2)):
        points[24 - point] += count
        points[point - 1] -= count
    result, ending = game.result, game.result.ending
    moves = [
        move
        for place, action in enumerate(game.actions)
        if (move := _move(action, game.actions[place + 1 :]))
    ]
    return {
        "scoreGreen": game.score[0],
        "scoreRed": game.score[1],
        "isCrawford": game.crawford,
        "initial": {"points": points, "cube": 1, "cubeOwner": 0},
        "moves": moves,
        "wonPoints": result.points,
        "wasResignation": ending == "resignation",
    }


def _move(action: Any, later: Sequence[Any]) -> Json | None:
    player = 1 if action.side else -1
    if isinstance(action, Roll):
        if action.verdict is Verdict.RESIGNED:
            return None
        dice = {"red": action.dice[0], "green": action.dice[1]}
        if action.verdict is Verdict.DANCED:
            ends = {"from": [action.dice[0], *_NONE[1:]], "to": [action.dice[1], *_NONE[1:]]}
            return {"player": player, **ends, **dice, "dancingEquity": {}}
        hops = [*action.hops, *[(-1, -1)] * (4 - len(action.hops))]
        return {
            "player": player,
            "from": [hop[0] for hop in hops],
            "to": [hop[1] for hop in hops],
            **dice,
        }
    is_double = action.kind is CubeKind.DOUBLE
    taken = any(isinstance(one, CubeAction) and one.kind is CubeKind.TAKE for one in later[:1])
    about = (
        {"equity": {"cubeDecision": {"hasDoubled": True, "hasAccepted": taken}}}
        if is_double
        else {}
    )
    return {"player": player, "from": _NONE, "to": _NONE, **about}


def gvab_of(match: Match) -> bytes:
    """Return a match as a .gvab file, by gvformat's writer of today."""
    data: bytes = write_gvab(bgf.convert_bgf(bgf_of(match)))
    return data


def ogxm_of(match: Match) -> bytes:
    """Return a match as an .ogxm file of the first version."""
    data: bytes = write_gvab_v1(bgf.convert_bgf(bgf_of(match)))
    return data


def sgf_of(match: Match) -> bytes:
    points = "zabcdefghijklmnopqrstuvwxy"
    games = []
    for number, game in enumerate(match.games):
        won, resigned = game.result, game.result.ending in {"resignation", "score"}
        head = (
            ";FF[4]GM[6]CA[UTF-8]AP[GNU"
            f" Backgammon:1.08.003]MI[length:{match.match_length}][game:{number}]"
        )
        head += f"[ws:{game.score[0]}][bs:{game.score[1]}]PW[{match.players[0].name}]PB[{match.players[1].name}]"
        head += f"RU[{'Crawford' if match.crawford else 'Jacoby' if match.jacoby else ''}]"
        if won.winner is not None:
            head += f"RE[{'WB'[won.winner]}+{won.multiplier * won.cube}{'R' * resigned}]"
        lines = [head]
        for action in game.actions:
            letter = "WB"[action.side]
            if isinstance(action, CubeAction):
                lines.append(f";{letter}[{action.kind}]")
            elif action.verdict is Verdict.RESIGNED:
                lines.append(f";PL[{letter}]DI[{action.dice[0]}{action.dice[1]}]")
            else:
                ends = [
                    point if action.side == 0 or point in {0, 25} else 25 - point
                    for hop in action.hops
                    for point in hop
                ]
                lines.append(
                    f";{letter}[{action.dice[0]}{action.dice[1]}{''.join(points[end] for end in ends)}]"
                )
        games.append("(" + "\n".join(lines) + "\n)\n")
    return "\n".join(games).encode()


def with_checksum(data: bytes, place: int, value: int) -> bytes:
    """Return an .ogxm or .gvab file with another byte, and the checksum of the changed bytes."""
    end = data.rindex(b"CSUM")
    made = data[:place] + bytes([value]) + data[place + 1 :]
    old, new = (struct.pack("<I", zlib.crc32(one[:end])) for one in (data, made))
    return made[:end] + made[end:].replace(old, new)


def unpacked(data: bytes) -> bytes:
    head, _, rest = data.partition(b"\n")
    return head + b"\n" + (gzip.decompress(rest) if rest.startswith(b"\x1f\x8b") else rest)
