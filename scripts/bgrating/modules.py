"""Which modules a script uses: a change in one of them makes its results out of date."""

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).resolve().parents[1]
_IMPORT = re.compile(r"^[ ]*from (bgrating[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


def modules(script: str) -> list[str]:
    """Return the files of our modules that a script imports, directly or not, as paths from where the workflow runs.

    `script` is a name in scripts/ without its ending.
    """
    found: dict[Path, None] = {}
    waiting = [SCRIPTS / f"{script}.py"]
    while waiting:
        for path in _imported(waiting.pop()):
            if path not in found:
                found[path] = None
                waiting.append(path)
    return sorted(os.path.relpath(path) for path in found)


@cache
def _imported(path: Path) -> tuple[Path, ...]:
    return tuple(_read(path))


def _read(path: Path) -> Iterator[Path]:
    """Yield the files of our modules that a file imports; a parser would take a tenth of the workflow's start."""
    for statement in _IMPORT.finditer(path.read_text(encoding="utf-8")):
        module = SCRIPTS / statement[1].replace(".", "/")
        for file in (module, module / "__init__", *(module / name for name in re.findall(r"\w+", statement[2]))):
            if file.with_suffix(".py").is_file():
                yield file.with_suffix(".py")
