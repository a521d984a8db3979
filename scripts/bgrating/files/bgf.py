"""Read matches that BGBlitz (.bgf), OpenGammon (.ogxm) and GammonView (.gvab) save, by the library gvformat.

The figures of the program that analysed a match are kept, unless they contradict the evaluations that the file holds.
"""

import re
import zlib
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from gvformat import bgf, compute_aggregates, parse_ogid, read_gvab

from bgrating.files.program_file import (
    ADVICE,
    PROGRAMS,
    TOLERANCE,
    Figures,
    ProgramFigures,
    Saved,
    SavedError,
    SavedGame,
    Verdict,
    illegal_play,
    roll,
    unchecked,
    without_off,
)
from bgrating.matchtext import board
from bgrating.matchtext.model import Finding, Position
from bgrating.matchtext.rows import SideAction
from bgrating.pages.positions import PROGRAM_NAMES

MAX_EXPANDED = 8 * 1024 * 1024
"""Largest .bgf file after unpacking, in bytes; a match of 25 points takes about 2 MB."""
MAX_PACKED = 1024 * 1024
"""Largest .ogxm or .gvab file that is opened, in bytes: each of its bytes may be an action."""
MAX_ACTIONS = 20_000

_DICE, _CUBE, _SET = range(21), {21: "double", 22: "take", 23: "pass"}, 31
_LEVEL = re.compile(r"(?:(\d+)(?=ply)|truncated|rollout|database)\w*")
_ENDS = range(24, 31)
Json = dict[str, Any]


def read_document(data: bytes, suffix: str) -> Saved:
    """Return the match of a .bgf, .ogxm or .gvab file. Raises SavedError."""
    try:
        document = bgf.convert_bgf(_expanded(data)) if suffix == ".bgf" else _gvab(data)
        games = list(map(_game, document["games"]))
        length = int(document["match_length"])
        doubled = [part.get("auto_doubles") for part in (document, *document["games"])]
        figures, findings = _own_figures(document, PROGRAM_NAMES[PROGRAMS[suffix]])
    except SavedError:
        raise
    except Exception as problem:  # the library raises whatever reading a field raises
        raise SavedError(f"this {suffix} file is damaged or of an unknown kind ({problem}); {ADVICE}") from problem
    if document.get("variant") or any(doubled) or not 0 <= length <= 999:
        raise unchecked(suffix, "another game, automatic doubles or an odd length")
    rules = {"Crawford": document["crawford"]} if length else {"Jacoby": document["jacoby"]}
    names = str(document["player_white"]), str(document["player_black"])
    date = datetime.fromtimestamp(document["timestamp"], UTC).date().isoformat() if document["timestamp"] else ""
    final = int(document["white_score"]), int(document["black_score"])
    return Saved(length, names, date, rules, games, figures, findings, final)


def _expanded(data: bytes) -> bytes:
    """Return a .bgf file with its second part unpacked. Raises SavedError, zlib.error."""
    head, _, packed = data.partition(b"\n")
    if packed[:2] in {b"\x1f\x8b", b"\x78\x01", b"\x78\x9c", b"\x78\xda"}:
        opened = zlib.decompressobj(47)
        packed = opened.decompress(packed, MAX_EXPANDED + 1)
        if not opened.eof and len(packed) <= MAX_EXPANDED:
            raise SavedError(f"this .bgf file is cut off; {ADVICE}")
    if len(packed) > MAX_EXPANDED:
        raise SavedError(f"too large for a match: it expands to more than {MAX_EXPANDED:,} bytes; {ADVICE}")
    return head + b"\n" + packed


def _gvab(data: bytes) -> Json:
    if len(data) > MAX_PACKED:
        raise SavedError(f"too large for a match: {len(data):,} bytes, more than {MAX_PACKED:,}; {ADVICE}")
    bare = read_gvab(data, derive_ogids=False)
    if sum(len(game["plies"]) for game in bare["games"]) > MAX_ACTIONS:
        raise SavedError(f"too large for a match: more than {MAX_ACTIONS:,} actions; {ADVICE}")
    document: Json = read_gvab(data)
    return document


def _game(game: Json) -> SavedGame:
    states = [parse_ogid(ply["ogid_before"]) for ply in game["plies"] if ply.get("ogid_before")]
    score = (states[0].score_white, states[0].score_black) if states else (0, 0)
    if any((state.score_white, state.score_black) != score for state in states):
        raise SavedError(f"the score changes within a game; {ADVICE}")
    winner = game["winner"] if game["winner"] in {0, 1} and game["points_won"] else None
    out = SavedGame(score, winner, int(game["points_won"]), crawford=bool(game["is_crawford"]))
    for place, ply in enumerate(game["plies"]):
        kind, side = ply["action_id"], 1 - ply["color"]
        if _is_roll(ply):
            plays = [_hop(step, side) for step in ply.get("moves", ())]
            if kind == _SET:
                plays = [illegal_play(_position(ply["set_position"]), side)]
            out.cells.append(roll(side, sorted((ply["d1"], ply["d2"]), reverse=True), plays))
            state = parse_ogid(ply["ogid_before"])
            own = [max(count, 0) for count in state.board[1:25]], [max(-count, 0) for count in state.board[1:25]]
            mine, theirs = [0, *own[0], state.board[25]], [0, *own[1][::-1], abs(state.board[0])]
            seen = (mine, theirs) if state.mover_is_white else (theirs, mine)
            out.seen.append((seen, state.cube_value, None))
        elif kind in _CUBE:
            out.cells.append(SideAction(side, _CUBE[kind].replace("pass", "drop"), "", 0))
        elif kind == _SET and not place and without_off(_position(ply["set_position"])) == without_off(board.start()):
            continue
        elif kind not in _ENDS:
            raise unchecked("", f"an action of kind {kind}")
    return out


def _is_roll(ply: Json) -> bool:
    return ply["action_id"] in _DICE or (ply["action_id"] == _SET and "d1" in ply)


def _hop(step: Json, side: int) -> str:
    start = step["from"] if side else 25 - step["from"]
    return f"{start}/{max(0, start - step['pips'])}"


def _position(points: Sequence[int]) -> Position:
    """Return the position of a board of gvformat: in black's numbers, white's chequers positive, 0 the bar of white."""
    white = [0, *(max(count, 0) for count in points[24:0:-1]), abs(points[0])]
    black = [0, *(max(-count, 0) for count in points[1:25]), abs(points[25])]
    return tuple(white), tuple(black)


def _own_figures(document: Json, program: str) -> tuple[Figures | None, list[Finding]]:
    """Return what the program of a document says of both players, and a finding where it contradicts itself."""
    verdicts: tuple[list[Verdict], list[Verdict]] = ([], [])
    totals = compute_aggregates(document)["match"]
    sides = [totals["white"], totals["black"]]
    if not all(side["total_decisions"] for side in sides):
        return None, []
    for game, number, ply in _numbered(document):
        about = ply.get("analysis") or {}
        plays = about.get("alternatives") or []
        made = next((play for play in plays if play.get("is_played")), None)
        judged = [(_CUBE[ply["action_id"]], about)] * ("equity_loss" in about) if ply["action_id"] in _CUBE else []
        if made is not None and about.get("decision"):
            if not abs(max(play["equity"] for play in plays) - made["equity"] - about["equity_loss"]) <= TOLERANCE:
                message = "the file's own errors are not those of its evaluations: its figures are left out"
                return None, [Finding("own-figures", message)]
            judged.append(("play", made | {"equity_loss": about["equity_loss"]}))
        if cube := about.get("missed_double") or about.get("cube_decision"):
            judged.append(("double", cube))
        for kind, one in judged:
            level = _LEVEL.match(one.get("eval_level") or document["analysis_info"].get("eval_level") or "")
            depth = f" {level[1]}-ply" if level and level[1] else f" {level[0]}" if level else ""
            loss = abs(float(one.get("equity_loss") or 0.0))
            verdicts[1 - ply["color"]].append((game, number, kind, loss, program + depth))
    left, right = (
        ProgramFigures(side["total_error"], 0.0, side["total_decisions"], side["total_luck"], tuple(own))
        for side, own in zip(sides, verdicts, strict=True)
    )
    return (left, right), []


def _numbered(document: Json) -> Iterator[tuple[int, int, Json]]:
    """Yield the rolls and cube actions of a document with their game and ply, as our decisions count them."""
    for number, game in enumerate(document["games"], 1):
        actions = (ply for ply in game["plies"] if _is_roll(ply) or ply["action_id"] in _CUBE)
        yield from ((number, place, ply) for place, ply in enumerate(actions, 1))
