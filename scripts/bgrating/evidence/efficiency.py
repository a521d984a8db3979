"""Efficiency: the standard errors of a2 and b from the same matches, beside those of the published method.

All are by the match bootstrap, so that they are what estimates really scatter, whatever a fit claims. The published
method is least squares of R on luck-adjusted results, length by length. Two kinds of misfit may be counted in:

- of joining the lengths: a fit over all of them supposes lines in 1/N. Its error is multiplied by the root of F, what
  chi-square gains a degree of freedom by joining over what it is per degree of freedom length by length, where that is
  more than one (extra sum of squares; Seber and Lee, Linear Regression Analysis, 2nd ed. 2003, 4.3). This is what a
  joint fit must answer for beside fits of one length.
- of the formula as a whole: the root of chi-square over its degrees of freedom, where that is more than one. Fits of
  one length have it as well, the published method's too, whose error here does not count it.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from bgrating.dictionary import columns

PUBLISHED = ("bilinear-ols-bootstrap", "luck-adjusted", "today")
SINGLE = "bilinear-probability-bootstrap"
JOINT, EVEN, MISMATCH = (f"{form}-joint-probability-bootstrap" for form in ("bilinear", "even", "mismatch"))
FITS = (
    (SINGLE, "today"), (SINGLE, "every"), (SINGLE, "moves"), (JOINT, "today"), (JOINT, "every"), (EVEN, "moves"),
    (MISMATCH, "moves"),
)  # fmt: skip
METHOD = "control-variate"
TERMS = ("a2", "b")
# What is asked of the ratio, averaged over match lengths: of one length alone, and of all at once.
BOUND, JOINT_BOUND = 0.5, 0.35
COLUMNS = columns("statistics/efficiency")


def efficiency(coefficients: pd.DataFrame) -> pd.DataFrame:
    """Give relative standard errors over those of the published method (COLUMNS), from a coefficients table.

    Errors are taken relative to the estimates, since coefficients of cube errors over different counts have different
    sizes; `ratio_with_joining` counts in the misfit of joining the lengths (none for one length alone),
    `ratio_with_misfit` that of the formula as a whole. Rows without a match length are means over the lengths.
    """
    table = pd.DataFrame(list(_rows(coefficients)), columns=COLUMNS).astype({"match_length": "Int64"})
    if table.empty:
        return table
    keys = ["term", "model", "epc_definition", "bound"]
    averaged = [name for name in COLUMNS if name.startswith("ratio") or name.endswith("factor")]
    means = table.groupby(keys, sort=False)[averaged].mean().reset_index()
    return pd.concat([table, means.reindex(columns=COLUMNS).astype({"match_length": "Int64"})], ignore_index=True)


def _rows(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    published = _select(table, *PUBLISHED)
    for model, definition in FITS:
        mine = _select(table, model, METHOD, definition)
        joint = table[_is(table, model, METHOD, definition) & table["match_length"].isna()]
        joining = _joining(table, model, definition, joint)
        for term in TERMS:
            for length in sorted(int(n) for n in mine[mine["term"] == term]["match_length"]):
                own, theirs = _row(mine, term, length), _row(published, term, length)
                if own is None or theirs is None:
                    continue
                source = own if model == SINGLE else joint.iloc[0]
                factor = float(np.sqrt(max(1.0, source["chi_square"] / source["chi_square_dof"])))
                relative = own["std_error"] / abs(own["estimate"])
                ratio = relative / (theirs["std_error"] / abs(theirs["estimate"]))
                yield {
                    "term": term, "match_length": length, "model": model, "epc_definition": definition,
                    "estimate": own["estimate"], "std_error": own["std_error"], "joining_factor": joining,
                    "misfit_factor": factor, "published_estimate": theirs["estimate"],
                    "published_std_error": theirs["std_error"], "ratio": ratio, "ratio_with_joining": ratio * joining,
                    "ratio_with_misfit": ratio * factor, "bound": BOUND if model == SINGLE else JOINT_BOUND,
                }  # fmt: skip


def _joining(table: pd.DataFrame, model: str, definition: str, lines: pd.DataFrame) -> float:
    """Give the root of F of joining the lengths, 1 at least.

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


def _row(rows: pd.DataFrame, term: str, length: int) -> Any:
    here = rows[(rows["term"] == term) & (rows["match_length"] == length)]
    return None if here.empty else here.iloc[0]
