"""Compute the chance that a player's true PR is below a limit.

PR is 500 times the error per unforced move and close cube decision. The model is that of ratings from few matches
(rating/field.py): the fourth root of a PR has the same variance per decision for all players, and is shrunk towards the
field of players.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from scipy import special

from bgrating import BgratingError
from bgrating.rating.calculator import LIMITS
from bgrating.rating.field import Field, field_of, roots, shrunk_root, variances
from bgrating.rating.files import field_table
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.player import Errors, losses
from bgrating.tables.tables import read_table

FIELD_NETS = "1.08"
PR = RatingFormula(("a",), np.array([500.0]), np.full((1, 1), math.nan), math.inf, CONFIDENCE, "today", (1,))
"""PR as a formula: 500 times the error per decision; all matches count as of length 1."""
_COLUMNS = ("chequer_error_emg", "unforced_moves", "cube_error_emg", "close_cube_decisions")


class LimitError(BgratingError, ValueError):
    """A PR or a limit is impossible, or the stored field has too few players."""


@dataclass(frozen=True)
class BelowLimit:
    """A limit of PR, and the chance that the true PR is below it."""

    limit: float
    chance: float

    @property
    def words(self) -> str:
        return f"below {self.limit:g}: {100 * self.chance:.0f} %"


def pr_players(matches: pd.DataFrame) -> pd.DataFrame:
    """Return one row per player for rating/field.py, with PR as `loss` and the number of decisions as `moves`.

    `matches` has one row per match and player: `player` and the four columns of errors and decisions.
    """
    number, names = pd.factorize(matches["player"], sort=True)
    errors = Errors(np.ones(len(matches)), *(matches[name].fillna(0).to_numpy(float) for name in _COLUMNS))
    decisions = np.bincount(number, errors.unforced_moves + errors.close_cube_decisions)
    return losses(errors, number, PR).assign(player=names, moves=decisions)


@cache
def stored_pr_field() -> tuple[Field, float]:
    """Return the field of the matches that the project stores, judged by FIELD_NETS, and its decisions per point.

    Other nets and deeper levels find a few per cent more or less, and players differ far more than that.
    """
    matches = read_table(field_table(FIELD_NETS))
    field = field_of(pr_players(matches))
    if field is None:
        raise LimitError(f"{field_table(FIELD_NETS)}: too few players to learn how PRs differ")
    decisions = matches["unforced_moves"] + matches["close_cube_decisions"]
    return field, float(decisions.sum() / matches["match_length"].sum())


def pr_below(pr: float, matches: int, match_length: int, limits: Sequence[float] = LIMITS) -> list[BelowLimit]:
    """Return the chances that the true PR is below the limits, given this PR over a number of matches of a length.

    The field, and the decisions of a match, are those of the stored matches. Raises LimitError.
    """
    if not 0 <= pr < math.inf or matches < 1 or match_length < 1:
        raise LimitError(f"a PR is 0 or more, from a match or more, not {pr:g} from {matches} to {match_length}")
    if not all(0 < limit < math.inf for limit in limits):
        raise LimitError(f"a limit of PR is above 0, not {', '.join(f'{limit:g}' for limit in limits)}")
    field, per_point = stored_pr_field()
    scatter = field.scatter / (matches * match_length * per_point)
    mean, variance = shrunk_root(np.array([pr**0.25]), np.array([scatter]), field)
    return _below(mean[0], variance[0], math.inf, limits)


def chances_below(matches: pd.DataFrame) -> dict[str, list[BelowLimit]]:
    """Return the chances of every player of a collection (matches.csv) with a decision to be below LIMITS.

    The field is that of the collection, or the stored one if the collection is too small.
    """
    players = pr_players(matches)
    players = players[players["moves"] > 0]
    field = field_of(players) or stored_pr_field()[0]
    variance, dof = variances(players, field.scatter)
    means, left = shrunk_root(roots(players), variance, field)
    return {
        name: _below(mean, variance, free, LIMITS)
        for name, mean, variance, free in zip(players["player"], means, left, dof, strict=True)
    }


def _below(mean: float, variance: float, dof: float, limits: Sequence[float]) -> list[BelowLimit]:
    """Return the chances of a player whose true root has this mean, variance and degrees of freedom."""
    away = [(limit**0.25 - mean) / math.sqrt(variance) for limit in limits]
    chances = special.ndtr(away) if math.isinf(dof) else special.stdtr(dof, away)
    return [BelowLimit(limit, float(chance)) for limit, chance in zip(limits, chances, strict=True)]
