"""The hierarchical model of people: what it predicts with, and slopes that were put in."""

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs_formula import win_probability
from bgrating.rating.formula_of_2003 import published_formula
from people_hierarchy import Predicted, elsewhere, slope_of

MODEL = RatingModel(published_formula("bilinear"), "")


def test_a_match_is_predicted_from_the_others_alone() -> None:
    """The loss by all other matches is that of a table without the match."""
    sides = simulated_people.collection(np.random.default_rng(4), players=20, matches=30)
    found = elsewhere(sides, MODEL)
    counts = sides["player"].value_counts()
    assert set(sides.loc[found.index, "player"]) == set(counts.index[counts > 1])
    row = found.index[0]
    person = sides.loc[row, "player"]
    own = sides[(sides["player"] == person) & (sides.index != row)]
    again = elsewhere(pd.concat([own, own.head(1)], ignore_index=True), MODEL)
    assert found.loc[row, "loss"] == pytest.approx(again.iloc[0]["loss"])


@pytest.mark.parametrize("truth", [0.8, 1.3])
def test_the_common_slope_of_authors_is_found(truth: float) -> None:
    rng = np.random.default_rng(5)
    parts = {}
    for author in ("a", "b", "c"):
        difference, length = rng.normal(0, 80, 800), np.full(800, 7.0)
        result = win_probability(truth * difference, length) - 0.5 + rng.normal(0, 0.1, 800)
        parts[author] = Predicted(result, length, pd.DataFrame(), difference)
    assert slope_of(parts) == pytest.approx(truth, abs=0.08)
