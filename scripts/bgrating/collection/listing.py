"""The files of a collection: folders, files and the members of zip archives; their bytes, whatever a file may be."""

import hashlib
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bgrating import BgratingError
from bgrating.matchtext.sections import MAX_BYTES
from bgrating.settings import SettingsError
from bgrating.tables.csv_safety import shown

MATCH_SUFFIXES = {".mat", ".txt", ".sgf", ".sgg", ".tmg", ".gam", ".pos", ".bgf", ".xg", ".xgp"}
MAX_MEMBERS = 200_000
"""Largest number of files in an archive that is opened."""

_NOT_FILES = {
    stat.S_IFIFO: "a named pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

Stamp = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """A file of a collection.

    `name` is its path below the collection's folder, escaped as csv_safety.shown does; `path` the real path of the file
    or of the archive that holds it; `member` its number in the archive or None. `stamp` (size, times of change) differs
    when the file has changed. `problem` says why it cannot be read, or is empty.
    """

    name: str
    path: str
    member: int | None
    stamp: Stamp
    problem: str = ""


def list_files(collection: Path, leave_out: Path) -> list[Found]:
    """Return every file of a collection in the order of their names; archives count as one file each.

    `collection` is a folder or a single file. Symbolic links are followed; a folder that is reached twice is read once
    and the link to it listed with a problem. `leave_out` is the folder that results go to. Raises SettingsError where
    there is no such collection.
    """
    if collection.is_dir():
        found = list(_Walk(leave_out).files(os.fspath(collection)))
    elif collection.exists():
        found = [_file(collection.name, os.fspath(collection))]
    else:
        raise SettingsError(f"collection={collection}: no such folder (paths start at the project's folder)")
    return sorted(found, key=lambda one: one.name)


def list_paths(paths: Sequence[Path], leave_out: Path) -> list[Found]:
    """Return every file of several folders and files as `list_files` does, named below the name of each.

    Of several that have the same name the later ones have a number before it.
    """
    if len(paths) == 1:
        return list_files(paths[0], leave_out)
    names: dict[str, Path] = {}
    for path in paths:
        number = sum(name == path.name or name.endswith(f"-{path.name}") for name in names)
        names[f"{number + 1}-{path.name}" if number else path.name] = path
    walk, found = _Walk(leave_out), list[Found]()
    for name, path in names.items():
        found += walk.files(os.fspath(path), shown(name)) if path.is_dir() else [_file(shown(name), os.fspath(path))]
    return sorted(found, key=lambda one: one.name)


def fingerprint(collection: Path, leave_out: Path) -> str:
    """Return a hash of names, sizes and times of all files: it changes when the collection does."""
    key = hashlib.sha256()
    for one in list_files(collection, leave_out):
        key.update(repr((one.name, one.stamp, one.problem)).encode("utf-8", "backslashreplace"))
    return key.hexdigest()


def with_members(found: Iterator[Found] | list[Found]) -> Iterator[Found]:
    """Replace each zip archive by its members; one that cannot be opened or is empty stays, with its problem."""
    for one in found:
        if one.problem or not one.path.lower().endswith(".zip"):
            yield one
        else:
            yield from _members(one)


class _Walk:
    """A walk through folders that enters each of them once: real folders first, then those behind links."""

    def __init__(self, leave_out: Path) -> None:
        self._seen: dict[tuple[int, int], str] = {}
        self._leave_out = os.path.realpath(leave_out)
        self._links: list[tuple[str, str]] = []

    def files(self, root: str, name: str = "") -> Iterator[Found]:
        yield from self._folder(name, root)
        while self._links:
            name, path = self._links.pop(0)
            yield from self._folder(name, path)

    def _folder(self, name: str, path: str) -> Iterator[Found]:
        waiting = [(name, path)]
        while waiting:
            name, path = waiting.pop()
            try:
                if os.path.realpath(path) == self._leave_out:
                    continue
                about = os.stat(path)  # noqa: PTH116 - names may hold any bytes, and there are many of them
                identity = (about.st_dev, about.st_ino)
                if identity in self._seen:
                    yield Found(name, path, None, (), f"a link to the folder {self._seen[identity] or '.'}, read there")
                    continue
                self._seen[identity] = name
                with os.scandir(path) as listed:
                    entries = sorted(listed, key=lambda entry: entry.name)
            except OSError as problem:
                yield Found(name or ".", path, None, (), f"this folder cannot be read: {_why(problem)}")
                continue
            for entry in entries:
                below = f"{name}/{shown(entry.name)}" if name else shown(entry.name)
                if not _is_folder(entry):
                    yield _file(below, entry.path)
                    continue
                if Path(entry.name).suffix.lower() in MATCH_SUFFIXES:
                    yield Found(below, entry.path, None, (), "a folder, not a file")
                (self._links if entry.is_symlink() else waiting).append((below, entry.path))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _file(name: str, path: str) -> Found:
    try:
        about = os.stat(path)  # noqa: PTH116 - as above
    except OSError as problem:
        if os.path.islink(path):  # noqa: PTH114 - as above
            return Found(name, path, None, (), f"a symbolic link that leads nowhere: {_why(problem)}")
        return Found(name, path, None, (), f"cannot be read: {_why(problem)}")
    kind = stat.S_IFMT(about.st_mode)
    if kind != stat.S_IFREG:
        return Found(name, path, None, (), f"{_NOT_FILES.get(kind, 'a special file')}, not a regular file")
    return Found(name, path, None, _stamp(about))


def _stamp(about: os.stat_result) -> Stamp:
    return (about.st_size, about.st_mtime_ns, about.st_ctime_ns)


def _members(archive: Found) -> Iterator[Found]:
    try:
        with zipfile.ZipFile(archive.path) as packed:
            infos = packed.infolist()
    except (OSError, zipfile.BadZipFile, ValueError, NotImplementedError) as problem:
        yield Found(archive.name, archive.path, None, archive.stamp, f"this archive cannot be opened: {problem}")
        return
    files = [(number, info) for number, info in enumerate(infos) if not info.is_dir()]
    if len(files) > MAX_MEMBERS or not files:
        problem_text = f"an archive of {len(files)} files, more than {MAX_MEMBERS}" if files else "an empty archive"
        yield Found(archive.name, archive.path, None, archive.stamp, problem_text)
        return
    names: set[str] = set()
    for number, info in files:
        name = f"{archive.name}/{shown(info.filename)}"
        if name in names:  # an archive may hold several files of the same name
            name = f"{name} (entry {number + 1})"
        names.add(name)
        nested = "an archive within an archive is not opened" if info.filename.lower().endswith(".zip") else ""
        yield Found(name, archive.path, number, (*archive.stamp, info.CRC, info.file_size), nested)


def _why(problem: OSError) -> str:
    return problem.strerror or type(problem).__name__


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
            return _bytes(found) if found.member is None else self._member(found, found.member)
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


def _bytes(found: Found) -> bytes:
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


def _bounded(size: int) -> None:
    if size > MAX_BYTES:
        raise UnreadableError(f"too large for a match: {size:,} bytes, more than {MAX_BYTES:,}")
