"""Formats other than match text: those the engine reads by itself, and those that gammonview converts."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from gvformat.bgf import convert_bgf
from gvformat.xg import convert_xg

from bgrating.matchtext import Match, MatchTextError, Player, read_matches

ENGINE_FORMATS = dict.fromkeys((".sgf", ".sgg", ".tmg", ".gam", ".pos", ".bkg"), "auto")
"""Suffixes of formats that gnubg imports, with its word for the import."""

# gammonview's numbers of actions: 0 to 20 are dice, 24 to 26 and 30 markers, 27 and 28 resignations.
_CUBE = {21: "Doubles => {value}", 22: "Takes", 23: "Drops", 32: "Beavers => {value}", 33: "Raccoons => {value}"}
_LAST_DICE = 20
_SILENT = {24, 25, 26, 27, 28, 30}

_WIDTH = 40
# Findings that a reading of the same match from text would not have: the conversion is then not to be trusted.
_BROKEN = {"illegal-play", "impossible-play", "missing-play", "score"}


class ConversionError(Exception):
    """A file cannot be converted; the message says why, in one line."""


def _converter(name: str, convert: Callable[[bytes], dict[str, Any]]) -> Callable[[bytes], Match]:
    def converted(data: bytes) -> Match:
        try:
            document = convert(data)
            match = read_matches(_text(document).encode()).matches[0]
        # A reverse-engineered format: the library fails in its own ways on what it does not know.
        except (ValueError, KeyError, IndexError, TypeError, AttributeError, MatchTextError, OverflowError) as problem:
            raise ConversionError(
                f"this {name} file is not one that gammonview can convert ({problem}); export it as text (.mat or .txt)"
            ) from problem
        broken = [finding.message for finding in match.findings if finding.code in _BROKEN]
        broken += [
            f"game {ours.number} is won by the one in its plays and by the other in its score"
            for ours, theirs in zip(match.games, document["games"], strict=True)
            if ours.result.winner is not None and ours.result.winner != theirs.get("winner")
        ]
        if broken or not match.games:
            raise ConversionError(
                f"gammonview's conversion of this {name} file contradicts itself ({(broken or ['no game'])[-1]}); "
                f"export it as text (.mat or .txt)"
            )
        return _with_facts(match, document)

    return converted


CONVERTERS: dict[str, Callable[[bytes], Match]] = {
    ".xg": _converter("eXtreme Gammon", convert_xg),
    ".bgf": _converter("BGBlitz", convert_bgf),
}
"""Suffixes of formats that are converted. A converter raises ConversionError."""


def _with_facts(match: Match, document: Mapping[str, Any]) -> Match:
    names = [str(document.get(f"player_{color}") or "") for color in ("white", "black")]
    left, right = (Player(name, name) for name in names)
    stamp = document.get("timestamp") or 0
    return replace(
        match,
        dialect="",
        players=(left, right),
        date=f"{datetime.fromtimestamp(stamp, UTC):%Y-%m-%d}" if stamp > 0 else "",
        crawford=bool(document.get("crawford", True)) and match.match_length > 0,
        jacoby=bool(document.get("jacoby", True)) if match.match_length == 0 else None,
    )


def _text(document: Mapping[str, Any]) -> str:
    """Return a gammonview document as match text; its white player is the left column."""
    lines, score = [f" {int(document['match_length'])} point match", ""], [0, 0]
    for number, game in enumerate(document["games"], 1):
        left = f" left : {score[0]}"
        lines += [f" Game {number}", f"{left:<{_WIDTH}}right : {score[1]}"]
        for row, (color, text) in enumerate(_actions(game["plies"]), 1):
            lines.append(f"{row:3d}) {text}" if color == 0 else f"{row:3d}) {'':<{_WIDTH - 5}}{text}")
        winner = game.get("winner")
        if winner in {0, 1}:
            points = int(game["points_won"])
            wins = f"Wins {points} point{'' if points == 1 else 's'}"
            lines.append(f"{'':{6 if winner == 0 else _WIDTH}}{wins}")
            score[winner] += points
        lines.append("")
    return "\n".join(lines) + "\n"


def _actions(plies: list[Mapping[str, Any]]) -> Iterator[tuple[int, str]]:
    value = 1
    for ply in plies:
        action = ply["action_id"]
        if action <= _LAST_DICE:
            yield (
                ply["color"],
                " ".join([f"{ply['d1']}{ply['d2']}:", *(_hop(ply["color"], hop) for hop in ply["moves"])]),
            )
        elif action in _CUBE:
            value *= 1 if action in {22, 23} else 2
            yield ply["color"], _CUBE[action].format(value=value)
        elif action not in _SILENT:
            raise ValueError(f"unknown action {action}")


def _hop(color: int, hop: Mapping[str, int]) -> str:
    source = hop["from"] if color == 0 else 25 - hop["from"]
    return f"{source}/{max(source - hop['pips'], 0)}"
