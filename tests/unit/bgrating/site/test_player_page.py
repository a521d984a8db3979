"""Figures of a player's page by hand."""

import math
import re
from pathlib import Path

import pandas as pd
import pytest

from bgrating.site.player_page import _by_xg
from unit.bgrating.site.test_collection_page import changed, collection, player_text, rated

COLUMNS = ("xgDecisions", "xgPr", "moves", "close", "chequer", "cube")
JUDGED = [
    (10, 4.0, 2, 8, 0.1, 0.0),
    (29, 8.0, 24, 5, 0.2, 0.08),
    (1, 0.0, 1, 0, 0.0, 0.02),
]
OTHERS = [
    (0, math.nan, 20, 2, 9.0, 1.0),  # a file without XG's analysis
    (5, 9.0, 0, 0, 0.0, 0.0),  # a match without a decision of ours
]


def test_the_pr_by_xg_and_ours_are_over_the_same_matches() -> None:
    """XG: (10 4 + 29 8) / 40 = 6.8; ours: 500 0.4 / 40 = 5."""
    found = _by_xg(pd.DataFrame(JUDGED + OTHERS, columns=COLUMNS))
    assert found == {"pr": pytest.approx(6.8), "ours": pytest.approx(5.0), "matches": 3}
    assert _by_xg(pd.DataFrame(OTHERS, columns=COLUMNS)) is None


def test_the_rates_of_a_player_without_a_loss_are_zero_and_shown(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "bob"])
    figures = dict.fromkeys(("chequer_error_emg", "cube_error_emg", "xg_pr"), 0.0)
    matches = made.matches.assign(**figures, xg_decisions=20)
    perfect = changed(made, matches, players=rated(matches, made.model))
    nothing = dict.fromkeys(("loss_emg", "first_loss_emg", "loss_mwc"), 0.0)
    page = player_text(perfect, "ann", tmp_path, **nothing)
    practice = page.partition('id="practice"')[2].partition("</section>")[0]
    assert "No decision of this player cost anything" in practice
    shown = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", practice))
    assert list(shown.values()) == ["0.0"] * 5
    starts = ["PR by XG ", "PR in the", "Errors pe", "Chequer e", "Cube erro"]
    assert [name[:9] for name in shown] == starts
