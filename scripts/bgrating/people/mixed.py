"""Mixed effects: single matches' ratings on recorded ratings, with a player's and a match's own part.

Both players of a match share its positions, and a player who is in every match is one player, however many rows.
"""

import math
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import statsmodels.api as sm
from numpy.typing import NDArray
from statsmodels.tools.sm_exceptions import ConvergenceWarning

from bgrating.dictionary import columns
from bgrating.formula.intervals import quantile

Floats = NDArray[np.float64]

CONFIDENCE = 0.9
LEAST_MATCHES = 30
MOST_MATCHES = 250
"""Matches that are used at most, the first in the order of a fixed shuffle: the work grows with their cube."""
LEAST_MOVES = 20
COLUMNS = columns("people/mixed")


def mixed(matches: pd.DataFrame) -> pd.DataFrame:
    """Fit single matches' estimated ratings to recorded ratings, site by site (COLUMNS).

    Models: `rows alike` (least squares: every row counts), `players and matches` (each has its own normal part,
    crossed; restricted maximum likelihood by statsmodels). Quantities: `slope`, and of the second `player sd`, `match
    sd`, `residual sd`. Rows need a recorded rating, an estimate and LEAST_MOVES unforced moves; both players' rows of
    a match count. A site with fewer than LEAST_MATCHES matches, or a fit that does not converge, has no rows.
    """
    usable = matches["recorded_rating"].notna() & matches["rating"].notna() & (matches["unforced_moves"] >= LEAST_MOVES)
    rows: list[dict[str, Any]] = []
    for site, here in matches[usable & (matches["player"] != "")].groupby("dialect", sort=True):
        key = here["file"].astype(str) + "\n" + here["match"].astype(str)
        names = np.random.default_rng(1).permutation(np.sort(key.unique()))[:MOST_MATCHES]
        own = here.assign(key=key)[key.isin(names)]
        if len(names) >= LEAST_MATCHES and own["player"].nunique() >= 8:
            rows += [{"site": str(site), **row} for row in _fits(own)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _fits(own: pd.DataFrame) -> Iterator[dict[str, Any]]:
    recorded = own["recorded_rating"].to_numpy(np.float64)
    design = np.column_stack([np.ones(len(own)), recorded - recorded.mean()])
    value = own["rating"].to_numpy(np.float64)
    about = {"confidence": CONFIDENCE, "n_players": own["player"].nunique(), "n_matches": own["key"].nunique()}
    plain = sm.OLS(value, design).fit(cov_type="HC3", use_t=True)
    half = quantile(CONFIDENCE, len(own) - 2) * float(plain.bse[1])
    yield about | _slope("rows alike", float(plain.params[1]), float(plain.bse[1]), half)
    parts = {
        name: {0: pd.get_dummies(own[column]).to_numpy(np.float64)}
        for name, column in (("player", "player"), ("match", "key"))
    }
    with warnings.catch_warnings():
        # A variance on its border (nothing between matches, say) is an answer here, not a failure.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = sm.MixedLM(
            value, design, groups=np.zeros(len(own), dtype=int),
            exog_vc=sm.regression.mixed_linear_model.VCSpec(
                list(parts), [[[f"{name}{i}" for i in range(part[0].shape[1])]] for name, part in parts.items()],
                [[part[0]] for part in parts.values()],
            ),
        )  # fmt: skip
        found = model.fit(reml=True)
    if not found.converged or not math.isfinite(float(found.bse_fe[1])):
        return
    half = quantile(CONFIDENCE, about["n_players"] - 2) * float(found.bse_fe[1])
    yield about | _slope("players and matches", float(found.fe_params[1]), float(found.bse_fe[1]), half)
    for name, variance in (*zip(parts, found.vcomp, strict=True), ("residual", found.scale)):
        yield about | {
            "model": "players and matches",
            "quantity": f"{name} sd",
            "value": math.sqrt(max(float(variance), 0.0)),
        }


def _slope(model: str, value: float, error: float, half: float) -> dict[str, Any]:
    return {
        "model": model, "quantity": "slope", "value": value, "std_error": error,
        "ci_low": value - half, "ci_high": value + half,
    }  # fmt: skip
