"""The queue of the page on this computer: `rate` and `ratings`, each a process of its own.

Match files and clubs' lists wait in queues of their own, so a list never waits behind an analysis. A process can be
stopped or killed without harm to the server, and the server's memory stays small. All that outlives the server is in
the folder of results: files that were dropped in `uploads`, tables and pages as the commands write them.
"""

import asyncio
import csv
import itertools
import json
import re
import shutil
import signal
import sys
import tempfile
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from bgrating.analysis.statuses import REJECTED
from bgrating.files.listing import MATCH_SUFFIXES
from bgrating.settings import SettingsError
from bgrating.tables.folder import check_name, name_of
from bgrating.tables.provenance import PART, atomic_path

Json = dict[str, Any]

LEVELS = ("0-ply", "1-ply", "2-ply")
LISTS = {".csv", ".xlsx", ".tsv"}
"""Suffixes of clubs' lists of results: each is a collection of its own."""
SUFFIXES = {*MATCH_SUFFIXES, *LISTS, ".zip"}
SUGGESTIONS = "alias_suggestions.csv"
KEPT_LINE = 4 * 2**20
"""Bytes of a command's line that are kept: an answer names every player."""
LONGEST_NAME = 100
PATIENCE = 20.0
"""Seconds that a process has to end after it was asked to."""
_LETTERS = re.compile(r"[^\w-]+")
_PAGES = {".html", ".csv", ".json", ".svg", ".png", ".parquet", ".sqlite"}


@dataclass
class Collection:
    """Files that are rated together: `watched` is a folder of the user's, else they are in `uploads`.

    `state`: waiting, running, rated, stopped, failed, or empty (a watched folder without match files). `told` is the
    answer, or the reason. `busy`: a process is at work; `stopped`: it was asked to end; `again`: rate once more then.
    """

    name: str
    is_list: bool = False
    watched: Path | None = None
    level: str = LEVELS[0]
    state: str = "waiting"
    told: str = ""
    progress: Json = field(default_factory=dict)
    busy: bool = False
    stopped: bool = False
    again: bool = False
    process: asyncio.subprocess.Process | None = None


@dataclass
class Group:
    """Dropped files of one collection: stem, suffix and content of each."""

    name: str
    is_list: bool
    files: list[tuple[str, str, IO[bytes]]]


class Queue:
    """Collections by name, the newest last. `version` changes whenever there is news."""

    def __init__(
        self, results: Path, watched: Path | None, command: Sequence[str] = (sys.executable, "-m", "bgrating")
    ) -> None:
        self.results, self.uploads, self._command = results, results / "uploads", command
        self.collections: dict[str, Collection] = {}
        self._waiting: dict[bool, asyncio.Queue[str]] = {False: asyncio.Queue(), True: asyncio.Queue()}
        self.version = 0
        for folder in sorted(self.uploads.glob("*"), key=lambda path: path.lstat().st_mtime):
            if folder.is_dir():
                self._take_up(folder)
        if watched:
            name = name_of(watched, "watched")[:LONGEST_NAME]
            self.collections.pop(name, None)
            self.add(Collection(name, watched=watched.resolve()))

    def _take_up(self, folder: Path) -> None:
        """Know a collection of an earlier server, and rate it where that one did not get to it."""
        for rest in folder.glob(".*.part"):  # of an upload that a kill ended
            if PART.fullmatch(rest.name):
                rest.unlink()
        files = _visible(folder)
        has_list = any(path.suffix.lower() in LISTS for path in files)
        is_list = has_list and not (self.results / "human" / folder.name).exists()
        known = Collection(folder.name, is_list, state="rated")
        if self.page_of(known) and not self._is_newer(known, files):
            self.collections[folder.name] = known
        elif files:
            self.add(known)

    def _is_newer(self, collection: Collection, files: list[Path]) -> bool:
        """Tell whether files or aliases came after the results, or a kill ended the second look that follows them."""
        if self._mark(collection.name).exists():
            return True
        given = [path.stat().st_mtime for path in (*files, self._aliases(collection.name)) if path.exists()]
        made = [path.stat().st_mtime for path in self._folder(collection).iterdir() if path.is_file()]
        return max(given, default=0.0) > max(made, default=0.0)

    def add(self, collection: Collection) -> None:
        """Have a collection rated, after those that wait; once more if it is being rated."""
        known = self.collections.pop(collection.name, collection)
        self.collections[known.name] = known
        known.level = collection.level
        if known.busy:
            known.again = True
        elif known is collection or known.state != "waiting":
            known.state, known.told, known.progress = "waiting", "", {}
            self._waiting[known.is_list].put_nowait(known.name)
        self.version += 1

    def keep(
        self, name: str, level: str, files: Sequence[tuple[str, IO[bytes]]], *, joins: bool
    ) -> tuple[list[str], list[Collection]]:
        """Keep dropped files (name as the browser gives it, content); return what was left out, and what to add.

        They make a new collection, under another name where that one is taken, and each list makes one of its own. With
        `joins` they join the collection; a list takes the place of the one before it, which moves to `removed`. Raises
        SettingsError, and OSError where the disk is full: then nothing of these files is kept.
        """
        check_name(name)
        if len(name) > LONGEST_NAME:
            raise SettingsError(f"a name of {len(name)} letters is too long: choose one of at most {LONGEST_NAME}")
        if level not in LEVELS:
            raise SettingsError(f"level {level!r}: choose one of {', '.join(LEVELS)}")
        groups, left_out = _sorted(name, files)
        known = self.collections.get(name)
        if joins and (known is None or known.watched or [known.is_list] != [one.is_list for one in groups]):
            raise SettingsError(f"these files cannot join {name}: drop them beside the collections")
        kept: list[Path] = []
        folder = self.uploads / name
        try:
            for one in groups:
                if not joins:
                    folder = self._new_folder(one.name)
                kept += [_stored(folder, *file) for file in one.files]
                one.name = folder.name
        except OSError:
            for path in kept:
                path.unlink(missing_ok=True)
            for place in {folder, *(path.parent for path in kept)}:
                with suppress(OSError):  # it has other files
                    place.rmdir()
            raise
        if joins and known and known.is_list:
            for other in _visible(folder):
                if other not in kept:
                    other.rename(self._aside(name) / other.name)
        return left_out, [Collection(one.name, one.is_list, level=level) for one in groups]

    def _new_folder(self, name: str) -> Path:
        """Make the folder of a new collection, whose name nothing has: no upload, no results, no watched folder."""
        self.uploads.mkdir(parents=True, exist_ok=True)
        for number in itertools.count(1):
            folder = self.uploads / (name if number == 1 else f"{name}-{number}")
            is_taken = folder.name in self.collections or any(
                (self.results / kind / folder.name).exists() for kind in ("human", "ratings")
            )
            with suppress(FileExistsError):
                if not is_taken:
                    folder.mkdir()
                    return folder
        raise AssertionError

    def stop(self, name: str) -> None:
        """Have a collection wait no longer, or end the process that is at work on it."""
        collection = self.collections[name]
        collection.again = False
        if collection.busy:
            collection.stopped = True
            _end(collection.process)
        elif collection.state == "waiting":
            collection.state = "stopped"
        self.version += 1

    def remove(self, name: str) -> None:
        """Move a collection's uploads, tables and pages to `removed`. Raises SettingsError for a watched folder."""
        collection = self.collections[name]
        if collection.watched or collection.busy or collection.state == "waiting":
            raise SettingsError(f"{name} is being rated, or its files are not of this page: it stays")
        aside = self._aside(name)
        for path in (self.uploads / name, self._folder(collection), self._aliases(name)):
            if path.exists():
                path.rename(aside / f"{path.parent.name}-{path.name}")
        del self.collections[name]
        self.version += 1

    def _aside(self, name: str) -> Path:
        """Return a new folder for what a collection no longer needs: nothing is deleted."""
        (self.results / "removed").mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.results / "removed"))

    def _rows(self, collection: Collection, table: str) -> list[Json]:
        try:
            with (self._folder(collection) / table).open(encoding="utf-8", newline="") as file:
                return [dict(row) for row in csv.DictReader(file)]
        except (OSError, ValueError, csv.Error):
            return []

    def confirm(self, name: str, alias: str, player: str) -> None:
        """Take two names for one person's, as suggested, and rate again. Raises SettingsError for other names."""
        collection = self.collections[name]
        row = {"alias": alias, "name": player}
        if row not in [{key: one.get(key) for key in row} for one in self._rows(collection, SUGGESTIONS)]:
            raise SettingsError("this pair of names is no longer suggested: load the page again")
        table = self._aliases(name)
        self.uploads.mkdir(parents=True, exist_ok=True)
        is_new = not table.exists()
        with table.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            if is_new:
                writer.writeheader()
            writer.writerow(row)
        self.add(Collection(name, level=collection.level))

    def page_of(self, collection: Collection) -> str:
        """Return the address of a collection's page below the results; empty where there is none."""
        page = self._folder(collection) / "report.html"
        return page.relative_to(self.results).as_posix() if page.is_file() else ""

    def pages(self) -> dict[str, Path]:
        """Return every file of results that the browser may see, by its address."""
        found = [self.results / "index.html"]
        for folder in ("human", "ratings"):
            found += (self.results / folder).rglob("*")
        return {
            path.relative_to(self.results).as_posix(): path
            for path in found
            if path.suffix in _PAGES and path.is_file() and not path.is_symlink()
        }

    def state(self) -> list[Json]:
        """Return what the page shows of each collection, the newest first."""
        return [
            {
                "name": one.name,
                "kind": "list" if one.is_list else "matches",
                "state": one.state,
                "told": one.told,
                "progress": one.progress,
                "page": self.page_of(one),
                "watched": one.watched is not None,
                "aliases": [] if one.busy else self._rows(one, SUGGESTIONS)[:10],
                "rejected": [
                    {"file": row.get("file"), "reason": row.get("reason")}
                    for row in ([] if one.busy else self._rows(one, "files.csv"))
                    if row.get("status") == REJECTED
                ][:50],
            }
            for one in reversed(list(self.collections.values()))
        ]

    async def work(self, *, lists: bool) -> None:
        """Rate what waits, one collection after the other, for as long as the server runs."""
        while True:
            collection = self.collections.get(await self._waiting[lists].get())
            if collection is None or collection.state != "waiting":
                continue
            collection.state, collection.busy, collection.stopped = "running", True, False
            self.version += 1
            try:
                collection.state, collection.told = await self._rated(collection)
            except Exception as problem:  # whatever it is, the collections behind this one are rated
                collection.state, collection.told = "failed", f"this was not rated: {problem}"
                _end(collection.process)
            collection.busy, collection.process, collection.progress = False, None, {}
            if collection.again:
                collection.again = False
                self.add(collection)
            self.version += 1

    async def end(self) -> None:
        """Stop the processes that are at work, and wait until they have ended."""
        processes = [one.process for one in self.collections.values() if one.process]
        for process in processes:
            _end(process)
        await asyncio.gather(*(process.wait() for process in processes))

    async def _rated(self, collection: Collection) -> tuple[str, str]:
        """Run the command for a collection; return the state that this ends in, and the answer or the reason."""
        if (folder := collection.watched) and not folder.is_dir():
            return "failed", f"the folder {folder} is not there; it is rated when it is back"
        if folder and not await asyncio.to_thread(_has_matches, folder):
            return "empty", f"{folder} has no match files yet: save some there, and they are rated"
        mark = self._mark(collection.name)
        self.uploads.mkdir(parents=True, exist_ok=True)
        mark.touch()
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *self._words(collection),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout
        assert process.stderr
        collection.process = process
        if collection.stopped:
            _end(process)
        said: deque[str] = deque(maxlen=3)
        await asyncio.gather(*(self._hear(collection, one, said) for one in (process.stdout, process.stderr)))
        status = await process.wait()
        mark.unlink(missing_ok=True)
        if collection.stopped or status in {-signal.SIGTERM, 128 + signal.SIGTERM}:
            return "stopped", collection.told
        if status < 0:
            return "failed", f"the process was ended from outside (signal {-status}): rate again"
        if status:
            return "failed", " ".join(said) or f"the command ended with status {status}"
        return "rated", collection.told

    async def _hear(self, collection: Collection, stream: asyncio.StreamReader, said: deque[str]) -> None:
        async for line in _lines(stream):
            try:
                told = json.loads(line)
                collection.told = str(told.get("answer", collection.told))
                collection.progress = told if "what" in told else collection.progress
            except (ValueError, AttributeError, RecursionError):
                said.append(line[:1000].decode("utf-8", "replace").strip().removeprefix("bgrating: "))
            self.version += 1

    def _words(self, collection: Collection) -> list[str]:
        folder = collection.watched or self.uploads / collection.name
        rest = ["--results", str(self.results), "--name", collection.name, "--json"]
        table = self._aliases(collection.name)
        rest += ["--aliases", str(table)] if table.is_file() else []
        if not collection.is_list:
            return ["rate", str(folder), "--level", collection.level, *rest]
        lists = [path for path in _visible(folder) if path.suffix.lower() in LISTS]
        if len(lists) != 1:
            raise SettingsError(f"{folder} has {len(lists)} lists: leave one there, then rate again")
        return ["ratings", str(lists[0]), *rest]

    def _aliases(self, name: str) -> Path:
        return self.uploads / f".{name}.aliases.csv"

    def _mark(self, name: str) -> Path:
        return self.uploads / f".{name}.begun"

    def _folder(self, collection: Collection) -> Path:
        return self.results / ("ratings" if collection.is_list else "human") / collection.name


def _sorted(name: str, files: Sequence[tuple[str, IO[bytes]]]) -> tuple[list[Group], list[str]]:
    """Return the collections that dropped files make, all match files that of `name`, and the names of other files."""
    matches, lists, left_out = Group(name, is_list=False, files=[]), [], []
    for given, content in files:
        path = PurePosixPath(given.replace("\\", "/"))
        suffix = path.suffix.lower()
        if suffix in LISTS:
            own = name_of(Path(path.name), "list")[:LONGEST_NAME]
            lists.append(Group(own, is_list=True, files=[("list", suffix, content)]))
        elif suffix in SUFFIXES:
            matches.files.append((path.stem, suffix, content))
        else:
            left_out.append(given)
    return [*lists, *([matches] if matches.files else [])], left_out


def _visible(folder: Path) -> list[Path]:
    """Return the files of a folder but for hidden ones and the locks of spreadsheets that are open."""
    return [path for path in folder.iterdir() if not path.name.startswith((".", "~$"))]


def _has_matches(folder: Path) -> bool:
    return any(path.suffix.lower() in SUFFIXES for path in folder.rglob("*"))


def _stored(folder: Path, stem: str, suffix: str, content: IO[bytes]) -> Path:
    letters = _LETTERS.sub("-", stem).encode()[:120].decode("utf-8", "ignore").strip("-")
    number, path = 1, folder / f"{letters or 'file'}{suffix}"
    while path.exists():
        number += 1
        path = folder / f"{letters or 'file'}-{number}{suffix}"
    with atomic_path(path) as new, new.open("wb") as file:
        shutil.copyfileobj(content, file)
    return path


def _end(process: asyncio.subprocess.Process | None) -> None:
    """Ask a process to end, and kill it where it has not after PATIENCE."""
    if process and process.returncode is None:
        process.terminate()
        asyncio.get_running_loop().call_later(PATIENCE, _kill, process)


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()


async def _lines(stream: asyncio.StreamReader) -> AsyncIterator[bytes]:
    """Yield the lines of a stream, of one that is too long its first KEPT_LINE bytes."""
    held = b""
    while piece := await stream.read(2**20):
        *whole, held = (held + piece).split(b"\n")
        for line in whole:
            yield line
        held = held[:KEPT_LINE]
    if held:
        yield held
