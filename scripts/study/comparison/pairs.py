"""Single pairs of players: predicted from other fits, erring at the cube alone, both erring, judged at two depths."""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws, quantile
from bgrating.rating.published import beside_published, published_points
from bgrating.rating.rates import KEY, differences, totals
from bgrating.rating.shapes import LINEAR
from bgrating.tables.dictionary import columns
from study.comparison.studies import Played
from study.formula.cells import UnusableMatchesError, cells
from study.formula.points import observations
from study.formula.recommended import METHOD
from study.formula.regressions import UndeterminedError, fit_chances

PAPER = "van den Doel 2003"
CUBE_RATES = ("epc", "epc_2003", "epc_every", "epc_games")
PER_GAME = {
    "close_per_game": "close_cube_decisions", "close_2003_per_game": "close_cube_decisions_2003",
    "decisions_per_game": "total_cube_decisions",
}  # fmt: skip
WEAK, MIDDLE, REFERENCE = "beginner", "intermediate", "expert"  # noise 0.06, 0.04 and 0
DEPTH_RATES = ("epm", "epc", "depd")
REPLICATES = 2000
_SAME = [*KEY, "shard", "match"]


def out_of_sample(studies: list[Played], formula: RatingFormula | None) -> pd.DataFrame:
    """Predict the rating differences of studies of pairs (comparison/out_of_sample).

    `predicted` is by `formula` (of Part II, EPC of today); a deviation is measured less predicted over the root of both
    squared errors. `published_formula` has our error rates with EPC counted as in 2003; `distance` is how far our
    rating difference lies outside the published interval.
    """
    parts = []
    for study in studies:
        rows = beside_published(study.points, METHOD)
        rows = rows.assign(study=study.name, analysis=study.facts["analysis"]["name"])
        found = _predict(formula, *rows[["match_length", "epm", "epc"]].to_numpy(float).T)
        rows["predicted"], rows["predicted_se"] = found
        spread = np.hypot(rows["rating_difference_se"], rows["predicted_se"])
        rows["deviation"] = (rows["rating_difference"] - rows["predicted"]) / spread
        parts.append(rows)
    table = pd.concat(parts, ignore_index=True) if parts else pd.DataFrame()
    return table.reindex(columns=columns("comparison/out_of_sample"))


def _predict(formula: RatingFormula | None, length: Floats, epm: Floats, epc: Floats) -> tuple[Floats, Floats]:
    """Predict pairs; NaN where there is no formula, or one that says nothing about their match length."""
    value, error = np.full(len(length), np.nan), np.full(len(length), np.nan)
    if formula is not None:
        here = formula.holds_at(length)
        value[here], error[here] = formula.rating_difference(length[here], epm=epm[here], epc=epc[here])
    return value, error


def cube_only(studies: list[Played]) -> pd.DataFrame:
    """Return every design point whose players play chequers alike, with its cube errors over several counts.

    Error rates are EMG, differences of both players; counts per game are the player's own. `r_over_…` is the rating
    difference over the rate: constant where a straight line through 0 holds. The paper's rows are those of its
    Appendix II, its EPC counted as in 2003.
    """
    paper = published_points()
    paper = paper[(paper["epm"] == 0) & (paper["epc"] > 0)]
    parts = [*map(_cube_only, studies), paper.assign(source=PAPER, epc_2003=paper["epc"]).drop(columns="epc")]
    table = pd.concat([part for part in parts if len(part)], ignore_index=True)
    for name in CUBE_RATES:
        table[f"r_over_{name}"] = table["rating_difference"] / (table[name] if name in table else float("nan"))
    return table.reindex(columns=columns("comparison/cube_only"))


def _cube_only(study: Played) -> pd.DataFrame:
    sums = totals(study.matches)
    counts = pd.DataFrame({name: sums[f"player_{count}"] / sums["games"] for name, count in PER_GAME.items()})
    rates = differences(study.matches)[[*KEY, *CUBE_RATES]].merge(counts.reset_index(), on=KEY)
    rows = study.rows.drop(columns=list(CUBE_RATES), errors="ignore")
    chequer = [rows[side].str.partition("+")[0] for side in ("player", "opponent")]
    return rows[chequer[0] == chequer[1]].merge(rates, on=KEY).assign(source=study.name)


def both_err(study: Played) -> pd.DataFrame:
    """Compare Part I's pair of noise 0.06 and 0.04 with what each scores against the reference, length by length.

    `slope_without_pair` is a(N) fitted to the other pairs of the length; `deviation` how far the pair's chance lies
    from what that says, in standard errors of both, positive where the pair's rating difference is larger.
    `rating_gap` is R(weak, reference) - R(middle, reference) - R(weak, middle): 0 if ratings add up; `depd_gap` the
    same for DEPD.
    """
    rows = []
    for length, here in study.rows.groupby("match_length"):
        found = {(str(r["player"]), str(r["opponent"])): r for r in here.to_dict("records")}
        keys = ((WEAK, MIDDLE), (WEAK, REFERENCE), (MIDDLE, REFERENCE))
        if not found.keys() >= set(keys):
            continue
        pair, weak, middle = (found[key] for key in keys)
        gap = weak["rating_difference"] - middle["rating_difference"] - pair["rating_difference"]
        error = float(np.sqrt(sum(float(r["rating_difference_se"]) ** 2 for r in (pair, weak, middle))))
        half = quantile(CONFIDENCE) * error
        row: dict[str, Any] = {
            "match_length": length, "pair_rating": pair["rating_difference"], "pair_low": pair["ci_low"],
            "pair_high": pair["ci_high"], "pair_depd": pair["depd"], "weak_rating": weak["rating_difference"],
            "middle_rating": middle["rating_difference"], "rating_gap": gap, "rating_gap_low": gap - half,
            "rating_gap_high": gap + half, "depd_gap": weak["depd"] - middle["depd"] - pair["depd"],
            "confidence": CONFIDENCE, "n_matches": pair["n_matches"],
        }  # fmt: skip
        rows.append(row)
        seen = observations(here[(here["player"] != WEAK) | (here["opponent"] != MIDDLE)], LINEAR)
        try:
            fit = fit_chances(seen, seen.predictors, LINEAR.terms)
        except UndeterminedError:
            continue
        slope, error = float(fit.estimate[0]), float(fit.std_error[0])
        both = float(np.hypot(pair["rating_difference_se"], error * pair["depd"]))
        row |= {
            "slope_without_pair": slope, "predicted": slope * pair["depd"],
            "deviation": (pair["rating_difference"] - slope * pair["depd"]) / both,
            "chi_square_others": fit.chi_square, "chi_square_others_dof": fit.chi_square_dof,
        }  # fmt: skip
    return pd.DataFrame(rows, columns=columns("comparison/both_err"))


def same_matches(
    shallow: pd.DataFrame, deep: pd.DataFrame, names: tuple[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the matches that two studies both hold, row by row the same; `names` of the studies are for the error.

    Raises UnusableMatchesError where matches that should be the same are not.
    """
    keys = pd.merge(shallow[_SAME], deep[_SAME], on=_SAME)
    one, two = (keys.merge(study, on=_SAME, how="left") for study in (shallow, deep))
    # A result may be a sum of printed figures, and then lacks a last digit.
    same = np.isclose(one["actual_result"], two["actual_result"], atol=1e-3) & (one["rolls"] == two["rolls"])
    if not same.all():
        raise UnusableMatchesError(f"{' and '.join(names)} do not hold the same matches: play one of them again")
    return one, two


def depth(shallow: Played, deep: Played) -> pd.DataFrame:
    """Return the error rates of the same matches at two depths beside each other.

    Only matches that both studies hold are used. Intervals of the ratio deep / shallow are quantiles over resampled
    matches, the same ones at both depths. Raises UnusableMatchesError where matches that should be the same are not.
    """
    one, two = same_matches(shallow.matches, deep.matches, (shallow.name, deep.name))
    measured = [study.rows.set_index(KEY) for study in (shallow, deep)]
    rng = np.random.default_rng(1)
    rows = []
    for first, second in zip(cells(one), cells(two), strict=True) if len(one) else ():
        key = (first.match_length, first.player, first.opponent)
        row: dict[str, Any] = {**dict(zip(KEY, key, strict=True)), "n_matches": first.n_matches}
        draws = rng.integers(first.n_matches, size=(REPLICATES, first.n_matches))
        for rate in DEPTH_RATES:
            ratios = [second.difference(rate, draw) / first.difference(rate, draw) for draw in draws]
            low, high = interval_of_draws(np.array(ratios))
            at = first.difference(rate), second.difference(rate)
            row |= {
                f"{rate}_shallow": at[0], f"{rate}_deep": at[1], f"{rate}_ratio": at[1] / at[0],
                f"{rate}_ratio_low": float(low), f"{rate}_ratio_high": float(high),
            }  # fmt: skip
        at_shallow, at_deep = (table.loc[key, :] for table in measured)
        row |= {"rating_shallow": at_shallow["rating_difference"], "rating_deep": at_deep["rating_difference"]}
        row |= {"rating_deep_low": at_deep["ci_low"], "rating_deep_high": at_deep["ci_high"], "confidence": CONFIDENCE}
        rows.append(row)
    return pd.DataFrame(rows, columns=columns("comparison/depth"))
