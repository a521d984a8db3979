"""Cube decisions in bear-offs that 0-ply misjudges by more than 0.05: pages say what exact play says."""

from pathlib import Path

import pytest

import browser
from bear_off import Exact, homes
from bgrating.analysis import second_look
from bgrating.collection.rate import RateRequest, rate, write_pages
from bgrating.decisions.files import judged
from bgrating.files.sgf import _table
from bgrating.pages.positions import DIFFERENCE, verdict, with_depth

pytestmark = pytest.mark.slow
MATCHES = Path(__file__).parents[2] / "bear_offs.mat"
"""Each was played by chance to a bear-off, the first to one that a page taught wrongly; it ends with what is right.

The positions were chosen because gain by a double at 0-ply and by Exact differ by more than 0.05.
"""


def test_pages_show_the_verdict_of_exact_play_with_its_depth(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_look, "COSTLY", 9.0)  # cube decisions without contact alone are judged again
    request = RateRequest((MATCHES,), luck=False, store=tmp_path / "s", cores=1, check="shown", results=tmp_path / "r")
    result = rate(request)
    assert result.folder
    write_pages(result)
    rated = result.decisions
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
        assert with_depth(row, 0)["by"] in {"2-ply", "3-ply"}
    assert (last["first_loss_emg"] > DIFFERENCE).sum() == 6
    # The same on the pages, as a browser shows them.
    places = rated.groupby(["file", "match"]).cumcount()
    pages = {match: f"ann-bob{f'-{match}' * (match > 1)}.html#d{places[at]}" for at, match in last["match"].items()}
    shown = []
    for address in pages.values():
        with browser.opened(f"{(result.folder / 'matches').as_uri()}/{address}") as page:
            shown.append(page.ask("document.querySelector('.verdict').textContent"))
    assert [text.partition(" 0-ply")[0] for text in shown] == [
        f"{verdict(row)} ({row['checked_by']})" for row in last.to_dict("records")
    ]
    assert shown[0] == "Not good enough to double. (2-ply) 0-ply: costs 0.290."  # which a page taught as the verdict
