"""Write matches as gnubg (.sgf) and BGBlitz (.bgf) do, and by gvformat as .ogxm and .gvab."""

import gzip
import json
import struct
import zlib
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
        parts = [bytes([0x7F + len(key)]) + key.encode() + smile(value[key]) for key in value]
        return b"\xfa" + b"".join(parts) + b"\xfb"
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
    head = {"format": "BGF", "version": "1.0", "compress": packed, "useSmile": True}
    content = b":)\n\x00" + smile(body)
    content = gzip.compress(content, mtime=0) if packed else content
    return json.dumps(head).encode() + b"\n" + content


def _game(game: Game) -> Json:
    points = [0] * 26
    for point, count in ((6, 5), (8, 3), (13, 5), (24, 2)):
        points[24 - point] += count
        points[point - 1] -= count
    result, ending = game.result, game.result.ending
    followed = zip(game.actions, (*game.actions[1:], None), strict=True)
    moves = [_move(action, following) for action, following in followed]
    return {
        "scoreGreen": game.score[0],
        "scoreRed": game.score[1],
        "isCrawford": game.crawford,
        "initial": {"points": points, "cube": 1, "cubeOwner": 0},
        "moves": [move for move in moves if move],
        "wonPoints": result.points,
        "wasResignation": ending == "resignation",
    }


def _move(action: Any, following: Any) -> Json | None:
    player = 1 if action.side else -1
    if isinstance(action, Roll):
        if action.verdict is Verdict.RESIGNED:
            return None
        dice = {"red": action.dice[0], "green": action.dice[1]}
        if action.verdict is Verdict.DANCED:
            ends = {"from": [action.dice[0], *_NONE[1:]], "to": [action.dice[1], *_NONE[1:]]}
            return {"player": player, **ends, **dice, "dancingEquity": {}}
        sources, targets = zip(*action.hops, *[(-1, -1)] * (4 - len(action.hops)), strict=True)
        return {"player": player, "from": [*sources], "to": [*targets], **dice}
    move = {"player": player, "from": _NONE, "to": _NONE}
    if action.kind is CubeKind.DOUBLE:
        taken = isinstance(following, CubeAction) and following.kind is CubeKind.TAKE
        move["equity"] = {"cubeDecision": {"hasDoubled": True, "hasAccepted": taken}}
    return move


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
        head = ";FF[4]GM[6]CA[UTF-8]AP[GNU Backgammon:1.08.003]"
        head += f"MI[length:{match.match_length}][game:{number}]"
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
                ends = [point for hop in action.hops for point in hop]
                if action.side:
                    ends = [end if end in {0, 25} else 25 - end for end in ends]
                played = "".join(points[end] for end in ends)
                lines.append(f";{letter}[{action.dice[0]}{action.dice[1]}{played}]")
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
