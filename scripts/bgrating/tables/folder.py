"""A folder of results: its name, and whether it is ours to write in. Nothing that others made is changed."""

import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
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

    Ends with this process, however that ends. Where the file system has no locks, nobody waits.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = sqlite3.connect(folder / ".lock", timeout=_PATIENCE, isolation_level=None)
    try:
        with suppress(sqlite3.Error):
            lock.execute("BEGIN EXCLUSIVE")
        yield
    finally:
        lock.close()
