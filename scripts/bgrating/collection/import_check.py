"""Compare what the engine imported with what the text says.

Pure: it takes a match as engine/sgf.py reads it after an import of ``write_mat(match)``, and the match as it was read.
The left player is X.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bgrating.matchtext.model import CubeAction, CubeKind, Ending, Game, GameResult, Match, Roll, Verdict
from bgrating.matchtext.write import games_key, playable_games

_SIDES = {"X": 0, "O": 1}
_CUBE = {
    CubeKind.DOUBLE: "double",
    CubeKind.BEAVER: "double",
    CubeKind.RACCOON: "double",
    CubeKind.TAKE: "take",
    CubeKind.DROP: "drop",
}
_KINDS = {"double": CubeKind.DOUBLE, "take": CubeKind.TAKE, "drop": CubeKind.DROP}

Event = tuple[Any, ...]


def expected_import(match: Match) -> dict[str, Any]:
    """Return what an import of ``write_mat(match)`` must give; it may go through JSON."""
    games = []
    for game in playable_games(match):
        winner = game.result.winner
        games.append(
            {
                "number": game.number,
                "score": list(game.score),
                "events": _events(game),
                "winner": winner,
                "worth": None if winner is None else game.result.multiplier * game.result.cube,
            }
        )
    return {"match_length": match.match_length, "games": games}


def differences(expected: Mapping[str, Any], length: int, games: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return every difference between what ``expected_import`` says and the import, one sentence each; empty if none.

    It compares the match length, the number of games, their scores, winners and points. It also compares every roll,
    play and cube action in order.
    """
    sentences = []
    if length != expected["match_length"]:
        sentences.append(f"match length {expected['match_length']} in the text, {length} in the engine")
    if len(expected["games"]) != len(games):
        sentences.append(f"{len(expected['games'])} games in the text, {len(games)} in the engine")
    for ours, theirs in zip(expected["games"], games, strict=False):
        sentences += [f"game {ours['number']}: {text}" for text in _game(ours, theirs)]
    return sentences


def _game(game: Mapping[str, Any], imported: Mapping[str, Any]) -> list[str]:
    sentences = []
    score = [imported["score"]["X"], imported["score"]["O"]]
    if score != game["score"]:
        sentences.append(f"score {_score(game['score'])} in the text, {_score(score)} in the engine")
    # As they come back from JSON, which one of them has been through: tuples are lists.
    ours, theirs = json.loads(json.dumps([game["events"], _imported_events(imported["actions"])]))
    if ours != theirs:
        at = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
        at = min(len(ours), len(theirs)) if at is None else at
        sentences.append(f"action {at + 1}: {_name(ours, at)} in the text, {_name(theirs, at)} in the engine")
    winner = _SIDES.get(imported["winner"] or "")
    if winner != game["winner"]:
        names = ("left", "right")
        ours_name, theirs_name = ("nobody" if side is None else names[side] for side in (game["winner"], winner))
        sentences.append(f"won by {ours_name} in the text, by {theirs_name} in the engine")
    elif winner is not None and imported["points"] != game["worth"]:
        sentences.append(f"worth {game['worth']} points in the text, {imported['points']} in the engine")
    return sentences


def _score(score: Sequence[int]) -> str:
    return f"{score[0]}-{score[1]}"


def _name(events: Sequence[Sequence[Any]], index: int) -> str:
    return " ".join(str(part) for part in events[index]) if index < len(events) else "nothing"


def _events(game: Game) -> list[Event]:
    out: list[Event] = []
    for action in game.actions[: game.known]:
        if isinstance(action, CubeAction):
            out.append((action.side, _CUBE[action.kind]))
            continue
        out.append(_roll(action))
        if action.verdict is Verdict.ILLEGAL:
            out.append(("position",))
    cut = game.known < len(game.actions)
    resigned = game.result.ending in {Ending.RESIGNATION, Ending.SCORE}
    if game.result.winner is not None and (resigned or cut):
        out.append((1 - game.result.winner, "resign", game.result.multiplier))
    return out


def _roll(roll: Roll) -> Event:
    if roll.verdict in {Verdict.RESIGNED, Verdict.ILLEGAL}:
        return (roll.side, "rolls", roll.dice)
    return (roll.side, "plays", roll.dice, tuple(sorted(roll.hops)))


def _imported_events(actions: Sequence[Mapping[str, Any]]) -> list[Event]:
    out: list[Event] = []
    for action in actions:
        kind, side = action["kind"], _SIDES.get(action["seat"] or "")
        if kind == "move":
            hops = tuple(sorted(tuple(hop) for hop in action["hops"]))
            out.append((side, "plays", tuple(action["dice"]), hops))
        elif kind == "roll":
            out.append((side, "rolls", tuple(action["dice"])))
        elif kind == "position":
            out.append(("position",))
        elif kind == "resign":
            out.append((side, kind, action["points"]))
        else:
            out.append((side, kind))
    return out


def imported_key(games: Sequence[Mapping[str, Any]]) -> str:
    """Return the content key (see ``matchtext.write``) of games that only the engine has read.

    Empty where a game does not begin from the usual position or has an action that a text would not have.
    """
    out = []
    for number, game in enumerate(games, 1):
        actions: list[Roll | CubeAction] = []
        for row in game["actions"]:
            side = _SIDES.get(row["seat"] or "")
            if row["kind"] == "move" and side is not None:
                hops = tuple((hop[0], hop[1]) for hop in row["hops"])
                actions.append(Roll(side, (row["dice"][0], row["dice"][1]), hops, Verdict.PLAYED, "", 0))
            elif row["kind"] in _KINDS and side is not None:
                actions.append(CubeAction(side, _KINDS[row["kind"]], 0, 0))
            elif row["kind"] == "position":
                return ""
        result = GameResult(None, 0, Ending.UNFINISHED, None, 1, 1)
        out.append(Game(number, (0, 0), False, tuple(actions), len(actions), result))
    return games_key(out)
