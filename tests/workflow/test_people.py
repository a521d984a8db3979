"""The command people with the real engine: a small collection gets its tables and an answer."""

from pathlib import Path

import pandas as pd

from bgrating.tables.provenance import read_provenance
from commands import bgrating
from short_match import OPENINGS, match


def test_everything_is_there_and_says_what_it_cannot(project: Path, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    for number, dice in enumerate(OPENINGS):
        (tmp_path / "games" / f"{number}.mat").write_text(match(f"left {number}", "right", dice))
    words = ["people", tmp_path / "games", "--results", tmp_path / "results"]
    done = bgrating(*words, module="study", cwd=project)
    assert done.returncode == 0, done.stderr
    assert "this collection has fewer than 60 decided matches" in done.stdout
    people = tmp_path / "results" / "human" / "games" / "people"
    tables = sorted(people.glob("*.csv"))
    assert [path.name for path in tables] == ["factor.csv", "per_pr.csv"]
    for path in tables:
        facts = read_provenance(path)
        assert facts["rows"] == len(pd.read_csv(path)) == 0
        assert facts["engine"]
    assert "fewer than 60 decided matches" in (people / "summary.txt").read_text()
