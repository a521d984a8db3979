"""What rules and their thin scripts share: errors that go to the rule's log, and the modules that a script uses."""

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
"""Errors of the disk and of permissions, which the user can mend."""
SCRIPTS = Path(__file__).resolve().parents[1]
_IMPORT = re.compile(r"^[ ]*from ((?:bgrating|study)[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)


@contextmanager
def reporting(log: str) -> Iterator[None]:
    """End the script with one clear sentence where the user can mend the error; write every error to the rule's log."""
    try:
        yield
    except Exception as problem:
        sentence = _sentence(problem)
        path = Path(log)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as text:
            traceback.print_exc(file=text)
            if sentence:
                print(f"error: {sentence}", file=text)  # the last word, which is all that a user is shown of the log
        if not sentence:
            raise
        raise SystemExit(1) from None


def _sentence(problem: Exception) -> str:
    """Return what the user is told of an error; empty for one that is ours to mend."""
    if isinstance(problem, OSError) and problem.errno in DISK:
        return f"{problem}: mend that, then run again; what is whole is kept"
    return str(problem) if isinstance(problem, BgratingError) else ""


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
