"""Which nets' errors predict people's results better, match by match and paired, and which charge people rightly.

Results are also fitted to a multiple of the predicted rating differences. The errors of a player's other matches say
nothing of this match's luck or positions, so with them the multiple is 1 where the formula holds for people; with the
errors of the match itself it is not 1 even for noise (people/scale.py), but its ratio between nets can be
read.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.rating.error_cost import fit
from bgrating.rating.fibs import Floats, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE
from bgrating.rating.pairs import column, predicted, rate_differences
from bgrating.tables.dictionary import columns
from study.translation import NETS, NEW, OLD, PEOPLE, SIMULATED
from study.translation.pairs import clusters, common_result, seen_by, sources, without_busiest
from study.translation.ratios import delete_one, folds, of_totals, ratios

OWN, FREE = "own law", "fitted to these results"
OLD_FOR_BOTH = f"law of {OLD}"
THIS, OTHERS = "of this match", "of other matches"
LEAST = 50
"""Matches below which predictions are not judged."""
FOLDS = 10
LEAST_FITTED = 100
"""Matches below which no multiple is fitted."""
GROUPS = 40
"""Groups of pairs of players that are left out in turn for the interval of a multiple."""


def prediction(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Judge the predictions of each nets' errors by the same results (translation/prediction).

    `formula`: each nets' own law (no rows until both are fitted); the old one for both nets' errors; or one
    fitted to these results (of EPM, EPM / N and cube error per unforced move), each match predicted from the fit to
    nine tenths of the pairs of players, others than its own. `errors`: of this match, or of the players' other matches
    shrunk towards the overall mean (rating/pairs.py). `measure`: `log loss` and `Brier` of who won, and `squared
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
    return pd.DataFrame(rows, columns=columns("translation/prediction"))


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
    fold = folds(clusters(people), FOLDS)
    target = common_result(people)
    rates = {nets: rate_differences(seen_by(people, nets), "moves", elsewhere=errors == OTHERS) for nets in NETS}
    yield FREE, {nets: _cross_validated(own, lengths, target, fold) for nets, own in rates.items()}


def by_formulas(
    people: pd.DataFrame, errors: str, formulas: Mapping[str, RatingFormula]
) -> Iterator[tuple[str, dict[str, Floats]]]:
    """Yield, by formula, how many points the left player is predicted to be the weaker, by nets."""
    views = {nets: seen_by(people, nets) for nets in NETS}
    elsewhere = errors == OTHERS
    if all(nets in formulas for nets in NETS):
        yield OWN, {nets: predicted(view, formulas[nets], elsewhere=elsewhere) for nets, view in views.items()}
    if OLD in formulas:
        yield OLD_FOR_BOTH, {nets: predicted(view, formulas[OLD], elsewhere=elsewhere) for nets, view in views.items()}


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
            "measure": measure, "old": float(old.mean()), "new": float(new.mean()), **gain.named("gain"),
            "confidence": CONFIDENCE, "n_matches": len(old), "n_clusters": int(number.max()) + 1,
        }  # fmt: skip


def slopes(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> pd.DataFrame:
    """Return the multiple of each nets' predicted differences, and their ratio, new over old (translation/slopes).

    Subsets, formulas and errors are those of `prediction`; results are the mean of both nets' luck-adjusted ones.
    Intervals: groups of pairs of players left out. No rows for too few matches.
    """
    people = pairs[pairs["source"] != SIMULATED].reset_index(drop=True)
    rows = []
    for subset, here in subsets(people):
        own = people[here].reset_index(drop=True)
        number = clusters(own)
        if len(own) < LEAST_FITTED or number.max() < GROUPS:
            continue
        for errors in (THIS, OTHERS):
            for formula, ratings in by_formulas(own, errors, formulas):
                about = {"subset": subset, "formula": formula, "errors": errors}
                rows.append(about | _fitted(own, ratings, number))
    return pd.DataFrame(rows, columns=columns("translation/slopes"))


def _fitted(own: pd.DataFrame, ratings: Mapping[str, Floats], number: NDArray[np.intp]) -> dict[str, Any]:
    result, lengths = common_result(own), column(own, "match_length")
    group = folds(number, GROUPS)

    def multiples(used: NDArray[np.bool_]) -> list[float]:
        designs = [ratings[nets][used, None] for nets in NETS]
        return [float(fit(result[used], lengths[used], design).estimate[0]) for design in designs]

    value = multiples(np.ones(len(own), dtype=bool))
    without = np.array([multiples(group != left_out) for left_out in range(GROUPS)])
    row: dict[str, Any] = {"confidence": CONFIDENCE, "n_matches": len(own), "n_clusters": int(number.max()) + 1}
    for seat, name in enumerate(("old", "new")):
        row |= delete_one(value[seat], without[:, seat]).named(name)
    with np.errstate(invalid="ignore"):
        ratio = delete_one(float(np.log(value[1] / value[0])), np.log(without[:, 1] / without[:, 0])).exp()
    return row | ratio.named("ratio")


def tables(pairs: pd.DataFrame, formulas: Mapping[str, RatingFormula]) -> dict[str, pd.DataFrame]:
    """Make every table (TABLES) from the pairs and the fitted formulas by nets, as far as they are there."""
    return {"ratios": ratios(pairs), "slopes": slopes(pairs, formulas), "prediction": prediction(pairs, formulas)}
