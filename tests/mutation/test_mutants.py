"""The mutation score: of random mutants of rating, league, people and tables, how many the nearest unit tests kill."""

import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mutation.mutants import Mutant, drawn

ROOMS = ("rating", "league", "people", "tables")
NUMBER = 26
SECONDS = 900.0


def test_a_mutant_differs_in_one_place(project: Path) -> None:
    scripts = project / "scripts"
    first, again = (drawn(scripts, ROOMS, NUMBER, 1) for _ in range(2))
    assert first == again
    assert len(first) == NUMBER
    for mutant in first:
        compile(mutant.text, str(mutant.module), "exec")
        before, _, after = mutant.words.partition(" -> ")
        assert before != after


@pytest.fixture(scope="module")
def copied(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project whose modules may be changed; everything else in it is a link."""
    place = tmp_path_factory.mktemp("mutants") / project.name
    place.mkdir()
    for entry in project.iterdir():
        if entry.name in {"scripts", "tests"}:
            shutil.copytree(entry, place / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (place / entry.name).symlink_to(entry)
    return place


@pytest.mark.nightly
def test_the_mutation_score_of_a_night(project: Path, copied: Path) -> None:
    """Other mutants every night; a survivor is named, so that somebody writes the test that kills it."""
    seed = datetime.now(UTC).toordinal()
    assert survives(copied, project, None) is True, "the tests fail without a mutant"
    mutants = drawn(project / "scripts", ROOMS, NUMBER, seed)
    living = [mutant for mutant in mutants if survives(copied, project, mutant)]
    lines = [f"mutation score, seed {seed}: {NUMBER - len(living)} of {NUMBER} killed"]
    lines += [f"  lives: {one.module.relative_to(project)}:{one.line} {one.words}" for one in living]
    # Workers of pytest print nothing; .ci/run shows this file.
    (project / "logs").mkdir(exist_ok=True)
    (project / "logs" / "mutation.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def survives(copied: Path, project: Path, mutant: Mutant | None) -> bool:
    """Tell whether the unit tests that import a mutant's module pass."""
    if mutant is None:
        return passes(copied, [f"tests/unit/{room}" for room in ROOMS])
    name = mutant.module.relative_to(project)
    (copied / name).write_text(mutant.text, encoding="utf-8")
    try:
        return passes(copied, importers(copied, name) or [f"tests/unit/{name.parent.name}"])
    finally:
        shutil.copy(mutant.module, copied / name)


def importers(copied: Path, module: Path) -> list[str]:
    """Return the files of unit tests that import a module, its own first: most mutants go no further."""
    package, name = ".".join(module.parent.relative_to("scripts").parts), module.stem
    imported = re.compile(rf"{re.escape(package)}\.{name}\b|from {re.escape(package)} import .*\b{name}\b")
    tests = sorted((copied / "tests" / "unit").rglob("test_*.py"), key=lambda test: (test.stem != f"test_{name}", test))
    return [str(test.relative_to(copied)) for test in tests if imported.search(test.read_text(encoding="utf-8"))]


def passes(copied: Path, tests: list[str]) -> bool:
    """Tell whether tests pass; a mutant that runs without end fails them."""
    words = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *tests]
    try:
        done = subprocess.run(words, cwd=copied, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0
