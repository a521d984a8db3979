"""Which formula is recommended: a rule, and how it came about.

1. Eligible are shapes with no more coefficients than the published one, one rate for chequer play and one for the cube,
   so that a loss can be told by its kind and every player's loss depends on his own errors alone; and whose count of
   decisions gnubg shows among its statistics, so that anybody can use them (ELIGIBLE).
2. The incumbent is the published shape with today's close decisions. A challenger replaces it only if it predicts
   better in rating points in all three ways of leaving out, with 90 % intervals of the paired differences that
   exclude zero, and if for other studies, to which nothing was fitted, its error in rating points and its log loss are
   both lower, their intervals excluding zero too: people are other players, on both sides of the board.
3. Of several such challengers the one with the least error in rating points for players left out is recommended; errors
   less than EQUAL points above the least count as equal, and of equals the one with the fewest coefficients is taken.
4. Nothing is recommended that was not fitted over two match lengths at least.

The contest is over the match lengths that have been played whole; the coefficients come from all that has been played.
Shapes with more coefficients (curvature, products) are reported beside it, with their gain.

History, so that the rule can be judged. Before any of it trial figures had named the counts. Until the other studies
were brought in, rule 2 asked for a lower log loss of players left out of the study of cells (16, of which a few with
strong noise decide; there it still may be chance, as the table of the contest says), rule 1 for a count of cube
decisions, and rule 3 knew no equals. How well the rivals do on the other studies was seen before rule 2 took its form
of now; which studies they are was settled first but for the tournament, which made the bar higher.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.formula import RatingFormula
from bgrating.rating.rates import COUNTS
from bgrating.rating.shapes import BILINEAR, EVEN, EpcDefinition, Form, line_terms
from study.evidence.contest import INCUMBENT, OTHERS, WAYS
from study.formula.catalogue import KINDS, Result, evaluate
from study.formula.points import observations
from study.formula.recommended import KIND, METHOD, recommended
from study.formula.regressions import UndeterminedError

ELIGIBLE: dict[str, tuple[Form, EpcDefinition]] = {
    shape: (form, epc) for form in (BILINEAR, EVEN) for epc, shape in form.shapes
}
NEW_PLAYERS = "left_out_player"
EQUAL = 0.1  # rating points


def chosen(contest: pd.DataFrame) -> tuple[str, str]:
    """Apply the rule to a contest with the incumbent as reference; give the rival's name and the reason in words."""
    rows = contest[(contest["reference"] == INCUMBENT) & contest["rival"].isin(list(ELIGIBLE))]
    better = {}
    for name, own in rows[rows["rival"] != INCUMBENT].groupby("rival"):
        by_way = own.set_index("way")[["points", "points_high", "log_loss_high"]].astype(float)
        points = by_way["points_high"].reindex([*WAYS, OTHERS])
        if (points < 0).all() and float(by_way["log_loss_high"][OTHERS]) < 0:
            better[str(name)] = float(by_way["points"][NEW_PLAYERS])
    if not better:
        return INCUMBENT, _kept(rows)
    equals = [name for name, points in better.items() if points < min(better.values()) + EQUAL]
    name = min(equals, key=lambda one: (_coefficients(one), better[one]))
    by_way_of_best = rows[rows["rival"] == name].set_index("way")
    new, elsewhere = (by_way_of_best[by_way_of_best.index == way].iloc[0] for way in (NEW_PLAYERS, OTHERS))
    return name, (
        f"players left out are predicted within {new['points']:.1f} rating points, {_less(new, 'points')} less than "
        f"with today's close decisions; other studies within {elsewhere['points']:.1f}, {_less(elsewhere, 'points')} "
        f"less, with a log loss lower by {_less(elsewhere, 'log_loss', 3)} thousandths a match; better in all "
        "three ways of leaving out"
    )


def _coefficients(name: str) -> int:
    form, _ = ELIGIBLE[name]
    return len(line_terms(form.terms, form.parts))


def _less(row: "pd.Series[Any]", measure: str, decimals: int = 1) -> str:
    """Say by how much a measure is lower than the incumbent's, with its interval."""
    value, low, high = (-float(row[f"{measure}_{part}"]) for part in ("difference", "high", "low"))
    return f"{value:.{decimals}f} [{low:.{decimals}f}, {high:.{decimals}f}]"


def _kept(rows: pd.DataFrame) -> str:
    """Say why no challenger replaces the incumbent, with the figures of the best for players left out."""
    if OTHERS not in set(rows["way"]):
        return "no challenger was judged on other studies: none have been played"
    nobody = "no challenger predicts better in every way of leaving out and elsewhere, with intervals that exclude zero"
    rivals = rows[(rows["rival"] != INCUMBENT) & (rows["way"] == NEW_PLAYERS) & rows["points_difference"].notna()]
    if rivals.empty:
        return nobody
    best = rivals.sort_values("points").iloc[0]
    elsewhere = rows[(rows["rival"] == best["rival"]) & (rows["way"] == OTHERS)].iloc[0]
    return (
        f"{nobody}; the nearest, {best['words']}, for players left out: {best['points']:.1f} rating points, "
        f"{_less(best, 'points')} less; for other studies {_less(elsewhere, 'points')} less, log loss lower by "
        f"{_less(elsewhere, 'log_loss', 3)} thousandths"
    )


def recommendation(points: pd.DataFrame, contest: pd.DataFrame, facts: Mapping[str, Any]) -> RatingFormula:
    """Return the recommended formula of a study of cells, from its points table and its contest of rivals.

    Its facts hold the rival's name, the reason for it and the domain in words. Raises UndeterminedError.
    """
    name, reason = chosen(contest)
    form, epc = ELIGIBLE[name]
    seen = observations(points[points["method"] == METHOD], form, epc)
    if len(seen.lengths) < 2:
        raise UndeterminedError("no formula is recommended before two match lengths have been played")
    results = [
        Result(form, KIND, METHOD, epc, length, fit) for length, fit in evaluate(KINDS[KIND], form, seen).items()
    ]
    formula = recommended(results, points, facts, epc, form)
    formula.facts.update({"rival": name, "reason": reason, "count": COUNTS[epc].words, "domain": domain(formula)})
    return formula


def domain(formula: RatingFormula) -> str:
    """Say in words where a formula was measured; elsewhere it is a guess."""
    ends = "; ".join(
        f"{name.upper()} differences up to {1000 * np.abs(reach).max():.0f} milli-EMG"
        for name, reach in formula.ranges.items()
    )
    lengths = sorted(formula.match_lengths)
    return (
        f"matches of {lengths[0]} to {lengths[-1]} points; {ends}; errors as gnubg {formula.facts['nets']} finds them "
        "at 0-ply with the Kazaross-XG2 match-equity table; errors made by noise in the evaluation, not by people"
    )
