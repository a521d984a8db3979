"""Match texts by name, and a match as plain values, which the corpus of tests/data names."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bgmatch import read_matches, read_saved
from bgmatch.model import CubeAction, Game, Match, Roll
from bgmatch.snowie import write_position
from corpus import DATA

TEXTS = {path.stem: path.read_bytes().decode() for path in sorted((DATA / "texts").glob("*.mat"))}
"""A short text in the manner of each program, and one of Galaxy's unlimited games."""
SIDES = ("left", "right", "nobody")


def read(text: str) -> Match:
    (match,) = read_matches(text.encode()).matches
    return match


SGF = """(;FF[4]GM[6]CA[UTF-8]AP[own:1]MI[length:3][game:0][ws:0][bs:0]PW[Ann]PB[Ben]DT[{day}]RU[{rules}]RE[{result}]
;B[31qtst];W[62xrmk];B[41adlm]{sgf})"""


def match_of(case: Mapping[str, Any]) -> Match:
    if "sgf" in case:
        text = SGF.format(**{"day": "2025-02-23", "rules": "Crawford"} | case)
        return read_saved(text.encode(), ".sgf")[0]
    return read(text_of(case))


def text_of(case: Mapping[str, Any]) -> str:
    """Return a case's text: a named one, changed; or rows of a game, perhaps after a position."""
    text = TEXTS[case["base"]] if "base" in case else case.get("text", "")
    if "rows" in case:
        left, right = case.get("begins", (0, 0))
        head = f" {case.get('points', 5)} point match\n\n Game 1\n"
        names = f" ann : {left}                       bob : {right}\n"
        text = head + names + position_of(case) + case["rows"]
    for old, new in case.get("change", ()):
        assert old in text
        text = text.replace(old, new)
    return case.get("before", "") + text + case.get("after", "")


def position_of(case: Mapping[str, Any]) -> str:
    """Return a row that leads to a position, with the right side to roll."""
    if "position" not in case:
        return ""
    left, right = map(_chequers, case["position"])
    return f"  1) 63: {write_position((left, right), 0, 5, ('ann', 'bob'), (0, 0), 1)}   "


def _chequers(points: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(points.get(str(point), 0) for point in range(26))


def mirrored(match: Match) -> Match:
    """Return a match with its columns exchanged."""

    def other(game: Game) -> Game:
        actions = tuple(replace(action, side=1 - action.side) for action in game.actions)
        winner = None if game.result.winner is None else 1 - game.result.winner
        result = replace(game.result, winner=winner)
        return replace(game, score=game.score[::-1], actions=actions, result=result)

    return replace(match, players=match.players[::-1], games=tuple(map(other, match.games)))


def facts(match: Match) -> dict[str, Any]:
    findings = [finding for finding in match.findings if finding.code != "incomplete"]
    rolls = [[one for one in game.actions if isinstance(one, Roll)] for game in match.games]
    return {
        "dialect": match.dialect,
        "length": match.match_length,
        "declared": match.declared_length,
        "unlimited": match.unlimited,
        "names": [player.name for player in match.players],
        "real_names": [player.real_name for player in match.players],
        "ratings": [player.rating or "none" for player in match.players],
        "date": match.date,
        "score": list(match.final_score),
        "winner": SIDES[2 if match.winner is None else match.winner],
        "complete": match.complete,
        "crawford": match.crawford,
        "jacoby": "unknown" if match.jacoby is None else match.jacoby,
        "cube": match.cube,
        "rolls": match.rolls,
        "codes": [finding.code for finding in findings],
        "messages": [finding.message for finding in findings],
        "lines": [finding.line for finding in findings],
        "scores": [list(game.score) for game in match.games],
        "crawford_games": [game.crawford for game in match.games],
        "sides": ["".join("LR"[action.side] for action in game.actions) for game in match.games],
        "actions": [" ".join(map(word, game.actions)) for game in match.games],
        "hops": [[*map(hops, of_game)] for of_game in rolls],
        "won": [game.result.points for game in match.games],
        "winners": [winner(game) for game in match.games],
        "endings": [str(game.result.ending) for game in match.games],
        "known": [game.known for game in match.games],
        "results": [result(game) for game in match.games],
    }


def word(action: Roll | CubeAction) -> str:
    return str(action.kind) if isinstance(action, CubeAction) else str(action.verdict)


def hops(roll: Roll) -> str:
    return " ".join(f"{source}/{target}" for source, target in roll.hops)


def result(game: Game) -> str:
    """Return winner, points, how they are counted (single game, gammon, backgammon) and the end."""
    of = game.result
    return f"{winner(game)} {of.points} x{of.multiplier} {of.ending}"


def winner(game: Game) -> str:
    return SIDES[2 if game.result.winner is None else game.result.winner]
