"""A match as another program saved it: the cells of its games, and what else the file has of them.

The cells are replayed like those of a text. Positions and cubes of the file are compared with those of the replay, and
so are scores.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from bgrating import BgratingError
from bgrating.matchtext.board import BAR
from bgrating.matchtext.headers import composed
from bgrating.matchtext.model import Ending, Finding, Game, Hop, Match, MatchPlayer, Position, Roll
from bgrating.matchtext.read import match_of
from bgrating.matchtext.rows import PlayText, Seen, SideAction
from bgrating.matchtext.sections import RawGame, RawMatch

PROGRAMS = {".xg": "xg", ".sgf": "gnubg", ".bgf": "bgblitz", ".ogxm": "opengammon", ".gvab": "gammonview"} | {
    ".match": "javafibs",
    ".gmd": "gibbon",
}
"""The program that a format is named after, by suffix."""
ADVICE = "export the match as text (.mat or .txt)"


class SavedError(BgratingError):
    """The file is damaged, holds no match, or something that its reading could not be checked with."""


@dataclass
class SavedGame:
    """A game as the file has it; without a score it follows from the games before.

    With `is_whole` each of its rolls must be one that the replay knows. `is_resigned` is None where the file would not
    tell.
    """

    score: tuple[int, int] | None
    winner: int | None
    points: int
    cells: list[SideAction] = field(default_factory=list)
    crawford: bool | None = None
    is_whole: bool = False
    is_resigned: bool | None = None


@dataclass
class Saved:
    """A match as the file has it; `ratings` are those that it records of left and right, `rules` headers of a text."""

    length: int
    names: tuple[str, str]
    date: str
    rules: dict[str, str]
    games: list[SavedGame]
    findings: list[Finding] = field(default_factory=list)
    final: tuple[int, int] | None = None
    ratings: tuple[float | None, float | None] = (None, None)


def roll(
    side: int, dice: Sequence[int], moves: Iterable[Hop], seen: Seen | None = None, position: Position | None = None
) -> SideAction:
    """Return the cell of a roll and its moves, or the position after an illegal play.

    Raises SavedError for dice that there are not.
    """
    first, second = dice
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise SavedError(f"this file has a roll of {first}{second}; {ADVICE}")
    made = tuple(sorted((move for move in moves if move[0] != move[1]), reverse=True))
    play = PlayText("moves" if made else "none", made)
    words = " ".join(f"{source}/{target}" for source, target in made)
    if not all(0 <= point <= BAR for move in made for point in move):
        play = PlayText("garbled")
    if position:
        left, right = ((15 - sum(side[1:]), *side[1:]) for side in position)
        play = PlayText("position", position=(left, right))
    return SideAction(side, "roll", words, 0, (first, second), play, seen)


def matched(saved: Saved, suffix: str) -> Match:
    """Return the match, replayed and compared. Raises SavedError."""
    if not saved.games:
        raise SavedError(f"this {suffix} file holds no game")
    raw = RawMatch(saved.length, [*saved.rules.items(), ("date", saved.date)], 0)
    for number, game in enumerate(saved.games, 1):
        won = [] if game.winner is None else [SideAction(game.winner, "wins", f"{game.points} points", 0)]
        raw.games.append(RawGame(number, 0, ("left", "right"), game.score, [*game.cells, *won]))
    left, right = (
        MatchPlayer(composed(name), composed(name), rating)
        for name, rating in zip(saved.names, saved.ratings, strict=True)
    )
    match = match_of(raw, PROGRAMS[suffix], (left, right))
    contradiction = next((finding for finding in match.findings if finding.code == "contradiction"), None)
    if contradiction:
        place = f"game {contradiction.game}, {contradiction.message}"
        raise SavedError(f"{place}: the plays of this {suffix} file contradict its positions; {ADVICE}")
    findings = [*match.findings, *saved.findings]
    for ours, theirs in zip(match.games, saved.games, strict=True):
        findings += _compare(ours, theirs, suffix)
    if saved.final and saved.final not in {match.final_score, tuple(min(n, saved.length) for n in match.final_score)}:
        given, played = ("{}-{}".format(*score) for score in (saved.final, match.final_score))
        findings.append(Finding("final-score", f"the file gives the final score {given}, the games {played}"))
    return replace(match, findings=tuple(findings))


def _compare(ours: Game, theirs: SavedGame, suffix: str) -> Iterator[Finding]:
    """Compare a game with what the file has of it. Raises SavedError for an unknown roll of a whole one."""
    if theirs.crawford is not None and theirs.crawford != ours.crawford:
        word = "is" if theirs.crawford else "is not"
        yield Finding("crawford-game", f"the file has that it {word} the Crawford game", ours.number)
    if theirs.is_resigned is False and ours.result.ending is Ending.RESIGNATION:
        message = "won without a last chequer, a pass or a resignation: the last roll may be lost"
        yield Finding("last-roll", message, ours.number)
    known = sum(isinstance(action, Roll) for action in ours.actions[: ours.known])
    if theirs.is_whole and known != sum(cell.kind == "roll" for cell in theirs.cells):
        raise SavedError(f"game {ours.number}: the records of this {suffix} file contradict themselves; {ADVICE}")


def unchecked(suffix: str, what: str) -> SavedError:
    """Return the error of a file that holds something which no test has seen."""
    return SavedError(f"a {suffix} file with {what}: none was at hand to check its reading with; {ADVICE}")
