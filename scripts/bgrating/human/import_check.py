"""Compare what the engine imported with what the text says.

Pure: it takes the dictionary that ``gnubg.match(analysis=0, boards=0, statistics=0)`` returns after an
import of ``write_mat(match)``, and the match as it was read. gnubg calls the left player X.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from bgrating.matchtext.model import CubeAction, CubeKind, Ending, Game, Match, Roll, Verdict
from bgrating.matchtext.write import playable_games

_SIDES = {"X": 0, "O": 1}
_CUBE = {
    CubeKind.DOUBLE: "double",
    CubeKind.BEAVER: "double",
    CubeKind.RACCOON: "double",
    CubeKind.TAKE: "take",
    CubeKind.DROP: "drop",
}

Event = tuple[Any, ...]


def import_differences(match: Match, imported: Mapping[str, Any] | None) -> list[str]:
    """Return every difference between the reading and the import, one sentence each; empty if none.

    Compared are the match length, the number of games, the scores before them, every roll, play and
    cube action in order, winners, and the points that cube and kind of win are worth.
    """
    if imported is None:
        return ["the engine imported no match"]
    found = []
    length = imported["match-info"]["match-length"]
    if length != match.match_length:
        found.append(f"match length {match.match_length} in the text, {length} in the engine")
    games = playable_games(match)
    theirs = imported["games"]
    if len(games) != len(theirs):
        found.append(f"{len(games)} games in the text, {len(theirs)} in the engine")
    for ours, engine_game in zip(games, theirs, strict=False):
        found += [f"game {ours.number}: {text}" for text in _game(ours, engine_game)]
    return found


def _game(game: Game, imported: Mapping[str, Any]) -> list[str]:
    found = []
    info = imported["info"]
    score = (info["score-X"], info["score-O"])
    if score != game.score:
        found.append(f"score {_score(game.score)} in the text, {_score(score)} in the engine")
    ours = _events(game)
    theirs = _imported_events(imported["game"])
    if ours != theirs:
        at = next((i for i, pair in enumerate(zip(ours, theirs, strict=False)) if pair[0] != pair[1]), None)
        at = min(len(ours), len(theirs)) if at is None else at
        found.append(f"action {at + 1}: {_name(ours, at)} in the text, {_name(theirs, at)} in the engine")
    winner = _SIDES.get(info.get("winner"))
    if winner != game.result.winner:
        names = ("left", "right")
        ours_name, theirs_name = ("nobody" if side is None else names[side] for side in (game.result.winner, winner))
        found.append(f"won by {ours_name} in the text, by {theirs_name} in the engine")
    elif winner is not None and info.get("points-won") != game.result.multiplier * game.result.cube:
        worth = game.result.multiplier * game.result.cube
        found.append(f"worth {worth} points in the text, {info.get('points-won')} in the engine")
    return found


def _score(score: tuple[int, int]) -> str:
    return f"{score[0]}-{score[1]}"


def _name(events: Sequence[Event], index: int) -> str:
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
        kind = action["action"]
        side = _SIDES.get(action.get("player", ""))
        if kind == "move":
            hops = tuple(sorted(tuple(hop) for hop in action["move"] or ()))
            out.append((side, "plays", tuple(action["dice"]), hops))
        elif kind == "set" and "dice" in action:
            out.append((side, "rolls", tuple(action["dice"])))
        elif kind == "set":
            out.append(("position",))
        elif kind == "resign":
            out.append((side, kind, action["points"]))
        else:
            out.append((side, kind))
    return out
