"""Read the rows of a file of results: text of any usual encoding and separator, or a workbook."""

import csv
import io
import re
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, NamedTuple

from bgleague.games import MOST, Row, Table, safe_line
from bgleague.settings import RatingsError
from bgmatch.decoder import NotTextError, decoded

MOST_ABOVE = 30  # rows above the column names, such as a title, an author or a date
MOST_BYTES = 8_000_000
MOST_EXPANDED = 100_000_000
MOST_COLUMNS = 256
"""Limits of a workbook: bytes, uncompressed bytes, and columns that are read."""
MOST_EMPTY = (
    1000  # empty rows after which a sheet ends: a stray cell may stand a million rows below
)
_CUT = "the file ends without a line end; look whether its last row is whole"
_NO_ROW = "this line is no row of fields; is a quotation mark not closed?"
_OTHER = {
    b"PK\x03\x04": "xlsx",
    b"\xd0\xcf\x11\xe0": "an old or protected spreadsheet or document",
    b"%PDF": "a PDF",
}

FindHead = Callable[[Sequence[Row]], int | None]
"""Returns the place of the first row of a table, or None if the rows have no table."""


class Sheet(NamedTuple):
    """The rows of a text or of a sheet of a workbook, the place of the first row of its table, and
    the list to fill.
    """

    rows: list[Row]
    head: int | None
    table: Table


def read_sheets(path: Path, find_head: FindHead) -> list[Sheet]:
    """Return the sheets of a file; a text is one sheet.

    A file is text (separated by tabs, semicolons, commas, bars or spaces) or an .xlsx workbook.
    Raises RatingsError for other files, files that are too large, and files without a table; the
    message quotes the first row.
    """
    data = path.read_bytes()
    kind = next((kind for start, kind in _OTHER.items() if data.startswith(start)), "")
    if kind == "xlsx":
        return _workbook(path, data, find_head)
    if kind:
        raise RatingsError(f"{path}: {kind}; save it as CSV or .xlsx")
    text, note = _text(path, data)
    lines = re.split(r"\r\n|\r|\n", text)
    filled = [line for line in lines if line.strip()]
    if len(filled) > MOST:
        raise RatingsError(
            f"{path}: it has {len(filled):,} rows; up to {MOST:,} are read: split it, for instance"
            " by years"
        )
    above = lines[: 4 * MOST_ABOVE]
    for mark in [*sorted("\t;,|", key="\n".join(above).count, reverse=True), " "]:
        first, _ = _split(above, mark)
        head = find_head(first)
        if head is not None:
            rows, table = _split(lines, mark, len(first[head][1]))
            cut = (
                _CUT if lines[-1] else ""
            )  # a text that ends with a line end has an empty last line
            table.notes = list(filter(None, [note, cut]))
            return [Sheet(rows, find_head(rows), table)]
    raise no_table(path, filled[0] if filled else "")


def _text(path: Path, data: bytes) -> tuple[str, str]:
    """Return the text of a file, and a note if its encoding was guessed.

    Raises RatingsError if none is sure.
    """
    try:
        found = decoded(data)
    except NotTextError as problem:
        raise RatingsError(f"{path}: {problem}; save it as CSV UTF-8") from None
    if found.is_open:
        raise RatingsError(f"{path}: {found.note}; save it as CSV UTF-8")
    return (
        found.text,
        f"{found.note}; if names look wrong, save it as CSV UTF-8" if found.is_guess else "",
    )


def _split(lines: Sequence[str], mark: str, width: int = 0) -> tuple[list[Row], Table]:
    """Split lines into numbered rows of fields, without empty ones.

    Return a list with the flagged rows, too.

    A quoted cell may contain line breaks (RFC 4180). If a quotation mark is not closed, or the
    joined lines do not have `width` fields, only the line of the mark is flagged.
    """
    if mark == " ":
        return [
            (number, line.split()) for number, line in enumerate(lines, 1) if line.strip()
        ], Table()
    rows: list[Row] = []
    table = Table()
    place = 0
    while place < len(lines):
        start = place
        reader = csv.reader(
            (f"{lines[at]}\n" for at in range(start, len(lines))), delimiter=mark, strict=True
        )
        with suppress(csv.Error):
            for fields in reader:
                end = start + reader.line_num
                if width and end > place + 1 and len(fields) != width:
                    break
                rows.append((place + 1, fields))
                place = end
        if place < len(lines):
            table.flag(place + 1, _NO_ROW, [lines[place]])
            place += 1
    return [row for row in rows if any(field.strip() for field in row[1])], table


def _workbook(path: Path, data: bytes, find_head: FindHead) -> list[Sheet]:
    import openpyxl  # noqa: PLC0415 - it takes a third of a second and most lists are text

    try:
        _check_size(path, data)
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = []
        for sheet in book.worksheets:
            rows = list(_cells(sheet))
            width = max((len(row) for _, row in rows), default=0)
            padded = [(number, row + [""] * (width - len(row))) for number, row in rows]
            title = safe_line([sheet.title], 60) if len(book.worksheets) > 1 else ""
            sheets.append(Sheet(padded, find_head(padded), Table(title)))
    except RatingsError:
        raise
    except (
        Exception
    ) as problem:  # openpyxl, zlib and the XML parser raise errors of many types for damaged files
        raise RatingsError(
            f"{path}: a damaged spreadsheet, or none ({safe_line([str(problem)], 80)}); save it"
            " again as .xlsx or CSV"
        ) from problem
    if all(sheet.head is None for sheet in sheets):
        raise no_table(
            path, next((" ".join(sheet.rows[0][1]) for sheet in sheets if sheet.rows), "")
        )
    return sheets


def _check_size(path: Path, data: bytes) -> None:
    if len(data) > MOST_BYTES:
        raise RatingsError(
            f"{path}: a spreadsheet of more than {MOST_BYTES // 10**6} MB; save it as CSV"
        )
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        if sum(part.file_size for part in parts.infolist()) > MOST_EXPANDED:
            raise RatingsError(
                f"{path}: it expands to more than {MOST_EXPANDED // 10**6} MB; save it as CSV"
            )


def _cells(sheet: Any) -> Iterator[Row]:
    """Yield the numbered rows of a worksheet as text."""
    sheet.reset_dimensions()  # the stored dimensions may be wrong
    last = 0
    for number, row in enumerate(sheet.iter_rows(values_only=True, max_col=MOST_COLUMNS), 1):
        fields = [_written(value) for value in row]
        while fields and not fields[-1].strip():
            fields.pop()
        if fields:
            last = number
            yield number, fields
        elif number - last > MOST_EMPTY:
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
        hours, rest = divmod(value, timedelta(hours=1))
        return f"{hours}:{rest // timedelta(minutes=1)}"
    if isinstance(value, float) and value.is_integer():
        return f"{value:.0f}"
    return "" if value is None else str(value)


def no_table(path: Path, first: str) -> RatingsError:
    if not first.strip():
        return RatingsError(f"{path}: there is no game to rate (it is empty)")
    return RatingsError(
        f"{path}: its first line ({safe_line([first], 80)}) is not a known form: begin with names"
        " such as date,player1,player2,score1,score2,length, then one line per match such as"
        " 2026-03-14,Ann Lee,Bob,7,4,7 (other forms: bgrating ratings --help)"
    )
