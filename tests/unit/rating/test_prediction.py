"""Rival measures as predictors: their rules by hand, and how far each is behind match by match."""

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating import prediction
from bgrating.rating.fibs import win_probability
from bgrating.rating.pairs import column, other_matches, pairs
from bgrating.rating.published import published_formula


@pytest.fixture(scope="module", name="together")
def _together() -> pd.DataFrame:
    return pairs(simulated_people.collection(np.random.default_rng(8), matches=200)[0])


def test_every_measure_predicts_from_other_matches_by_its_own_rule(together: pd.DataFrame) -> None:
    """All measures are of the same errors, so they agree who is better, and each has its own scale."""
    predicted = prediction.predictions(together, {"published": published_formula("bilinear")})
    known = other_matches(together)[1].min(axis=1) >= 5
    for rival in (prediction.XG, prediction.SNOWIE, prediction.MWC):
        assert np.corrcoef(predicted.loc[known, "published"], predicted.loc[known, rival])[0, 1] > 0.8
    doubled = together.assign(
        **{f"{side}_{kind}_error_emg": 2 * together[f"{side}_{kind}_error_emg"]
           for side in ("player", "opponent") for kind in ("chequer", "cube")}
    )  # fmt: skip
    twice = prediction.predictions(doubled, {})
    assert twice[prediction.SNOWIE].to_numpy() == pytest.approx(2 * predicted[prediction.SNOWIE].to_numpy())
    assert twice[prediction.MWC].to_numpy() == pytest.approx(predicted[prediction.MWC].to_numpy())


def test_behind_is_the_mean_over_the_same_matches(together: pd.DataFrame) -> None:
    rng = np.random.default_rng(2)
    predicted = pd.DataFrame({name: rng.normal(0, 200, len(together)) for name in ("one", "two")})
    predicted["nothing"] = np.nan
    rows = prediction.scores(together, predicted, "one").set_index(["predictor", "measure", "results"])
    row = rows.loc[("two", "squared error", "luck-adjusted")]
    won = column(together, "luck_adjusted_result") + 0.5
    one, two = (
        (won - win_probability(predicted[name], column(together, "match_length"))) ** 2 for name in ("one", "two")
    )
    assert row["value"] == pytest.approx(two.mean())
    assert row["behind"] == pytest.approx((two - one).mean())
    half = 1.6525 * (two - one).std(ddof=1) / np.sqrt(len(won))  # Student's t, 90 %, 199 degrees of freedom
    assert len(won) == 200
    assert (row["behind_low"], row["behind_high"]) == pytest.approx(
        ((two - one).mean() - half, (two - one).mean() + half), rel=1e-3
    )
    assert np.isnan(rows.loc[("one", "squared error", "luck-adjusted"), "behind"])
    assert "nothing" not in rows.index.get_level_values("predictor")
