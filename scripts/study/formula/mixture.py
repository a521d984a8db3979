"""A match-winning chance from matches of which some were analysed with luck, others for errors alone, others not.

Every match has its result. Analysis of errors adds what both players lost by them, analysis of luck what they gained by
the dice, at several times the cost. Matches with luck say how result, luck and errors are correlated: what luck and
errors leave of a result is small. The mean of the errors then needs no luck and is taken from all analysed matches;
luck has mean zero. All of this is one generalised least squares of the mean vectors of the parts, with the covariance
found in the matches themselves:

    luck:    (result, luck of player, luck of opponent, errors)   means (theta, 0, 0, mu)
    errors:  (result, errors)                                     means (theta, mu)
    plain:   (result)                                             mean theta

The first part alone is the control variate, the last alone the plain share of matches won. Sources: double sampling
with regression (Cochran, Sampling Techniques, 3rd ed. 1977, ch. 12), control variates (Lavenberg and Welch,
Management Science 27 (1981) 322), least squares of means (Rao, Linear Statistical Inference, 1973, 4a).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from bgrating import BgratingError
from bgrating.rating.fibs import Floats
from study.formula.estimators import FLAT, Chance

Part = Literal["luck", "errors", "plain"]
PARTS: tuple[Part, ...] = ("luck", "errors", "plain")
LEAST = 20  # matches with luck below which their covariance is not worth having


class MixtureError(BgratingError, ValueError):
    """The matches at hand do not make an estimate; the message says what is missing."""


class Matches(NamedTuple):
    """The matches of a design point: results less one half (all parts), luck by two, errors by kinds.

    `luck`: result, luck (matches by two), errors (matches by kinds), in match-winning chance; `errors`: result and
    errors of further matches; `plain`: results of further matches.
    """

    luck_result: Floats
    luck: Floats
    luck_errors: Floats
    errors_result: Floats
    errors: Floats
    plain_result: Floats


@dataclass(frozen=True)
class Moments:
    """Covariance of what one match holds: result, luck of player and opponent, then `errors` kinds of error."""

    covariance: Floats
    errors: int

    def of(self, part: Part) -> Floats:
        """Return the covariance of what a match of one part holds."""
        kept = _held(part, self.errors)
        return np.asarray(self.covariance[np.ix_(kept, kept)])


def moments(result: Floats, luck: Floats, errors: Floats) -> Moments:
    """Find the covariance of results (matches), luck (matches by two) and errors (matches by kinds of error).

    Raises MixtureError where a value is not a number, or with fewer than LEAST matches.
    """
    table = np.column_stack([result, luck, errors])
    if len(table) < LEAST:
        raise MixtureError(f"{len(table)} matches with luck are too few for their covariance: {LEAST} at least")
    if not np.all(np.isfinite(table)):
        raise MixtureError("a match that counts as analysed with luck has no luck or no errors: analyse it with luck")
    return Moments(np.cov(table, rowvar=False), errors.shape[1])


def variance(seen: Moments, matches: Mapping[Part, float]) -> float:
    """Return the variance of the chance from so many matches of each part, the covariance taken as known.

    Raises MixtureError with no matches at all.
    """
    return _solve(seen, matches)[1]


def mixed(matches: Matches) -> Chance:
    """Estimate the chance from all parts, with its standard error and degrees of freedom.

    The standard error is that of the weighted mean of each part, from the spread of that part's own matches; degrees
    of freedom follow Welch and Satterthwaite, less the coefficients fitted. Kinds of error that do not vary are left
    out. Raises MixtureError with too few matches with luck, and where no part has matches.
    """
    if not len(matches.luck_result):
        results = np.concatenate([matches.errors_result, matches.plain_result])
        if len(results) < 2:
            raise MixtureError("a chance with an error needs two matches at least")
        spread = float(results.std(ddof=1))
        return Chance(float(results.mean()) + 0.5, spread / np.sqrt(len(results)), len(results) - 1)
    kinds = np.flatnonzero(np.concatenate([matches.luck_errors, matches.errors]).std(axis=0) > FLAT)
    own: dict[Part, Floats] = {
        "luck": np.column_stack([matches.luck_result, matches.luck, matches.luck_errors[:, kinds]]),
        "errors": np.column_stack([matches.errors_result, matches.errors[:, kinds]]),
        "plain": matches.plain_result[:, None],
    }
    for part in ("errors", "plain"):
        if not np.all(np.isfinite(own[part])):
            raise MixtureError(f"a match of the part {part!r} has an empty result or error: remove or redo it")
    counts: dict[Part, float] = {part: len(rows) for part, rows in own.items()}
    seen = moments(matches.luck_result, matches.luck, matches.luck_errors[:, kinds])
    weights, _ = _solve(seen, counts)
    value, parts = 0.5, []
    at = 0
    for part in PARTS:
        rows = own[part]
        if not len(rows):
            continue
        values = rows @ weights[at : at + rows.shape[1]]
        at += rows.shape[1]
        value += float(values.mean())
        fitted = rows.shape[1] - 1 if part == "luck" else 0
        dof = len(values) - 1 - fitted
        parts.append((float(((values - values.mean()) ** 2).sum()) / dof / len(values), dof))
    total = sum(share for share, _ in parts)
    dof = int(total**2 / sum(share**2 / freedom for share, freedom in parts)) if total > 0 else 0
    return Chance(value, float(np.sqrt(total)) if total > 0 else float("nan"), dof)


def _held(part: Part, errors: int) -> list[int]:
    """Say which quantities a match of one part has."""
    kinds = list(range(3, 3 + errors))
    return {"luck": [0, 1, 2, *kinds], "errors": [0, *kinds], "plain": [0]}[part]


def _solve(seen: Moments, matches: Mapping[Part, float]) -> tuple[Floats, float]:
    """Return the weights of the parts' means (PARTS in order, those with matches) that make theta, and its variance."""
    k = seen.errors
    there: list[Part] = [part for part in PARTS if matches.get(part, 0) > 0]
    if not there:
        raise MixtureError("a chance needs matches: none were given")
    unknown = 1 + (k if there != ["plain"] else 0)
    precision, right = np.zeros((unknown, unknown)), []
    for part in there:
        held = _held(part, k)
        design = np.zeros((len(held), unknown))
        design[0, 0] = 1.0
        for row, quantity in enumerate(held):
            if quantity >= 3:
                design[row, quantity - 2] = 1.0
        inverse = np.linalg.inv(seen.of(part)) * matches[part]
        precision += design.T @ inverse @ design
        right.append(design.T @ inverse)
    covariance = np.linalg.inv(precision)
    return np.asarray((covariance @ np.concatenate(right, axis=1))[0]), float(covariance[0, 0])
