"""Read the rows of a file of results: text of any usual encoding and separator, or a workbook."""

import csv
import json
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from bgleague import workbook
from bgleague.games import MOST, Rows, Table, safe_line
from bgleague.headings import other_table
from bgleague.settings import RatingsError
from bgmatch.decoder import NotTextError, decoded

MOST_ABOVE = 30  # rows above the column names, such as a title, an author or a date
MOST_BYTES = 8_000_000  # of a workbook
_RULE = re.compile(r"[\s:|-]*")  # of a table in Markdown
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")


class Form(NamedTuple):
    """The form of a table: the index of its head, and the reader of the rows from there on."""

    head: int
    read: Callable[[Rows, Table], pd.DataFrame]


FindForm = Callable[[Rows], Form | None]
"""Returns the form of the table in rows, or None if they have no table of a known form."""


class Sheet(NamedTuple):
    """The rows of a text or of a sheet of a workbook, the form of its table, the list to fill."""

    rows: Rows
    form: Form | None
    table: Table


def read_sheets(path: Path, find_form: FindForm) -> list[Sheet]:
    """Return the sheets of a file; a text is one sheet.

    A file is text (separated by tabs, semicolons, commas, bars or spaces) or a workbook (.xlsx,
    .xlsb, .xls, .ods). Raises RatingsError for other files, files that are too large, and files
    without a table. The message says what they have, or quotes the first row.
    """
    data = path.read_bytes()
    if data.startswith(b"%PDF"):
        raise RatingsError("a PDF; save it as CSV or .xlsx")
    read = _workbook if data.startswith(_WORKBOOKS) else _text
    sheets = read(data, find_form)
    if any(sheet.form for sheet in sheets):
        return sheets
    first = [fields for sheet in sheets for _, fields in sheet.rows[:MOST_ABOVE]]
    if not first:
        raise RatingsError("there is no game to rate (it is empty)")
    fault = next(filter(None, map(other_table, first)), "")
    if fault:
        raise RatingsError(fault)
    shown = safe_line([", ".join(first[0])], 80)
    raise RatingsError(
        f"its first line ({shown}) is not a known form: begin with names such as"
        " date,player1,player2,score1,score2,length, then one line per match such as"
        " 2026-03-14,Ann Lee,Bob,7,4,7 (other forms: bgrating ratings --help)"
    )


def _text(data: bytes, find_form: FindForm) -> list[Sheet]:
    try:
        decoding = decoded(data)
    except NotTextError as problem:
        raise RatingsError(f"{problem}; save it as CSV UTF-8") from None
    if decoding.is_open:
        raise RatingsError(f"{decoding.note}; save it as CSV UTF-8")
    lines = re.split(r"\r\n|\r|\n", decoding.text)
    number = sum(map(bool, map(str.strip, lines)))
    if number > MOST:
        raise RatingsError(
            f"it has {number:,} rows; up to {MOST:,} are read: split it, for instance by years"
        )
    above = lines[: 4 * MOST_ABOVE]
    marks = sorted("\t;,|", key="\n".join(above).count, reverse=True)
    for mark in [*marks, " "]:
        rows, _ = _split(above, mark)
        form = find_form(rows)
        if form is None:
            continue
        if mark == " " and not set(marks).isdisjoint(lines[rows[form.head][0] - 1]):
            continue
        rows, table = _split(lines, mark, len(rows[form.head][1]))
        if decoding.is_guess:
            table.notes.append(f"{decoding.note}; if names look wrong, save it as CSV UTF-8")
        if lines[-1]:  # a text that ends with a line end has an empty last line
            table.notes.append(
                "the file ends without a line end; look whether its last row is whole"
            )
        return [Sheet(rows, find_form(rows), table)]
    rows, table = _split(above, marks[0])
    unread = [(number, [text]) for number, _, _, text in table.flagged]
    return [Sheet(rows or unread, None, table)]


def _split(lines: Sequence[str], mark: str, width: int = 0) -> tuple[Rows, Table]:
    """Split lines into numbered rows of fields, without empty ones; the list has the flagged rows.

    A quoted cell may contain line breaks (RFC 4180). If a quotation mark is not closed, only the
    line of the mark is flagged. The same holds if the joined lines do not have `width` fields.
    """
    table = Table()
    if mark == " ":
        words = enumerate(map(str.split, lines), 1)
        return [row for row in words if row[1]], table
    if mark == "|":
        lines = [line.strip().removeprefix("|").removesuffix("|") for line in lines]
    rows: Rows = []
    index = 0
    while index < len(lines):
        start = index
        rest = (f"{line}\n" for line in lines[start:])
        reader = csv.reader(rest, delimiter=mark, strict=True)
        with suppress(csv.Error):
            for fields in reader:
                end = start + reader.line_num
                if width and end > index + 1 and len(fields) != width:
                    break
                rows.append((index + 1, fields))
                index = end
        if index < len(lines):
            reason = "this line is no row of fields; is a quotation mark not closed?"
            table.flag(index + 1, reason, [lines[index]])
            index += 1
    return [row for row in rows if not _RULE.fullmatch("".join(row[1]))], table


def _workbook(data: bytes, find_form: FindForm) -> list[Sheet]:
    if len(data) > MOST_BYTES:
        raise RatingsError(f"a spreadsheet of more than {MOST_BYTES // 10**6} MB; save it as CSV")
    command = [sys.executable, "-P", workbook.__file__]
    process = subprocess.run(command, input=data, capture_output=True, check=False)
    if process.returncode:
        last = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        reason = "its cells need too much memory"
        if process.returncode > 0:
            reason = safe_line([last.partition(": ")[2] or last], 80)
        raise RatingsError(
            f"a damaged or protected spreadsheet, or none ({reason}); save it again as .xlsx or CSV"
        )
    sheets = []
    cells_by_title = json.loads(process.stdout)
    for title, cells in cells_by_title.items():
        rows = [row for row in enumerate(cells, 1) if any(map(str.strip, row[1]))]
        table = Table(safe_line([title], 60) if len(cells_by_title) > 1 else "")
        sheets.append(Sheet(rows, find_form(rows), table))
    return sheets
