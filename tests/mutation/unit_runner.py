"""Judges mutants by the unit tests that reach them, in copies of one process.

Reads mutants in JSON, a list of (module, function, text), from the file of the first argument. The
first process runs all tests once, with marks, to learn which tests reach which function. The second
one imports and collects all tests without marks. A copy of it for each mutant changes the code of
the functions in place and runs the tests that reach them, until one fails. Processes that tests
start see the mutant in its file. The file of the second argument gets a list: for each mutant the
test that fails, or nothing.
"""

import gc
import json
import os
import shutil
import signal
import sys
import types
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

from mutation import reach
from mutation.mutants import marked

SECONDS = 900
"""A mutant that runs without end is ended after this time, and counts as killed."""
WORDS = ("-q", "-p", "no:cacheprovider", "--all", "tests/unit")
Codes = dict[tuple[str, int], types.CodeType]


class Learning:
    """Runs all tests, and notes their seconds of CPU and the fixtures that they share."""

    def __init__(self) -> None:
        self.tests: list[tuple[str, list[str], float]] = []
        self.failing: list[str] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[object]) -> Iterator[None]:
        is_shared = fixturedef.scope != "function"
        with pytest.MonkeyPatch.context() as patch:
            if is_shared:
                patch.setenv(reach.SHARED, fixturedef.argname)
            return (yield)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item, following in zip_longest(session.items, session.items[1:]):
            began = _seconds()
            if _failed(item, following):
                self.failing.append(item.nodeid)
            else:
                fixtures = list(getattr(item, "fixturenames", ()))
                self.tests.append((item.nodeid, fixtures, _seconds() - began))
        return True


class Judging:
    """Judges each mutant in a copy of the process that has collected the tests."""

    def __init__(
        self, mutants: Sequence[Sequence[str]], tests: Sequence[tuple[str, list[str], float]]
    ) -> None:
        self._mutants = mutants
        self._tests = tests
        self.killers: list[str] = []
        self._by = defaultdict[str, set[str]](set)
        for line in Path(os.environ[reach.FILE]).read_text().splitlines():
            by, function = line.split("\t")
            self._by[function].add(by)

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for module, function, text in self._mutants:
            path = Path("scripts", module)
            original = path.read_text()
            chosen = [items[name] for name in self._chosen(module, function)]
            killer = _killer_in_a_copy(path, text, chosen)
            if killer in items:
                ran = chosen[: chosen.index(items[killer]) + 1]
                without = _killer_in_a_copy(path, original, ran)
                assert not without, f"{without} fails without a mutant"
            self.killers.append(killer)
        return True

    def _chosen(self, module: str, function: str) -> list[str]:
        """Return the tests that reach a function: its own first, then the cheapest files."""
        by = self._by[f"{module} {function}"]
        reaching = [test for test in self._tests if test[0] in by or by & {*test[1]}]
        costs = defaultdict[str, float](float)
        for name, _, seconds in reaching:
            costs[name.partition("::")[0]] += seconds
        own = f"/test_{Path(module).stem}.py::"
        return sorted(
            (name for name, _, _ in reaching),
            key=lambda name: (own not in name, costs[name.partition("::")[0]]),
        )


def _seconds() -> float:
    return sum(os.times()[:4])


def _failed(item: pytest.Item, following: pytest.Item | None) -> bool:
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def _killer_in_a_copy(path: Path, text: str, items: Sequence[pytest.Item]) -> str:
    """Return the first test that fails in a copy of this process where a module has this text."""
    original = path.read_text()
    new = _new_codes(path.resolve(), original, text)
    read, write = os.pipe()
    path.write_text(text)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(SECONDS)
            _change(path.resolve(), new)
            os.write(write, _killer(items).encode())
            status = 0
        finally:
            os._exit(status)
    os.close(write)
    with open(read) as answer:  # noqa: PTH123
        killer = answer.read()
    _, status = os.waitpid(child, 0)
    path.write_text(original)
    shutil.rmtree(path.parent / "__pycache__", ignore_errors=True)
    return killer or ("no end" if status else "")


def _killer(items: Sequence[pytest.Item]) -> str:
    for item, following in zip_longest(items, items[1:]):
        if _failed(item, following):
            return item.nodeid
    return ""


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield inner
            yield from _codes(inner)


def _new_codes(path: Path, original: str, text: str) -> Codes:
    """Return the code of a mutant's functions, by the names and lines of the original's."""
    before, after = (list(_codes(compile(one, str(path), "exec"))) for one in (original, text))
    return {
        (old.co_qualname, old.co_firstlineno): code
        for old, code in zip(before, after, strict=True)
        if old.co_freevars == code.co_freevars
    }


def _change(path: Path, new: Codes) -> None:
    """Give the functions of a module new code."""
    for function in gc.get_objects():
        if isinstance(function, types.FunctionType):
            own = function.__code__
            place = own.co_qualname, own.co_firstlineno
            if own.co_filename == str(path) and place in new:
                function.__code__ = new[place]


def _learn(mutants: Sequence[Sequence[str]]) -> Any:
    """Return all tests, with fixtures and seconds, from a run in another process."""
    functions = defaultdict[str, set[str]](set)
    for module, function, _ in mutants:
        functions[module].add(function)
    originals = {module: Path("scripts", module).read_text() for module in functions}
    for module, text in originals.items():
        Path("scripts", module).write_text(marked(text, module, functions[module]))
    shutil.copy(reach.__file__, "scripts/reach.py")
    read, write = os.pipe()
    if os.fork() == 0:
        learning = Learning()
        pytest.main([*WORDS], [learning])
        with open(write, "w") as answer:  # noqa: PTH123
            json.dump([learning.tests, learning.failing], answer)
        os._exit(0)
    os.close(write)
    with open(read) as answer:  # noqa: PTH123
        tests, failing = json.load(answer)
    os.wait()
    for module, text in originals.items():
        Path("scripts", module).write_text(text)
    assert not failing, f"without a mutant these fail: {failing}"
    return tests


if __name__ == "__main__":
    import study  # noqa: F401 - it selects the code of numpy

    asked = json.loads(Path(sys.argv[1]).read_text())
    judging = Judging(asked, _learn(asked))
    assert pytest.main([*WORDS], [judging]) == 0
    Path(sys.argv[2]).write_text(json.dumps(judging.killers))
