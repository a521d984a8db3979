"""The mutation score: of a fixed draw of mutants of all packages, how many the tests kill."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from mutation import reach
from mutation.mutants import Mutant, drawn, marked, mutants_of
from repository_files import tracked

RUNNER = Path(__file__).with_name("runner.py")
UNIT_RUNNER = Path(__file__).with_name("unit_runner.py")
EQUIVALENT = Path(__file__).with_name("equivalent.toml")
SEED = 68
NUMBER = 300
PARTS = 12
"""Each night judges one of so many parts of the draw; --mutants all judges all."""
FURTHER = tomllib.loads(Path(__file__).with_name("judges.toml").read_text(encoding="utf-8"))
"""Tests of whole commands, and those with figures from outside, by the package that they judge."""
Passes = Callable[[list[str]], bool]


def equivalent() -> dict[str, str]:
    """Return the mutants that no test can tell from the code, with the reasons, by name."""
    reasons: dict[str, str] = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))
    return reasons


def test_a_mutant_differs_in_one_place(project: Path) -> None:
    mutants, again = (drawn(project / "scripts", 12, 1) for _ in range(2))
    assert mutants == again
    assert len({mutant.name for mutant in mutants}) == 12
    assert len({mutant.module.split("/")[0] for mutant in mutants}) > 3
    for mutant in mutants:
        compile(mutant.text, mutant.module, "exec")
        before, _, after = mutant.change.partition(" -> ")
        assert before != after


def test_a_marked_function_notes_the_test_that_calls_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    monkeypatch.setenv(reach.FILE, str(tmp_path / "reached"))
    monkeypatch.setitem(sys.modules, "reach", reach)
    text = 'def one():\n    """Return 1."""\n    return 1\n\ndef other():\n    return 2\n'
    found: dict[str, Callable[[], int]] = {}
    exec(marked(text, "a.py", {"one"}), found)
    assert [found[name]() for name in ("one", "one", "other")] == [1, 1, 2]
    assert (tmp_path / "reached").read_text() == f"{request.node.nodeid}\ta.py one\n"


def test_few_mutants_are_argued_as_equivalent(project: Path) -> None:
    modules = {name.split()[0] for name in equivalent()}
    names = [
        mutant.name
        for module in modules
        for mutant in mutants_of(project / "scripts" / module, Path(module))
    ]
    assert sorted({*equivalent()} - {*names}) == []
    assert len(equivalent()) <= NUMBER * 5 // 100
    assert all(len(reason.split()) > 3 for reason in equivalent().values())


@pytest.fixture(scope="module")
def copied(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a project whose modules may change: copies, since Git follows no linked folder."""
    place = tmp_path_factory.mktemp("mutants") / project.name
    for name in tracked("--cached", "--others", "--exclude-standard"):
        if (project / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, place / name)
    (place / "run").unlink()  # in another folder it would make .venv anew
    for name in (".git", ".venv", "run"):
        (place / name).symlink_to(project / name)
    shared = project.parent / "shared"
    if shared.is_dir():
        (place.parent / "shared").symlink_to(shared)
    return place


@pytest.fixture(scope="module")
def passes(copied: Path) -> Iterator[Passes]:
    """Return a function that tells whether tests of the copied project pass."""
    environment = os.environ | {"PYTHONPATH": str(copied / "scripts")}
    # Else every run compiles all modules and tests.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(
        [sys.executable, RUNNER, copied.parent / "further.txt"],
        cwd=copied,
        env=environment,
        **streams,
    ) as process:

        def passed(tests: list[str]) -> bool:
            process.stdin.write(f"{json.dumps(tests)}\n")
            process.stdin.flush()
            return bool(json.loads(process.stdout.readline()))

        yield passed
        process.stdin.close()


@pytest.mark.nightly
@pytest.mark.timeout(6 * 3600)
def test_four_of_five_mutants_are_killed(
    project: Path, copied: Path, passes: Passes, pytestconfig: pytest.Config
) -> None:
    """Of tonight's part, or of all; a survivor is named, so that somebody writes the test that
    kills it. One that is argued as equivalent counts as killed.
    """
    asked = pytestconfig.getoption("--mutants")
    part = datetime.now(UTC).toordinal() % PARTS if asked is None else asked
    mutants = drawn(project / "scripts", NUMBER, SEED)
    mutants = mutants if part == "all" else mutants[int(part) :: PARTS]
    said = copied.parent / "further.txt"
    for package in sorted({mutant.package for mutant in mutants}):
        assert passes(FURTHER[package]), f"the tests fail without a mutant: {said.read_text()}"
    by_unit_tests = unit_killers(copied, mutants)
    killed = {
        mutant: _stage(mutant, killer) or further(copied, project, mutant, passes)
        for mutant, killer in zip(mutants, by_unit_tests, strict=True)
    }
    living = [mutant for mutant in mutants if not killed[mutant]]
    by = {kind: [*killed.values()].count(kind) for kind in ("mirrored", "unit", "further")}
    lines = [
        f"mutants, seed {SEED}, part {part}: {len(living)} of {len(mutants)} live; killed by {by}"
    ]
    lines += [f"  lives: {mutant.name}" for mutant in living]
    # Workers of pytest print nothing; .ci/run shows this file.
    (project / "logs").mkdir(exist_ok=True)
    (project / "logs" / "mutation.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    missed = [mutant.name for mutant in living if mutant.name not in equivalent()]
    assert len(missed) <= len(mutants) / 5, missed


def unit_killers(copied: Path, mutants: Sequence[Mutant]) -> list[str]:
    """Return the unit test that kills each mutant, its own ones first; empty if none does."""
    asked = copied.parent / "mutants.json"
    asked.write_text(json.dumps([(one.module, one.function, one.text) for one in mutants]))
    paths = os.pathsep.join(str(copied / name) for name in ("scripts", "tests"))
    environment = os.environ | {"PYTHONPATH": paths, "REACHED": str(copied.parent / "reached")}
    command = [sys.executable, str(UNIT_RUNNER), str(asked), str(copied.parent / "killers")]
    subprocess.run(command, cwd=copied, env=environment, check=True)
    killers: list[str] = json.loads((copied.parent / "killers").read_text(encoding="utf-8"))
    return killers


def _stage(mutant: Mutant, killer: str) -> str:
    own = f"/test_{Path(mutant.module).stem}.py::"
    return "mirrored" if own in killer else killer and "unit"


def further(copied: Path, project: Path, mutant: Mutant, passes: Passes) -> str:
    """Tell whether further tests of a mutant's package kill it."""
    path = copied / "scripts" / mutant.module
    path.write_text(mutant.text, encoding="utf-8")
    try:
        return "" if passes(FURTHER[mutant.package]) else "further"
    finally:
        shutil.copy(project / "scripts" / mutant.module, path)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()
