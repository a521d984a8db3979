"""Clubs that hardly determine a rating: the answer is finite, wide, and in words."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.command import main
from corpus import cases


@pytest.mark.parametrize(("name", "text", "words", "half_width", "first"), cases("odd.clubs"))
def test_an_odd_club_has_wide_intervals_and_a_sentence(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    name: str,
    text: str,
    words: str,
    half_width: float,
    first: str,
) -> None:
    file = tmp_path / "club.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SystemExit) as ended:
        main(["ratings", str(file), "--results", str(tmp_path / "out"), "--name", "odd"])
    assert ended.value.code == 0
    assert re.search(words, capsys.readouterr().out), name
    table = pd.read_csv(tmp_path / "out" / "ratings" / "odd" / "league.csv")
    ratings = table[["history", "history_ci_low", "history_ci_high"]].to_numpy()
    assert np.isfinite(ratings).all()
    assert ((ratings[:, 2] - ratings[:, 1]) / 2 > half_width).all()
    assert table["p_first"].between(0.01, 0.99).all()
    if first:
        assert table.loc[table["history"].idxmax(), "player"] == first
