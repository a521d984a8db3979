"""Simulated tournaments have the truth that is asked for."""

from pathlib import Path

import numpy as np
import pytest

from bgrating.tables.tables import read_table
from study.decision_errors import money_error_rates, tilted
from study.formula.cells import UnusableMatchesError


def test_weights_have_the_truth_asked_for_and_stay_near_to_equal_ones() -> None:
    rng = np.random.default_rng(14)
    luck = rng.normal(0.01, 0.2, (500, 2))
    result = np.where(luck[:, 0] - luck[:, 1] + rng.normal(0, 0.1, 500) > 0, 0.5, -0.5)
    weights = tilted(np.column_stack([result - 0.03, luck]), "here")
    assert weights.sum() == pytest.approx(1)
    assert weights @ result == pytest.approx(0.03, abs=1e-5)
    assert weights @ luck == pytest.approx([0, 0], abs=1e-5)
    assert weights.max() * 500 < 3


def test_a_truth_out_of_reach_is_refused() -> None:
    with pytest.raises(UnusableMatchesError, match="here: no weights of the matches"):
        tilted(np.array([[1.0], [2.0], [3.0]]), "here")


@pytest.mark.slow
def test_rare_big_money_games_do_not_make_verdicts_wrong(project: Path) -> None:
    """Without room in the variance for games that are seldom among the first ones, a tenth of the verdicts is wrong."""
    rates = money_error_rates(read_table(project / "results/1.08/tournament/money/frozen/money_games.csv"), 100)
    rare, is_null = rates[rates["rare"]], rates["truth"] == rates["equal"]
    wrong = rates["stronger"].where(is_null, rates["not stronger"])
    assert wrong[rare.index].mean() <= 0.05
    assert wrong.max() <= 0.1
    assert (rates["fixed_matches"] * 20 < rates["fixed_without_luck"]).all()
