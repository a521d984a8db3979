"""For rules and their scripts: errors go to the rule's log; the modules that a script imports."""

import errno
import os
import re
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from bgrating import BgratingError

DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}
"""Errors of the disk and of permissions, which the user can fix."""
SCRIPTS = Path(__file__).resolve().parents[1]
_IMPORT = re.compile(r"^[ ]*from ((?:bgrating|study)[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@contextmanager
def reporting(log: str) -> Iterator[None]:
    """End the script with one sentence where the user can fix the error; write every error to the rule's log."""
    try:
        yield
    except Exception as problem:
        sentence = _sentence(problem)
        path = Path(log)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as text:
            traceback.print_exc(file=text)
            if sentence:
                print(f"error: {sentence}", file=text)  # the plain bar prints only this line of the log
        if not sentence:
            raise
        raise SystemExit(1) from None


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.errno in DISK:
        return f"{problem}: fix this and run again; finished files are kept"
    return str(problem) if isinstance(problem, BgratingError) else ""


def modules(script: str) -> list[str]:
    """Return the files of our modules that a script imports, directly or not, relative to the working folder.

    `script` is a name in scripts/ without its ending.
    """
    files: set[Path] = set()
    waiting = [SCRIPTS / f"{script}.py"]
    while waiting:
        imported = _imported(waiting.pop()) - files
        files |= imported
        waiting += imported
    return sorted(os.path.relpath(path) for path in files)


@cache
def _imported(path: Path) -> set[Path]:
    """Return the files of our modules that a file imports; a parser would take a tenth of the workflow's start."""
    files = set()
    for statement in _IMPORT.finditer(path.read_text(encoding="utf-8")):
        module = SCRIPTS / statement[1].replace(".", "/")
        for file in (module, module / "__init__", *(module / name for name in re.findall(r"\w+", statement[2]))):
            if file.with_suffix(".py").is_file():
                files.add(file.with_suffix(".py"))
    return files
