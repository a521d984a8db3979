"""The content of one match file, as immutable values.

Sides are ``LEFT`` (0) and ``RIGHT`` (1), the columns of the text. The side that moves
numbers the board: 25 is the bar, 24 to 1 are the points, 0 is off the board. A hop is one chequer
moved by one die, ``(from, to)``.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from bgmatch.decoder import Decoded

LEFT = 0
RIGHT = 1

Dice = tuple[int, int]
Score = tuple[int, int]
Names = tuple[str, str]
Hop = tuple[int, int]
Hops = tuple[Hop, ...]
Side = tuple[int, ...]
"""Chequers of a side, 26 numbers: index 25 the bar, index 0 borne off."""
Board = tuple[Side, Side]
"""Chequers of the left and of the right side."""


class Verdict(StrEnum):
    """The play of a roll, by the text and the board."""

    PLAYED = "played"  # a legal play, every hop known
    DANCED = "danced"  # no play was possible
    FORCED = "forced"  # the play is not in the text, but only one was possible
    RESIGNED = "resigned"  # rolled, then the game ended without a play
    MISSING = "missing"  # a play was made and is not in the text: the board is unknown from here on
    SET = "set"  # no roll: the position before the first one was set by hand
    ILLEGAL = "illegal"  # against the rules, but the board after it is known
    IMPOSSIBLE = "impossible"  # cannot be made on this board: the board is unknown from here on
    UNCHECKED = "unchecked"  # the board was already unknown


class CubeKind(StrEnum):
    """A cube action."""

    DOUBLE = "double"
    BEAVER = "beaver"
    RACCOON = "raccoon"
    TAKE = "take"
    DROP = "drop"


class Ending(StrEnum):
    """How a game was decided."""

    BEAROFF = "bearoff"
    DROP = "drop"
    RESIGNATION = "resignation"  # the text names a winner; board and cube do not decide the game
    SCORE = "score"  # known only from the score before the next game
    UNFINISHED = "unfinished"


@dataclass(frozen=True, slots=True)
class Finding:
    """A warning: a short fixed code, a sentence, and its place (game and line count from 1)."""

    code: str
    message: str
    game: int | None = None
    line: int | None = None


class Findings(list[Finding]):
    """The findings of a match."""

    def add(
        self, code: str, message: str, game: int | None = None, line: int | None = None
    ) -> None:
        self.append(Finding(code, message, game, line))


@dataclass(frozen=True, slots=True)
class Roll:
    """A roll and its play.

    ``dice`` are in the order of the text. ``hops`` are in an order in which they can be made,
    highest point first. ``position`` is the board after an illegal play, or one that was set by
    hand, otherwise None. ``token`` identifies the roll in every notation. It has the dice, the
    higher one first. A letter follows for each point that a chequer left, then for each that it
    reached. Points where a chequer hit and moved on follow a star. It is empty for a roll without a
    play at the end of a game, which some programs leave out.
    """

    side: int
    dice: Dice
    hops: Hops
    verdict: Verdict
    token: str
    line: int
    position: Board | None = None


@dataclass(frozen=True, slots=True)
class CubeAction:
    """A cube action; ``value`` is the cube's value if the double is (or was) taken."""

    side: int
    kind: CubeKind
    value: int
    line: int


Action = Roll | CubeAction


@dataclass(frozen=True, slots=True)
class GameResult:
    """The end of a game.

    ``points`` is the winner's score by the text, or by cube and board if the text gives no points.
    It is 0 without a winner. ``stated_points`` is the number in the text. ``multiplier`` is 1, 2 or
    3 for a single game, gammon or backgammon; it multiplies the value of the ``cube``.
    """

    winner: int | None = None
    points: int = 0
    ending: Ending = Ending.UNFINISHED
    stated_points: int | None = None
    multiplier: int = 1
    cube: int = 1


@dataclass(frozen=True, slots=True)
class Game:
    """One game.

    ``score`` is the score before it (left, right). The board is known during the first ``known``
    actions. That is below ``len(actions)`` if a play is missing or impossible. Give an engine no
    more than these actions.
    """

    number: int
    score: Score
    crawford: bool
    actions: tuple[Action, ...]
    known: int
    result: GameResult

    @property
    def rolls(self) -> int:
        return sum(
            isinstance(action, Roll) and action.verdict is not Verdict.SET
            for action in self.actions
        )

    @property
    def score_after(self) -> Score:
        after = [*self.score]
        if self.result.winner is not None:
            after[self.result.winner] += self.result.points
        return after[0], after[1]


@dataclass(frozen=True, slots=True)
class MatchPlayer:
    """One side of a match.

    ``name`` stands above the column, ``real_name`` in the file's headers (``name`` if they have
    none). ``rating`` is a rating that a site recorded.
    """

    name: str
    real_name: str
    rating: float | None = None


Players = tuple[MatchPlayer, MatchPlayer]


@dataclass(frozen=True, slots=True)
class Match:
    """One match or session.

    Attributes
    ----------
    dialect
        The program or site that wrote the text.
    declared_length
        The number in the text, in points.
    match_length
        The same, but 0 for money sessions and for unlimited games that a site labels with a length.
    unlimited
        Whether it is such an unlimited game.
    players
        The left and the right player.
    games
        The games, with every roll, play and cube action.
    final_score
        Points of left and right as the text states them, so they can exceed the length.
    winner
        0 for left, 1 for right, None if unknown.
    complete
        Whether the match was played out (for money: its last game).
    date
        ``YYYY``, ``YYYY-MM`` or ``YYYY-MM-DD``; empty if unknown.
    crawford
        Whether the Crawford rule holds.
    jacoby
        Whether the Jacoby rule holds; None in matches, and where the text does not show it.
    findings
        What the text gets wrong, and where.
    cube
        Whether a cube was in play.
    event, round
        As the text names them; empty if it does not.
    """

    dialect: str
    declared_length: int
    match_length: int
    unlimited: bool
    players: Players
    games: tuple[Game, ...]
    final_score: Score
    winner: int | None
    complete: bool
    date: str
    crawford: bool
    jacoby: bool | None
    findings: tuple[Finding, ...]
    cube: bool = True
    event: str = ""
    round: str = ""

    @property
    def rolls(self) -> int:
        return sum(game.rolls for game in self.games)


class XgVerdict(NamedTuple):
    """XG's verdict on a decision.

    It has its game, ply and kind ("play", "double", "take" or "pass"), its loss in EMG, XG's depth.
    """

    game: int
    ply: int
    kind: str
    loss: float
    depth: str


@dataclass(frozen=True, slots=True)
class XgSide:
    """XG's figures of one side: total error in EMG, number of decisions in the PR, and verdicts."""

    error: float
    decisions: int
    verdicts: tuple[XgVerdict, ...]


XgFigures = tuple[XgSide, XgSide]
"""XG's figures of left and right."""


@dataclass(frozen=True, slots=True)
class MatchFile:
    """The matches of a file, how its text was decoded, and XG's figures if XG analysed it."""

    matches: tuple[Match, ...]
    decoded: Decoded | None = None
    figures: XgFigures | None = None


def score_text(score: Score) -> str:
    return f"{score[0]}-{score[1]}"


def notation(hops: Iterable[Hop]) -> str:
    """Return a play in numbers, such as "24/18 13/11"."""
    return " ".join([f"{source}/{target}" for source, target in hops])


def is_at_crawford(score: Score, length: int) -> bool:
    """Return whether exactly one player is a point away from winning the match."""
    return length > 1 and (score[0] == length - 1) != (score[1] == length - 1)
