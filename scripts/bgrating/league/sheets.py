"""Read the rows of a file of results: text of any usual encoding and separator, or a spreadsheet."""

import codecs
import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from itertools import chain, islice
from pathlib import Path
from typing import Any

from bgrating.league.games import Odd, Rows, safe_line
from bgrating.league.settings import RatingsError

MOST_ABOVE = 30  # rows above the names of the columns, such as a title, an author or a date
MOST_BYTES, MOST_EXPANDED, MOST_COLUMNS = 8_000_000, 100_000_000, 64
"""Limits of a spreadsheet: its size, its uncompressed size, and the columns that are read."""
MOST_EMPTY = 1000  # empty rows that end a spreadsheet's list: there may be a stray cell a million rows below
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_QUOTE = "a quotation mark is not closed in this line"
_OTHER = {b"PK\x03\x04": "xlsx", b"\xd0\xcf\x11\xe0": "an old or protected spreadsheet or document", b"%PDF": "a PDF"}

IsHead = Callable[[int, Sequence[str]], bool]
"""Tells by a row's place from 0 and its fields whether the games begin with it."""


@dataclass(frozen=True)
class Sheet:
    """Rows from the names of the columns on, rows that cannot be split, notes, whether the last line ends."""

    rows: Rows
    odd: Odd
    notes: tuple[str, ...]
    is_ended: bool


def read_sheet(path: Path, is_head: IsHead) -> Sheet:
    """Return the rows of a file from the head on, the first row that `is_head` accepts.

    A file is text (UTF-8, UTF-16 or Windows-1252; separated by tabs, semicolons, commas or spaces) or an .xlsx
    spreadsheet. Raises RatingsError for other files and for files without a head; the message quotes the first row.
    """
    data = path.read_bytes()
    kind = next((kind for start, kind in _OTHER.items() if data.startswith(start)), "")
    if kind == "xlsx":
        return _spreadsheet(path, data, is_head)
    if kind:
        raise RatingsError(f"{path}: {kind}; save it as CSV or .xlsx")
    text, encoding = _decoded(data, path)
    is_ended, lines = text.endswith(("\n", "\r")), re.split(r"\r\n|\r|\n", text)
    del data, text  # of a long list they take as much memory as its lines
    numbered = ((number, line) for number, line in enumerate(lines, 1) if line.strip())
    first = list(islice(numbered, MOST_ABOVE))
    for mark in [*sorted("\t;,", key=lambda mark: -sum(line.count(mark) for _, line in first)), " "]:
        top = enumerate(_split(first, mark)[0])
        head = next((number for place, (number, fields) in top if is_head(place, fields)), None)
        if head is None:
            continue
        above = sum(number < head for number, _ in first)
        rows, odd = _split(chain(first[above:], numbered), mark)
        notes = [f"it was read as {encoding}"] * (encoding == "Windows-1252") + _skipped(above)
        return Sheet(rows, odd, tuple(notes), is_ended)
    raise _no_head(path, first[0][1] if first else "")


def _decoded(data: bytes, path: Path) -> tuple[str, str]:
    """Return a text and its encoding. Without a byte order mark zeros indicate UTF-16; the last resort is Windows."""
    encodings = [name for mark, name in _MARKS.items() if data.startswith(mark)]
    if not encodings and data[:2000].count(0) * 3 > len(data[:2000]):
        encodings = ["utf-16-be" if data[0] == 0 else "utf-16-le"]
    for encoding in encodings or ["utf-8", *(["Windows-1252"] if 0 not in data else [])]:
        try:
            return data.decode(encoding), encoding
        except UnicodeDecodeError:
            continue
    raise RatingsError(f"{path}: not a text in UTF-8, UTF-16 or Windows-1252; save it as CSV UTF-8")


def _split(lines: Iterable[tuple[int, str]], mark: str) -> tuple[Rows, Odd]:
    """Split lines into numbered rows of fields, each by itself: an unclosed quotation mark spoils only its own line."""
    rows, odd = Rows(), list[tuple[int, str, bool, str]]()
    for number, line in lines:
        if mark == " ":
            rows.append(number, line.split())
            continue
        try:
            fields = _fields(line, mark)
        except csv.Error as problem:
            reason = _QUOTE if "end of data" in str(problem) else f"not a row: {problem}"
            odd.append((number, reason, False, safe_line([line])))
            continue
        if fields[0].strip() or any(field.strip() for field in fields):
            rows.append(number, fields)
    return rows, odd


def _fields(line: str, mark: str) -> list[str]:
    if len(line) < csv.field_size_limit() and '"' not in line and "\0" not in line:
        return line.split(mark)  # as csv splits it, without a reader for each of a million lines
    return next(csv.reader([line], delimiter=mark, strict=True))


def _spreadsheet(path: Path, data: bytes, is_head: IsHead) -> Sheet:
    """Read the first sheet of an .xlsx file in which a row is a head."""
    import openpyxl  # noqa: PLC0415 - it takes a third of a second and most lists are text

    first = ""
    try:
        _check_size(path, data)
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        for sheet in book.worksheets:
            rows = list(_cells(sheet, is_head))
            at = next((place for place, (_, row) in enumerate(rows[:MOST_ABOVE]) if is_head(place, row)), None)
            if at is not None:
                width = max(len(row) for _, row in rows[at:])
                notes = [f"of its {len(book.worksheets)} sheets this was read: {safe_line([sheet.title])}"]
                padded = [(number, row + [""] * (width - len(row))) for number, row in rows[at:]]
                return Sheet(Rows(padded), [], tuple(notes * (len(book.worksheets) > 1) + _skipped(at)), is_ended=True)
            first = first or (" ".join(rows[0][1]) if rows else "")
    except RatingsError:
        raise
    except Exception as problem:  # openpyxl, zlib and the XML parser raise errors of many types for damaged files
        raise RatingsError(
            f"{path}: a damaged spreadsheet, or none ({safe_line([str(problem)], 80)}); save it again as .xlsx or CSV"
        ) from problem
    raise _no_head(path, first)


def _check_size(path: Path, data: bytes) -> None:
    if len(data) > MOST_BYTES:
        raise RatingsError(f"{path}: a spreadsheet of more than {MOST_BYTES // 10**6} MB; save it as CSV")
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if sum(part.file_size for part in parts.infolist()) > MOST_EXPANDED:
            raise RatingsError(f"{path}: it expands to more than {MOST_EXPANDED // 10**6} MB; save it as CSV")


def _cells(sheet: Any, is_head: IsHead) -> Iterator[tuple[int, list[str]]]:
    """Yield the numbered rows of a worksheet as text; of a worksheet without a head only the first ones."""
    if hasattr(sheet, "reset_dimensions"):
        sheet.reset_dimensions()  # the stored dimensions may be wrong
    above, has_head, last = 0, False, 0
    for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS), 1):
        fields = [_written(value) for value in row]
        while fields and not fields[-1].strip():
            fields.pop()
        if not fields:
            if number - last > MOST_EMPTY:
                return
            continue
        last = number
        yield number, fields
        above, has_head = above + 1, has_head or is_head(above, fields)
        if not has_head and above >= MOST_ABOVE:
            return


def _written(value: Any) -> str:
    """Return a cell's value as text; a score such as 7:4 may have become a time of day."""
    if isinstance(value, datetime):
        return value.isoformat(" ") if value.time() != time() else value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time):
        return f"{value.hour}:{value.minute}"
    if isinstance(value, timedelta):
        return f"{value // timedelta(hours=1)}:{value % timedelta(hours=1) // timedelta(minutes=1)}"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return "" if value is None else str(value)


def _skipped(rows: int) -> list[str]:
    return [f"{rows} row{'s' * (rows > 1)} above the names of the columns"] * (rows > 0)


def _no_head(path: Path, first: str) -> RatingsError:
    if not first.strip():
        return RatingsError(f"{path}: there is no game to rate (it is empty)")
    return RatingsError(
        f"{path}: its first line ({safe_line([first], 80)}) is not a known form: begin with names such as "
        "date,player1,player2,score1,score2,length, then one line per match such as 2026-03-14,Ann Lee,Bob,7,4,7 "
        "(other forms: bgrating ratings --help)"
    )
