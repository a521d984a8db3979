"""Read matches that gnubg and other programs save as .sgf; the analysis in the file is ignored."""

from collections.abc import Sequence

from bgmatch import gnubg_sgf as sgf
from bgmatch.decoder import decoded
from bgmatch.formats.program_file import Saved, SavedGame, headers_of, reading, roll, unchecked
from bgmatch.model import LEFT, RIGHT, Findings
from bgmatch.rows import SideAction

_ANALYSIS = {"A", "DA", "LU", "GS"}
_RULES = {"Crawford", "CrawfordGame", "Jacoby", "NoCube"}


def read_sgf(data: bytes, suffix: str) -> Saved:
    """Return the match of an .sgf file. Raises SavedError."""
    with reading(suffix):
        text = decoded(data)
        trees = sgf.games(text.text)
        saved = _match(trees)
        saved.decoded = text
        for number, tree in enumerate(trees, 1):
            saved.games.append(_game(tree, number, saved.findings))
    return saved


def _match(trees: Sequence[Sequence[sgf.Node]]) -> Saved:
    """Return the match still without its games."""
    rules = set()
    for tree in trees:
        rules.update(":".join(sgf.values_of(tree[0], "RU")).split(":"))
    unknown = sorted(rules - _RULES - {""})
    if unknown:
        raise unchecked(".sgf", f"the rule {unknown[0][:40]}")
    root = trees[0][0]
    headers = headers_of(rules) | {
        "date": sgf.text_of(root, "DT"),
        "event": sgf.text_of(root, "EV"),
        "round": sgf.text_of(root, "RO"),
    }
    length = int(sgf.settings(root)["length"])
    if "NoCube" in rules:
        headers["cubelimit"] = "1"
    return Saved(length, (sgf.text_of(root, "PW"), sgf.text_of(root, "PB")), headers)


def _game(tree: Sequence[sgf.Node], number: int, findings: Findings) -> SavedGame:
    """Return a game.

    Other programs write resignations. An accepted one is the game's result; of the cube's value in
    answer to a double it is a pass.
    """
    game = SavedGame(score=sgf.score_of(tree[0]))
    resigned = None
    cube = 1
    for node in tree[1:]:
        if node.keys() & {"CV", "CP"}:
            raise unchecked(".sgf", "a set cube")
        side = LEFT if "W" in node else RIGHT
        text = sgf.text_of(node, "WB"[side]).strip()
        if text.startswith("resign"):
            resigned = (1 - side, cube * int(text.partition(":")[2] or 1))
        elif resigned and text in {"accept", "reject"}:
            resigned = resigned if text == "accept" else None
        else:
            cube *= 2 if text == "take" else 1
            _add(game.cells, node)
    result = sgf.text_of(tree[0], "RE")
    won = sgf.result_of(tree[0])
    if resigned:
        winner, points = resigned
        if result and won != resigned:
            by_resignation = f"{'WB'[winner]}+{points}"
            findings.add(
                "resignation",
                f"the file gives the result {result[:20]}, the resignation {by_resignation}",
                number,
            )
        if game.cells[-1] == SideAction(winner, "double") and points == cube:
            game.cells.append(SideAction(1 - winner, "drop"))
    game.winner, game.points = (won if result else resigned) or (None, 0)
    return game


def _add(cells: list[SideAction], node: sgf.Node) -> None:
    """Add a node's action to the cells of a game. A position is that after an illegal play."""
    action = sgf.action_of({key: node[key] for key in node.keys() - _ANALYSIS})
    if action is None:
        return
    kind = action["kind"]
    if kind in {"move", "roll"}:
        side = action["side"]
        if side is None:
            side = 1 - next((cell.side for cell in reversed(cells) if cell.kind == "roll"), RIGHT)
        cells.append(roll(side, action["dice"], action.get("hops", ())))
    elif kind != "position":
        cells.append(SideAction(action["side"], kind))
    elif cells and cells[-1].kind == "roll":
        played = cells[-1]
        left, right = ((15 - sum(points[1:]), *points[1:]) for points in action["board"])
        cells[-1] = roll(played.side, played.dice, (), position=(left, right))
    else:
        raise unchecked(".sgf", "a set position")
