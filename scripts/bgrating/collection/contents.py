"""Read the bytes of a collection's files, guarded against everything a file may be."""

import os
import stat
import zipfile
import zlib

from bgrating import BgratingError
from bgrating.collection.listing import Found
from bgrating.matchtext.decode import MAX_BYTES


class UnreadableError(BgratingError):
    """A file cannot be read; the message says why, in one line."""


class Reader:
    """Reads files; keeps the archive open that was read last, since its members follow one another."""

    def __init__(self) -> None:
        self._archive: zipfile.ZipFile | None = None

    def read(self, found: Found) -> bytes:
        """Return a file's bytes. Raises UnreadableError: special, huge, unreadable, or changing while it is read."""
        if found.problem:
            raise UnreadableError(found.problem)
        try:
            return _file(found) if found.member is None else self._member(found, found.member)
        except OSError as problem:
            raise UnreadableError(f"cannot be read: {problem.strerror or problem}") from problem

    def close(self) -> None:
        """Close the archive that is open."""
        if self._archive is not None:
            self._archive.close()
        self._archive = None

    def _member(self, found: Found, number: int) -> bytes:
        try:
            if self._archive is None or self._archive.filename != found.path:
                self.close()
                self._archive = zipfile.ZipFile(found.path)
            info = self._archive.infolist()[number]
            _bounded(info.file_size)
            with self._archive.open(info) as data:
                content = data.read(MAX_BYTES + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, NotImplementedError, IndexError) as problem:
            raise UnreadableError(f"cannot be unpacked: {problem}") from problem
        _bounded(len(content))
        return content


def _file(found: Found) -> bytes:
    # O_NONBLOCK: what was a file when it was listed may be a pipe by now, and must not be waited for.
    handle = os.open(found.path, os.O_RDONLY | os.O_NONBLOCK | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableError("not a regular file")
        _bounded(before.st_size)
        data = file.read(MAX_BYTES + 1)
        after = os.fstat(handle)
    if (len(data), before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or found.stamp != _stamp(after):
        raise UnreadableError("changed while it was read: run again when it is finished")
    return data


def _stamp(about: os.stat_result) -> tuple[int, ...]:
    return (about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def _bounded(size: int) -> None:
    if size > MAX_BYTES:
        raise UnreadableError(f"too large for a match: {size:,} bytes, more than {MAX_BYTES:,}")
