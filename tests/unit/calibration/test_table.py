"""The table of calibration: every interval and chance has a row, and the rows keep the rule."""

import fnmatch
import shutil
from pathlib import Path

import pandas as pd
import pytest

from calibration.rows import Scale
from calibration.run import ERRORS, SIMULATIONS, figures, simulated
from calibration.surfaces import surfaces, uncovered
from corpus import cases

SHARE = 0.02
SHARES = {"calc": 0.25}
"""Parts of cheap simulations. Of calc, 24 pairs measure the reference's width too badly."""


@pytest.fixture(scope="module")
def kept(project: Path) -> pd.DataFrame:
    return pd.read_csv(project / "results" / "calibration" / "calibration.csv")


def test_every_interval_and_chance_that_users_read_has_a_figure_or_a_reason_for_none() -> None:
    about = figures()
    none = about.pop("none")
    assert len(list(surfaces())) > 80
    assert uncovered(about | none) == []
    patterns = [pattern for one in (about | none).values() for pattern in one["shows"]]
    assert [one for one in patterns if not fnmatch.filter(surfaces(), one)] == []


def test_a_new_interval_is_found() -> None:
    about = figures()
    none = about.pop("none")
    assert uncovered({name: one for name, one in about.items() if name != "rate.rating"} | none)


@pytest.mark.parametrize(("file", "before", "after", "surface"), cases("values.new_surfaces"))
def test_a_new_column_name_or_field_is_seen(
    project: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file: str,
    before: str,
    after: str,
    surface: list[str],
) -> None:
    for part in ("scripts/bgrating/tables", "docs/reference", "report"):
        shutil.copytree(project / part, tmp_path / part)
    changed = tmp_path / file
    text = changed.read_text(encoding="utf-8")
    assert before in text
    changed.write_text(text.replace(before, after) if before else after + text, encoding="utf-8")
    monkeypatch.setattr("calibration.surfaces.DATA", tmp_path)
    about = figures()
    none = about.pop("none")
    assert set(surface) <= set(uncovered(about | none))


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
def test_a_part_of_the_simulations_keeps_the_rule(name: str, kept: pd.DataFrame) -> None:
    """A row fails if it misses the rule by more than its own error allows; seeds are fixed.

    Rows that miss it in the whole table have their reasons there.
    """
    whole = kept.set_index(["figure", "group"])["misses"]
    misses = {
        (row.figure, row.group): row.misses(ERRORS)
        for row in simulated(Scale(SHARES.get(name, SHARE)), [name])
    }
    assert {*misses} <= {*whole.index}
    assert {row: said for row, said in misses.items() if said and whole[row] == "none"} == {}
