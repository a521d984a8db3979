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
from bgrating.engine.statistics import SIDES

MOST_NAMED = 4
"""Most differences of a game that are named: the first one may shift all events after it."""
_KINDS = {CubeKind.DOUBLE, CubeKind.TAKE, CubeKind.DROP}


def expected_import(match: Match) -> Json:
    """Return what an import of ``write_mat(match)`` must give, as JSON.

    `events` are those of the match, then of each game; `where` names the game.
    `game_numbers` are those of these games in the match; 0 for an empty game that the match lacks.
    """
    games = games_of_engine(match)
    numbers = {id(game): number for number, game in enumerate(match.games, 1)}
    return {
        "where": ["", *(f"game {game.number}: " for game in games)],
        "events": [_match_events(match.match_length, len(games)), *map(_expected, games)],
        "game_numbers": [numbers.get(id(game), 0) for game in games],
    }


def differences(expected: Record, length: int, games: Sequence[Record]) -> list[str]:
    """Return the first differences of the match and of each game, one sentence each.

    It compares the match length, the number of games, their scores, winners and points. It also
    compares every roll, play and cube action in order.
    """
    imported = [_match_events(length, len(games)), *map(_imported, games)]
    sentences = []
    for where, *events in zip(expected["where"], expected["events"], imported, strict=False):
        pairs = zip_longest(*events, fillvalue="nothing")
        different = [(text, engine) for text, engine in pairs if text != engine]
        sentences += [
            f"{where}{text} in the text, {engine} in the engine"
            for text, engine in different[:MOST_NAMED]
        ]
    return sentences


def _match_events(length: int, games: int) -> list[str]:
    return [f"match length {length}", f"{games} games"]


def _expected(game: Game) -> list[str]:
    actions = []
    is_cut = game.known < len(game.actions)  # then the text has no winner
    result = replace(game.result, winner=None) if is_cut else game.result
    for action in game.actions[: game.known]:
        side = SIDES[action.side]
        if isinstance(action, CubeAction):
            kind = action.kind if action.kind in _KINDS else CubeKind.DOUBLE
            actions.append(f"{side} {kind}")
            continue
        no_play = action.position or action.verdict is Verdict.RESIGNED
        actions.append(_rolled(side, action.dice, None if no_play else action.hops))
        if action.position:
            actions.append("position")
    if result.winner is not None and result.ending in {Ending.RESIGNATION, Ending.SCORE}:
        actions.append(f"{SIDES[1 - result.winner]} resign {result.multiplier}")
    points = result.multiplier * result.cube
    return [*_outcome(game.score, result.winner, points), *actions]


def _imported(game: Record) -> list[str]:
    actions = []
    for action in game["actions"]:
        kind = action["kind"]
        side = _name(action["side"])
        if kind in {"move", "roll"}:
            actions.append(_rolled(side, action["dice"], action.get("hops")))
        elif kind == "resign":
            actions.append(f"{side} resign {action['points']}")
        else:
            actions.append(kind if kind == "position" else f"{side} {kind}")
    return [*_outcome(game["score"], game["winner"], game["points"]), *actions]


def _outcome(score: Sequence[int], winner: int | None, points: int) -> list[str]:
    worth = 0 if winner is None else points
    return ["score {}-{}".format(*score), f"won by {_name(winner)}", f"worth {worth}"]


def _name(side: int | None) -> str:
    return "nobody" if side is None else SIDES[side]


def _rolled(side: str, dice: Sequence[int], hops: Hops | None) -> str:
    roll = f"{side} rolls {dice[0]}{dice[1]}"
    if hops is None:
        return roll
    return " ".join([roll, "and plays", *(f"{start}/{end}" for start, end in sorted(hops))])
