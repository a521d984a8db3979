"""The table of calibration: every interval and chance has a row, and the rows keep the rule."""

from pathlib import Path

import pandas as pd
import pytest

from calibration.rows import Row, Scale
from calibration.run import ERRORS, SIMULATIONS, figures, simulated
from calibration.surfaces import surfaces, uncovered

SHARE = 0.02


@pytest.fixture(scope="module")
def kept(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / "results" / "calibration" / "calibration.csv")


def test_every_interval_and_chance_that_users_read_has_a_figure_or_a_reason_for_none() -> None:
    about = figures()
    none = about.pop("none")
    assert len(list(surfaces())) > 80
    assert uncovered(about | none) == []


def test_a_new_interval_is_found() -> None:
    about = figures()
    none = about.pop("none")
    assert uncovered({name: one for name, one in about.items() if name != "rate.rating"} | none)


def test_every_figure_has_a_row_of_the_whole_simulation(kept: pd.DataFrame) -> None:
    about = figures()
    assert {*kept["figure"]} == {*about} - {"none"}


def test_a_row_keeps_the_rule_or_the_reason_is_given(kept: pd.DataFrame) -> None:
    about = figures()
    for row in kept.itertuples():
        assert row.misses == "none" or "missed" in about[row.figure], (
            row.figure,
            row.group,
            row.misses,
        )


@pytest.mark.slow
@pytest.mark.parametrize("name", SIMULATIONS)
def test_a_part_of_the_simulations_keeps_the_rule(name: str) -> None:
    """A row fails if it misses the rule by more than its own error allows; seeds are fixed."""
    about = figures()
    rows = list(simulated(Scale(SHARE), [name]))
    assert {row.figure for row in rows} <= {*about}
    assert {
        _words(row): row.misses(ERRORS) for row in rows if "missed" not in about[row.figure]
    } == {_words(row): [] for row in rows if "missed" not in about[row.figure]}


def _words(row: Row) -> str:
    return f"{row.figure}, {row.group}"
