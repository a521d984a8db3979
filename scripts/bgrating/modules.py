"""Which modules a script uses: a change in one of them makes its results out of date."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]


def modules(script: str, *packages: str) -> list[str]:
    """Return the files of the modules of `packages` that a script imports, directly or not, from the project's folder.

    `script` is a name in scripts/ without its ending.
    """
    found: dict[Path, None] = {}
    waiting = [SCRIPTS / f"{script}.py"]
    while waiting:
        for path in _imported(waiting.pop()):
            if path not in found:
                found[path] = None
                waiting.append(path)
    named = {package: SCRIPTS / "bgrating" / package for package in packages}
    return sorted(str(path.relative_to(SCRIPTS.parent)) for path in found if path.parent in named.values())


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    return tuple(_read(path))


def _read(path: Path) -> Iterator[Path]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                file = SCRIPTS / f"{name.replace('.', '/')}.py"
                if file.is_file():
                    yield file
