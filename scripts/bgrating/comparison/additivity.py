"""Part I's odd pair: two players who both err, beside each of them against the reference."""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.comparison.sources import Played
from bgrating.dictionary import columns
from bgrating.formula.intervals import quantile
from bgrating.formula.observations import observations
from bgrating.formula.regressions import UndeterminedError, fit_chances
from bgrating.formula.shapes import LINEAR

WEAK, MIDDLE, REFERENCE = "beginner", "intermediate", "expert"  # noise 0.06, 0.04 and 0
COLUMNS = columns("comparison/both_err")


def additivity(study: Played, confidence: float) -> pd.DataFrame:
    """Compare the pair of noise 0.06 and 0.04 with what each scores against the reference, length by length (COLUMNS).

    `slope_without_pair` is a(N) fitted to the other pairs of the length; `deviation` how far the pair's chance lies
    from what that says, in standard errors of both, positive where the pair's rating difference is larger.
    `rating_gap` is R(weak, reference) - R(middle, reference) - R(weak, middle): 0 if ratings add up; `depd_gap` the
    same for DEPD.
    """
    z = quantile(confidence)
    rows = []
    for length, here in study.rows.groupby("match_length"):
        found = {(str(r["player"]), str(r["opponent"])): r for r in here.to_dict("records")}
        pair, weak, middle = (
            found.get(key) for key in ((WEAK, MIDDLE), (WEAK, REFERENCE), (MIDDLE, REFERENCE))
        )  # fmt: skip
        if pair is None or weak is None or middle is None:
            continue
        gap = weak["rating_difference"] - middle["rating_difference"] - pair["rating_difference"]
        spread = z * float(np.sqrt(sum(float(r["rating_difference_se"]) ** 2 for r in (pair, weak, middle))))
        row: dict[str, Any] = {
            "match_length": length, "pair_rating": pair["rating_difference"], "pair_low": pair["ci_low"],
            "pair_high": pair["ci_high"], "pair_depd": pair["depd"], "weak_rating": weak["rating_difference"],
            "middle_rating": middle["rating_difference"], "rating_gap": gap, "rating_gap_low": gap - spread,
            "rating_gap_high": gap + spread, "depd_gap": weak["depd"] - middle["depd"] - pair["depd"],
            "confidence": confidence, "n_matches": pair["n_matches"],
        }  # fmt: skip
        others = here[(here["player"] != WEAK) | (here["opponent"] != MIDDLE)]
        seen = observations(others, LINEAR)
        try:
            fit = fit_chances(seen, seen.predictors, LINEAR.terms)
        except UndeterminedError:
            rows.append(row)
            continue
        slope, error = float(fit.estimate[0]), float(fit.std_error[0])
        both = float(np.hypot(pair["rating_difference_se"], error * pair["depd"]))
        row |= {
            "slope_without_pair": slope, "predicted": slope * pair["depd"],
            "deviation": (pair["rating_difference"] - slope * pair["depd"]) / both,
            "chi_square_others": fit.chi_square, "chi_square_others_dof": fit.chi_square_dof,
        }  # fmt: skip
        rows.append(row)
    return pd.DataFrame(rows, columns=COLUMNS)
