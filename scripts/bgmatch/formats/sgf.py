"""Read matches that gnubg and other programs save as .sgf; the analysis in the file is ignored."""

import re
from collections.abc import Iterator, Sequence

from bgmatch import board
from bgmatch import gnubg_sgf as sgf
from bgmatch.decoder import decoded
from bgmatch.formats.program_file import ADVICE, Saved, SavedError, SavedGame, roll, unchecked
from bgmatch.model import Finding
from bgmatch.records import Json
from bgmatch.rows import SideAction

_ANALYSIS = ("A", "DA", "LU", "GS")
_RULES = {"Crawford", "CrawfordGame", "Jacoby", "NoCube"}


def read_sgf(data: bytes) -> Saved:
    """Return the match of an .sgf file. Raises SavedError."""
    try:
        trees = sgf.games(decoded(data).text)
        resigned = [finding for tree in trees for finding in _take_resignations(tree)]
        for node in (node for tree in trees for node in tree):
            for key in _ANALYSIS:
                node.pop(key, None)
        match = sgf.match_of(trees)
        games = [_game(game, tree) for game, tree in zip(match["games"], trees, strict=True)]
    except (ValueError, LookupError, TypeError, AttributeError) as problem:
        raise SavedError(
            f"this .sgf file is damaged or no match of backgammon ({problem}); {ADVICE}"
        ) from problem
    rules = {
        word
        for tree in trees
        for value in tree[0].get("RU", [""])
        for word in value.split(":")
        if word
    }
    if other := sorted(rules - _RULES):
        raise unchecked(".sgf", f"the rule {other[0][:40]}")
    rule = "Crawford" if match["length"] > 0 else "Jacoby"
    headers = {rule: "On" if rule in rules else "Off"}
    headers |= {
        name: trees[0][0].get(key, [""])[0] for name, key in (("Event", "EV"), ("Round", "RO"))
    }
    if "NoCube" in rules:
        headers["CubeLimit"] = "1"
    left, right = match["names"]
    return Saved(match["length"], (left, right), match["date"], headers, games, resigned)


def _take_resignations(tree: list[sgf.Node]) -> Iterator[Finding]:
    """Remove the resignations that other programs write from a game.

    An accepted one is the game's result.

    A resignation of the cube's value in answer to a double is a pass. Yields a finding if the file
    states another result.
    """
    actions = [tree[0]]
    offered = ""
    cube = 1
    for node in tree[1:]:
        seat = next((letter for letter in sgf.SIDES if letter in node), "")
        word = node[seat][0].strip() if seat else ""
        if word.startswith("resign"):
            offered = f"{'B' if seat == 'W' else 'W'}+{cube * int(word.partition(':')[2] or 1)}"
        elif offered and word in {"accept", "reject"}:
            offered = offered if word == "accept" else ""
        else:
            cube *= 2 if word == "take" else 1
            actions.append(node)
    if offered:
        winner = offered[0]
        result = tree[0].get("RE", [""])[0]
        if not result:
            tree[0]["RE"] = [f"{offered}R"]
        elif not re.match(rf"{re.escape(offered)}(?!\d)", result):
            yield Finding(
                "resignation", f"the file gives the result {result[:20]}, the resignation {offered}"
            )
        if actions[-1].get(winner) == ["double"] and offered == f"{winner}+{cube}":
            actions.append({"B" if winner == "W" else "W": ["drop"]})
    tree[:] = actions


def _game(game: Json, tree: Sequence[sgf.Node]) -> SavedGame:
    left, right = game["score"]
    out = SavedGame((left, right), game["winner"], game["points"])
    last = 1
    kind_before = ""
    actions = game["actions"]
    for action, after in zip(actions, [*actions[1:], {"kind": ""}], strict=True):
        kind = action["kind"]
        side = 1 - last if action["side"] is None else action["side"]
        if kind in {"move", "roll"}:
            last = side
            position = None
            if after["kind"] == "position":
                position = board.position(after["board"])
            out.cells.append(roll(side, action["dice"], action.get("hops", ()), position=position))
        elif kind in {"double", "take", "drop"}:
            out.cells.append(SideAction(side, kind))
        elif kind == "position" and kind_before not in {"move", "roll"}:
            raise unchecked(".sgf", "a set position")
        kind_before = kind
    if any(node.keys() & {"CV", "CP"} for node in tree):
        raise unchecked(".sgf", "a set cube")
    return out
