"""The files of a collection: folders, files and the members of zip archives; their bytes, whatever a file may be."""

import hashlib
import os
import stat
import zipfile
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass
from pathlib import Path

from bgrating import BgratingError
from bgrating.matchtext.sections import MAX_BYTES
from bgrating.tables.csv_safety import escape_controls
from bgrating.tables.provenance import END

MATCH_SUFFIXES = {".mat", ".txt", ".sgf", ".bgf", ".ogxm", ".gvab", ".xg", ".xgp", ".match", ".gmd"}
MAX_MEMBERS = 200_000
"""Largest number of files in an archive that is opened."""

MAX_DIRECTORY = 128 * MAX_MEMBERS
"""Largest directory of an archive that is read, in bytes: Python takes 0.1 ms and 400 bytes for each of its entries,
and the number of entries that an archive gives need not be true."""

_CHANGED = "changed while it was read: run again when it is finished"

Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file of a collection.

    `name` is its path below the collection's folder, controls escaped; `path` the real path of the file or of the
    archive that holds it; `member` its number in the archive or None. `stamp` (size, times of change) differs
    when the file has changed. `problem` says why it cannot be read, or is empty.
    """

    name: str
    path: str
    member: int | None
    stamp: Stamp
    problem: str = ""


def part_of(file: ListedFile, parts: int) -> int:
    """Return the part of a collection that a file belongs to by its name: the same as the collection grows."""
    return int(hashlib.sha256(file.name.encode("utf-8", "backslashreplace")).hexdigest()[:8], 16) % parts


def list_paths(paths: Sequence[Path], leave_out: Path) -> list[ListedFile]:
    """Return every file of folders and files in the order of their names; archives count as one file each.

    Files of several folders are named below the name of each. Of several that have the same name the later ones have a
    number before it. Symbolic links are followed; a folder that is reached twice is read once and the link to it listed
    with a problem. `leave_out` is the folder that results go to.
    """
    names: dict[str, Path] = {}
    for path in paths:
        number = sum(name == path.name or name.endswith(f"-{path.name}") for name in names)
        names[f"{number + 1}-{path.name}" if number else path.name] = path
    folders, files = list[tuple[str, str]](), list[ListedFile]()
    for name, path in names.items():
        if path.is_dir():
            folders.append((escape_controls(name) if len(paths) > 1 else "", os.fspath(path)))
        else:
            files.append(_file(escape_controls(name), os.fspath(path)))
    return sorted([*files, *_walk(folders, leave_out)], key=lambda file: file.name)


def with_members(files: Iterator[ListedFile] | list[ListedFile]) -> Iterator[ListedFile]:
    """Replace each zip archive by its members; one that cannot be opened or is empty stays, with its problem."""
    for file in files:
        if file.problem or not file.path.lower().endswith(".zip"):
            yield file
        else:
            yield from _members(file)


def _walk(folders: list[tuple[str, str]], leave_out: Path) -> Iterator[ListedFile]:
    """Yield the files of folders (name, path), each entered once: real folders first, then those behind links."""
    left_out, seen = os.path.realpath(leave_out), dict[tuple[int, int], str]()
    waiting, links = folders[::-1], list[tuple[str, str]]()  # the first is the last of a stack
    while waiting or links:
        name, path = waiting.pop() if waiting else links.pop(0)
        try:
            if os.path.realpath(path) == left_out:
                continue
            about = os.stat(path)  # noqa: PTH116 - names may hold any bytes, and there are many of them
            identity = (about.st_dev, about.st_ino)
            if identity in seen:
                problem = f"a link to the folder {seen[identity] or '.'}, read there"
                yield ListedFile(name, path, None, (), problem)
                continue
            seen[identity] = name
            with os.scandir(path) as listed:
                entries = sorted(listed, key=lambda entry: entry.name)
        except OSError as error:
            yield ListedFile(name or ".", path, None, (), f"this folder cannot be read: {_why(error)}")
            continue
        names = {entry.name for entry in entries}
        for entry in entries:
            if _is_ours(entry.name, names):
                continue
            below = f"{name}/{escape_controls(entry.name)}" if name else escape_controls(entry.name)
            if not _is_folder(entry):
                yield _file(below, entry.path)
                continue
            if Path(entry.name).suffix.lower() in MATCH_SUFFIXES:
                yield ListedFile(below, entry.path, None, (), "a folder, not a file")
            (links if entry.is_symlink() else waiting).append((below, entry.path))


def _is_ours(name: str, beside: Set[str]) -> bool:
    """Tell whether a file is a table of `tournament` or `decide`, or a provenance: they lie beside the archives."""
    return name.endswith(END) or (name.endswith(".csv") and f"{name}{END}" in beside)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _file(name: str, path: str) -> ListedFile:
    try:
        about = os.stat(path)  # noqa: PTH116 - as above
    except OSError as problem:
        if os.path.islink(path):  # noqa: PTH114 - as above
            return ListedFile(name, path, None, (), f"a symbolic link that leads nowhere: {_why(problem)}")
        return ListedFile(name, path, None, (), f"cannot be read: {_why(problem)}")
    if not stat.S_ISREG(about.st_mode):
        return ListedFile(name, path, None, (), "not a regular file")
    return ListedFile(name, path, None, _stamp(about))


def _stamp(about: os.stat_result) -> Stamp:
    return (about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def _members(archive: ListedFile) -> Iterator[ListedFile]:
    try:
        infos = _directory(archive)
    except Exception as problem:  # the one barrier round an archive
        text = f"this archive cannot be opened: {_text(problem)}"
        yield ListedFile(archive.name, archive.path, None, archive.stamp, text)
        return
    # What is named like a folder and holds bytes is a file.
    files = [(n, info) for n, info in enumerate(infos) if info.file_size or not info.filename.endswith("/")]
    if not files:
        yield ListedFile(archive.name, archive.path, None, archive.stamp, "an empty archive")
        return
    names: set[str] = set()
    for number, info in files:
        member = name = escape_controls(info.filename) or f"(entry {number + 1})"
        while name in names:  # an archive may hold several files of the same name
            stem, suffix = os.path.splitext(name)  # noqa: PTH122 - the name of a member is no path
            name = f"{stem} (entry {number + 1}){suffix}"
        names.add(name)
        nested = "an archive within an archive is not opened" if member.lower().endswith(".zip") else ""
        yield ListedFile(
            f"{archive.name}/{name}", archive.path, number, (*archive.stamp, info.CRC, info.file_size), nested
        )


def _directory(archive: ListedFile) -> list[zipfile.ZipInfo]:
    """Return what an archive says of its members. Raises what reading it raises, and UnreadableError."""
    with Path(archive.path).open("rb") as file:
        end = zipfile._EndRecData(file)  # type: ignore[attr-defined] # nothing public tells the size beforehand
        if end is None:
            raise UnreadableError("it has no directory: cut off, or no zip archive")
        members, size = end[zipfile._ECD_ENTRIES_TOTAL], end[zipfile._ECD_SIZE]  # type: ignore[attr-defined]
        if members > MAX_MEMBERS:
            raise UnreadableError(f"it holds {members:,} files, more than {MAX_MEMBERS:,}")
        if size > MAX_DIRECTORY:
            raise UnreadableError(f"it has a directory of {size:,} bytes, more than {MAX_DIRECTORY:,}")
        with zipfile.ZipFile(file) as packed:
            infos = packed.infolist()
    if (len(infos) - members) % 65536:  # writers that do not know zip64 count so far
        raise UnreadableError(f"its directory gives {members} files and lists {len(infos)}")
    if sum(info.compress_size for info in infos) > archive.stamp[0]:
        raise UnreadableError("its members overlap")
    return infos


def _text(problem: Exception) -> str:
    known = isinstance(problem, UnreadableError | zipfile.BadZipFile | OSError)
    return str(problem) if known and str(problem) else f"{type(problem).__name__}: {problem}"


def _why(problem: OSError) -> str:
    return problem.strerror or type(problem).__name__


class UnreadableError(BgratingError):
    """A file cannot be read; the message says why, in one line."""


class Reader:
    """Reads files; keeps the archive open that was read last, since its members follow one another."""

    def __init__(self) -> None:
        self._archive: zipfile.ZipFile | None = None

    def read(self, file: ListedFile) -> bytes:
        """Return a file's bytes. Raises UnreadableError: special, huge, unreadable, or changing while it is read."""
        if file.problem:
            raise UnreadableError(file.problem)
        try:
            return _bytes(file) if file.member is None else self._member(file, file.member)
        except UnreadableError:
            raise
        except OSError as problem:
            raise UnreadableError(f"cannot be read: {problem.strerror or problem}") from problem
        except Exception as problem:  # what a broken member raises depends on how it is packed
            raise UnreadableError(f"cannot be unpacked: {_text(problem)}") from problem

    def close(self) -> None:
        if self._archive is not None:
            self._archive.close()
        self._archive = None

    def _member(self, file: ListedFile, number: int) -> bytes:
        if self._archive is None or self._archive.filename != file.path:
            self.close()
            archive = zipfile.ZipFile(file.path)
            if _stamp(os.fstat(archive.fp.fileno())) != file.stamp[:3]:  # type: ignore[union-attr] # it is open
                archive.close()
                raise UnreadableError(_CHANGED)
            self._archive = archive
        info = self._archive.infolist()[number]
        _bounded(info.file_size)
        # The module zipfile expands other methods (bzip2, LZMA) without a bound.
        if info.compress_type not in {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}:
            raise zipfile.BadZipFile(f"packed by a rare method ({info.compress_type}): pack the archive by deflate")
        with self._archive.open(info) as data:
            content = data.read(MAX_BYTES + 1)
        _bounded(len(content))
        return content


def _bytes(listed: ListedFile) -> bytes:
    # O_NONBLOCK: what was a file when it was listed may be a pipe by now, and must not be waited for.
    handle = os.open(listed.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise UnreadableError("not a regular file")
        _bounded(before.st_size)
        data = file.read(MAX_BYTES + 1)
        if data is None:  # as from some files of /proc, which would have to be waited for
            raise UnreadableError("it gives no bytes: not a regular file")
        after = os.fstat(handle)
    if (len(data), before.st_mtime_ns) != (after.st_size, after.st_mtime_ns) or listed.stamp != _stamp(after):
        raise UnreadableError(_CHANGED)
    return data


def _bounded(size: int) -> None:
    if size > MAX_BYTES:
        raise UnreadableError(f"too large for a match: {size:,} bytes, more than {MAX_BYTES:,}")
