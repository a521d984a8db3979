"""Translate levels into gnubg's commands, and read back from gnubg's own text what it understood."""

import re
from collections.abc import Iterator

from bgrating.engine.errors import EngineFailedError
from bgrating.engine.levels import Analysis, Evaluation, PlayerLevel, move_filters

# Everything a computer needs to play or analyse alone and repeatably.
ALONE = (
    "set threads 1",
    "set cache 0",
    "set confirm new off",
    "set confirm save off",
    "set display off",
    "set output rawboard off",
)
PLAYING = (
    *(f"set automatic {what} on" for what in ("game", "roll", "bearoff", "crawford", "move")),
    "set defaultnames player opponent",
    "set player 0 gnubg",
    "set player 1 gnubg",
    "set rng mersenne",
)


def play_commands(first: PlayerLevel, second: PlayerLevel) -> list[str]:
    """Return the commands that make gnubg's player 0 (left column) the first and player 1 the second player."""
    return [*ALONE, *PLAYING, *level_commands(0, first), *level_commands(1, second)]


def level_commands(seat: int, player: PlayerLevel) -> list[str]:
    """Return the commands that set the level of gnubg's player 0 or 1; a dilution is not among them."""
    commands: list[str] = []
    for what, evaluation in (("chequerplay", player.chequerplay), ("cubedecision", player.cubedecision)):
        commands += _evaluation(f"set player {seat} {what} evaluation", evaluation)
    return [*commands, *_filter(f"set player {seat} movefilter", player.movefilter)]


def analysis_commands(level: Analysis) -> list[str]:
    """Return the commands that make gnubg analyse at this level."""
    commands = [*ALONE, f"set analysis luck {'on' if level.luck else 'off'}"]
    for what, evaluation in (("chequerplay", level.chequerplay), ("cubedecision", level.cubedecision)):
        commands += _evaluation(f"set analysis {what} evaluation", evaluation)
    commands += _evaluation("set analysis luckanalysis", level.luckanalysis)
    return [*commands, *_filter("set analysis movefilter", level.movefilter)]


def _evaluation(prefix: str, evaluation: Evaluation) -> Iterator[str]:
    yield f"{prefix} plies {evaluation.plies}"
    for word in ("cubeful", "prune", "deterministic"):
        yield f"{prefix} {word} {'on' if getattr(evaluation, word) else 'off'}"
    yield f"{prefix} noise {evaluation.noise:.6f}"


def _filter(prefix: str, name: str) -> Iterator[str]:
    for depth, rows in move_filters()[name].items():
        for ply, (accept, extra, threshold) in enumerate(rows):
            yield f"{prefix} {depth} {ply} {accept} {extra} {threshold}"


def check_players(text: str, players: tuple[PlayerLevel, PlayerLevel]) -> None:
    """Check that gnubg's `show player` gives the levels that were asked for.

    gnubg answers a wrong command with a sentence and goes on, so a setting counts only when gnubg repeats it.
    Raises EngineFailedError naming the first difference.
    """
    blocks = re.split(r"^Player \d:$", text, flags=re.MULTILINE)[1:]
    if len(blocks) != len(players):
        raise EngineFailedError(f"gnubg's 'show player' does not list two players:\n{text}")
    for block, player in zip(blocks, players, strict=True):
        expected = [_told(player.chequerplay), *_told_filter(player.movefilter), _told(player.cubedecision)]
        _compare(block, expected, f"player {player.name}")


def check_analysis(text: str, level: Analysis) -> None:
    """Check that gnubg's `show analysis` gives this level. Raises EngineFailedError naming the first difference."""
    expected = [_told(level.chequerplay), *_told_filter(level.movefilter), _told(level.cubedecision)]
    luck = "Dice rolls will be analysed." if level.luck else "Dice rolls will not be analysed."
    if luck not in text:
        raise EngineFailedError(f"analysis level {level.name}: gnubg does not say '{luck}':\n{text}")
    if level.luck:
        expected.append(_told(level.luckanalysis))
    _compare(text, expected, f"analysis level {level.name}")


def _told(evaluation: Evaluation) -> str:
    noise = f"noise standard deviation {evaluation.noise:.3f} (pseudo-random noise)"
    return (
        f"{evaluation.plies}-ply evaluation. {'' if evaluation.prune else 'not '}using pruning neural nets. "
        f"{'cubeful' if evaluation.cubeful else 'cubeless'} evaluations. "
        f"{noise if evaluation.noise else 'noiseless evaluations'}."
    )


def _told_filter(name: str) -> Iterator[str]:
    for depth, rows in move_filters()[name].items():
        told = " ".join(
            f"skip pruning for {ply}-ply moves."
            if accept < 0
            else f"keep the first {accept} {ply}-ply moves and up to {extra} more moves within equity {threshold:g}"
            for ply, (accept, extra, threshold) in enumerate(rows)
        )
        yield f"move filter for {depth} ply: {told}"


def _compare(text: str, expected: list[str], whose: str) -> None:
    """Find the expected sentences in the text, in their order; white space, capitals and full stops aside.

    Engines set full stops differently.
    """
    flat, position = _flat(text), 0
    for sentence in expected:
        wanted = _flat(sentence)
        found = flat.find(wanted, position)
        if found < 0:
            raise EngineFailedError(f"{whose}: gnubg did not take the setting '{sentence}'; it says:\n{text}")
        position = found + len(wanted)


def _flat(text: str) -> str:
    return " ".join(text.lower().replace(".", " ").split())
