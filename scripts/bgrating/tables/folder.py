"""A folder of results: its name, and the check that it is ours. Files of others are never changed."""

import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bgrating.settings import SettingsError

PAGE_MARK = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src"
"""The content policy at the head of every page of ours (report/base.html.j2), also of older versions."""
PICTURE_MARK = '<metadata generator="bgrating"/>'  # the head of every picture of a player (pages/card.py)
_PATIENCE = 600.0  # seconds to wait for another command that writes the same tables


def name_of(path: Path, default: str) -> str:
    """Return a name for results from the name of a path: letters, digits, dash and underscore."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-") or default


def check_name(name: str) -> None:
    """Raise SettingsError for a name of results that might lead to another folder."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise SettingsError(f"name {name!r}: a name of results has letters, digits, dot, dash and underscore only")


def check_folder(folder: Path, provenance: str, older: Iterable[str], working: str = "") -> None:
    """Check before a run that a folder is writable and that its content is ours. Raises SettingsError.

    `provenance` is the file that marks folders of this version, `older` are the marks of older versions. A folder
    without a mark may contain only `working`, the file of a run before its first table.
    """
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    try:
        with tempfile.TemporaryFile(dir=nearest):
            pass
    except OSError as problem:
        raise SettingsError(
            f"results cannot be written to {nearest} ({problem.strerror}): choose another folder, --results DIR"
        ) from None
    if (folder / provenance).exists():
        return
    remedy = "it is left as it is: choose another --name, or move the folder"
    for old in older:
        if (folder / old).exists():
            raise SettingsError(f"{folder} holds the results of an older version (its {old}); {remedy}")
    for path in sorted(folder.glob("[!.]*")):
        if path.name != working:
            raise SettingsError(f"{folder} holds a {path.name} that this program did not make; {remedy}")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Lock a folder of results while its tables or pages are written; other commands wait.

    The lock ends with this process. On a file system without locks nobody waits. Raises SettingsError if the other
    command does not end.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / ".lock").open("ab") as lock:
        until = time.monotonic() + _PATIENCE
        while _is_taken(lock.fileno()):
            if time.monotonic() > until:
                raise SettingsError(
                    f"another command has been writing to {folder} for {_PATIENCE:.0f} s: end it, or choose another "
                    "--name"
                )
            time.sleep(0.1)
        yield


def _is_taken(handle: int) -> bool:
    """Lock an open file, unless another process has locked it."""
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as problem:
        return isinstance(problem, BlockingIOError | PermissionError)  # any other error: this file system has no locks
    except ImportError:
        return False  # a system without both modules has no locks either
    return False
