"""The command people with the real engine: a small collection gets its tables and an answer."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from bgrating.tables.provenance import read_provenance
from short_match import OPENINGS, match


@pytest.fixture(scope="module", name="place")
def _place(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("people")
    (place / "games").mkdir()
    for number, dice in enumerate(OPENINGS):
        (place / "games" / f"{number}.mat").write_text(match(f"left {number}", "right", dice))
    command = [sys.executable, "-m", "study", "people", place / "games", "--results", place / "results"]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "this collection has fewer than 60 decided matches" in done.stdout
    return place / "results" / "human" / "games"


def test_everything_is_there_and_says_what_it_cannot(place: Path) -> None:
    people = place / "people"
    tables = sorted(people.glob("*.csv"))
    assert [path.name for path in tables] == ["factor.csv", "per_pr.csv"]
    for path in tables:
        facts = read_provenance(path)
        assert facts["rows"] == len(pd.read_csv(path)) == 0
        assert facts["engine"]
    assert "fewer than 60 decided matches" in (people / "summary.txt").read_text()
