"""List the files of a collection (folders, files, members of zip archives) and read their bytes
safely.
"""

import os
import re
import stat
import sys
import zipfile
from collections import deque
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path

from bgmatch.sections import MAX_BYTES
from bgrating import BgratingError
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.provenance import END
from bgrating.tables.regular import regular

MATCH_SUFFIXES = {".mat", ".txt", ".sgf", ".bgf", ".ogxm", ".gvab", ".xg", ".xgp", ".match", ".gmd"}
_LITTER = {"__MACOSX", ".DS_Store", "Thumbs.db", "desktop.ini"}
MAX_MEMBERS = 200_000
"""Largest number of files in an archive that is read."""

MAX_DIRECTORY = 128 * MAX_MEMBERS
"""Largest directory of an archive that is read, in bytes. An archive may give a false number of
entries, and each entry costs Python 400 bytes."""

_CHANGED = "changed while it was read: run again when it is finished"

Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a collection.

    `name` is its path below the collection's folder, with controls escaped. `path` is the real path
    of the file or of its archive, and `member` its number in the archive or None. `stamp` (size,
    times of change) differs when the file has changed. `problem` is the reason why the file cannot
    be read, or empty.
    """

    name: str
    path: str
    member: int | None = None
    stamp: Stamp = ()
    problem: str = ""


def list_paths(paths: Sequence[Path], leave_out: Path) -> list[ListedFile]:
    """Return every file of folders and files in the order of their names.

    Archives count as one file each.

    If there are several paths, names begin with the folder's name; a repeated folder name gets a
    number in front. Symbolic links are followed. A folder that two paths reach is read once; the
    link to it is listed with a problem. `leave_out` is the folder of results.
    """
    names: dict[str, Path] = {}
    for path in paths:
        number = sum(name == path.name or name.endswith(f"-{path.name}") for name in names)
        names[f"{number + 1}-{path.name}" if number else path.name] = path
    folders = []
    files = []
    for name, path in names.items():
        safe_name = escape_controls(name)
        if path.is_dir():
            folders.append((safe_name if len(paths) > 1 else "", os.fspath(path)))
        else:
            files.append(_file(safe_name, os.fspath(path)))
    return sorted([*files, *_walk(folders, leave_out)], key=lambda file: file.name)


def with_members(files: Iterable[ListedFile]) -> Iterator[ListedFile]:
    """Replace each zip archive by its members.

    An unreadable or empty archive stays, with its problem.
    """
    for file in files:
        if file.problem or not file.path.lower().endswith(".zip"):
            yield file
        else:
            yield from _members(file)


def _walk(folders: Iterable[tuple[str, str]], leave_out: Path) -> Iterator[ListedFile]:
    """Yield the files of folders (name, path), each read once.

    Real folders come first, then targets of links.
    """
    seen: dict[tuple[int, int], str] = {}
    excluded = _identity(leave_out) if leave_out.exists() else None
    waiting = deque(folders)
    while waiting:
        name, path = waiting.popleft()
        try:
            identity = _identity(path)
            if identity == excluded:
                continue
            if identity in seen:
                problem = f"a link to the folder {seen[identity] or '.'}, read there"
                yield ListedFile(name, path, problem=problem)
                continue
            seen[identity] = name
            with os.scandir(path) as scanned:
                entries = sorted(scanned, key=lambda entry: entry.name)
        except OSError as error:
            problem = f"this folder cannot be read: {_why(error)}"
            yield ListedFile(name or ".", path, problem=problem)
            continue
        names = {entry.name for entry in entries}
        for entry in entries:
            if _is_table(entry.name, names) or _is_litter(entry.name):
                continue
            below = f"{name}/{escape_controls(entry.name)}".removeprefix("/")
            if not _is_folder(entry):
                yield _file(below, entry.path)
                continue
            if entry.is_symlink():
                waiting.append((below, entry.path))
            else:
                waiting.appendleft((below, entry.path))


def _identity(path: str | Path) -> tuple[int, int]:
    status = os.stat(path)  # noqa: PTH116 - names may hold any bytes, and there are many of them
    return status.st_dev, status.st_ino


def _is_litter(name: str) -> bool:
    """Return whether macOS or Windows wrote a file or folder beside the user's."""
    return name in _LITTER or name.startswith("._")


def _is_table(name: str, beside: Set[str]) -> bool:
    """Return whether a file is a table or a provenance, which `tournament` and `decide` write
    beside archives.
    """
    return name.endswith(END) or (name.endswith(".csv") and f"{name}{END}" in beside)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _file(name: str, path: str) -> ListedFile:
    try:
        status = os.stat(path)  # noqa: PTH116 - as above
    except OSError as problem:
        if os.path.islink(path):  # noqa: PTH114 - as above
            return ListedFile(
                name, path, problem=f"a symbolic link that leads nowhere: {_why(problem)}"
            )
        return ListedFile(name, path, problem=f"cannot be read: {_why(problem)}")
    if not stat.S_ISREG(status.st_mode):
        return ListedFile(name, path, problem="not a regular file")
    return ListedFile(name, path, stamp=_stamp(status))


def _stamp(status: os.stat_result) -> Stamp:
    return (status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def _members(archive: ListedFile) -> Iterator[ListedFile]:
    try:
        infos = _directory(archive)
    except Exception as problem:  # a broken archive raises any exception
        yield replace(archive, problem=f"this archive cannot be opened: {_text(problem)}")
        return
    names: set[str] = set()
    for number, info in enumerate(infos):
        # A member with the name of a folder is a file if it has bytes.
        is_folder = info.filename.endswith("/") and not info.file_size
        if is_folder or any(map(_is_litter, re.split(r"[\\/]", info.filename))):
            continue
        name = escape_controls(info.filename) or f"(entry {number + 1})"
        nested = ""
        if name.lower().endswith(".zip"):
            nested = "an archive within an archive is not opened"
        while name in names:  # an archive may hold several files of the same name
            stem, suffix = os.path.splitext(name)  # noqa: PTH122 - the name of a member is no path
            name = f"{stem} (entry {number + 1}){suffix}"
        names.add(name)
        stamp = (*archive.stamp, info.CRC, info.file_size)
        yield ListedFile(f"{archive.name}/{name}", archive.path, number, stamp, nested)
    if not names:
        yield replace(archive, problem="an empty archive")


def _directory(archive: ListedFile) -> list[zipfile.ZipInfo]:
    """Return what an archive says of its members, if it is plausible.

    Raises UnreadableError, and any exception for a broken archive.
    """
    with Path(archive.path).open("rb") as file:
        # Nothing public gives the size beforehand.
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined]
        if end is None:
            raise UnreadableError("it has no directory: cut off, or no zip archive")
        members = end[zipfile._ECD_ENTRIES_TOTAL]  # type: ignore[attr-defined]
        size = end[zipfile._ECD_SIZE]  # type: ignore[attr-defined]
        if members > MAX_MEMBERS:
            raise UnreadableError(f"it holds {members:,} files, more than {MAX_MEMBERS:,}")
        if size > MAX_DIRECTORY:
            raise UnreadableError(
                f"it has a directory of {size:,} bytes, more than {MAX_DIRECTORY:,}"
            )
        with zipfile.ZipFile(file) as packed:
            infos = packed.infolist()
    if (len(infos) - members) % 65536:  # programs without zip64 count modulo 65536
        raise UnreadableError(f"its directory gives {members} files and lists {len(infos)}")
    if sum(info.compress_size for info in infos) > archive.stamp[0]:
        raise UnreadableError("its members overlap")
    return infos


def _text(problem: Exception) -> str:
    is_plain = isinstance(problem, UnreadableError | zipfile.BadZipFile | OSError)
    return str(problem) if is_plain and str(problem) else f"{type(problem).__name__}: {problem}"


def _why(problem: OSError) -> str:
    return problem.strerror or type(problem).__name__


class UnreadableError(BgratingError):
    """A file cannot be read; the message gives the reason in one line."""


class Reader:
    """Reads files; keeps the last archive open, since its members follow one another."""

    def __init__(self) -> None:
        self._archive: zipfile.ZipFile | None = None

    def read(self, file: ListedFile) -> bytes:
        """Return a file's bytes.

        Raises UnreadableError if it is special, huge, unreadable, or changes meanwhile.
        """
        if file.problem:
            raise UnreadableError(file.problem)
        try:
            return _bytes(file) if file.member is None else self._member(file, file.member)
        except UnreadableError:
            raise
        except OSError as problem:
            raise UnreadableError(f"cannot be read: {problem.strerror or problem}") from problem
        except Exception as problem:  # a broken member raises any exception
            raise UnreadableError(f"cannot be unpacked: {_text(problem)}") from problem

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._archive = None

    def _member(self, file: ListedFile, number: int) -> bytes:
        if self._archive is None or self._archive.filename != file.path:
            self.close()
            archive = zipfile.ZipFile(file.path)
            status = os.fstat(archive.fp.fileno())  # type: ignore[union-attr] # it is open
            if _stamp(status) != file.stamp[:3]:
                archive.close()
                raise UnreadableError(_CHANGED)
            self._archive = archive
        info = self._archive.infolist()[number]
        _bounded(info.file_size)
        # The module zipfile expands other methods (bzip2, LZMA) without a bound.
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise zipfile.BadZipFile(
                f"packed by a rare method ({info.compress_type}): pack the archive by deflate"
            )
        with self._archive.open(info) as member:
            data = member.read(MAX_BYTES + 1)
        _bounded(len(data))
        return data


def _bytes(listed_file: ListedFile) -> bytes:
    # Since it was listed, a pipe may have replaced the file.
    with regular(Path(listed_file.path), sys.maxsize, through_links=True) as file:
        before = os.fstat(file.fileno())
        _bounded(before.st_size)
        data = file.read(MAX_BYTES + 1)
        if data is None:  # as from some files of /proc that would make a reader wait
            raise UnreadableError("it gives no bytes: not a regular file")
        after = os.fstat(file.fileno())
    is_whole = (len(data), before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    if not is_whole or listed_file.stamp != _stamp(after):
        raise UnreadableError(_CHANGED)
    return data


def _bounded(size: int) -> None:
    if size > MAX_BYTES:
        raise UnreadableError(f"too large for a match: {size:,} bytes, more than {MAX_BYTES:,}")
