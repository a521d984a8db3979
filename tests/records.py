"""The record of a file of a collection, and the account of several, without an engine."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd

from bgrating.collection.accounts import _FIGURES, Analysed, account
from bgrating.collection.file_names import with_name_metadata
from bgrating.collection.listing import ListedFile, UnreadableError
from bgrating.collection.match_record import FileRecord
from bgrating.collection.readings import read_data
from bgrating.tables.csv_safety import escape_controls


def read_found(
    file: ListedFile, read: Callable[[ListedFile], bytes]
) -> tuple[FileRecord, dict[str, Any]]:
    """Return a file's record, as read_collection does, and by key what an engine analyses."""
    try:
        data = read(file)
    except UnreadableError as problem:
        return FileRecord(file.name, problem=escape_controls(str(problem))), {}
    record, contents = read_data(data, file.name)
    return with_name_metadata(record), contents


def said(records: Sequence[FileRecord], refused: str = "") -> Analysed:
    """Return an engine's answer for each content, the same for all; it refuses one file's."""
    keys = {match.key: record.file for record in records for match in record.matches if match.key}
    problems = {key: "the engine refused it: bad" for key, file in keys.items() if file == refused}
    figures: dict[str, Any] = dict.fromkeys(_FIGURES, 1.0) | {"complete": True}
    rows = [{**figures, "side": side} for side in ("left", "right")]
    return Analysed({key: {"rows": rows} for key in keys if key not in problems}, problems)


def records_of(texts: Mapping[str, bytes | str]) -> list[FileRecord]:
    """Return the records of files by their names and contents."""
    records = []
    for name, text in sorted(texts.items()):
        data = text.encode() if isinstance(text, str) else text
        file = ListedFile(name, "", None, ())
        records.append(read_found(file, lambda _, data=data: data)[0])
    return records


def accounted(
    texts: Mapping[str, bytes | str], refused: str = "", aliases: Mapping[str, str] | None = None
) -> tuple[dict[str, tuple[str, str]], pd.DataFrame]:
    """Return status and reason by file, and rows of matches; the engine refuses one file."""
    records = records_of(texts)
    files, matches = account(records, said(records, refused), aliases or {})
    return {row.file: (row.status, row.reason) for row in files.itertuples()}, matches
