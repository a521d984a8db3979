"""Checks of the law: a study of a known law lies inside, one of another law does not."""

import numpy as np
import pandas as pd
import pytest

import simulated_studies as simulated
from law_checks import alike, by_estimator, drawn
from study.law.fit import fit, points_of

WEAK = [player for player in simulated.sixteen() if player.cube_noise <= 0.1]


def drawn_study(slope: float) -> pd.DataFrame:
    """Return a study whose differences are `slope` times those of the other one's law."""
    truth = simulated.Truth()
    steeper = simulated.Truth(**{name: slope * value for name, value in truth.values().items()})
    rng = np.random.default_rng(8)
    return simulated.study(rng, lengths=(3, 7), matches=400, players=WEAK, truth=steeper)


def test_favourites_win_as_often_as_in_drawn_studies_unless_the_law_is_another() -> None:
    matches = {"one": drawn_study(1.0)}
    fitted = fit(points_of(matches))
    found = drawn(matches, points_of(matches), fitted, 0.0)
    assert found["match_length"].tolist() == [3, 7]
    assert found["real"].between(found["drawn_low"], found["drawn_high"]).all()
    steeper = {"one": drawn_study(1.5)}
    other = drawn(steeper, points_of(steeper), fitted, 0.0)
    assert (other["real"] > other["drawn_high"]).all()


def test_the_estimator_that_ships_comes_back_from_its_own_results() -> None:
    matches = {"one": drawn_study(1.0)}
    points = points_of(matches)
    luck_adjusted = by_estimator(matches, points, lambda cell: cell.results.luck_adjusted)
    mean = matches["one"].groupby(["match_length", "player"])["luck_adjusted_result"].mean()
    assert sorted(luck_adjusted.chance - 0.5) == pytest.approx(sorted(mean))
    assert luck_adjusted.covariance[:, 1:, 1:] == pytest.approx(points.covariance[:, 1:, 1:])
    assert np.ptp(alike(points).covariance, axis=0) == pytest.approx(np.zeros((3, 3)))
