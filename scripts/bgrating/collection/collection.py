"""The reading of a whole collection: every file's record, which content stands for its copies, and what to analyse.

Records are kept as JSON lines, `readings.jsonl`, so that files that have not changed are not read again. Nothing but
short keys is held in memory for all files at once.
"""

import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from bgrating.collection import batches
from bgrating.collection.listing import Found, Reader, list_files, with_members
from bgrating.collection.readings import rank, read_found
from bgrating.engine.levels import Analysis
from bgrating.settings import SettingsError
from bgrating.tables.provenance import replace, whole

Json = dict[str, Any]

_CODE = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Wanted:
    """A content to be analysed: its key, about how many rolls it has, and the file that holds it."""

    key: str
    rolls: int
    found: Found


@contextmanager
def read_collection(collection: Path, readings: Path, leave_out: Path, batch_folder: Path) -> Iterator["Reading"]:
    """Read every file of a collection that is new or has changed, write `readings` anew and give what was found.

    Raises SettingsError where there is no such collection.
    """
    with closing(Spool()) as spool, closing(Reader()) as reader:
        yield _read(list_files(collection, leave_out), readings, batches.known_contents(batch_folder), spool, reader)


def _read(listed: list[Found], readings: Path, known: dict[str, str], spool: "Spool", reader: Reader) -> "Reading":
    version = reader_version()
    before = _records(readings, version)
    first: dict[str, tuple[tuple[bool, bool, int, bool, str, int], Wanted]] = {}
    alone: dict[str, Wanted] = {}
    readings.parent.mkdir(parents=True, exist_ok=True)
    files = read = 0
    with whole(readings) as part, part.open("wb") as out:
        out.write(json.dumps({"reader": version}).encode() + b"\n")
        for found in with_members(listed):
            line = before.get(_identity(found))
            files += 1
            if line is None:
                record, contents = read_found(found, reader.read)
                line = json.dumps(record).encode() + b"\n"
                read += not found.problem
                for key, content in contents.items():
                    if key not in known:
                        spool.add(key, json.dumps(content).encode())
            else:
                record = json.loads(line)
            out.write(line)
            for number, match in enumerate(record["matches"], 1):
                if match["key"] and not match["content"]:
                    alone.setdefault(match["key"], Wanted(match["key"], match["rolls"], found))
                elif match["key"]:
                    order = rank(match, found.name, number)
                    if match["content"] not in first or order < first[match["content"]][0]:
                        first[match["content"]] = (order, Wanted(match["key"], match["rolls"], found))
    wanted = [*(one for _, one in first.values()), *alone.values()]
    return Reading(files, read, wanted, known, spool, reader)


@dataclass
class Reading:
    """What a reading found: numbers of files, of files read anew, contents wanted, and those in batches already."""

    files: int
    read: int
    wanted: list[Wanted]
    known: dict[str, str]
    spool: "Spool"
    reader: Reader

    def new(self) -> list[Wanted]:
        """Return the wanted contents that are in no batch yet, in the order of their files."""
        new = {one.key: one for one in self.wanted if one.key not in self.known}
        return sorted(new.values(), key=lambda one: (one.found.name, one.key))

    def contents(self, wanted: Iterable[Wanted]) -> Iterator[bytes]:
        """Return contents as JSON; files that were not read anew are read again."""
        for one in wanted:
            content = self.spool.get(one.key)
            if content is None:
                contents = read_found(one.found, self.reader.read)[1]
                if one.key not in contents:  # the file has changed since; the next run will see it
                    continue
                content = json.dumps(contents[one.key]).encode()
            yield content


class Spool:
    """Contents in a temporary file, by key."""

    def __init__(self) -> None:
        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - it lives as long as the spool
        self._places: dict[str, tuple[int, int]] = {}

    def add(self, key: str, content: bytes) -> None:
        """Keep a content."""
        if key not in self._places:
            packed = zlib.compress(content, 1)
            self._places[key] = (self._file.seek(0, 2), len(packed))
            self._file.write(packed)

    def close(self) -> None:
        """Forget all contents."""
        self._file.close()

    def get(self, key: str) -> bytes | None:
        """Return a content; None where it was not kept."""
        if key not in self._places:
            return None
        place, length = self._places[key]
        self._file.seek(place)
        return zlib.decompress(self._file.read(length))


def read_records(readings: Path) -> Iterator[Json]:
    """Return the records of all files, in the order of their names."""
    with readings.open("rb") as lines:
        next(lines)
        for line in lines:
            yield json.loads(line)


def reader_version() -> str:
    """Return a hash of the code that reads: records of another version are not used."""
    key = hashlib.sha256()
    own = [_CODE / "collection" / f"{name}.py" for name in ("readings", "xg", "xg_file", "import_check")]
    for path in [*sorted((_CODE / "matchtext").glob("*.py")), *own, _CODE / "tables" / "csv_safety.py"]:
        key.update(path.read_bytes())
    return key.hexdigest()


def _records(readings: Path, version: str) -> dict[tuple[str, str], bytes]:
    """Return the lines of an earlier reading by name and stamp; none if another version of the reader wrote them."""
    found: dict[tuple[str, str], bytes] = {}
    if not readings.is_file():
        return found
    with readings.open("rb") as lines:
        if json.loads(next(lines, b"{}")).get("reader") != version:
            return found
        for line in lines:
            record = json.loads(line)
            if record["stamp"] and not record["problem"].startswith("changed while"):
                found[record["file"], str(record["stamp"])] = line
    return found


def _identity(found: Found) -> tuple[str, str]:
    return found.name, str(list(found.stamp))


@dataclass(frozen=True)
class Plan:
    """Numbers of files found and read anew, of contents wanted and new, and the batches that hold them all."""

    files: int
    files_read: int
    contents: int
    new_contents: int
    batches: tuple[str, ...]


def make_plan(collection: str, readings: Path, leave_out: Path, level: Analysis, batch_folder: Path) -> Plan:
    """Read a collection, write batches for the contents that are in none yet, and return the plan.

    Raises SettingsError where there is no such collection.
    """
    if not collection:
        raise SettingsError("no collection: ./run human --config collection=DIR")
    with read_collection(Path(collection), readings, leave_out, batch_folder) as reading:
        new = reading.new()
        size = batches.batch_rolls(level, sum(one.rolls for one in new), os.cpu_count() or 1)
        names = batches.write_batches(batch_folder, reading.contents(new), size)
    needed = {reading.known[one.key] for one in reading.wanted if one.key in reading.known}
    return Plan(reading.files, reading.read, len(reading.wanted), len(new), tuple(sorted(needed | set(names))))


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as JSON."""
    replace(path, json.dumps({**vars(plan), "batches": list(plan.batches)}, indent=1) + "\n")


def planned_batches(path: Path) -> list[str]:
    """Return the names of the batches of a plan."""
    return list(json.loads(path.read_text(encoding="utf-8"))["batches"])
