"""A match as another program saved it: the cells of its games, and other facts of the file.

The cells are replayed like those of a text. Positions, cubes and scores of the file are compared
with the replay.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from bgmatch.decoder import Decoded
from bgmatch.errors import BgmatchError
from bgmatch.headers import Headers, composed
from bgmatch.model import (
    Board,
    Ending,
    Finding,
    Findings,
    Game,
    Hop,
    MatchFile,
    MatchPlayer,
    Names,
    Roll,
    Score,
    XgFigures,
    notation,
)
from bgmatch.read import compare_final, match_of
from bgmatch.rows import RecordedState, SideAction
from bgmatch.sections import RawGame, RawMatch

PROGRAMS = {
    ".xg": "xg",
    ".sgf": "gnubg",
    ".bgf": "bgblitz",
    ".ogxm": "opengammon",
    ".gvab": "gammonview",
    ".match": "javafibs",
    ".gmd": "gibbon",
    ".oldmoves": "fibs",
}
"""Name of each format, its main program, by suffix."""


class SavedError(BgmatchError):
    """The file is damaged, holds no match, or has a feature that no test covers."""


def unreadable(reason: str) -> SavedError:
    """Return an error with the reason, in one line, and the remedy."""
    line = " ".join(reason.split())[:200]  # a damaged file may have put anything into it
    return SavedError(f"{line}; export the match as text (.mat or .txt)")


@contextmanager
def reading(suffix: str) -> Iterator[None]:
    """Raise SavedError for whatever the fields of a damaged file raise, in the libraries too."""
    try:
        yield
    except SavedError:
        raise
    except Exception as problem:
        raise unreadable(
            f"this {suffix} file is damaged or of an unknown kind ({problem})"
        ) from problem


@dataclass
class SavedGame(RawGame):
    """A game as the file has it; without a score, the score follows from the games before.

    With `is_whole` the replay must know the board at every roll, and the game must end as `ending`
    says. `is_resigned` is None if the format cannot show that.
    """

    names: Names | None = ("left", "right")
    winner: int | None = None
    points: int = 0
    crawford: bool | None = None
    is_whole: bool = False
    ending: Ending | None = None
    is_resigned: bool | None = None


@dataclass
class Saved:
    """A match as the file has it.

    `headers` are like those of a text, the date among them. `ratings` are those of left and right.
    `decoded` is how a text was decoded, `figures` are XG's.
    """

    length: int
    names: Names
    headers: Headers
    games: list[SavedGame] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)
    final: Score | None = None
    ratings: tuple[float | None, float | None] = (None, None)
    decoded: Decoded | None = None
    figures: XgFigures | None = None


def headers_of(rules: Iterable[str]) -> Headers:
    """Return the headers of a text by which the rules are in force, and no others."""
    headers = {"crawford": "Off", "jacoby": "Off"}
    for rule in {"Crawford", "Jacoby"}.intersection(rules):
        headers[rule.casefold()] = "On"
    return headers


def roll(
    side: int,
    dice: Sequence[int],
    moves: Iterable[Hop],
    recorded: RecordedState | None = None,
    position: Board | None = None,
) -> SideAction:
    """Return the cell of a roll with its moves, or with the position after an illegal play.

    Raises SavedError for impossible dice.
    """
    first, second = dice
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise unreadable(f"this file has a roll of {first}{second}")
    text = "" if position else notation(sorted(moves, reverse=True))
    return SideAction(side, "roll", text, 0, (first, second), position, recorded)


def matched(saved: Saved, suffix: str) -> MatchFile:
    """Return the file of a match after its replay and the comparisons. Raises SavedError."""
    if not saved.games:
        raise SavedError(f"this {suffix} file holds no game")
    raw = RawMatch(saved.length, saved.headers, [*saved.games])
    for number, game in enumerate(saved.games, 1):
        game.number = number
        game.cells += _won(game)
    left, right = (
        MatchPlayer(composed(name), composed(name), rating)
        for name, rating in zip(saved.names, saved.ratings, strict=True)
    )
    match = match_of(raw, PROGRAMS[suffix], (left, right))
    for finding in match.findings:
        if finding.code == "contradiction":
            where = f"game {finding.game}, {finding.message}"
            raise unreadable(f"{where}: the plays of this {suffix} file contradict its positions")
    findings = [*match.findings, *saved.findings]
    for ours, theirs in zip(match.games, saved.games, strict=True):
        findings += _compare(ours, theirs, suffix)
    if saved.final:
        findings += compare_final(match, saved.final, "final-score", "file gives")
    match = replace(match, findings=tuple(findings))
    return MatchFile((match,), saved.decoded, saved.figures)


def _won(game: SavedGame) -> Iterator[SideAction]:
    """Yield the result of a game; its points may be unknown."""
    if game.winner is not None and game.points:
        yield SideAction(game.winner, "wins", f"{game.points} points")
    elif game.winner is not None:
        yield SideAction(1 - game.winner, "concedes")


def _compare(ours: Game, theirs: SavedGame, suffix: str) -> Iterator[Finding]:
    """Compare a game with the file.

    Raises SavedError if the game should be whole and is not, or ends otherwise.
    """
    if theirs.crawford is not None and theirs.crawford != ours.crawford:
        verb = "is" if theirs.crawford else "is not"
        yield Finding(
            "crawford-game", f"the file says that it {verb} the Crawford game", ours.number
        )
    if theirs.is_resigned is False and ours.result.ending is Ending.RESIGNATION:
        yield Finding(
            "last-roll",
            "won without a last chequer, a pass or a resignation: the last roll may be lost",
            ours.number,
        )
    rolls = sum(isinstance(action, Roll) for action in ours.actions[: ours.known])
    if theirs.is_whole and rolls != sum(cell.kind == "roll" for cell in theirs.cells):
        raise unreadable(
            f"game {ours.number}: the records of this {suffix} file contradict themselves"
        )
    if theirs.ending and ours.result.ending is not theirs.ending:
        raise unreadable(f"game {ours.number}: how this game ends contradicts its plays")


def unchecked(suffix: str, feature: str) -> SavedError:
    """Return the error of a file with a feature that no test covers."""
    return unreadable(
        f"a {suffix} file with {feature} cannot be read: no such file was available for a test"
    )
