"""What can be asked of ratings, and what a rating system gives back. A new system is a module named in METHODS.

Such a module has `problem(asked, field)`, which says why it cannot rate these games (nothing where it can), and
`rated(asked, field)`, which rates them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bgrating import BgratingError

if TYPE_CHECKING:
    import pandas as pd

METHODS = {
    "elo": "Elo, game by game",
    "logistic": "logistic",
    "eloworld": "Elo World",
    "fibs": "FIBS formula, by match length",
    "history": "whole history",
}
"""Modules of this package, and what pages call them."""
PROVENANCE = "ratings.provenance.json"
"""The provenance of all tables of a league; a folder that holds it is ours to write in."""
OLDER = ("ratings_games.provenance.json", "plan.json")
"""Files that versions before this one kept beside their tables."""
ABSENT = "the games have no"
"""What a problem begins with that a list without some column has: nothing to report."""
DRIFT = 50.0
_WORTH_COMPILING = 200_000


class RatingsError(BgratingError):
    """Games or settings that cannot be rated as asked; the message names what is wrong and the remedy."""


@dataclass(frozen=True)
class EloStart:
    """Where a player's Elo starts: a rating, and the number of games that it counts for."""

    rating: float = 1300.0
    games: float = 14.0


@dataclass(frozen=True)
class RatingsSettings:
    """What is asked for; without `methods` all that can rate the games do.

    `fix`: anchors' scores; `fuse`: steps; `bias` None: where the games can tell it; `subset`: players to show;
    `start`: players' own starts; `resume`: an elo_log.csv; `diluted`: shares of diluted players; `since`, `until`:
    first and last date (YYYY-MM-DD, empty for none); `min_games`: games that a player shown must have; `match_length`:
    that of the chances that fibs gives, 0 for the usual one; `drift`: Elo points that a strength moves in a year;
    `aliases`: a CSV with the columns alias and name.
    """

    methods: tuple[str, ...] = ()
    fix: Mapping[str, float] = field(default_factory=dict)
    fuse: tuple[int, ...] = ()
    bias: bool | None = None
    subset: tuple[str, ...] = ()
    seed: int = 1
    start: Mapping[str, EloStart] = field(default_factory=dict)
    resume: Path | None = None
    diluted: Mapping[str, float] = field(default_factory=dict)
    since: str = ""
    until: str = ""
    min_games: int = 1
    match_length: int = 0
    drift: float = DRIFT
    aliases: Path | None = None


@dataclass(frozen=True)
class GamesToRate:
    """The games that every method rates, those of players against themselves, and whom tables of pairs show.

    `seats` tells whether the first name moves first.
    """

    games: "pd.DataFrame"
    self_play: "pd.DataFrame"
    seats: bool
    shown: tuple[str, ...]


@dataclass(frozen=True)
class MethodRatings:
    """What a method makes of games: files by name (tables, matrices, JSON, pictures), ratings, and sentences to say.

    `ratings` has `player`, `rating`, `ci_low`, `ci_high` on the method's own scale, `slope` the logit for one of its
    points; `from_mean` the same with intervals of the distance from the mean of all, which is what a common scale
    shows. `in_league` tells whether the method belongs in a league table.
    """

    files: dict[str, Any]
    ratings: "pd.DataFrame"
    from_mean: "pd.DataFrame"
    slope: float
    facts: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    in_league: bool = True


_work: dict[Any, int] = {}


def compiled(function: Callable[..., None], work: int) -> Callable[..., None]:
    """Return a function of numbers as it is, or compiled by numba once it has had more than so much work to do.

    Compiling takes a second or two, which a short list need not wait for; the figures are the same.
    """
    _work[function] = _work.get(function, 0) + work
    return function if _work[function] < _WORTH_COMPILING else _compiled(function)


@cache
def _compiled(function: Callable[..., None]) -> Callable[..., None]:
    import numba  # noqa: PLC0415 - it takes half a second

    fast: Callable[..., None] = numba.njit(function, nogil=True)
    return fast
