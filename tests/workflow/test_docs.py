"""Documents: their examples run, their figures are those of the tables, their links lead somewhere."""

import doctest
import re
import subprocess
import sys
from pathlib import Path

import pytest

from bgrating.engine.locate import Engine
from bgrating.rating.formula import read_formula
from study.documents import RESULTS, _at_2_ply, _by_players, _over_2003, _row, documents

EXAMPLES = """
import doctest, sys
failed = doctest.testfile(sys.argv[1], module_relative=False, optionflags=doctest.ELLIPSIS).failed
import bgrating
assert bgrating.__file__.startswith(sys.argv[2]), bgrating.__file__
sys.exit(failed)
"""
WORDS = {"README.md": 500, "SECURITY.md": 400, "docs/reference/tables.md": 2500}
BY_HAND = 12_400  # without pages of tests that were written down before: they never change
PROSE_OF_THE_PAPER = 3500


def test_the_examples_of_the_package_run_where_nothing_else_is_installed(
    tmp_path: Path, project: Path, installed: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-S", "-c", EXAMPLES, str(project / "docs/reference/api.md"), str(installed)],
        cwd=tmp_path, env={"PYTHONPATH": str(installed)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_walk_through_the_code_shows_what_happens(
    project: Path, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    if engine.known.nets != "1.08":
        pytest.skip("the match was played with the embedded engine")
    monkeypatch.chdir(project)
    found = doctest.testfile(str(project / "docs/develop/architecture.md"), module_relative=False)
    assert found.attempted > 8
    assert found.failed == 0


def test_documents_have_the_figures_of_the_tables(project: Path) -> None:
    stale = [str(path.relative_to(project)) for path, text in documents().items() if path.read_text() != text]
    assert stale == [], "./run documents writes them"


def test_links_of_documents_lead_to_files(project: Path) -> None:
    pages = [*project.glob("*.md"), *project.glob("docs/**/*.md")]
    dead = [
        (page.name, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        if not (page.parent / link).exists()
    ]
    assert dead == []


def test_documents_keep_to_their_size(project: Path) -> None:
    found = {name: len((project / name).read_text(encoding="utf-8").split()) for name in WORDS}
    assert {name: words for name, words in found.items() if words > WORDS[name]} == {}
    paper = (project / "docs/paper.md").read_text(encoding="utf-8").splitlines()
    assert sum(len(line.split()) for line in paper if not line.startswith("|")) <= PROSE_OF_THE_PAPER
    pages = [*project.glob("*.md"), *project.glob("docs/*.md"), *project.glob("docs/develop/*.md")]
    by_hand = [page for page in pages if not page.name.startswith(("CHANGELOG", "preregistration"))]
    assert sum(len(page.read_text(encoding="utf-8").split()) for page in by_hand) <= BY_HAND


def test_figures_that_no_table_has_are_what_their_names_say() -> None:
    row = _row("1.08/people/scale", group="all matches", estimator="instrument")
    assert row["se_by_player"] > row["sd"]  # so the table's interval is by players too
    assert _by_players(row)["ci_high"] == pytest.approx(row["ci_high"])
    shrunk = _row("1.08/people/scale", group="all matches", estimator="shrunk")
    assert _by_players(shrunk)["ci_high"] < shrunk["ci_high"]
    assert _over_2003(read_formula(RESULTS / "1.08" / "formula.json"), 7) == pytest.approx(
        13_529.578 / (8798 + 25526 / 7)
    )
    ratio, matches = _at_2_ply("1.08", "cube_error_emg")
    assert matches == _row("1.08/people-depth/judges", instrument="other matches, two samples")["n_matches"]
    assert 0.5 < ratio < 1
