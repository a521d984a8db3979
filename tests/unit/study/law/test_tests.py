"""The tests of forms: what was written down is what is computed, and the rule gives the form that it says."""

import pytest

from bgrating.engine.nets import committed_results
from bgrating.tables.tables import read_table
from study.law import THIRD_TEST
from study.law.forms import Outcome
from study.law.tests import PASSED, WRITTEN_DOWN, verdict


def outcome(p_value: float, low: float, high: float) -> Outcome:
    return Outcome(10, 1000, 10.0, p_value, (low + high) / 2, low, high, 0.01)


@pytest.mark.parametrize(
    ("p_value", "low", "high", "said"),
    [
        (0.3, 0.96, 1.04, "confirmed"),
        (0.05, 0.95, 1.05, "confirmed"),
        (0.04, 0.96, 1.04, "undecided"),
        (0.3, 0.94, 1.04, "undecided"),
        (0.009, 0.96, 1.04, "refuted"),
        (0.3, 0.80, 0.94, "refuted"),
        (0.3, 1.051, 1.2, "refuted"),
    ],
)
def test_the_verdict_is_the_one_written_down(p_value: float, low: float, high: float, said: str) -> None:
    assert verdict(outcome(p_value, low, high)) == said


def test_every_test_has_its_page_and_date(project) -> None:  # type: ignore[no-untyped-def]
    for test in WRITTEN_DOWN:
        assert f"Written on {test.date}" in (project / "docs" / test.page).read_text(encoding="utf-8")


def test_the_kept_third_test_passed_by_the_rule() -> None:
    table = read_table(committed_results("1.08") / "law" / "tests.csv")
    rows = table[table["study"] == THIRD_TEST].set_index("form")
    inside = (rows["slope_low"] >= 0.95) & (rows["slope_high"] <= 1.05)
    assert (rows["verdict"].eq(PASSED) == inside).all()
    assert rows.loc["law", "verdict"] == PASSED
