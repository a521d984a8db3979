"""Read matches that gnubg saves (.sgf), and its own figures unless they contradict its evaluations."""

import math
from collections.abc import Sequence
from typing import Any

from gvformat import met

from bgrating.decisions.rows import SIDES, decisions
from bgrating.engine import sgf
from bgrating.engine.cube_decisions import close_counts
from bgrating.files.program_file import (
    ADVICE,
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
)
from bgrating.matchtext.model import Finding
from bgrating.matchtext.rows import SideAction

_SEATS = {"X": 0, "O": 1}
_ACTIONS = {"W", "B", "DI", "AE", "AW", "AB"}
_RULES = {"Crawford", "CrawfordGame", "Jacoby"}
Json = dict[str, Any]


def read_sgf(data: bytes) -> Saved:
    """Return the match of an .sgf file. Raises SavedError."""
    try:
        try:
            text = data.decode("utf-8-sig")
        except UnicodeDecodeError:
            text = data.decode("latin-1")
        trees = sgf.games(text)
        match, figures, odd = _with_figures(trees)
        games = [_game(game, tree) for game, tree in zip(match["games"], trees, strict=True)]
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise SavedError(f"this .sgf file is damaged or no match of backgammon ({problem}); {ADVICE}") from problem
    rules = {word for tree in trees for value in tree[0].get("RU", [""]) for word in value.split(":") if word}
    if other := sorted(rules - _RULES):
        raise unchecked(".sgf", f"the rule {other[0][:40]}")
    length, is_match = match["length"], match["length"] > 0
    known = {"Crawford": "Crawford" in rules} if is_match else {"Jacoby": "Jacoby" in rules}
    names = match["names"]
    date = match["date"] if len(match["date"]) == 10 else ""
    return Saved(length, (names["X"], names["O"]), date, known, games, figures, odd)


def _with_figures(trees: list[list[sgf.Node]]) -> tuple[Json, Figures | None, list[Finding]]:
    """Return the match of game trees, and gnubg's figures; without its analysis where that is of an unknown kind."""
    try:
        match = sgf.match_of(trees)
        return match, *_gnubg_figures(match, trees)
    except (ValueError, LookupError, TypeError, ArithmeticError):
        for node in (node for tree in trees for node in tree):
            for key in ("A", "DA", "LU", "GS"):
                node.pop(key, None)
        return sgf.match_of(trees), None, []


def _gnubg_figures(match: Json, trees: list[list[sgf.Node]]) -> tuple[Figures | None, list[Finding]]:
    """Return gnubg's totals, and a finding where they are not the sums of its losses; None without an analysis.

    The depth of a play is that of the candidate that was made, that of an answer the double's.
    """
    sides = match["figures"].values()
    if not all("unforced_moves" in side and math.isfinite(side.get("luck_emg", 0.0)) for side in sides):
        return None, []
    table, found = _table(match["length"]), []
    verdicts: dict[str, list[Verdict]] = {side: [] for side in SIDES.values()}
    nodes = [[node for node in tree[1:] if node.keys() & _ACTIONS] for tree in trees]
    for row in decisions(match, table):
        game, ply, kind = row["game"], row["ply"], row["kind"]
        if row["unforced"] and row["best"]:
            node = nodes[game - 1][ply - 1 - (kind in {"take", "pass"})]
            depth = node["A"][1 + int(node["A"][0])].split()[10] if kind == "play" else node["DA"][0].split()[3]
            verdicts[row["side"]].append((game, ply, kind, row["loss_emg"], f"gnubg {int(depth[0])}-ply"))
    counts = close_counts(match["games"], match["length"], table)
    for seat, totals in match["figures"].items():
        own, moves = verdicts[SIDES[seat]], totals["unforced_moves"]
        chequer, cube = totals["chequer_error_emg"], sum(totals[f"{name}_emg"] for name in sgf.CUBE_ERRORS)
        plays = sum(loss for _, _, kind, loss, _ in own if kind == "play")
        doubles = sum(loss for _, _, kind, loss, _ in own if kind != "play")
        # The table of the match's own program may be another: only plays are compared closely.
        if abs(plays - chequer) > TOLERANCE * max(moves, 1) or abs(doubles - cube) > 0.1 + 0.1 * cube:
            message = "gnubg's own totals are not the sums of its evaluations: its figures are left out"
            return None, [Finding("own-figures", message)]
        luck = totals.get("luck_emg", math.nan)
        found.append(ProgramFigures(chequer, cube, moves + counts[seat].today, luck, tuple(own)))
    left, right = found
    return (left, right), []


def _table(length: int) -> Any:
    """Return the match-equity table Kazaross-XG2 as gnubg gives it; None for money."""
    if not length:
        return None
    after = met.POST_CRAWFORD
    return met.KR_XG2_MET, after, after


def _game(game: Json, tree: Sequence[sgf.Node]) -> SavedGame:
    score = game["score"]["X"], game["score"]["O"]
    out = SavedGame(score, _SEATS.get(game["winner"] or ""), game["points"])
    last = 1
    for place, action in enumerate(game["actions"]):
        kind, side = action["kind"], _SEATS.get(action["seat"] or "", 1 - last)
        if kind in {"move", "roll"}:
            after: Json = game["actions"][place + 1] if place + 1 < len(game["actions"]) else {"kind": ""}
            last = side
            plays = [f"{start}/{end}" for start, end in action.get("hops", ())]
            if after["kind"] == "position":
                position = (tuple(after["board"]["X"]), tuple(after["board"]["O"]))
                plays = [illegal_play(position, side)]
            out.cells.append(roll(side, action["dice"], plays))
        elif kind in {"double", "take", "drop"}:
            out.cells.append(SideAction(side, kind, "", 0))
        elif kind == "position" and (not place or game["actions"][place - 1]["kind"] not in {"move", "roll"}):
            raise unchecked(".sgf", "a set position")
    if any(node.keys() & {"CV", "CP"} for node in tree):
        raise unchecked(".sgf", "a set cube")
    return out
