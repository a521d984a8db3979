"""Which formula is recommended: a rule, written down before it is applied.

1. Eligible are shapes with as many coefficients as the published one, one rate for chequer play and one for the cube,
   so that a loss can be told by its kind and every player's loss depends on his own errors alone; and whose count of
   cube decisions gnubg shows, so that anybody can use them (ELIGIBLE).
2. The incumbent is the published shape with today's close decisions. A challenger replaces it only if it predicts
   better in rating points in all three ways of leaving out, with 90 % intervals of the paired differences that
   exclude zero, and if its log loss for players left out at every length is lower, its interval excluding zero too:
   people are new players.
3. Of several such challengers the one with the least error in rating points for players left out is recommended.
4. Nothing is recommended that was not fitted over two match lengths at least.

The contest is over the match lengths that have been played whole; the coefficients come from all that has been played.
Shapes with more coefficients (curvature, interaction) are reported beside it, with their gain.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.model.catalogue import KINDS, Result, evaluate
from bgrating.model.formula import COUNTS, RatingFormula
from bgrating.model.observations import BILINEAR, EpcDefinition, observations
from bgrating.model.recommended import KIND, METHOD, recommended
from bgrating.model.regressions import UndeterminedError
from bgrating.statistics.contest import INCUMBENT, WAYS

PER_DECISION = "per-cube-decision"  # kept beside the recommended formula, whichever that is
ELIGIBLE: dict[str, EpcDefinition] = {"bilinear": "today", "bilinear-2003": "2003", PER_DECISION: "every"}
PEOPLE = "left_out_player"  # the way of leaving out that is nearest to use on people


def chosen(contest: pd.DataFrame) -> tuple[str, str]:
    """Apply the rule to a contest with the incumbent as reference; give the rival's name and the reason in words."""
    rows = contest[(contest["reference"] == INCUMBENT) & contest["rival"].isin(list(ELIGIBLE))]
    better = []
    for name, own in rows[rows["rival"] != INCUMBENT].groupby("rival"):
        by_way = own.set_index("way")[["points", "points_high", "log_loss_high"]].astype(float)
        everywhere = bool((by_way["points_high"].reindex(list(WAYS)) < 0).all())
        if everywhere and float(by_way["log_loss_high"][PEOPLE]) < 0:
            better.append((float(by_way["points"][PEOPLE]), str(name)))
    if not better:
        return INCUMBENT, _kept(rows)
    _, name = min(better)
    row = rows[(rows["rival"] == name) & (rows["way"] == PEOPLE)].iloc[0]
    return name, (
        f"players left out are predicted within {row['points']:.1f} rating points, "
        f"{-row['points_difference']:.1f} [{-row['points_high']:.1f}, {-row['points_low']:.1f}] better than with "
        "today's close decisions; better in all three ways of leaving out, and in log loss"
    )


def _kept(rows: pd.DataFrame) -> str:
    """Say why no challenger replaces the incumbent, with the figures of the best for players left out."""
    said = "no challenger predicts better in every way of leaving out, with intervals that exclude zero"
    rivals = rows[(rows["rival"] != INCUMBENT) & (rows["way"] == PEOPLE) & rows["points_difference"].notna()]
    if rivals.empty:
        return said
    best = rivals.sort_values("points").iloc[0]
    return (
        f"{said}; the nearest, {best['words']}, for players left out: {best['points']:.1f} rating points, difference "
        f"{best['points_difference']:.1f} [{best['points_low']:.1f}, {best['points_high']:.1f}], log loss "
        f"{best['log_loss_difference']:.2f} [{best['log_loss_low']:.2f}, {best['log_loss_high']:.2f}] thousandths"
    )


def recommendation(
    points: pd.DataFrame, contest: pd.DataFrame, confidence: float, facts: Mapping[str, Any]
) -> RatingFormula:
    """Give the recommended formula of a study of cells, from its points table and its contest of rivals.

    Its facts hold the rival's name, the reason for it and the domain in words. Raises UndeterminedError.
    """
    name, reason = chosen(contest)
    return fitted(name, reason, points, confidence, facts)


def fitted(name: str, reason: str, points: pd.DataFrame, confidence: float, facts: Mapping[str, Any]) -> RatingFormula:
    """Give the formula of an eligible shape, fitted to a points table, with the reason for it. Raises as above."""
    epc = ELIGIBLE[name]
    seen = observations(points[points["method"] == METHOD], BILINEAR, epc)
    if len(seen.lengths) < 2:
        raise UndeterminedError("no formula is recommended before two match lengths have been played")
    results = [
        Result(BILINEAR, KIND, METHOD, epc, length, fit)
        for length, fit in evaluate(KINDS[KIND], BILINEAR, seen).items()
    ]
    formula = recommended(results, points, confidence, facts, epc)
    formula.facts.update({"rival": name, "reason": reason, "count": COUNTS[epc], "domain": domain(formula)})
    return formula


def domain(formula: RatingFormula) -> str:
    """Say in words where a formula was measured; elsewhere it is a guess."""
    ends = "; ".join(
        f"{name.upper()} differences up to {1000 * np.abs(reach).max():.0f} milli-EMG"
        for name, reach in formula.ranges.items()
    )
    lengths = sorted(formula.match_lengths)
    return (
        f"matches of {lengths[0]} to {lengths[-1]} points; {ends}; errors as gnubg 1.07.001 finds them at 0-ply with "
        "the Kazaross-XG2 match-equity table; errors made by noise in the evaluation, not by people"
    )
