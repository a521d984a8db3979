"""What the repository holds of results: tables and figures; no pages, which are made from these, and few matches."""

import subprocess
from pathlib import Path

import pytest


@pytest.mark.parametrize(("ending", "most"), [("html", 0), ("zip", 0), ("mat", 8)])
def test_what_is_made_anew_is_not_tracked(project: Path, ending: str, most: int) -> None:
    git = ["git", "-c", f"safe.directory={project}", "ls-files", f"results/*.{ending}"]
    found = subprocess.run(git, cwd=project, check=True, capture_output=True, text=True).stdout.split()
    assert len(found) <= most, found
