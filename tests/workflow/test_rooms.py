"""The layout: rooms import one another in one direction only, so each can be read without those above it."""

import ast
import re
from collections import defaultdict
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest


def imported(path: Path, package: Path) -> set[str]:
    """Return the rooms (folders of the package, or its single modules) that a file imports."""
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "bgrating":
            names = [f"{node.module}.{alias.name}".split(".")[1] for alias in node.names]
            rooms |= {name for name in names if (package / name).is_dir() or (package / f"{name}.py").is_file()}
    return rooms


def between(package: Path) -> dict[str, set[str]]:
    """Return what each room imports of others."""
    arrows: dict[str, set[str]] = defaultdict(set)
    for path in package.rglob("*.py"):
        room = path.relative_to(package).parts[0].removesuffix(".py")
        if room != "__init__":
            arrows[room] |= imported(path, package) - {room}
    return arrows


def test_subjects_import_those_named_before_them(project: Path) -> None:
    package = project / "scripts" / "bgrating"
    table = (
        (project / "CONTRIBUTING.md").read_text(encoding="utf-8").split("| folder | subject |\n")[1].split("\n\n")[0]
    )
    subjects = [name for line in table.splitlines() for name in re.findall(r"`(\w+)/`", line.split("|")[1])]
    folders = {path.name for path in package.iterdir() if (path / "__init__.py").is_file()}
    assert sorted(subjects) == sorted(folders)
    arrows = between(package)
    late = {room: (arrows[room] & folders) - set(subjects[:place]) for place, room in enumerate(subjects)}
    assert {room: names for room, names in late.items() if names} == {}


def test_rooms_import_one_way(project: Path) -> None:
    try:
        list(TopologicalSorter(between(project / "scripts" / "bgrating")).static_order())
    except CycleError as cycle:
        pytest.fail(f"rooms import each other in a circle: {' <- '.join(cycle.args[1])}")
