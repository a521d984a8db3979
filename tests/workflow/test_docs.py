"""The pages of docs/ that hold examples: those of api.md on the installed package, those of tour.md in the project."""

import doctest
import subprocess
import sys
from pathlib import Path

import pytest

from bgrating.engine.locate import Engine

EXAMPLES = """
import doctest, sys
failed = doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.ELLIPSIS).failed
import bgrating
assert bgrating.__file__.startswith(sys.argv[2]), bgrating.__file__
sys.exit(failed)
"""


def test_the_examples_of_the_package_run_where_nothing_else_is_installed(
    tmp_path: Path, project: Path, installed: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", EXAMPLES, str(project / "docs/api.md"), str(installed)],
        cwd=tmp_path, env={"PYTHONPATH": str(installed)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tour_shows_what_happens(project: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    if engine.known.nets != "1.08":
        pytest.skip("the tour's match was played with the embedded engine")
    monkeypatch.chdir(project)
    found = doctest.testfile(str(project / "docs/tour.md"), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0
