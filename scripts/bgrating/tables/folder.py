"""A folder of results: its name, and whether it is ours to write in. Nothing that others made is changed."""

import re
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bgrating.settings import SettingsError

_PATIENCE = 600.0
"""Seconds to wait for another command that writes the same tables."""


def name_of(path: Path, default: str) -> str:
    """Return a name for the results from that of a path: letters, digits, dash and underscore."""
    return re.sub(r"[^A-Za-z0-9_-]+", "-", path.stem).strip("-") or default


def check_name(name: str) -> None:
    """Raise SettingsError for a name that is none for results: it must not lead to another folder."""
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.-]*", name):
        raise SettingsError(f"name {name!r}: a name of results has letters, digits, dot, dash and underscore only")


def check_folder(folder: Path, provenance: str, written: Iterable[str], older: Iterable[str]) -> None:
    """Check that results can be written to a folder, and that what is in it is ours, before anything is touched.

    `provenance` is the file by which this version's folders are known, `older` those by which folders of older versions
    are known, `written` the files that it writes. Raises SettingsError.
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
    for name in written:
        if (folder / name).exists():
            raise SettingsError(f"{folder} holds a {name} that this program did not make; {remedy}")


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold a folder of results alone, while its tables or pages are written: another command waits its turn.

    Ends with this process, however that ends. Where the file system has no locks, nobody waits. Raises SettingsError
    where the other one does not end.
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
        return isinstance(problem, BlockingIOError | PermissionError)  # anything else: there are no locks here
    except ImportError:
        return False  # nor are there on a system without either module
    return False
