"""The queue of `bgrating serve`: it runs `rate` or `ratings` for each collection in a process.

Match files and clubs' lists have separate queues, so a list never waits behind an analysis. A
process can be stopped or killed without harm to the server, and the server's memory stays small.
Everything that remains after the server is in the folder of results. Dropped files are in
`uploads`, tables and pages where the commands write them.
"""

import asyncio
import csv
import itertools
import json
import signal
import sys
import tempfile
from collections import defaultdict, deque
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO

from bgmatch.records import Json
from bgrating.analysis.statuses import REJECTED
from bgrating.collection.listing import MATCH_SUFFIXES
from bgrating.collection.uploads import Upload, all_stored, free
from bgrating.people.aliases import add_alias
from bgrating.settings_files import SettingsError
from bgrating.site.addresses import player_pages
from bgrating.tables.folder import check_name, name_of

LEVELS = ("0-ply", "1-ply", "2-ply")
LISTS = {".csv", ".ods", ".tsv", ".xls", ".xlsb", ".xlsx"}
"""Suffixes of clubs' lists of results; each list is a collection."""
SUFFIXES = {*MATCH_SUFFIXES, *LISTS, ".zip"}
SUGGESTIONS = "alias_suggestions.csv"
LONGEST_LINE = 2**26
"""Most bytes of a line of a command: an answer names every player."""
SHOWN = 20
"""Most players of an answer on the page."""
LONGEST_NAME = 100
PATIENCE = 20.0
"""Seconds between SIGTERM and SIGKILL."""
_PAGES = {".html", ".csv", ".json", ".svg", ".png", ".parquet", ".sqlite"}


@dataclass
class Collection:
    """Files that are rated together: in the user's folder `watched`, or else in `uploads`.

    `state` is waiting, running, rated, stopped, failed, or empty (a watched folder without match
    files); it has no state before `Queue.add`. `message` is the answer or the reason. `players`
    are the first rows of the answer, that of the `reader` before all others. `stopped`: the process
    was told to end. `again`: rate it again when the process has ended.
    """

    name: str
    is_list: bool = False
    watched: Path | None = None
    level: str = LEVELS[0]
    state: str = ""
    message: str = ""
    players: list[Json] = field(default_factory=list)
    reader: str = ""
    progress: Json = field(default_factory=dict)
    stopped: bool = False
    again: bool = False
    process: asyncio.subprocess.Process | None = None


Group = tuple[Collection, list[Upload]]


class Queue:
    """Collections by name, the newest last. `version` changes with every change of their state."""

    def __init__(
        self,
        results: Path,
        watched: Path | None,
        command: Sequence[str] = (sys.executable, "-m", "bgrating"),
    ) -> None:
        self.results = results
        self.uploads = results / "uploads"
        self._command = command
        self.collections: dict[str, Collection] = {}
        self._waiting: dict[bool, asyncio.Queue[str]] = defaultdict(asyncio.Queue)
        self.version = 0
        folders = self.uploads.glob("*/")
        for folder in sorted(folders, key=lambda path: (path.lstat().st_mtime, path)):
            self._restore(folder)
        if watched:
            name = name_of(watched, "watched")[:LONGEST_NAME]
            self.collections.pop(name, None)
            self.add(Collection(name, watched=watched.resolve()))

    def _restore(self, folder: Path) -> None:
        """Add a collection of an earlier server; rate it unless its results are complete."""
        files = _visible(folder)
        has_list = any(path.suffix.lower() in LISTS for path in files)
        is_list = has_list and not (self.results / "human" / folder.name).exists()
        collection = Collection(folder.name, is_list, state="rated")
        if self.page_of(collection) and not self._is_newer(collection, files):
            self.collections[folder.name] = collection
        elif files:
            self.add(collection)

    def _is_newer(self, collection: Collection, files: list[Path]) -> bool:
        """Return whether files or aliases are newer than the results, or a kill ended the second
        look after them.
        """
        sources = [*files, self._aliases(collection.name)]
        is_newer = _newest(sources) > _newest(self._folder(collection).iterdir())
        return is_newer or self._mark(collection.name).exists()

    def add(self, collection: Collection) -> None:
        """Queue a collection; if it is being rated, rate it again afterwards."""
        existing = self.collections.pop(collection.name, collection)
        self.collections[existing.name] = existing
        existing.level = collection.level
        if existing.state == "running":
            existing.again = True
        elif existing.state != "waiting":
            existing.state = "waiting"
            existing.message = ""
            existing.players = []
            self._waiting[existing.is_list].put_nowait(existing.name)
        self.version += 1

    async def keep(
        self, name: str, level: str, files: Sequence[tuple[str, IO[bytes]]], *, joins: bool
    ) -> tuple[list[str], list[str]]:
        """Keep and rate dropped files (name in the browser, content).

        Return the names of others, and of the collections.

        Match files make a new collection, with a number behind a name that is taken; each list
        makes one of its own. With `joins` they join the collection; a list replaces the former
        list, which moves to `removed`. Raises SettingsError, and OSError on a full disk, without
        keeping any of these files.
        """
        check_name(name)
        if len(name) > LONGEST_NAME:
            raise SettingsError(
                f"a name of {len(name)} letters is too long: choose one of at most {LONGEST_NAME}"
            )
        if level not in LEVELS:
            raise SettingsError(f"level {level!r}: choose one of {', '.join(LEVELS)}")
        groups, left_out = _grouped(name, level, files)
        self.uploads.mkdir(parents=True, exist_ok=True)
        # A full disk is noticed here, before anything is in its place.
        with tempfile.TemporaryDirectory(prefix=".drop-", dir=self.results) as staging:
            stored = [
                (collection, await asyncio.to_thread(all_stored, Path(staging), uploads))
                for collection, uploads in groups
            ]
            # From here on no other request is answered: it might take a name or remove a folder.
            existing = self.collections.get(name)
            if joins and (
                existing is None
                or existing.watched
                or [existing.is_list] != [collection.is_list for collection, _ in groups]
            ):
                raise SettingsError(
                    f"these files cannot join {name}: drop them beside the collections"
                )
            for collection, paths in stored:
                folder = self.uploads / name if joins else self._new_folder(collection.name)
                collection.name = folder.name
                if joins and collection.is_list:
                    for former in _visible(folder):
                        former.rename(self._aside(name) / former.name)
                for path in paths:
                    path.rename(free(folder, path))
                self.add(collection)
        return left_out, [collection.name for collection, _ in groups]

    def _new_folder(self, name: str) -> Path:
        """Make the folder of a new collection, with a name that no upload, results or watched
        folder has.
        """
        names = itertools.chain([name], (f"{name}-{number}" for number in itertools.count(2)))
        for folder in map(self.uploads.joinpath, names):
            others = [self.results / kind / folder.name for kind in ("human", "ratings")]
            if folder.name in self.collections or any(map(Path.exists, others)):
                continue
            with suppress(FileExistsError):
                folder.mkdir()
                return folder
        raise AssertionError

    def stop(self, name: str) -> None:
        """Take a collection out of the queue, or end its process."""
        collection = self.collections[name]
        collection.again = False
        if collection.state == "running":
            collection.stopped = True
            _end(collection.process)
        elif collection.state == "waiting":
            collection.state = "stopped"
        self.version += 1

    def remove(self, name: str) -> None:
        """Move a collection's uploads, tables and pages to `removed`.

        Raises SettingsError for a watched folder.
        """
        collection = self.collections[name]
        if collection.watched or collection.state in {"running", "waiting"}:
            raise SettingsError(
                f"{name} is being rated, or its files are not of this page: it stays"
            )
        aside = self._aside(name)
        for path in (self.uploads / name, self._folder(collection), self._aliases(name)):
            if path.exists():
                path.rename(aside / f"{path.parent.name}-{path.name}")
        del self.collections[name]
        self.version += 1

    def _aside(self, name: str) -> Path:
        """Make a folder in `removed` for files of a collection, since nothing is deleted."""
        (self.results / "removed").mkdir(exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f"{name}-", dir=self.results / "removed"))

    def confirm(self, name: str, alias: str, player: str) -> None:
        """Join two names as the last run suggested, and rate again.

        Raises SettingsError for names that were not suggested.
        """
        collection = self.collections[name]
        pairs = _rows(self._folder(collection) / SUGGESTIONS, "alias")
        if (alias, player) not in [(pair["alias"], pair["name"]) for pair in pairs]:
            raise SettingsError("this pair of names is no longer suggested: load the page again")
        add_alias(self._aliases(name), alias, player)
        self.add(collection)

    def page_of(self, collection: Collection) -> str:
        """Return the address of a collection's page below the results; empty without a page."""
        page = self._folder(collection) / "report.html"
        return page.relative_to(self.results).as_posix() if page.is_file() else ""

    def file_at(self, address: str) -> Path | None:
        """Return the file of the results at an address, if the browser may open it.

        A link leads nowhere, since it may point to any file.
        """
        path = self.results / address
        is_ours = address == "index.html" or address.startswith(("human/", "ratings/"))
        is_page = is_ours and path.suffix in _PAGES and path.is_file()
        return path if is_page and path.resolve() == self.results.resolve() / address else None

    def state(self) -> list[Json]:
        """Return the state of each collection for the page, the newest first."""
        return [self._state_of(collection) for collection in reversed(self.collections.values())]

    def _state_of(self, collection: Collection) -> Json:
        pages = player_pages(row["player"] for row in collection.players)
        folder = self._folder(collection)
        files = [] if collection.state == "running" else _rows(folder / "files.csv", "status")
        confirmed = {row["alias"] for row in _rows(self._aliases(collection.name), "alias")}
        pairs = [
            row for row in _rows(folder / SUGGESTIONS, "alias") if row["alias"] not in confirmed
        ]
        shown = ("name", "state", "message", "progress", "reader")
        return {name: getattr(collection, name) for name in shown} | {
            "page": self.page_of(collection),
            "players": [row | {"page": pages[row["player"]]} for row in collection.players],
            "watched": collection.watched is not None,
            "aliases": pairs[:10],
            "rejected": [row for row in files if row["status"] == REJECTED][:50],
        }

    async def work(self, *, lists: bool) -> None:
        """Rate the waiting collections one after the other, for as long as the server runs."""
        while True:
            collection = self.collections.get(await self._waiting[lists].get())
            if collection is None or collection.state != "waiting":
                continue
            collection.state = "running"
            collection.stopped = False
            self.version += 1
            try:
                collection.state, collection.message = await self._run(collection)
            except Exception as problem:  # any problem: the queue must go on
                collection.state = "failed"
                collection.message = f"this was not rated: {problem}"
                _end(collection.process)
            collection.process = None
            collection.progress = {}
            if collection.again:
                collection.again = False
                self.add(collection)
            self.version += 1

    async def end(self) -> None:
        """Stop all processes and wait until they have ended."""
        collections = self.collections.values()
        for collection in collections:
            _end(collection.process)
        await asyncio.gather(
            *(collection.process.wait() for collection in collections if collection.process)
        )

    async def _run(self, collection: Collection) -> tuple[str, str]:
        """Run the command for a collection.

        Return the final state, and the answer or the reason.
        """
        if (folder := collection.watched) and not folder.is_dir():
            return "failed", f"the folder {folder} is not there; it is rated when it is back"
        if folder and not await asyncio.to_thread(_has_matches, folder):
            return "empty", f"{folder} has no match files yet: save some there, and they are rated"
        mark = self._mark(collection.name)
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
        process = await asyncio.create_subprocess_exec(
            *self._command,
            *self._arguments(collection),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
        )
        assert process.stdout
        assert process.stderr
        collection.process = process
        if collection.stopped:
            _end(process)
        messages: deque[str] = deque(maxlen=3)
        await asyncio.gather(
            *(self._read(collection, pipe, messages) for pipe in (process.stdout, process.stderr))
        )
        status = await process.wait()
        if not collection.again:  # what has come meanwhile is older than the results
            mark.unlink(missing_ok=True)
        if collection.stopped or status in {-signal.SIGTERM, 128 + signal.SIGTERM}:
            return "stopped", collection.message
        if status < 0:
            return "failed", f"the process was ended from outside (signal {-status}): rate again"
        if status:
            return "failed", " ".join(messages) or f"the command ended with status {status}"
        return "rated", collection.message

    async def _read(
        self, collection: Collection, stream: asyncio.StreamReader, messages: deque[str]
    ) -> None:
        """Read answers and progress (JSON) of a process, and keep its other lines in `messages`."""
        async for line in stream:
            try:
                report = json.loads(line)
                collection.message = str(report.get("answer", collection.message))
                if rows := report.get("players") or report.get("tables", {}).get("league"):
                    reader = collection.reader = str(report.get("reader", ""))
                    ordered = sorted(rows, key=lambda row: row["player"] != reader)
                    collection.players = ordered[:SHOWN]
                if "what" in report:
                    collection.progress = report
            except (ValueError, AttributeError, RecursionError):
                messages.append(
                    line[:1000].decode("utf-8", "replace").strip().removeprefix("bgrating: ")
                )
            self.version += 1

    def _arguments(self, collection: Collection) -> list[str]:
        folder = collection.watched or self.uploads / collection.name
        options = ["--results", str(self.results), "--name", collection.name, "--json"]
        table = self._aliases(collection.name)
        options += ["--aliases", str(table)] if table.is_file() else []
        if not collection.is_list:
            return ["rate", str(folder), "--level", collection.level, *options]
        lists = [path for path in _visible(folder) if path.suffix.lower() in LISTS]
        if len(lists) != 1:
            raise SettingsError(
                f"{folder} has {len(lists)} lists: leave one there, then rate again"
            )
        return ["ratings", str(lists[0]), *options]

    def _aliases(self, name: str) -> Path:
        return self.uploads / f".{name}.aliases.csv"

    def _mark(self, name: str) -> Path:
        return self.uploads / f".{name}.begun"

    def _folder(self, collection: Collection) -> Path:
        return self.results / ("ratings" if collection.is_list else "human") / collection.name


def _grouped(
    name: str, level: str, files: Sequence[tuple[str, IO[bytes]]]
) -> tuple[list[Group], list[str]]:
    """Return the collections of dropped files with their uploads, and the names of other files.

    Each list is a collection; all match files are the collection `name`.
    """
    groups: list[Group] = []
    matches = []
    left_out = []
    for name_in_browser, file in files:
        path = PurePosixPath(name_in_browser.replace("\\", "/"))
        suffix = path.suffix.lower()
        if suffix in LISTS:
            list_name = name_of(Path(path.name), "list")[:LONGEST_NAME]
            groups.append(
                (Collection(list_name, is_list=True, level=level), [("list", suffix, file)])
            )
        elif suffix in SUFFIXES:
            matches.append((path.stem, suffix, file))
        else:
            left_out.append(name_in_browser)
    if matches:
        groups.append((Collection(name, level=level), matches))
    return groups, left_out


def _visible(folder: Path) -> list[Path]:
    """Return the files of a folder without hidden files and the locks of open spreadsheets."""
    return [path for path in folder.iterdir() if not path.name.startswith((".", "~$"))]


def _rows(table: Path, column: str) -> list[Json]:
    """Return the rows of a CSV table; none if it cannot be read, or lacks a column."""
    try:
        with table.open(encoding="utf-8", newline="") as file:
            return [row for row in csv.DictReader(file) if column in row]
    except (OSError, ValueError, csv.Error):
        return []


def _newest(paths: Iterable[Path]) -> float:
    """Return when the newest of some files was written; 0 without a file."""
    return max((path.stat().st_mtime for path in paths if path.is_file()), default=0.0)


def _has_matches(folder: Path) -> bool:
    return any(path.suffix.lower() in SUFFIXES for path in folder.rglob("*"))


def _end(process: asyncio.subprocess.Process | None) -> None:
    """Send a process SIGTERM, and SIGKILL if it still runs after PATIENCE."""
    if process and process.returncode is None:
        process.terminate()
        asyncio.get_running_loop().call_later(PATIENCE, _kill, process)


def _kill(process: asyncio.subprocess.Process) -> None:
    if process.returncode is None:
        process.kill()
