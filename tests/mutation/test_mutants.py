"""The mutation score: of random mutants of rating, league, people and tables, how many the nearest
unit tests kill.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mutation.mutants import Mutant, drawn

RUNNER = Path(__file__).with_name("runner.py")
ROOMS = ("bgleague", "bgrating/people", "bgrating/rating", "bgrating/tables")
NUMBER = 26
Passes = Callable[[list[str]], bool]


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


@pytest.fixture(scope="module")
def passes(copied: Path) -> Iterator[Passes]:
    """Return a function that tells whether tests of the copied project pass."""
    environment = os.environ | {"PYTHONPATH": str(copied / "scripts")}
    environment.pop(
        "PYTHONDONTWRITEBYTECODE", None
    )  # else every run compiles all modules and tests
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [sys.executable, RUNNER], cwd=copied, env=environment, **streams
    ) as process:

        def passed(tests: list[str]) -> bool:
            process.stdin.write(f"{json.dumps(tests)}\n")
            process.stdin.flush()
            return bool(json.loads(process.stdout.readline()))

        yield passed
        process.stdin.close()


@pytest.mark.nightly
def test_the_mutation_score_of_a_night(project: Path, copied: Path, passes: Passes) -> None:
    """Other mutants every night; a survivor is named, so that somebody writes the test that kills
    it.
    """
    seed = datetime.now(UTC).toordinal()
    mutants = drawn(project / "scripts", ROOMS, NUMBER, seed)
    judges = {
        test for mutant in mutants for test in judges_of(copied, mutant.module.relative_to(project))
    }
    assert passes(sorted(judges)), "the tests fail without a mutant"
    living = [mutant for mutant in mutants if survives(copied, project, mutant, passes)]
    lines = [f"mutation score, seed {seed}: {NUMBER - len(living)} of {NUMBER} killed"]
    lines += [
        f"  lives: {one.module.relative_to(project)}:{one.line} {one.words}" for one in living
    ]
    # Workers of pytest print nothing; .ci/run shows this file.
    (project / "logs").mkdir(exist_ok=True)
    (project / "logs" / "mutation.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def survives(copied: Path, project: Path, mutant: Mutant, passes: Passes) -> bool:
    """Tell whether the unit tests that import a mutant's module pass; most mutants get no further
    than its own.
    """
    name = mutant.module.relative_to(project)
    tests = judges_of(copied, name)
    (copied / name).write_text(mutant.text, encoding="utf-8")
    try:
        return passes(tests[:1]) and (not tests[1:] or passes(tests[1:]))
    finally:
        shutil.copy(mutant.module, copied / name)
        for compiled in (copied / name.parent / "__pycache__").glob(f"{name.stem}.*"):
            compiled.unlink()


def judges_of(copied: Path, module: Path) -> list[str]:
    """Return the files of unit tests that import a module, its own first; the folder of its room
    where none does.
    """
    package, name = ".".join(module.parent.relative_to("scripts").parts), module.stem
    imported = re.compile(
        rf"{re.escape(package)}\.{name}\b|from {re.escape(package)} import .*\b{name}\b"
    )
    tests = sorted(
        (copied / "tests" / "unit").rglob("test_*.py"),
        key=lambda test: (test.stem != f"test_{name}", test),
    )
    found = [
        str(test.relative_to(copied))
        for test in tests
        if imported.search(test.read_text(encoding="utf-8"))
    ]
    return found or [f"tests/unit/{module.parent.relative_to('scripts')}"]
