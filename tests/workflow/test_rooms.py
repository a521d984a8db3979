"""The layout: packages, and the rooms in each, import one another in one direction only.

So each can be read without those above it.
"""

import ast
import sys
from collections import defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

BELOW = {
    "bgmatch": set(),
    "bgrating": {"bgmatch"},
    "bgduel": {"bgmatch", "bgrating"},
    "bgleague": {"bgmatch", "bgrating"},
    "study": {"bgmatch", "bgrating", "bgduel", "bgleague"},
}
"""The packages that each may import."""
LIBRARIES = {"gvformat": {"formats/bgf.py"}, "xgdatatools": {"formats/xg_file.py"}}
"""Libraries of the extras of bgmatch, and the modules that may import them."""


def names_imported(path: Path) -> Iterator[str]:
    """Yield the full name of everything that a file imports: `from a.b import c` is a.b.c."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def modules_of(package: Path) -> list[Path]:
    """Return the modules of a package; `pip install` of a folder leaves copies in `build`."""
    return [
        path
        for path in sorted(package.rglob("*.py"))
        if "build" not in path.relative_to(package).parts
    ]


def roots(path: Path) -> set[str]:
    return {name.split(".")[0] for name in names_imported(path)}


def imported(path: Path, package: Path) -> set[str]:
    """Return the rooms (folders of the package, or its single modules) that a file imports."""
    parts = [name.split(".") for name in names_imported(path)]
    names = {name[1] for name in parts if name[0] == package.name and len(name) > 1}
    return {
        name for name in names if (package / name).is_dir() or (package / f"{name}.py").is_file()
    }


def between(package: Path) -> dict[str, set[str]]:
    arrows: dict[str, set[str]] = defaultdict(set)
    for path in modules_of(package):
        room = path.relative_to(package).parts[0].removesuffix(".py")
        if room != "__init__":
            arrows[room] |= imported(path, package) - {room}
    return arrows


@pytest.mark.parametrize("name", BELOW)
def test_a_package_imports_only_those_below_it(project: Path, name: str) -> None:
    files = modules_of(project / "scripts" / name)
    assert len(files) > 10
    for path in files:
        assert roots(path) & {*BELOW} <= BELOW[name] | {name}, path


def test_the_reader_needs_the_standard_library_alone(project: Path) -> None:
    package = project / "scripts" / "bgmatch"
    for path in modules_of(package):
        module = path.relative_to(package).as_posix()
        libraries = {name for name, modules in LIBRARIES.items() if module in modules}
        assert roots(path) - sys.stdlib_module_names <= {"bgmatch"} | libraries, path


@pytest.mark.parametrize("name", BELOW)
def test_rooms_import_one_way(project: Path, name: str) -> None:
    try:
        list(TopologicalSorter(between(project / "scripts" / name)).static_order())
    except CycleError as cycle:
        pytest.fail(f"rooms import each other in a circle: {' <- '.join(cycle.args[1])}")


def test_no_modules_import_each_other_in_a_circle(project: Path) -> None:
    scripts = project / "scripts"
    paths = [
        path for package in scripts.iterdir() if package.is_dir() for path in modules_of(package)
    ]
    modules = {".".join(path.relative_to(scripts).with_suffix("").parts): path for path in paths}
    modules = {name.removesuffix(".__init__"): path for name, path in modules.items()}

    def module_of(name: str) -> str:
        while name and name not in modules:
            name = name.rpartition(".")[0]
        return name

    arrows = {
        name: {module_of(one) for one in names_imported(path)} - {name}
        for name, path in modules.items()
    }
    try:
        # A package's own file is run before its modules, and may name them.
        order = {name: found - {"", *BELOW} for name, found in arrows.items()}
        assert len(list(TopologicalSorter(order).static_order())) > 150
    except CycleError as cycle:
        pytest.fail(f"modules import each other in a circle: {' <- '.join(cycle.args[1])}")
