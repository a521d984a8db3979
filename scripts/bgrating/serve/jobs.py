"""The queue of the page on this computer: one `rate` or `ratings` at a time, each a process of its own.

A process can be stopped or killed without harm to the server, and the server's memory stays small. All that outlives
the server is in the folder of results: files that were dropped in `uploads`, tables and pages as the commands write
them.
"""

import asyncio
import csv
import json
import os
import re
import shutil
import signal
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any

from bgrating.files.listing import MATCH_SUFFIXES
from bgrating.settings import SettingsError
from bgrating.tables.folder import check_name, name_of
from bgrating.tables.provenance import PART, atomic_path

Json = dict[str, Any]

LEVELS = ("0-ply", "1-ply", "2-ply")
LISTS = {".csv", ".xlsx", ".tsv"}
"""Suffixes of clubs' lists of results: each is a collection of its own."""
SUFFIXES = {*MATCH_SUFFIXES, *LISTS, ".zip"}
KEPT_LINE = 2**20
"""Longest line of a command's answer that is read, in bytes: an answer names every player."""
_LETTERS = re.compile(r"[^\w-]+")
_PAGES = {".html", ".csv", ".json", ".svg", ".png", ".parquet", ".sqlite"}


@dataclass
class Collection:
    """Files that are rated together: `watched` is a folder of the user's, else they are in `uploads`.

    `state`: waiting, running, rated, stopped or failed; `told` is the answer, or why it failed.
    """

    name: str
    is_list: bool = False
    watched: Path | None = None
    level: str = LEVELS[0]
    state: str = "waiting"
    told: str = ""
    progress: Json = field(default_factory=dict)
    again: bool = False


class Queue:
    """Collections by name, and one process at a time. `changed` is set whenever there is news."""

    def __init__(self, results: Path, watched: Path | None) -> None:
        self.results, self.uploads = results, results / "uploads"
        self.collections: dict[str, Collection] = {}
        self._waiting: asyncio.Queue[str] = asyncio.Queue()
        self._process: asyncio.subprocess.Process | None = None
        self._running = ""
        self.version = 0
        if watched:
            self.add(Collection(name_of(watched, "watched"), watched=watched.resolve()))
        for folder in sorted(self.uploads.glob("*")):
            if folder.is_dir() and folder.name not in self.collections:
                for rest in folder.glob(".*.part"):  # of an upload that a kill ended
                    if PART.fullmatch(rest.name):
                        rest.unlink()
                files = _visible(folder)
                is_list = len(files) == 1 and files[0].suffix in LISTS
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
        known = self.collections.setdefault(collection.name, collection)
        known.level = collection.level
        if known.state == "running":
            known.again = True
        elif known.state != "waiting" or known is collection:
            known.state, known.told, known.progress = "waiting", "", {}
            self._waiting.put_nowait(known.name)
        self.version += 1

    def take(self, name: str, level: str, files: Mapping[str, IO[bytes]]) -> list[str]:
        """Keep dropped files (name as the browser gives it, content) and have them rated; return what was left out.

        A list takes the place of the one before it, which moves to `removed`. Raises SettingsError, and OSError where
        the disk is full: then nothing of these files is kept.
        """
        check_name(name)
        if level not in LEVELS:
            raise SettingsError(f"level {level!r}: choose one of {', '.join(LEVELS)}")
        wanted: list[tuple[str, str, str, IO[bytes]]] = []
        left_out: list[str] = []
        are_lists = {known.name: None if known.watched else known.is_list for known in self.collections.values()}
        for given, content in files.items():
            path = PurePosixPath(given.replace("\\", "/"))
            suffix = path.suffix.lower()
            if suffix not in SUFFIXES:
                left_out.append(given)
                continue
            is_list = suffix in LISTS
            own = name_of(Path(path.name), "list") if is_list else name
            if are_lists.setdefault(own, is_list) != is_list:
                raise SettingsError(f"{own} is another collection here: choose another name")
            wanted.append((own, "list" if is_list else path.stem, suffix, content))
        kept: list[Path] = []
        lists: dict[str, Path] = {}
        try:
            for own, stem, suffix, content in wanted:
                folder = self.uploads / own
                folder.mkdir(parents=True, exist_ok=True)
                kept.append(_stored(folder, _LETTERS.sub("-", stem)[:60].strip("-") or "file", suffix, content))
                if suffix in LISTS:
                    lists[own] = kept[-1]
        except OSError:
            for path_ in kept:
                path_.unlink(missing_ok=True)
            raise
        for own, new in lists.items():
            for other in _visible(self.uploads / own):
                if other != new:
                    other.rename(self._aside(own) / other.name)
            self.add(Collection(own, is_list=True))
        if any(suffix not in LISTS for _, _, suffix, _ in wanted):
            self.add(Collection(name, level=level))
        return left_out

    def stop(self, name: str) -> None:
        collection = self.collections[name]
        collection.again = False
        if name == self._running and self._process:
            with suppress(ProcessLookupError):
                self._process.terminate()
        if collection.state in {"waiting", "running"}:
            collection.state = "stopped"
        self.version += 1

    def remove(self, name: str) -> None:
        """Move a collection's uploads, tables and pages to `removed`. Raises SettingsError for a watched folder."""
        collection = self.collections[name]
        if collection.watched or collection.state in {"waiting", "running"}:
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

    def suggestions(self, collection: Collection) -> list[Json]:
        try:
            with (self._folder(collection) / "alias_suggestions.csv").open(encoding="utf-8", newline="") as file:
                return [dict(row) for row, _ in zip(csv.DictReader(file), range(50), strict=False)]
        except (OSError, ValueError, csv.Error):
            return []

    def confirm(self, name: str, alias: str, player: str) -> None:
        """Take two names for one person's, as suggested, and rate again. Raises SettingsError for other names."""
        collection = self.collections[name]
        row = {"alias": alias, "name": player}
        if row not in [{key: one.get(key) for key in row} for one in self.suggestions(collection)]:
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
        return [
            {
                "name": one.name, "kind": "list" if one.is_list else "matches", "state": one.state, "told": one.told,
                "progress": one.progress, "page": self.page_of(one), "watched": one.watched is not None,
                "aliases": [] if one.state in {"waiting", "running"} else self.suggestions(one)[:10],
            }
            for one in self.collections.values()
        ]  # fmt: skip

    async def work(self) -> None:
        """Rate what waits, one collection after the other, for as long as the server runs."""
        while True:
            collection = self.collections.get(await self._waiting.get())
            if collection is None or collection.state != "waiting":
                continue
            try:
                await self._run(collection)
            except OSError as problem:
                collection.state, collection.told = "failed", f"the command cannot be started: {problem.strerror}"
            self._process, self._running = None, ""
            if collection.again:
                collection.again, collection.state = False, "rated"
                self.add(collection)
            self.version += 1

    async def end(self) -> None:
        """Stop the process that is at work, and wait until it has ended."""
        if self._process and self._process.returncode is None:
            with suppress(ProcessLookupError):
                self._process.terminate()
            with suppress(asyncio.TimeoutError):
                await asyncio.wait_for(self._process.wait(), 20)

    async def _run(self, collection: Collection) -> None:
        collection.state, self._running, mark = "running", collection.name, self._mark(collection.name)
        self.uploads.mkdir(parents=True, exist_ok=True)
        mark.touch()
        self.version += 1
        package = Path(__file__).resolve().parents[2]
        environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(package), os.environ.get("PYTHONPATH", "")])}
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "bgrating", *self._words(collection), env=environment, limit=64 * KEPT_LINE,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        assert self._process.stdout
        assert self._process.stderr
        said: list[str] = []
        await asyncio.gather(
            self._answers(collection, self._process.stdout), self._progress(collection, self._process.stderr, said)
        )
        status = await self._process.wait()
        mark.unlink(missing_ok=True)
        collection.progress = {}
        if collection.state == "stopped" or status in {-signal.SIGTERM, 128 + signal.SIGTERM}:
            collection.state = "stopped"
        elif status and not self.page_of(collection):
            collection.state, collection.told = "failed", " ".join(said[-3:]) or f"it ended with status {status}"
        else:
            collection.state = "rated" if not status else "failed"
            collection.told = collection.told if not status else " ".join(said[-3:])

    async def _answers(self, collection: Collection, stream: asyncio.StreamReader) -> None:
        async for line in stream:
            with suppress(ValueError, TypeError, KeyError):
                collection.told = str(json.loads(line)["answer"])
                self.version += 1

    async def _progress(self, collection: Collection, stream: asyncio.StreamReader, said: list[str]) -> None:
        async for line in stream:
            try:
                told = json.loads(line)
                collection.progress = told if "what" in told else collection.progress
                collection.told = str(told.get("answer", collection.told))
            except (ValueError, TypeError):
                said.append(line.decode("utf-8", "replace").strip().removeprefix("bgrating: "))
            self.version += 1

    def _words(self, collection: Collection) -> list[str]:
        folder = collection.watched or self.uploads / collection.name
        rest = ["--results", str(self.results), "--name", collection.name, "--json"]
        table = self._aliases(collection.name)
        rest += ["--aliases", str(table)] if table.is_file() else []
        if collection.is_list:
            (path,) = _visible(folder)
            return ["ratings", str(path), *rest]
        return ["rate", str(folder), "--level", collection.level, *rest]

    def _aliases(self, name: str) -> Path:
        return self.uploads / f".{name}.aliases.csv"

    def _mark(self, name: str) -> Path:
        return self.uploads / f".{name}.begun"

    def _folder(self, collection: Collection) -> Path:
        return self.results / ("ratings" if collection.is_list else "human") / collection.name


def _visible(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if not path.name.startswith(".")]


def _stored(folder: Path, stem: str, suffix: str, content: IO[bytes]) -> Path:
    number, path = 1, folder / f"{stem}{suffix}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}{suffix}"
    with atomic_path(path) as new, new.open("wb") as file:
        shutil.copyfileobj(content, file)
    return path
