"""The dependencies: groups in pyproject.toml, versions with hashes in requirements.lock."""

import re
import tomllib
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOCK = ROOT / "requirements.lock"
PROJECTS = {"bgrating": ROOT, "bgmatch": ROOT / "scripts" / "bgmatch"}
"""Our own packages, by the folders of their pyproject.toml."""
# Three extras and a dependency group that ./run installs, each with those before it.
PARTS = ("rate", "ratings", "serve", "study")


def requirements(*groups: str, project: str = "bgrating") -> list[str]:
    """Return the direct dependencies of extras and dependency groups, as written in a project's
    pyproject.toml.

    In place of our own packages stand their dependencies.
    """
    content = tomllib.loads((PROJECTS[project] / "pyproject.toml").read_text(encoding="utf-8"))
    extras = content["project"]["optional-dependencies"]
    lines = list(content["project"]["dependencies"]) if {*groups} & {*extras} else []
    for group in groups:
        lines += (extras | content.get("dependency-groups", {}))[group]
    external: list[str] = []
    for line in lines:
        name = name_of(line)
        extras_of_ours = re.findall(r"\w+", line.removeprefix(name))
        external += requirements(*extras_of_ours, project=name) if name in PROJECTS else [line]
    return list(dict.fromkeys(external))


def name_of(requirement: str) -> str:
    """Return the name of the package in a requirement or a pin."""
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def pins(names: Iterable[str]) -> dict[str, str]:
    """Return the pins of these packages and of all their dependencies, by name, each with its
    hashes.

    The lock's comments name the packages that depend on each.
    """
    lines = re.findall(r"^\S.*\n(?: .*\n)*", LOCK.read_text(encoding="utf-8"), re.MULTILINE)
    pinned = {name_of(pin): pin for pin in lines}
    parents = {
        name: {*re.findall(r"^ +#(?: via)? +([\w.-]+)$", pin, re.MULTILINE)}
        for name, pin in pinned.items()
    }
    needed = set[str]()
    added = set(names)
    while added:
        needed |= added
        added = {name for name in pinned if needed & parents[name]} - needed
    return {name: pin for name, pin in pinned.items() if name in needed}
