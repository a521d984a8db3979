"""The record of one file of a collection, for tests that need no engine."""

from collections.abc import Callable
from typing import Any

from bgrating.collection.listing import ListedFile, UnreadableError
from bgrating.collection.readings import read_data, suffix_of, unread


def read_found(file: ListedFile, read: Callable[[ListedFile], bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a file's record, as read_collection makes it, and by key the contents that an engine can analyse."""
    try:
        data = read(file)
    except UnreadableError as problem:
        return unread(file, problem), {}
    reading, contents = read_data(data, suffix_of(file))
    return {"file": file.name, **reading}, contents
