"""Where a player's Elo starts."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Start:
    """Where a player starts: a rating, and the number of games that it counts for."""

    rating: float = 1300.0
    games: float = 14.0
