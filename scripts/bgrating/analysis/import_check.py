"""Compare the match that the engine imported with the match of the text.

Takes a match as bgmatch/gnubg_sgf.py reads it after an import of ``write_mat(match)``, and the
match as it was read.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from bgmatch.model import CubeAction, CubeKind, Ending, Game, Hops, Match, Verdict
from bgmatch.records import Json, Record
from bgmatch.write import games_of_engine

_NAMES = ("left", "right")
_KINDS = {CubeKind.DOUBLE, CubeKind.TAKE, CubeKind.DROP}


def expected_import(match: Match) -> Json:
    """Return the match that an import of ``write_mat(match)`` must give, as JSON.

    `places` are the numbers of its games in the match; 0 for an empty game that the match does not
    have.
    """
    games = games_of_engine(match)
    numbers = {id(game): place for place, game in enumerate(match.games, 1)}
    places = [numbers.get(id(game), 0) for game in games]
    return {
        "match_length": match.match_length,
        "games": list(map(_expected, games)),
        "places": places,
    }


def differences(expected: Record, length: int, games: Sequence[Record]) -> list[str]:
    """Return every difference between the import and ``expected_import``, one sentence each.

    It compares the match length, the number of games, their scores, winners and points. It also
    compares every roll, play and cube action in order.
    """
    sentences = []
    if length != expected["match_length"]:
        sentences.append(
            f"match length {expected['match_length']} in the text, {length} in the engine"
        )
    if len(expected["games"]) != len(games):
        sentences.append(f"{len(expected['games'])} games in the text, {len(games)} in the engine")
    for ours, theirs in zip(expected["games"], map(_imported, games), strict=False):
        compared = list(zip(ours["facts"], theirs["facts"], strict=True))
        actions = zip_longest(ours["actions"], theirs["actions"], fillvalue="nothing")
        others = [
            (f"action {n}: {one}", other)
            for n, (one, other) in enumerate(actions, 1)
            if one != other
        ]
        compared += others[:1]
        sentences += [
            f"game {ours['number']}: {text} in the text, {engine} in the engine"
            for text, engine in compared
            if text != engine
        ]
    return sentences


def _expected(game: Game) -> Json:
    actions = []
    is_cut = game.known < len(game.actions)  # then the text has no winner
    result = replace(game.result, winner=None) if is_cut else game.result
    for action in game.actions[: game.known]:
        side = _NAMES[action.side]
        if isinstance(action, CubeAction):
            kind = action.kind if action.kind in _KINDS else CubeKind.DOUBLE
            actions.append(f"{side} {kind}")
            continue
        no_play = action.position or action.verdict is Verdict.RESIGNED
        actions.append(_rolled(side, action.dice, None if no_play else action.hops))
        if action.position:
            actions.append("position")
    if result.winner is not None and result.ending in {Ending.RESIGNATION, Ending.SCORE}:
        actions.append(f"{_NAMES[1 - result.winner]} resign {result.multiplier}")
    points = 0 if result.winner is None else result.multiplier * result.cube
    facts = _facts(game.score, result.winner, points)
    return {"number": game.number, "facts": facts, "actions": actions}


def _imported(game: Record) -> Json:
    actions = []
    for action in game["actions"]:
        kind = action["kind"]
        side = _name(action["side"])
        if kind in {"move", "roll"}:
            hops = tuple((hop[0], hop[1]) for hop in action["hops"]) if kind == "move" else None
            actions.append(_rolled(side, action["dice"], hops))
        elif kind == "resign":
            actions.append(f"{side} resign {action['points']}")
        else:
            actions.append(kind if kind == "position" else f"{side} {kind}")
    points = 0 if game["winner"] is None else game["points"]
    return {"facts": _facts(game["score"], game["winner"], points), "actions": actions}


def _facts(score: Sequence[int], winner: int | None, points: int) -> list[str]:
    """Return the facts of a game that are compared, in words."""
    return ["score {}-{}".format(*score), f"won by {_name(winner)}", f"worth {points}"]


def _name(side: int | None) -> str:
    return "nobody" if side is None else _NAMES[side]


def _rolled(side: str, dice: Sequence[int], hops: Hops | None) -> str:
    roll = f"{side} rolls {dice[0]}{dice[1]}"
    if hops is None:
        return roll
    return " ".join([roll, "and plays", *(f"{start}/{end}" for start, end in sorted(hops))])
