"""The chance that a player's true PR is below a limit, and how many more matches would settle it.

PR is 500 times the error per unforced move and close cube decision. The model is that of ratings from few matches
(rating/field.py). The fourth root of a PR has the same variance per decision for all players. It is shrunk towards the
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
from bgrating.rating.fibs import Floats
from bgrating.rating.field import Field, field_of, roots, shrunk_root, variances
from bgrating.rating.files import field_table
from bgrating.rating.intervals import CONFIDENCE, delete_one_error
from bgrating.tables.tables import read_table

FIELD_NETS = "1.08"
MOST_MATCHES = 1_000
"""The search for the number of matches that settle it ends here."""
PR_COLUMNS = ("loss", "own_se", "matches", "moves")
_COLUMNS = ("chequer_error_emg", "cube_error_emg", "unforced_moves", "close_cube_decisions")


class LimitError(BgratingError, ValueError):
    """There is no PR, no limit or no field of players to compute a chance from."""


@dataclass(frozen=True)
class BelowLimit:
    """A limit of PR, the chance that the true PR is below it, and how many more matches would settle it.

    It is settled where the chance is above 95 % or below 5 %. `more_matches` is 0 if it is settled already. It is None
    if MOST_MATCHES would not settle it, because the PR is near the limit.
    """

    limit: float
    chance: float
    more_matches: int | None

    @property
    def words(self) -> str:
        return f"below {self.limit:g}: {100 * self.chance:.0f} % ({self.more_words})"

    @property
    def more_words(self) -> str:
        if self.more_matches is None:
            return f"{MOST_MATCHES:,} more matches would not settle it"
        more = f"{self.more_matches:,} more match{'es' * (self.more_matches > 1)} would settle it"
        return more if self.more_matches else "settled"


def pr_players(matches: pd.DataFrame) -> pd.DataFrame:
    """Return one row per player as rating/field.py takes them, with his PR as `loss` and his decisions as `moves`.

    `matches` has one row per match and player: `player` and the four columns of errors and decisions.
    """
    chequer, cube, moves, cubes = (matches[name].fillna(0).to_numpy(float) for name in _COLUMNS)
    errors, decisions = chequer + cube, moves + cubes
    groups = matches.groupby("player", sort=True).indices.items()
    rows = [(str(player), *pr_of(errors[matches], decisions[matches])) for player, matches in groups]
    return pd.DataFrame(rows, columns=["player", *PR_COLUMNS])


def pr_of(errors: Floats, decisions: Floats) -> tuple[float, float, int, float]:
    """Return a player's PR, its standard error over matches, their number and decisions (PR_COLUMNS)."""
    usable = decisions > 0
    errors, decisions = errors[usable], decisions[usable]
    total, count = float(errors.sum()), float(decisions.sum())
    std_error = delete_one_error(500 * (total - errors) / (count - decisions)) if len(errors) > 1 else math.nan
    return 500 * total / count if count else math.nan, std_error, len(errors), count


@cache
def stored_pr_field() -> tuple[Field, float]:
    """Return the field of the matches that the project keeps, as FIELD_NETS judge them, and its decisions per point.

    Other nets and deeper levels find a few per cent more or less. Players differ far more than that.
    """
    matches = read_table(field_table(FIELD_NETS))
    field = field_of(pr_players(matches))
    if field is None:
        raise LimitError(f"{field_table(FIELD_NETS)}: too few players to learn how PRs differ")
    decisions = matches["unforced_moves"] + matches["close_cube_decisions"]
    return field, float(decisions.sum() / matches["match_length"].sum())


def below_limits(players: pd.DataFrame, field: Field) -> list[list[BelowLimit]]:
    """Return for every player (rows of `pr_players`, with decisions) his chances to be below LIMITS."""
    root, (variance, dof) = roots(players), variances(players, field.scatter)
    moves, matches = players["moves"].to_numpy(float), players["matches"].to_numpy(float)
    people = map(_Person, root, variance, dof, moves / matches, moves)
    return [[_below(person, field, limit) for limit in LIMITS] for person in people]


def pr_below(pr: float, matches: int, match_length: int, limits: Sequence[float] = LIMITS) -> list[BelowLimit]:
    """Return the chances that the true PR is below the limits, given this PR over so many matches of a length.

    The field, and the decisions of a match, are those of the kept matches. Raises LimitError.
    """
    if not 0 <= pr < math.inf or matches < 1 or match_length < 1:
        raise LimitError(f"a PR is 0 or more, from a match or more, not {pr:g} from {matches} to {match_length}")
    if not all(0 < limit < math.inf for limit in limits):
        raise LimitError(f"a limit of PR is above 0, not {', '.join(f'{limit:g}' for limit in limits)}")
    field, per_point = stored_pr_field()
    decisions = matches * match_length * per_point
    person = _Person(pr**0.25, field.scatter / decisions, math.inf, match_length * per_point, decisions)
    return [_below(person, field, limit) for limit in limits]


def chances_below(matches: pd.DataFrame) -> dict[str, list[BelowLimit]]:
    """Return for every player of a collection (matches.csv) his chances to be below LIMITS; none without a decision.

    The field is that of the collection, or the stored one if the collection is too small.
    """
    players = pr_players(matches)
    players = players[players["moves"] > 0]
    field = field_of(players) or stored_pr_field()[0]
    return dict(zip(players["player"], below_limits(players, field), strict=True))


@dataclass(frozen=True)
class _Person:
    """The fourth root of a PR, its variance and degrees of freedom, decisions of a match and of all matches."""

    root: float
    variance: float
    dof: float
    per_match: float
    decisions: float


def _below(person: _Person, field: Field, limit: float) -> BelowLimit:
    middles, left = shrunk_root(np.array([person.root]), np.array([person.variance]), field)
    middle = float(middles[0])
    away = (limit**0.25 - middle) / math.sqrt(left[0])
    chance = float(special.ndtr(away) if math.isinf(person.dof) else special.stdtr(person.dof, away))
    return BelowLimit(limit, chance, _more_matches(person, field, limit, chance, middle))


def _more_matches(person: _Person, field: Field, limit: float, chance: float, expected: float) -> int | None:
    """Return after how many more matches it is settled, if his PR in them is the one expected now."""
    sure = (1 + CONFIDENCE) / 2
    if max(chance, 1 - chance) >= sure:
        return 0
    more = np.arange(1, MOST_MATCHES + 1) * person.per_match
    total = person.decisions + more
    root = (person.decisions * person.root + more * expected) / total
    middle, left = shrunk_root(root, np.asarray(person.variance * person.decisions / total, dtype=np.float64), field)
    away = np.abs(limit**0.25 - middle) / np.sqrt(left)
    settled = np.flatnonzero(special.ndtr(away) >= sure)
    return int(settled[0]) + 1 if len(settled) else None
