"""Verdicts of simulated tests err as seldom as asked, and intervals cover the known truth."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from bgrating.play.match_tables import read_checked
from bgrating.tables.table_files import read_csv, read_table
from verdicts import GAMES, MATCHES, RUNS, of_matches, of_money, tilted


def test_weights_have_the_truth_asked_for_and_stay_near_to_equal_ones() -> None:
    rng = np.random.default_rng(14)
    luck = rng.normal(0.01, 0.2, (500, 2))
    result = np.where(luck[:, 0] - luck[:, 1] + rng.normal(0, 0.1, 500) > 0, 0.5, -0.5)
    weights = tilted(np.column_stack([result - 0.03, luck]), "here")
    assert weights.sum() == pytest.approx(1)
    assert weights @ result == pytest.approx(0.03, abs=1e-5)
    assert weights @ luck == pytest.approx([0, 0], abs=1e-5)
    assert weights.max() * 500 < 3
    with pytest.raises(ValueError, match="here: no weights of the matches"):
        tilted(np.array([[1.0], [2.0], [3.0]]), "here")


@pytest.mark.slow
def test_verdicts_err_as_seldom_as_asked_and_intervals_cover_the_truth() -> None:
    """The bounds are those of 200 tests: 99.9 % of the binomial distribution of 5 % and of 90 %."""
    tests, games = of_matches(read_checked(MATCHES), 200), of_money(read_table(GAMES), 200)
    most = stats.binom.ppf(0.999, 200, 0.05) / 200
    assert (tests.loc[tests["truth"] == 0, "stronger"] <= most).all()
    assert (tests.loc[tests["truth"] >= 30, "not stronger"] <= most).all()
    assert (games.loc[games["truth"] == 0, "stronger"] <= most).all()
    assert (games.loc[games["truth"] > 0, "not stronger"] <= most).all()
    assert (tests.loc[tests["truth"] >= 100, "stronger"] == 1).all()
    for table in (tests, games):
        assert (table["contradictions"] == 0).all()
        assert (table["coverage"] >= stats.binom.ppf(0.001, 200, 0.88) / 200).all()


@pytest.mark.nightly
def test_the_tables_kept_are_those_of_the_rule_as_it_is() -> None:
    made = {
        MATCHES: of_matches(read_checked(MATCHES), RUNS),
        GAMES: of_money(read_table(GAMES), RUNS),
    }
    for source, table in made.items():
        kept = read_csv(source.parents[1] / "verdicts.csv")
        pd.testing.assert_frame_equal(table, kept, check_dtype=False, rtol=1e-9)
