"""Read matches that BGBlitz (.bgf), OpenGammon (.ogxm) and GammonView (.gvab) save.

The library gvformat parses the files.
"""

import zlib
from datetime import UTC, datetime

from gvformat import bgf, parse_ogid, read_gvab

from bgmatch import board
from bgmatch.formats.program_file import (
    Saved,
    SavedGame,
    headers_of,
    reading,
    roll,
    unchecked,
    unreadable,
)
from bgmatch.model import Board, Hop
from bgmatch.records import Json
from bgmatch.rows import RecordedState, SideAction

MAX_EXPANDED = 8 * 1024 * 1024
"""Largest .bgf file after unpacking, in bytes; a match of 25 points takes about 2 MB."""
MAX_PACKED = 1024 * 1024
"""Largest .ogxm or .gvab file that is read, in bytes: each of its bytes may be an action."""
MAX_ACTIONS = 20_000

_DICE = range(21)
_CUBE = {21: "double", 22: "take", 23: "drop"}
_SET = 31
_ENDS = range(24, 31)


def read_document(data: bytes, suffix: str) -> Saved:
    """Return the match of a .bgf, .ogxm or .gvab file. Raises SavedError."""
    with reading(suffix):
        document = bgf.convert_bgf(_expanded(data)) if suffix == ".bgf" else _gvab(data)
        games = list(map(_game, document["games"]))
        length = int(document["match_length"])
        doubled = [record.get("auto_doubles") for record in (document, *document["games"])]
    if document.get("variant") or any(doubled) or not 0 <= length <= 999:
        raise unchecked(suffix, "another game, automatic doubles or an odd length")
    headers = headers_of([rule for rule in ("Crawford", "Jacoby") if document[rule.lower()]])
    headers["event"] = str(document.get("event") or "")
    if document.get("cube_limit") == 1:
        headers["cubelimit"] = "1"
    names = str(document["player_white"]), str(document["player_black"])
    if document["timestamp"]:
        headers["date"] = datetime.fromtimestamp(document["timestamp"], UTC).date().isoformat()
    final = int(document["white_score"]), int(document["black_score"])
    return Saved(length, names, headers, games, final=final)


def _expanded(data: bytes) -> bytes:
    """Return a .bgf file with its second part unpacked. Raises SavedError, zlib.error."""
    head, _, packed = data.partition(b"\n")
    if packed.startswith((b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda")):
        opened = zlib.decompressobj(47)
        packed = opened.decompress(packed, MAX_EXPANDED + 1)
        if not opened.eof and len(packed) <= MAX_EXPANDED:
            raise unreadable("this .bgf file is cut off")
    if len(packed) > MAX_EXPANDED:
        raise unreadable(f"too large for a match: it expands to more than {MAX_EXPANDED:,} bytes")
    return head + b"\n" + packed


def _gvab(data: bytes) -> Json:
    if len(data) > MAX_PACKED:
        raise unreadable(f"too large for a match: {len(data):,} bytes, more than {MAX_PACKED:,}")
    bare = read_gvab(data, derive_ogids=False)
    if sum(len(game["plies"]) for game in bare["games"]) > MAX_ACTIONS:
        raise unreadable(f"too large for a match: more than {MAX_ACTIONS:,} actions")
    document: Json = read_gvab(data)
    return document


def _game(game: Json) -> SavedGame:
    states = [parse_ogid(ply["ogid_before"]) for ply in game["plies"] if ply.get("ogid_before")]
    scores = {(state.score_white, state.score_black) for state in states} or {(0, 0)}
    if len(scores) > 1:
        raise unreadable("the score changes within a game")
    winner = game["winner"] if game["winner"] in {0, 1} and game["points_won"] else None
    points = int(game["points_won"])
    crawford = bool(game["is_crawford"])
    saved = SavedGame(score=scores.pop(), winner=winner, points=points, crawford=crawford)
    for index, ply in enumerate(game["plies"]):
        kind = ply["action_id"]
        side = 1 - ply["color"]
        if kind in _DICE or (kind == _SET and "d1" in ply):
            moves = [_hop(step, side) for step in ply.get("moves", ())]
            position = _position(ply) if kind == _SET else None
            state = parse_ogid(ply["ogid_before"])
            before = board.seen_from(state.board)
            before = before if state.mover_is_white else before[::-1]
            dice = sorted((ply["d1"], ply["d2"]), reverse=True)
            recorded = RecordedState(before, state.cube_value)
            saved.cells.append(roll(side, dice, moves, recorded, position))
        elif kind in _CUBE:
            saved.cells.append(SideAction(side, _CUBE[kind]))
        elif kind == _SET and not index and _position(ply) == board.position(board.start()):
            continue
        elif kind not in _ENDS:
            raise unchecked("", f"an action of kind {kind}")
    return saved


def _hop(step: Json, side: int) -> Hop:
    start = step["from"] if side else 25 - step["from"]
    return start, max(0, start - step["pips"])


def _position(ply: Json) -> Board:
    """Return a position that was set by hand.

    gvformat gives black's points, with white's chequers positive.
    """
    return board.seen_from([-count for count in ply["set_position"]])[::-1]
