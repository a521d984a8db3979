"""The reading of a whole collection: every file's record, and which contents are to be analysed.

What was read of the same bytes before is taken from the store. Of all files at once no more is held in memory than a
line of JSON and short keys.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

from bgrating.collection.analysis import Analyst, code_version
from bgrating.collection.listing import ListedFile, Reader, UnreadableError
from bgrating.collection.readings import rank, read_data, suffix_of, unread

Json = dict[str, Any]


@dataclass
class CollectionReading:
    """What was read: the records of all files as lines of JSON, the contents that stand for their copies, names.

    `engine_only` tells whether there are matches that only the engine reads, whose players are not among `names`.
    """

    lines: list[bytes] = field(default_factory=list)
    names: set[str] = field(default_factory=set)
    engine_only: bool = False
    _first: dict[str, tuple[Any, str]] = field(default_factory=dict)
    _alone: dict[str, None] = field(default_factory=dict)

    def __iter__(self) -> Iterator[Json]:
        return map(json.loads, self.lines)

    def wanted(self) -> list[str]:
        """Return the keys of the contents that tables are made of: of copies the best one."""
        return list(dict.fromkeys([*(key for _, key in self._first.values()), *self._alone]))

    def add(self, record: Json) -> Iterator[str]:
        """Take a file's record; yield the keys of contents that are needed now."""
        self.lines.append(json.dumps(record).encode())
        for number, match in enumerate(record["matches"], 1):
            if match["key"] and match["content"]:
                self.names.update(match["names"])
                order = rank(match, record["file"], number)
                if match["content"] not in self._first or order < self._first[match["content"]][0]:
                    self._first[match["content"]] = (order, match["key"])
                    yield match["key"]
            elif match["key"]:
                self.engine_only = True
                self._alone.setdefault(match["key"])
                yield match["key"]


def read_collection(files: Iterable[ListedFile], analyst: Analyst) -> Iterator[CollectionReading]:
    """Read files one by one, and yield the same reading after each of them.

    The analyst is given every content (readings.py) that is needed and that it does not have, as soon as it is read.
    """
    reading, needed = CollectionReading(), set[str]()
    with closing(Reader()) as reader:
        for file in files:
            try:
                data = reader.read(file)
            except UnreadableError as problem:
                list(reading.add(unread(file, problem)))
                yield reading
                continue
            suffix, contents = suffix_of(file), None
            name = hashlib.sha256(f"{suffix} {code_version()} ".encode() + data).hexdigest()
            facts = analyst.kept.reading(name)
            if facts is None:
                facts, contents = read_data(data, suffix)
                analyst.kept.put_reading(name, facts)
            for key in reading.add({"file": file.name, **facts}):
                if key not in needed and not analyst.has(key):
                    contents = contents or read_data(data, suffix)[1]
                    analyst.want(contents[key])
                needed.add(key)
            yield reading
