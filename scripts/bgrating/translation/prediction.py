"""Which nets' errors predict people's results better, match by match and paired."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.formula.fibs import win_probability
from bgrating.formula.formula import RatingFormula
from bgrating.formula.rates import COUNTS
from bgrating.people.error_cost import fit
from bgrating.people.pairs import column, rate
from bgrating.people.shrinkage import other_matches, rates_elsewhere
from bgrating.people.subgroups import predicted
from bgrating.study.matches import SIDES
from bgrating.translation.coefficients import common_result
from bgrating.translation.groups import clusters, sources, without_busiest
from bgrating.translation.jackknife import CONFIDENCE, folds, of_totals
from bgrating.translation.names import NETS, NEW, OLD, PEOPLE, SIMULATED
from bgrating.translation.pairs import seen_by

Floats = NDArray[np.float64]

OWN, FREE = "own recommended formula", "fitted to these results"
OLD_FOR_BOTH = f"recommended formula of {OLD}"
THIS, OTHERS = "of this match", "of other matches"
LEAST = 50
"""Matches below which predictions are not judged."""
FOLDS = 10
MOVES = "unforced_moves"
COLUMNS = columns("translation/prediction")


def prediction(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Judge the predictions of each nets' errors by the same results (COLUMNS).

    `formula`: each nets' own recommended one (no rows until both are fitted); the old one for both nets' errors; or one
    fitted to these results (of EPM, EPM / N and cube error per unforced move), each match predicted from the fit to
    nine tenths of the pairs of players, others than its own. `errors`: of this match, or of the players' other matches
    shrunk towards the overall mean (people/shrinkage.py). `measure`: `log loss` and `Brier` of who won, and `squared
    error` of the luck-adjusted result, the mean of both nets' (MWC). `gain` is old less new: positive where the new
    nets predict better. Clusters are pairs of players.
    """
    people = pairs[pairs["source"] != SIMULATED].reset_index(drop=True)
    rows = []
    for subset, here in subsets(people):
        if here.sum() < LEAST:
            continue
        own = people[here].reset_index(drop=True)
        for errors in (THIS, OTHERS):
            for formula, chances in _chances(own, errors, formulas):
                about = {"subset": subset, "formula": formula, "errors": errors}
                rows += [about | row for row in _judged(own, chances)]
    return pd.DataFrame(rows, columns=COLUMNS)


def subsets(people: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the sets of people's matches that are judged: all, each collection, all without the busiest player."""
    yield from sources(people)
    rest = without_busiest(people)
    if rest is not None:
        yield f"{PEOPLE}, without the busiest", rest


def _chances(
    people: pd.DataFrame, errors: str, formulas: Mapping[str, RatingFormula]
) -> Iterator[tuple[str, dict[str, Floats]]]:
    """Yield, by what turns errors into ratings, the chance of the left player by nets."""
    lengths = column(people, "match_length")
    for formula, ratings in by_formulas(people, errors, formulas):
        yield formula, {nets: win_probability(rating, lengths) for nets, rating in ratings.items()}
    views = {nets: seen_by(people, nets) for nets in NETS}
    fold = folds(clusters(people), FOLDS)
    target = common_result(people)
    yield FREE, {nets: _cross_validated(_rates(views[nets], errors, MOVES), lengths, target, fold) for nets in NETS}


def by_formulas(
    people: pd.DataFrame, errors: str, formulas: Mapping[str, RatingFormula]
) -> Iterator[tuple[str, dict[str, Floats]]]:
    """Yield, by formula, how many points the left player is predicted to be the weaker, by nets."""
    views = {nets: seen_by(people, nets) for nets in NETS}
    if all(nets in formulas for nets in NETS):
        yield OWN, {nets: _by_formula(views[nets], errors, formulas[nets]) for nets in NETS}
    if OLD in formulas:
        yield OLD_FOR_BOTH, {nets: _by_formula(views[nets], errors, formulas[OLD]) for nets in NETS}


def _by_formula(view: pd.DataFrame, errors: str, formula: RatingFormula) -> Floats:
    lengths = column(view, "match_length")
    rates = _rates(view, errors, COUNTS[formula.epc_definition].per)
    return predicted(formula, lengths, rates)


def _rates(view: pd.DataFrame, errors: str, count: str) -> Floats:
    """Return the left player's less the right one's EPM and cube error over a count, matches by two, EMG."""
    number, _ = other_matches(view)
    both = []
    for total, decisions in (("chequer_error_emg", MOVES), ("cube_error_emg", count)):
        above, below = (
            np.column_stack([column(view, f"{side}_{name}") for side in SIDES]) for name in (total, decisions)
        )
        own = rate(above, below) if errors == THIS else rates_elsewhere(number, above, below)[0]
        both.append(own[:, 0] - own[:, 1])
    return np.column_stack(both)


def _cross_validated(rates: Floats, lengths: Floats, result: Floats, fold: NDArray[np.intp]) -> Floats:
    design = np.column_stack([rates[:, 0], rates[:, 0] / lengths, rates[:, 1]])
    chance = np.full(len(result), math.nan)
    for left_out in np.unique(fold):
        there = fold == left_out
        found = fit(result[~there], lengths[~there], design[~there])
        chance[there] = win_probability(design[there] @ found.estimate, lengths[there])
    return chance


def _judged(people: pd.DataFrame, chances: Mapping[str, Floats]) -> Iterator[dict[str, Any]]:
    won, result = column(people, "actual_result") + 0.5, common_result(people) + 0.5
    number = clusters(people)
    losses = {
        nets: {
            "log loss": -won * np.log(p) - (1 - won) * np.log1p(-p),
            "Brier": (won - p) ** 2,
            "squared error": (result - p) ** 2,
        }
        for nets, p in chances.items()
    }
    for measure, old in losses[OLD].items():
        new = losses[NEW][measure]
        gain = of_totals(lambda t: t[:, 0] / t[:, 1], np.column_stack([old - new, np.ones(len(old))]), number)
        yield {
            "measure": measure, "old": float(old.mean()), "new": float(new.mean()), "gain": gain.value,
            "gain_low": gain.low, "gain_high": gain.high, "confidence": CONFIDENCE, "n_matches": len(old),
            "n_clusters": int(number.max()) + 1,
        }  # fmt: skip
