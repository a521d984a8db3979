"""The record of one file of a collection, for tests that need no engine."""

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from bgrating.collection.listing import ListedFile, UnreadableError
from bgrating.collection.readings import read_data
from bgrating.tables.csv_safety import escape_controls


def read_found(file: ListedFile, read: Callable[[ListedFile], bytes]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a file's record, as read_collection makes it, and by key the contents that an engine can analyse."""
    try:
        data = read(file)
    except UnreadableError as problem:
        problem_of_file = escape_controls(str(problem))
        return {"file": file.name, "sha256": "", "dialect": "", "problem": problem_of_file, "matches": []}, {}
    reading, contents = read_data(data, PurePath(file.name).suffix.lower())
    return {"file": file.name, **reading}, contents
