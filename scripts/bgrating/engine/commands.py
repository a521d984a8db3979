"""Translate levels into gnubg's commands, and check the settings that gnubg reports back."""

import re
import struct
from collections.abc import Iterator

from bgmatch.records import Json
from bgrating.engine.engine_errors import EngineFailedError
from bgrating.engine.levels import Analysis, Evaluation, PlayerLevel, move_filters

# Settings for unattended, repeatable play and analysis.
ALONE = (
    "set threads 1",
    "set cache 0",
    "set confirm new off",
    "set confirm save off",
    "set display off",
    "set output rawboard off",
)
PLAYING = (
    *(f"set automatic {step} on" for step in ("game", "roll", "bearoff", "crawford", "move")),
    "set defaultnames player opponent",
    "set player 0 gnubg",
    "set player 1 gnubg",
    "set rng mersenne",
)


def play_setup(first: PlayerLevel, second: PlayerLevel) -> Json:
    """Return the first request (inside/main.py) to an engine that plays.

    `check_players` checks the answer.
    """
    return {
        "match_equity_table": first.match_equity_table,
        "commands": [*ALONE, *PLAYING, *level_commands(0, first), *level_commands(1, second)],
        "show": ["show player"],
    }


def analysis_setup(level: Analysis) -> Json:
    """Return the first request (inside/main.py) to an engine that analyses.

    `check_analysis` checks the answer.
    """
    return {
        "match_equity_table": level.match_equity_table,
        "commands": analysis_commands(level),
        "show": ["show analysis"],
    }


def level_commands(seat: int, player: PlayerLevel) -> list[str]:
    prefix = f"set player {seat}"
    return [*_decisions(prefix, player), *_filter(f"{prefix} movefilter", player.movefilter)]


def analysis_commands(level: Analysis) -> list[str]:
    return [
        *ALONE,
        f"set analysis luck {_switch(is_on=level.luck)}",
        *_decisions("set analysis", level),
        *_evaluation("set analysis luckanalysis", level.luckanalysis),
        *_filter("set analysis movefilter", level.movefilter),
    ]


def _decisions(prefix: str, level: PlayerLevel | Analysis) -> Iterator[str]:
    yield from _evaluation(f"{prefix} chequerplay evaluation", level.chequerplay)
    yield from _evaluation(f"{prefix} cubedecision evaluation", level.cubedecision)


def _evaluation(prefix: str, evaluation: Evaluation) -> Iterator[str]:
    yield f"{prefix} plies {evaluation.plies}"
    for setting in ("cubeful", "prune", "deterministic"):
        yield f"{prefix} {setting} {_switch(is_on=getattr(evaluation, setting))}"
    yield f"{prefix} noise {evaluation.noise:.6f}"


def _switch(*, is_on: bool) -> str:
    return "on" if is_on else "off"


def _filter(prefix: str, name: str) -> Iterator[str]:
    for depth, rows in move_filters()[name].items():
        for ply, (accept, extra, threshold) in enumerate(rows):
            yield f"{prefix} {depth} {ply} {accept} {extra} {threshold}"


def check_players(text: str, players: tuple[PlayerLevel, PlayerLevel]) -> None:
    """Check that gnubg's `show player` reports these levels.

    gnubg ignores a command that it does not know. Raises EngineFailedError naming the first
    difference.
    """
    blocks = re.split(r"^Player \d:$", text, flags=re.MULTILINE)[1:]
    if len(blocks) != len(players):
        raise EngineFailedError(f"gnubg's 'show player' does not list two players:\n{text}")
    for block, player in zip(blocks, players, strict=True):
        _compare(block, _reported(player), f"player {player.name}")


def check_analysis(text: str, level: Analysis) -> None:
    """Check that gnubg's `show analysis` reports this level.

    Raises EngineFailedError naming the first difference.
    """
    luck = "Dice rolls will be analysed." if level.luck else "Dice rolls will not be analysed."
    if luck not in text:
        raise EngineFailedError(
            f"analysis level {level.name}: gnubg does not report '{luck}':\n{text}"
        )
    luck_report = [_reported_evaluation(level.luckanalysis)] if level.luck else []
    _compare(text, [*_reported(level), *luck_report], f"analysis level {level.name}")


def _reported(level: PlayerLevel | Analysis) -> list[str]:
    evaluations = [
        _reported_evaluation(evaluation) for evaluation in (level.chequerplay, level.cubedecision)
    ]
    return [evaluations[0], *_reported_filter(level.movefilter), evaluations[1]]


def _reported_evaluation(evaluation: Evaluation) -> str:
    # gnubg holds the noise in single precision, which decides how a last digit of 5 is rounded.
    single = struct.unpack("f", struct.pack("f", evaluation.noise))[0]
    noise = "noiseless evaluations"
    if evaluation.noise:
        noise = f"noise standard deviation {single:.3f} (pseudo-random noise)"
    pruning = "using" if evaluation.prune else "not using"
    cube = "cubeful" if evaluation.cubeful else "cubeless"
    return (
        f"{evaluation.plies}-ply evaluation. {pruning} pruning neural nets. {cube} evaluations."
        f" {noise}."
    )


def _reported_filter(name: str) -> Iterator[str]:
    for depth, rows in move_filters()[name].items():
        rules = [_reported_rule(ply, *row) for ply, row in enumerate(rows)]
        yield f"move filter for {depth} ply: {' '.join(rules)}"


def _reported_rule(ply: int, accept: int, extra: int, threshold: float) -> str:
    if accept < 0:
        return f"skip pruning for {ply}-ply moves."
    return (
        f"keep the first {accept} {ply}-ply moves and up to {extra} more moves within equity"
        f" {threshold:g}"
    )


def _compare(text: str, expected: list[str], setting: str) -> None:
    """Find the expected sentences in the text, in order.

    Spaces, capitals and full stops differ between engines.
    """
    flat = _flat(text)
    position = 0
    for sentence in expected:
        start = flat.find(_flat(sentence), position)
        if start < 0:
            raise EngineFailedError(
                f"{setting}: gnubg refused the setting '{sentence}'; its output:\n{text}"
            )
        position = start + len(_flat(sentence))


def _flat(text: str) -> str:
    return " ".join(text.lower().replace(".", " ").split())
