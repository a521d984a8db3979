"""Cube decisions in the words of players, and decisions as data of a page."""

import json
import math
from typing import Any

import pytest

from bgrating.pages.positions import for_boards, verdict

ROW: dict[str, Any] = {
    "game": 1, "kind": "double", "side": "right", "theme": "contact",
    "xgid": "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:7:10", "position_id": "4HPwATDgc/ABMA",
    "match_id": "MIFlAQAAAAAA", "dice": "", "played": "double", "best": "", "loss_emg": 0.0, "loss_mwc": 0.0,
    "luck_mwc": math.nan, "candidates": "", "no_double": 0.5, "double_take": 0.6,
}  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "played", "no_double", "double_take", "loss", "words"),
    [
        ("double", "double", 0.5, 0.6, 0.0, "Right to double; the right answer is to take."),
        ("double", "double", 0.9, 1.2, 0.0, "Right to double; the right answer is to pass."),
        ("double", "double", 1.1, 1.2, 0.1, "Too good to double: play on for a gammon."),
        ("double", "double", 0.3, 0.1, 0.2, "Wrong double: not good enough to double."),
        ("double", "no double", 0.3, 0.1, 0.0, "Not good enough to double."),
        ("double", "no double", 1.1, 1.2, 0.0, "Too good to double: right to play on."),
        ("double", "no double", 0.6, 0.7, 0.1, "Missed double; the right answer is to take."),
        ("double", "no double", 0.8, 1.1, 0.2, "Missed double; the right answer is to pass."),
        ("take", "take", 0.5, 0.6, 0.0, "Right to take."),
        ("take", "take", 0.9, 1.3, 0.3, "Wrong take: passing loses less."),
        ("pass", "pass", 0.9, 1.3, 0.0, "Right to pass."),
        ("pass", "pass", 0.5, 0.6, 0.4, "Wrong pass: taking loses less."),
        ("double", "double", math.nan, math.nan, 0.0, "Doubled."),
        ("pass", "pass", None, None, 0.0, "Passed."),
    ],
)
def test_a_cube_decision_in_words(
    kind: str, played: str, no_double: float | None, double_take: float | None, loss: float, words: str
) -> None:
    row = {"kind": kind, "played": played, "no_double": no_double, "double_take": double_take, "loss_emg": loss}
    assert verdict(ROW | row) == words


def test_decisions_are_columns_that_json_holds() -> None:
    found = for_boards([ROW, ROW | {"loss_emg": 0.1234, "loss_mwc": 0.02345, "best": "no double"}])
    json.dumps(found, allow_nan=False)
    coded = found.pop("coded")
    assert {len(column) for column in found.values()} == {2}
    assert {name: [one["of"][place] for place in one["at"]] for name, one in coded.items()} == {
        "kind": ["double"] * 2, "theme": ["contact"] * 2, "verdict": [verdict(ROW), verdict(ROW | {"loss_emg": 0.1})],
    }  # fmt: skip
    assert found["xgid"][0].startswith("-b----E")
    assert found["gnubg"] == ["", "4HPwATDgc/ABMA:MIFlAQAAAAAA"]  # only errors have names to copy
    assert (found["loss"], found["lossMwc"], found["luck"]) == ([0.0, 0.123], [0.0, 0.0234], [None, None])
    assert found["best"] == ["", "no double"]
    assert found["side"] == [1, 1]
