"""Rows of a shard's matches, from its table and the provenance of its archive."""

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bgrating.play import match_tables as module
from bgrating.play.designs import DesignPoint
from bgrating.play.match_tables import _FIGURES, TableError, shard_rows

POINT = DesignPoint("expert", "beginner", 3, 2, 2)
NOISY = {"chequerplay": {"noise": 0.1}, "cubedecision": {"noise": 0.2}}


def rows(
    numbers: dict[str, list[int]], monkeypatch: pytest.MonkeyPatch, **facts: Any
) -> pd.DataFrame:
    """Return the rows of a table with these numbers of matches by side."""
    figures = dict.fromkeys(_FIGURES, 1.0) | {
        "games": 1,
        "rolls": 40,
        "score": 3,
        "actual_result": 0.5,
    }
    figures["luck_adjusted_result"] = 0.25
    table = pd.DataFrame(
        [
            {"side": side, "match": match} | figures
            for side, played in numbers.items()
            for match in played
        ]
    )
    monkeypatch.setattr(module, "read_table", lambda path: table)
    monkeypatch.setattr(module, "read_provenance", lambda path: facts)
    return shard_rows(Path("table.csv"), Path("archive.zip"), POINT, 4)


def test_levels_have_a_noise_and_programs_have_none(monkeypatch: pytest.MonkeyPatch) -> None:
    both = {"left": [1, 2], "right": [1, 2]}
    of_levels = rows(both, monkeypatch, rows=2, players=[NOISY])
    assert of_levels[["chequer_noise", "cube_noise"]].to_numpy().tolist() == [[0.1, 0.2]] * 2
    of_programs = rows(both, monkeypatch, texts=2, sides=["one", "other"])
    assert of_programs[["chequer_noise", "cube_noise"]].isna().all(axis=None)
    assert of_programs["shard"].tolist() == [4, 4]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [([1, 2], [1, 3], 2), ([1, 1], [1, 1], 2), ([1, 2], [1, 2], 3), ([1, 2, 2], [1, 2, 2], 2)],
)
def test_a_match_that_is_missing_or_too_many_is_refused(
    monkeypatch: pytest.MonkeyPatch, left: list[int], right: list[int], expected: int
) -> None:
    with pytest.raises(TableError, match=rf"not the {expected} that archive.zip holds"):
        rows({"left": left, "right": right}, monkeypatch, rows=expected, players=[NOISY])
