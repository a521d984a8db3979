"""Matches of a design point."""

import numpy as np
import pytest

from simulated import one_point
from study.formula.cells import UnusableMatchesError, cells


def test_bad_tables_are_refused_by_name():
    with pytest.raises(UnusableMatchesError, match="no column opponent_luck_mwc"):
        cells(one_point().drop(columns="opponent_luck_mwc"))
    with pytest.raises(UnusableMatchesError, match="no rows"):
        cells(one_point().iloc[:0])
    with pytest.raises(UnusableMatchesError, match="empty values in player_chequer_error_emg"):
        cells(one_point(player_chequer_error_emg=np.nan))
    with pytest.raises(UnusableMatchesError, match="luck is there for some matches only"):
        cells(one_point(2, player_luck_mwc=[0.1, np.nan]))
    with pytest.raises(UnusableMatchesError, match="cube_noise takes several values"):
        cells(one_point(2, cube_noise=[0.1, 0.2]))


def test_a_noise_kept_in_single_precision_reads_as_it_was_written():
    table = one_point(3).astype({"chequer_noise": "float32", "cube_noise": "float32"})
    assert cells(table)[0].chequer_noise == 0.02


def test_error_of_a_pooled_rate_agrees_with_the_bootstrap():
    cell = cells(one_point(300))[0]
    rng = np.random.default_rng(3)
    drawn = [cell.resampled(rng).difference("epc") for _ in range(1000)]
    # A standard deviation of 1000 draws is within 8 % of the truth in all but one of 2000 cases.
    assert cell.difference_se("epc") == pytest.approx(np.std(drawn), rel=0.08)
