"""What the check on people answers."""

import re
from pathlib import Path

import numpy as np
import pytest

from study.people.page import in_short
from study.people.scale import TOGETHER
from unit.study.people.test_page import checked, page_of, people


def test_every_sentence_carries_figures_and_a_number_of_matches_or_players() -> None:
    found = in_short(checked(people()))
    assert [sentence for sentence in found if "too small" in sentence] == [
        "Shape of errors: this collection is too small; 2,000 unforced moves are needed "
        "(it has 120 decided matches with luck)."
    ]
    for sentence in found:
        assert re.search(r"\d(?: decided)? (?:matches|players|people)", sentence), sentence


def test_without_recorded_ratings_it_says_so(tmp_path: Path) -> None:
    table = people().assign(recorded_rating=np.nan)
    found, page = page_of(table, tmp_path)
    assert found.tables["appendix"].empty
    recorded = in_short(found)[1]
    assert recorded.startswith("Recorded ratings: ")
    assert 'id="appendix"' not in page
    assert not (tmp_path / "figures" / "calibration-site.svg").exists()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.9, 1.2, "ratings take the formula as it is"),
        (1.1, 1.3, "That is more than noise's errors cost."),
        (0.5, 0.9, "That is less than noise's errors cost."),
    ],
)
def test_a_verdict_follows_the_interval(low: float, high: float, words: str) -> None:
    found = checked(people())
    scale = found.tables["scale"]
    scale.loc[scale["estimator"] == TOGETHER, ["estimate", "ci_low", "ci_high"]] = ((low + high) / 2, low, high)
    (first, *_) = in_short(found)
    assert words in first
    assert f"{(low + high) / 2:.2f}" in first
