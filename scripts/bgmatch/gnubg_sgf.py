"""Read the SGF that gnubg saves of an analysed match.

The file has every count and error with six decimals, whatever the engine. Standard library only:
gnubg's own Python imports this module.

gnubg writes one game tree per game. Its root holds `MI` (match length and score before the game),
`PW` and `PB` (left and right player) and `RE` (result). An analysed game also has `GS` (statistics
of the game). Every further node is one action: `W` or `B` has the play or cube action. `DA` has
cubeful chances of no double and double/take, `A` candidate plays with their equities, `LU` the
luck. Source: gnubg's sgf.c.
"""

import re
from typing import Any

from bgmatch.model import LEFT, RIGHT, Dice, Hops, Score
from bgmatch.records import Json

Node = dict[str, str]
"""The properties of a node, each with its values as they stand in the text, in brackets."""
Figures = list[dict[str, float]]
"""Counts and measures of the left and of the right player."""

SIDES = {"W": LEFT, "B": RIGHT}
LETTERS = ("zabcdefghijklmnopqrstuvwxy", "zxwvutsrqponmlkjihgfedcbay")
"""gnubg's letters of the points, as the left and the right player number them.

y is the bar, z is off the board."""


def _token(value: str) -> re.Pattern[str]:
    # A value that is not closed ends the reading, since another search for its end would take
    # quadratic time.
    return re.compile(rf"(?s)[();]|(?<![A-Z])([A-Z]++)((?:{value})++)|{value}|\[")


# A token of a text without escapes, which is found in a third of the time.
_TOKEN = _token(r"\[[^\]]*+\]")
_TOKEN_WITH_ESCAPES = _token(r"\[[^\]\\]*(?:\\.[^\]\\]*)*\]")
PLAYS = re.compile(r"(?<=[\s\]])A\[(\d+)\]((?:\[[^\]]*\])+)")
"""The candidate plays of a decision: the number of the one made, then all of them."""
_VALUE = re.compile(r"(?s)\[([^\]\\]*(?:\\.[^\]\\]*)*)\]")
_PLAY = re.compile(r"[0-6]{2}(?:[a-z]{2})*")
_RESULT = re.compile(r"([WB])\+(\d+)")

CUBE_ERRORS = (
    "missed_double_below_cp",
    "missed_double_above_cp",
    "wrong_double_below_dp",
    "wrong_double_above_tg",
    "wrong_take",
    "wrong_pass",
)
"""The six classes of cube error in gnubg's order."""
CUBE_COSTS = tuple(f"{name}_{unit}" for name in CUBE_ERRORS for unit in ("emg", "mwc"))
# The totals of a game by letter of `GS`: the number of counts, the names of the first counts, the
# names of measures.
_TOTALS = {
    "M": (6, ("unforced_moves", "total_moves"), ("chequer_error_emg", "chequer_error_mwc")),
    "C": (10, ("total_cube_decisions", "doubles", "takes", "passes"), CUBE_COSTS),
    "D": (5, (), ("luck_emg", "luck_mwc")),
}


def games(text: str) -> list[list[Node]]:
    """Return the games of a collection, each a list of nodes, the root first.

    Only the first variation counts, as in gnubg.
    """
    trees: list[list[Node]] = []
    depth = 0
    is_over = False
    tokens = _TOKEN_WITH_ESCAPES if "\\" in text else _TOKEN
    for token in tokens.finditer(text):
        name, values = token.groups()
        if name:
            if not is_over:
                trees[-1][-1][name] = values
        elif token[0] == "[":
            raise ValueError("the SGF of a match is cut off: a value has no end")
        elif token[0] == "(":
            depth += 1
            if depth == 1:
                trees.append([])
                is_over = False
        elif token[0] == ")":
            depth -= 1
            is_over = True
        elif token[0] == ";" and not is_over:
            trees[-1].append({})
    if depth or not all(trees):
        raise ValueError("the SGF of a match is cut off")
    if not trees:
        raise ValueError("the SGF of a match holds no game")
    return trees


def values_of(node: Node, name: str, splits: int = -1) -> list[str]:
    """Return the values of a property, without escapes; none if the node lacks it.

    With `splits` the last value has all that come after so many others.
    """
    text = node.get(name, "")
    if "\\" in text:
        return [re.sub(r"(?s)\\(.)", r"\1", value) for value in _VALUE.findall(text)]
    return text[1:-1].split("][", splits) if text else []


def match(text: str) -> Json:
    """Return an analysed match: its `length`, `names`, `date`, `figures` and `games`.

    The date is YYYY-MM-DD or empty. Pairs of values are those of left and right.

    `figures` are the match's counts and measures of both players, without luck if it was not
    analysed. A game is a dictionary with these keys:

    - `score` before it, `winner` (side or None), `points`, `rolls`, and its `figures`.
    - `actions`: dictionaries with `side` and `kind` (move, double, take, drop, resign, roll,
      position).

    An action has these keys where gnubg gives them:

    - `dice`, and the play as `hops` (pairs of points, 25 the bar, 0 off) and in gnubg's `letters`.
    - `points` (1 to 3) of a resignation; `board` of a position set by hand (both players' chequers
      on 26 points).
    - `no_double` and `double_take`: cubeful, MWC in a match, equity in a money session. `chances`
      before the roll.
    - `error` of a play that had alternatives (EMG).
    - `plays`: the best BEST_PLAYS, the best first, then the play made if it is none of them. Each
      has its letters, its equity in EMG, its chances in gnubg's own
      digits, and its depth. The chances are those of winning, of winning a gammon, of winning a
      backgammon, of losing a gammon, of losing a backgammon.
    - `equity` (EMG) and `wins` (chance to win the game) after the play; `luck` (EMG).
    """
    trees = games(text)
    played = list(map(_game, trees))
    root = trees[0][0]
    return {
        "length": int(settings(root)["length"]),
        "names": [text_of(root, "PW"), text_of(root, "PB")],
        "date": text_of(root, "DT"),
        "figures": _add_up([game["figures"] for game in played]),
        "games": played,
    }


def text_of(node: Node, name: str) -> str:
    """Return the first value of a property; empty if the node lacks it."""
    return [*values_of(node, name), ""][0]


def settings(root: Node) -> dict[str, str]:
    """Return match length and score of a game by their names."""
    if "MI" not in root:
        raise ValueError("a game without its match length and score, MI")
    return dict(value.split(":", 1) for value in values_of(root, "MI"))


def score_of(root: Node) -> Score:
    """Return the score before a game."""
    values = settings(root)
    return int(values["ws"]), int(values["bs"])


def result_of(root: Node) -> tuple[int, int] | None:
    """Return winner and points of a game; None for an unfinished game."""
    result = _RESULT.match(text_of(root, "RE"))
    return (SIDES[result[1]], int(result[2])) if result else None


def _game(tree: list[Node]) -> Json:
    root = tree[0]
    actions = [action for action in map(action_of, tree[1:]) if action]
    winner, points = result_of(root) or (None, 0)
    if winner is not None and text_of(root, "RE").endswith("R"):
        value = points // _cube(actions)
        actions.append({"kind": "resign", "side": 1 - winner, "points": value})
    return {
        "score": score_of(root),
        "winner": winner,
        "points": points,
        "rolls": sum("dice" in action for action in actions),
        "figures": _statistics(root),
        "actions": actions,
    }


def _cube(actions: list[Json]) -> int:
    """Return the cube at the end of a game; a beaver is a double before the doubler takes."""
    kinds = [action["kind"] for action in actions if action["kind"] in {"double", "take"}]
    while kinds[-1:] == ["double"]:
        kinds.pop()
    return 1 << kinds.count("double")


def action_of(node: Node) -> Json | None:
    """Return a node's action; None if it changes no count, as a cube that was set by hand."""
    side = LEFT if "W" in node else RIGHT
    name = "WB"[side]
    if name not in node:
        return _without_play(node)
    text = text_of(node, name).strip()
    action: Json = {"side": side, "kind": text}
    if _PLAY.fullmatch(text):
        action["kind"] = "move"
        action["dice"] = _dice(text)
        action["letters"] = text[2:]
        action["hops"] = hops_of(action["letters"], side)
    elif text not in {"double", "take", "drop"}:
        raise ValueError(f"the action {text[:20]}")
    if "DA" in node and text not in {"take", "drop"}:
        figures = text_of(node, "DA").split()
        action["no_double"] = float(figures[-8])
        action["double_take"] = float(figures[-1])
        action["chances"] = figures[-14:-9]
    if "A" in node:
        action |= _judged(node)
    if "LU" in node:
        action["luck"] = float(text_of(node, "LU").split()[0])
    return action


def _without_play(node: Node) -> Json | None:
    """Return a roll without a play, or a position that was set by hand."""
    if "DI" in node:
        side = SIDES[text_of(node, "PL")] if "PL" in node else None
        return {"kind": "roll", "side": side, "dice": _dice(text_of(node, "DI"))}
    if not node.keys() & {"AE", "AW", "AB"}:
        return None
    board = [[0] * 26, [0] * 26]
    for letter, side in SIDES.items():
        points = dict(zip(LETTERS[side], range(26), strict=True))
        for name in values_of(node, f"A{letter}"):
            board[side][points[name]] += 1
    return {"kind": "position", "side": None, "board": board}


BEST_PLAYS = 5
"""Best plays that are kept of a decision."""


def _judged(node: Node) -> Json:
    """Return the figures of a play."""
    # The number of the play that was made, then all candidates; most of them are of no use.
    values = values_of(node, "A", BEST_PLAYS + 1)
    played = int(values[0]) + 1
    if played > BEST_PLAYS:
        values = values_of(node, "A")
    # For an illegal play of a text gnubg writes a number past the last candidate.
    if played >= len(values):
        return {}
    plays = list(map(_candidate, values[1 : BEST_PLAYS + 1]))
    if played > BEST_PLAYS:
        plays.append(_candidate(values[played]))
    _, equity, chances, _ = plays[min(played - 1, BEST_PLAYS)]
    figures = {"equity": equity, "wins": float(chances[0])}
    if len(values) > 2:
        figures |= {"error": plays[0][1] - equity, "plays": plays}
    return figures


def _candidate(value: str) -> list[Any]:
    # The fields are play, E, "ver", 3, five chances, equity, and plies ("2C 1 0.000000 1").
    play, _, _, _, *chances, equity, depth = value.split(maxsplit=10)
    return [play, float(equity), chances, int(depth[0])]


def _dice(text: str) -> Dice:
    return int(text[0]), int(text[1])


def hops_of(letters: str, side: int) -> Hops:
    """Return the hops of a play that gnubg writes in letters."""
    points = map(LETTERS[side].index, letters)
    return tuple(zip(points, points, strict=True))  # pairs of one after the other


def _statistics(root: Node) -> Figures:
    """Return a game's counts and measures; empty if the game was not analysed."""
    figures: Figures = [{}, {}]
    for value in values_of(root, "GS"):
        tokens = value[2:].split()
        number, counts, measures = _TOTALS[value[0]]
        for side, totals in enumerate(figures):
            first = 2 * number + side * len(measures)
            totals.update(zip(counts, map(int, tokens[side::2]), strict=False))
            sums = map(float, tokens[first : first + len(measures)])
            totals.update(zip(measures, sums, strict=True))
    return figures


def _add_up(games: list[Figures]) -> Figures:
    totals: Figures = [{}, {}]
    for sides in games:
        for total, figures in zip(totals, sides, strict=True):
            for name, value in figures.items():
                total[name] = round(total.get(name, 0) + value, 6)
    return totals
