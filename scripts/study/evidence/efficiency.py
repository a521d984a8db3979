"""How well matches are used: estimators of the chance, fits beside the published method, and errors in the error rates.

Standard errors of a2 and b are by the match bootstrap, so that they are what estimates really scatter, whatever a fit
claims. The published method is least squares of R on luck-adjusted results, length by length. Two kinds of misfit may
be counted in:

- of joining the lengths: a fit over all of them supposes lines in 1/N. Its error is multiplied by the root of F, what
  chi-square gains a degree of freedom by joining over what it is per degree of freedom length by length, where that is
  more than one (extra sum of squares; Seber and Lee, Linear Regression Analysis, 2nd ed. 2003, 4.3). This is what a
  joint fit must answer for beside fits of one length.
- of the formula as a whole: the root of chi-square over its degrees of freedom, where that is more than one. Fits of
  one length have it as well, the published method's too, whose error here does not count it.

Least squares takes EPM and EPC as known; they are means over matches like the chance itself. Orthogonal distance
regression (ODRPACK95 through odrpack) lets them move within their errors. It takes the errors of R, EPM and EPC as
independent. They are correlated in a match, which the match bootstrap carries and this check does not.
Source: Boggs and Rogers, Contemporary Mathematics 112 (1990) 183; Zwolak, Boggs and Watson, ACM TOMS 33 (2007) 27.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import odrpack
import pandas as pd

from bgrating.rating.fibs import Floats, rating_difference_se
from bgrating.rating.nearest import ConvergenceError
from bgrating.rating.shapes import BILINEAR, EPC_DEFINITIONS, EpcDefinition
from bgrating.tables.dictionary import columns
from study.formula.cells import Cell, by_key, cells
from study.formula.estimators import ESTIMATORS, FLAT
from study.formula.mixture import LEAST, moments
from study.formula.points import observations
from study.formula.recommended import METHOD
from study.formula.regressions import Fit, UndeterminedError, fit_ratings
from study.plan.points import net_errors

SHORT = {"actual": "actual", "luck-adjusted": "luck_adjusted", "control-variate": "control_variate"}
NOT_FITTED = "too few matches with luck, or results that do not vary"
PUBLISHED = ("bilinear-ols-bootstrap", "luck-adjusted", "today")
SINGLE = "bilinear-probability-bootstrap"
JOINT, EVEN, MISMATCH = (f"{form}-joint-probability-bootstrap" for form in ("bilinear", "even", "mismatch"))
FITS = (
    (SINGLE, "today"), (SINGLE, "every"), (SINGLE, "moves"), (JOINT, "today"), (JOINT, "every"), (EVEN, "moves"),
    (MISMATCH, "moves"),
)  # fmt: skip
TERMS = ("a2", "b")
# What is asked of the ratio, averaged over match lengths: of one length alone, and of all at once.
BOUND, JOINT_BOUND = 0.5, 0.35
CONVERGED = (1, 2, 3)  # ODRPACK's words for a sum of squares, coefficients or both that have settled
ESTIMATOR_COLUMNS, COLUMNS = columns("statistics/estimators"), columns("statistics/efficiency")
VARIABLES_COLUMNS = columns("statistics/errors_in_variables")


def estimator_table(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the estimators beside each other, a row per design point (ESTIMATOR_COLUMNS); `matches` is a match table.

    `…_variance` is the variance of the chance times the number of matches, so that design points of different size
    compare. `player_luck_coefficient` and the opponent's are what a regression of results on both lucks takes off (the
    luck-adjusted result fixes them at 1 and -1). `with_errors_variance` is what luck and both players' errors together
    leave: the part of a mixture that needs luck (formula/mixture.py). Ratios are of variances; `narrowest` names the
    estimator with the least. A design point without an estimate has an empty value and says why in `status`.
    """
    groups = by_key(matches)
    rows = [_estimators(cell, groups[cell.match_length, cell.player, cell.opponent]) for cell in cells(matches)]
    return pd.DataFrame(rows, columns=ESTIMATOR_COLUMNS)


def _estimators(cell: Cell, matches: pd.DataFrame) -> dict[str, Any]:
    row: dict[str, Any] = {
        "match_length": cell.match_length, "player": cell.player, "opponent": cell.opponent,
        "n_matches": cell.n_matches, "status": "ok",
    }  # fmt: skip
    found = {}
    for method, name in SHORT.items():
        chance = ESTIMATORS[method](cell.results)
        found[method] = chance.se**2 * cell.n_matches
        row |= {
            f"{name}_p": chance.p, f"{name}_variance": found[method],
            f"{name}_rating_se": float(rating_difference_se(chance.p, chance.se, cell.match_length)),
        }  # fmt: skip
    known = {method: value for method, value in found.items() if value > 0}
    if known:
        row["narrowest"] = min(known, key=lambda method: known[method])
    if "control-variate" not in known or cell.n_matches < LEAST:
        return row | {"status": NOT_FITTED}
    luck = np.column_stack([cell.results.player_luck, cell.results.opponent_luck])
    errors = net_errors(matches)
    errors = errors[:, errors.std(axis=0) > FLAT]
    seen = moments(cell.results.actual, luck, errors)
    of_luck, _ = _regression(seen.covariance[:3, :3])
    _, left = _regression(seen.covariance)
    return row | {
        "player_luck_coefficient": of_luck[0], "opponent_luck_coefficient": of_luck[1], "with_errors_variance": left,
        "control_over_adjusted": found["control-variate"] / found["luck-adjusted"],
        "adjusted_over_actual": found["luck-adjusted"] / found["actual"],
    }  # fmt: skip


def _regression(covariance: Floats) -> tuple[Floats, float]:
    """Return the coefficients of the first quantity on the others, and the variance they leave of it."""
    coefficients = np.linalg.solve(covariance[1:, 1:], covariance[1:, 0])
    return np.asarray(coefficients), float(covariance[0, 0] - covariance[0, 1:] @ coefficients)


def efficiency(coefficients: pd.DataFrame) -> pd.DataFrame:
    """Return relative standard errors over those of the published method (COLUMNS), from a coefficients table.

    Errors are taken relative to the estimates, since coefficients of cube errors over different counts have different
    sizes; `ratio_with_joining` counts in the misfit of joining the lengths (none for one length alone),
    `ratio_with_misfit` that of the formula as a whole. Rows without a match length are means over the lengths.
    """
    parts = [_beside_published(coefficients, model, definition) for model, definition in FITS]
    table = pd.concat(parts, ignore_index=True).reindex(columns=COLUMNS).astype({"match_length": "Int64"})
    if table.empty:
        return table
    keys = ["term", "model", "epc_definition", "bound"]
    averaged = [name for name in COLUMNS if name.startswith("ratio") or name.endswith("factor")]
    means = table.groupby(keys, sort=False)[averaged].mean().reset_index()
    return pd.concat([table, means.reindex(columns=COLUMNS).astype({"match_length": "Int64"})], ignore_index=True)


def _beside_published(table: pd.DataFrame, model: str, definition: str) -> pd.DataFrame:
    keys = ["term", "match_length"]
    fitted, published = _select(table, model, METHOD, definition), _select(table, *PUBLISHED)
    both = fitted.merge(published, on=keys, suffixes=("", "_as_published"))
    both = both[both["term"].isin(TERMS)].sort_values(keys)
    joint = table[_is(table, model, METHOD, definition) & table["match_length"].isna()]
    fit = both if model == SINGLE or both.empty else joint.iloc[0]
    misfit = np.sqrt(np.maximum(1.0, np.asarray(fit["chi_square"] / fit["chi_square_dof"], dtype=float)))
    joining = _joining(table, model, definition, joint)
    relative, of_published = (both[f"std_error{of}"] / both[f"estimate{of}"].abs() for of in ("", "_as_published"))
    ratio = relative / of_published
    return both[[*keys, "estimate", "std_error"]].assign(
        model=model, epc_definition=definition, joining_factor=joining, misfit_factor=misfit,
        published_estimate=both["estimate_as_published"], published_std_error=both["std_error_as_published"],
        ratio=ratio, ratio_with_joining=ratio * joining, ratio_with_misfit=ratio * misfit,
        bound=BOUND if model == SINGLE else JOINT_BOUND,
    )  # fmt: skip


def _joining(table: pd.DataFrame, model: str, definition: str, lines: pd.DataFrame) -> float:
    """Return the root of F of joining the lengths, 1 at least.

    NaN where a length has not been fitted by itself, and for the form with a product, which no single length was.
    """
    if model == SINGLE:
        return 1.0
    if model == MISMATCH or lines.empty:
        return float("nan")
    joint = lines.iloc[0]
    alone = _select(table, SINGLE, METHOD, definition).drop_duplicates("match_length")
    chi_square, dof = float(alone["chi_square"].sum(skipna=False)), int(alone["chi_square_dof"].sum())
    more = int(joint["chi_square_dof"]) - dof
    if more <= 0 or dof == 0:
        return float("nan")
    return float(np.sqrt(max(1.0, (float(joint["chi_square"]) - chi_square) / more / (chi_square / dof))))


def _is(table: pd.DataFrame, model: str, method: str, definition: str) -> "pd.Series[bool]":
    return (table["model"] == model) & (table["method"] == method) & (table["epc_definition"] == definition)


def _select(table: pd.DataFrame, model: str, method: str, definition: str) -> pd.DataFrame:
    return table[_is(table, model, method, definition) & table["match_length"].notna() & table["estimate"].notna()]


def errors_in_variables(points: pd.DataFrame) -> pd.DataFrame:
    """Fit every length both ways (VARIABLES_COLUMNS), `points` being the rows of one method of a points table.

    `shift` is orthogonal less weighted over the weighted standard error: how much taking the error rates as known
    matters. A length that its points do not determine is left out. Raises ConvergenceError.
    """
    return pd.DataFrame([row for epc in EPC_DEFINITIONS for row in _both_ways(points, epc)], columns=VARIABLES_COLUMNS)


def _both_ways(points: pd.DataFrame, epc: EpcDefinition) -> Iterator[dict[str, Any]]:
    columns = [column for (column,) in BILINEAR.factors(epc)]
    for length in sorted(int(n) for n in points["match_length"].unique()):
        rows = points[points["match_length"] == length]
        errors = rows[[f"{name}_se" for name in columns]].to_numpy(float)
        # A rate that cannot be in error (0 for the better player's own moves) is as good as one that hardly is.
        rows = rows[np.isfinite(errors).all(axis=1) & np.isfinite(rows["rating_difference"].to_numpy(float))]
        try:
            seen = observations(rows, BILINEAR, epc)
            weighted = fit_ratings(seen, seen.predictors, BILINEAR.terms, "inverse variance")
        except (UndeterminedError, ValueError):
            continue
        found, error, chi_square = orthogonal(rows, columns, weighted)
        for i, term in enumerate(BILINEAR.terms):
            yield {
                "match_length": length, "term": term, "epc_definition": epc, "weighted": weighted.estimate[i],
                "weighted_se": weighted.std_error[i], "orthogonal": found[i], "orthogonal_se": error[i],
                "shift": (found[i] - weighted.estimate[i]) / weighted.std_error[i], "chi_square": chi_square,
                "chi_square_dof": len(rows) - 2, "n_points": len(rows),
            }  # fmt: skip


def orthogonal(rows: pd.DataFrame, columns: "list[Any]", start: Fit) -> tuple[Any, Any, float]:
    """Fit R to two error rates that are in error themselves; give coefficients, their errors and the sum of squares."""
    x = rows[columns].to_numpy(float).T
    x_se = np.maximum(rows[[f"{name}_se" for name in columns]].to_numpy(float).T, 1e-9)
    y, y_se = (rows[name].to_numpy(float) for name in ("rating_difference", "rating_difference_se"))
    # Rates and coefficients of like size keep ODRPACK's numerical derivatives accurate.
    unit = np.abs(x).max(axis=1)
    answer = odrpack.odr_fit(
        lambda at, b: b @ at,
        x / unit[:, None],
        y,
        start.estimate * unit,
        weight_x=(unit[:, None] / x_se) ** 2,
        weight_y=y_se**-2,
        jac_beta=lambda at, _: at,
        jac_x=lambda at, b: np.repeat(b[:, None], at.shape[1], axis=1),
        maxit=200,
        sstol=1e-15,
        partol=1e-13,
    )
    if answer.info % 10 not in CONVERGED:
        raise ConvergenceError(f"orthogonal distance regression did not settle: {answer.stopreason}")
    return answer.beta / unit, answer.sd_beta / unit, float(answer.sum_square)
