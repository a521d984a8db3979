"""A match as another program saved it: the cells of its games, and what else the file has of them.

The cells are replayed like those of a text. Then positions, scores and cubes of the file are compared with those of
the replay.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from bgrating import BgratingError
from bgrating.matchtext import board
from bgrating.matchtext.headers import composed
from bgrating.matchtext.model import CubeAction, CubeKind, Finding, Game, Match, MatchPlayer, Position
from bgrating.matchtext.read import match_of
from bgrating.matchtext.rows import SideAction
from bgrating.matchtext.snowie import write_position

PROGRAMS = {".xg": "xg", ".sgf": "gnubg", ".bgf": "bgblitz", ".ogxm": "opengammon", ".gvab": "gammonview"}
"""The program that a format is named after, by suffix."""
ADVICE = "export the match as text (.mat or .txt)"
TOLERANCE = 0.002
"""Largest difference of a program's errors from those that its evaluations give, in EMG for one decision."""

Verdict = tuple[int, int, str, float, str]
"""What a program says of a decision: its game, ply and kind (as in decisions/rows.py), its loss in EMG, its depth."""
Sides = tuple[board.Chequers, board.Chequers]
"""The chequers of left and right, without those that are off, which files do not count."""


class SavedError(BgratingError):
    """The file is damaged, holds no match, or something that its reading could not be checked with."""


@dataclass(frozen=True, slots=True)
class ProgramFigures:
    """What the program that analysed a file says of one side: errors and luck in EMG, decisions of its PR, verdicts."""

    chequer_error: float = 0.0
    cube_error: float = 0.0
    decisions: int = 0
    luck: float = 0.0
    verdicts: tuple[Verdict, ...] = ()

    @property
    def pr(self) -> float:
        """Return the performance rating: 500 times the error per decision."""
        return 500.0 * (self.chequer_error + self.cube_error) / self.decisions if self.decisions else math.nan


Figures = tuple[ProgramFigures, ProgramFigures]


@dataclass
class SavedGame:
    """A game as the file has it.

    `seen` has the position and the cube before each roll, and the position after it (None: not known). With `is_whole`
    the file has them of every roll.
    """

    score: tuple[int, int]
    winner: int | None
    points: int
    cells: list[SideAction] = field(default_factory=list)
    seen: list[tuple[Sides, int, Sides | None]] = field(default_factory=list)
    crawford: bool | None = None
    is_whole: bool = False


@dataclass
class Saved:
    """A match as the file has it; `ratings` are those that it records of left and right."""

    length: int
    names: tuple[str, str]
    date: str
    rules: dict[str, bool]
    games: list[SavedGame]
    figures: Figures | None = None
    findings: list[Finding] = field(default_factory=list)
    final: tuple[int, int] | None = None
    ratings: tuple[float | None, float | None] = (None, None)


def roll(side: int, dice: Sequence[int], plays: Sequence[str]) -> SideAction:
    """Return the cell of a roll and its plays. Raises SavedError for dice that there are not."""
    first, second = dice
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise SavedError(f"this file has a roll of {first}{second}; {ADVICE}")
    return SideAction(side, "roll", " ".join(plays), 0, (first, second))


def matched(saved: Saved, suffix: str) -> tuple[Match, Figures | None]:
    """Return the match, replayed and compared, and the figures of the file's program. Raises SavedError."""
    if not saved.games:
        raise SavedError(f"this {suffix} file holds no game")
    games = [(game.score, game.cells, game.winner, game.points) for game in saved.games]
    match = match_of(saved.length, saved.rules, games)
    findings = [*match.findings, *saved.findings]
    for ours, theirs in zip(match.games, saved.games, strict=True):
        findings += _compare(ours, theirs, suffix)
    if saved.final and saved.final not in {match.final_score, tuple(min(n, saved.length) for n in match.final_score)}:
        given, played = ("{}-{}".format(*score) for score in (saved.final, match.final_score))
        findings.append(Finding("final-score", f"the file gives the final score {given}, the games {played}"))
    names = [composed(name) for name in saved.names]
    findings += [Finding("empty-name", "a player has no name")] * (not all(names))
    if names[0] and names[0] == names[1]:
        findings.append(Finding("same-name", f"both players are called {names[0]!r}: counted for neither"))
    left, right = (MatchPlayer(name, name, rating) for name, rating in zip(names, saved.ratings, strict=True))
    match = replace(match, dialect=PROGRAMS[suffix], players=(left, right), date=saved.date, findings=tuple(findings))
    return match, saved.figures


def _compare(ours: Game, theirs: SavedGame, suffix: str) -> Iterator[Finding]:
    """Replay a game beside what the file has of each roll. Raises SavedError at the first other position or cube.

    From a play on that the replay does not know, nothing is compared; a file that has every roll is refused there.
    """
    if theirs.crawford is not None and theirs.crawford != ours.crawford:
        word = "is" if theirs.crawford else "is not"
        yield Finding("crawford-game", f"the file has that it {word} the Crawford game", ours.number)
    sides, cube, at = board.start(), 1, 0
    for action in ours.actions[: ours.known]:
        if isinstance(action, CubeAction):
            cube = action.value if action.kind is CubeKind.TAKE else cube
            continue
        seen = theirs.seen[at] if at < len(theirs.seen) else None
        at += 1
        is_same = seen is None or seen[:2] == (without_off(sides), cube)
        if action.position:
            sides = (list(action.position[0]), list(action.position[1]))
        else:
            board.make(sides[action.side], sides[1 - action.side], action.hops)
        if not is_same or (seen and seen[2] and seen[2] != without_off(sides)):
            place = f"game {ours.number}, roll {at}"
            raise SavedError(f"{place}: the plays of this {suffix} file contradict its positions; {ADVICE}")
    if theirs.is_whole and at != len(theirs.seen):
        raise SavedError(f"game {ours.number}: the records of this {suffix} file contradict themselves; {ADVICE}")


def without_off(sides: Sequence[Sequence[int]]) -> tuple[board.Chequers, board.Chequers]:
    """Return the chequers of both sides without those that are off, which the files do not count."""
    return [0, *sides[0][1:]], [0, *sides[1][1:]]


def illegal_play(position: Position, mover: int) -> str:
    """Return the cell of a position that an illegal play led to."""
    left, right = ((15 - sum(side[1:]), *side[1:]) for side in position)
    return write_position((left, right), mover, 0, ("left", "right"), (0, 0), 1)


def unchecked(suffix: str, what: str) -> SavedError:
    """Return the error of a file that holds something which no test has seen."""
    return SavedError(f"a {suffix} file with {what}: none was at hand to check its reading with; {ADVICE}")
