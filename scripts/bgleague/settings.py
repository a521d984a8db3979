"""Settings of ratings, and the result of a rating system.

A rating system is a module named in METHODS. Its `problem(settings, games)` returns why it cannot
rate these games, or nothing. Its `rate(settings, games)` rates them.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bgmatch.records import Json
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
"""Modules of this package, and their names on pages."""
PROVENANCE = "ratings.provenance.json"
"""The provenance of all tables of a league; a folder with this file may be written to."""
MATCH_FILES = "match files"
"""The title of match files among lists."""
ABSENT = (  # the beginning of a problem due to a missing column; the page does not report it
    "the games have no"
)


class RatingsError(BgratingError):
    """Games or settings that cannot be rated; the message names the fault and the remedy."""


ByPlayer = Mapping[str, float]
"""A number for each of some players."""


@dataclass(frozen=True)
class EloStart:
    """The start of a player's Elo: a rating, and its weight in games."""

    rating: float = 1300.0
    games: float = 14.0


@dataclass(frozen=True)
class RatingsSettings:
    """Settings of a run; without `methods` every system that can rate the games does.

    `fix`: anchors' scores; `fuse`: steps; `bias` None: fitted if the games identify it; `subset`:
    players to show; `start`: Elo starts by player; `diluted`: shares of diluted players; `since`,
    `until`: first and last date (YYYY-MM-DD or empty); `min_games`: smallest number of games of a
    player in tables; `aliases`: a CSV with the columns alias and name; `start_list`: an earlier
    elo.csv; `provisional`: players with fewer games are marked; `dates`: the order of dates that
    fit two readings (a key of dates.ORDERS).
    """

    methods: tuple[str, ...] = ()
    fix: ByPlayer = field(default_factory=dict)
    fuse: tuple[int, ...] = ()
    bias: bool | None = None
    subset: tuple[str, ...] = ()
    seed: int = 1
    start: Mapping[str, EloStart] = field(default_factory=dict)
    diluted: ByPlayer = field(default_factory=dict)
    since: str = ""
    until: str = ""
    min_games: int = 1
    aliases: Path | None = None
    start_list: Path | None = None
    provisional: int = 0
    dates: str = ""


@dataclass(frozen=True)
class GamesToRate:
    """The games that every method rates, games of self-play, and flagged rows of the file.

    `seats` tells whether the first name moves first. `notes` are notices on how the files were
    read; `listed` are the players that tables show.
    """

    games: "pd.DataFrame"
    self_play: "pd.DataFrame"
    flagged: "pd.DataFrame"
    seats: bool
    notes: Sequence[str] = ()
    listed: Sequence[str] = ()


ELO_SLOPE = math.log(10) / 400
"""Log-odds of a point of the Elo scale."""


@dataclass(frozen=True)
class MethodRatings:
    """The result of a method.

    It has files by name (tables, matrices, JSON, pictures), provenance, and notes for the user.

    `ratings` has `player`, `rating`, `ci_low`, `ci_high`; None if the method does not belong in a
    league table. `slope` is the log-odds of a point between two players, `covariance` that of the
    ratings if it is known.
    """

    files: Json
    ratings: "pd.DataFrame | None"
    metadata: Json = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    slope: float = ELO_SLOPE
    covariance: "pd.DataFrame | None" = None
