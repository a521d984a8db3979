"""Compute the chance that a player's true PR is below a limit.

PR is 500 times the error per unforced move and close cube decision. The model is that of ratings
from few matches (rating/population.py). The fourth root of a PR has the same variance per decision
for all players. It is shrunk towards the population of players.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from bgmatch.scales import PR as PER_DECISION
from bgrating import BgratingError
from bgrating.rating.calculator import LIMITS
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.known import PEOPLE_VERSION
from bgrating.rating.player import Errors, losses
from bgrating.rating.population import Population, known_roots, population_of
from bgrating.rating.result_files import population_table
from bgrating.tables.table_files import read_table

PR = RatingFormula(
    ("a",), np.array([PER_DECISION]), np.full((1, 1), math.nan), math.inf, CONFIDENCE, "today", (1,)
)
"""PR as a formula: 500 times the error per decision; all matches count as of length 1."""
_COLUMNS = ("chequer_error_emg", "unforced_moves", "cube_error_emg", "close_cube_decisions")


class LimitError(BgratingError, ValueError):
    """A limit is impossible."""


@dataclass(frozen=True)
class BelowLimit:
    """A limit of PR, and the chance that the true PR is below it."""

    limit: float
    chance: float

    @property
    def description(self) -> str:
        return f"below {self.limit:g}: {100 * self.chance:.0f} %"


def pr_players(matches: pd.DataFrame) -> pd.DataFrame:
    """Return one row per player, as rating/population.py takes them.

    `loss` is the PR, `moves` the number of decisions. `matches` has one row per match and player:
    `player` and the four columns of errors and decisions.
    """
    number, names = pd.factorize(matches["player"], sort=True)
    errors = Errors(
        np.ones(len(matches)), *(matches[name].fillna(0).to_numpy(float) for name in _COLUMNS)
    )
    decisions = np.bincount(number, errors.unforced_moves + errors.close_cube_decisions)
    return losses(errors, number, PR).assign(player=names, moves=decisions)


@cache
def stored_pr_population() -> tuple[Population, float]:
    """Return the population of the matches that the project stores, judged by PEOPLE_VERSION, and
    its decisions per point.

    Other nets and deeper levels find a few per cent more or less, and players differ far more than
    that.
    """
    matches = read_table(population_table(PEOPLE_VERSION))
    population = population_of(pr_players(matches))
    assert population is not None  # the project stores a thousand players
    decisions = matches["unforced_moves"] + matches["close_cube_decisions"]
    return population, float(decisions.sum() / matches["match_length"].sum())


def pr_below(
    pr: float, matches: int, match_length: int, limits: Sequence[float]
) -> list[BelowLimit]:
    """Return the chances that the true PR is below the limits, given this PR over a number of
    matches of a length.

    The player is a collection of one. The decisions of a match are those of the stored matches.
    Raises LimitError.
    """
    if not all(0 < limit < math.inf for limit in limits):
        raise LimitError(
            f"a limit of PR is above 0, not {', '.join(f'{limit:g}' for limit in limits)}"
        )
    moves = matches * match_length * stored_pr_population()[1]
    player = pd.DataFrame({"loss": [pr], "own_se": math.nan, "matches": 1, "moves": moves})
    return _below(player, limits)[0]


def chances_below(matches: pd.DataFrame) -> dict[str, list[BelowLimit]]:
    """Return the chances of every player of a collection (matches.csv) with a decision to be below
    LIMITS.
    """
    players = pr_players(matches)
    players = players[players["moves"] > 0]
    return dict(zip(players["player"], _below(players, LIMITS), strict=True))


def _below(players: pd.DataFrame, limits: Sequence[float]) -> list[list[BelowLimit]]:
    """Return every player's chances.

    The population is that of the players, with the stored one as its prior.
    """
    prior = stored_pr_population()[0]
    true_roots = known_roots(players, population_of(players, prior) or prior)
    chances = np.column_stack([true_roots.below(limit**0.25) for limit in limits]).tolist()
    return [list(map(BelowLimit, limits, of_player)) for of_player in chances]
