"""Cube decisions in bear-offs that 0-ply misjudges by more than 0.05: pages say what exact play says."""

from pathlib import Path

import pytest

from bear_off import Exact, homes
from bgrating.collection.rate import RateRequest, rate
from bgrating.collection.saved import _table
from bgrating.decisions.files import judged
from bgrating.pages.positions import DIFFERENCE, verdict, with_depth

pytestmark = pytest.mark.slow
MATCHES = Path(__file__).parents[2] / "bear_offs.mat"
"""Each was played by chance to a bear-off, the first to one that a page taught wrongly; it ends with what is right.

The positions were chosen because gain by a double at 0-ply and by Exact differ by more than 0.05.
"""


def test_pages_show_the_verdict_of_exact_play_with_its_depth(tmp_path: Path) -> None:
    request = RateRequest((MATCHES,), luck=False, store=tmp_path / "s", cores=1, check="shown", results=tmp_path / "r")
    rated = rate(request).decisions
    cubes = judged(rated).assign(first_take=rated["double_take"], first_wait=rated["no_double"])
    cubes = cubes[(cubes["side"] == "left") & (cubes["kind"] == "double") & (cubes["theme"] == "bearoff")]
    last = cubes.groupby("match").tail(1)
    assert len(last) == 12
    for row in last.to_dict("records"):
        _, _, _, _, _, own_score, other_score, _, length, _ = row["xgid"].split(":")
        away = int(length) - int(own_score), int(length) - int(other_score)
        no_double, double_take = Exact(away, _table(int(length))).cube(*homes(row["xgid"]))
        gain = min(double_take, 1.0) - no_double
        assert abs(min(row["first_take"], 1.0) - row["first_wait"] - gain) > DIFFERENCE
        assert (gain > 0.0) is (row["played"] == "double")
        assert verdict(row) == verdict(row | {"no_double": no_double, "double_take": double_take, "loss_emg": 0.0})
        assert row["loss_emg"] == 0.0
        assert with_depth(row, 0)["by"] == "2-ply"
    assert (last["first_loss_emg"] > DIFFERENCE).sum() == 6
