"""Print the cells of a workbook (.xlsx, .xlsb, .xls, .ods), in a process of its own.

A small file may describe billions of cells, and calamine makes room for all of them. So this
process may take only MOST_MEMORY; it ends if a workbook needs more. calamine also reads damaged
XML, perhaps in part, so archives and their XML are checked first. The file comes from the standard
input; the rows of cells by the names of the sheets are printed as JSON.
"""

import io
import json
import resource
import sys
import zipfile
from datetime import date, datetime, time, timedelta
from xml.parsers import expat

from python_calamine import CalamineSheet, load_workbook

MOST_MEMORY = 300_000_000  # bytes
MOST_EXPANDED = 100_000_000  # bytes of the parts of an archive
MOST_COLUMNS = 256  # columns that are read


def text_of(value: object) -> str:
    """Return a cell's value as text; a score such as 7:4 may have become a time of day."""
    if isinstance(value, datetime) and value.time() != time():
        return value.isoformat(" ")
    if isinstance(value, date):
        return value.isoformat()[:10]
    if isinstance(value, time):
        return f"{value.hour}:{value.minute}"
    if isinstance(value, timedelta):
        minutes = value // timedelta(minutes=1)
        return f"{minutes // 60}:{minutes % 60}"
    return f"{value:.0f}" if isinstance(value, float) and value.is_integer() else str(value)


def check(data: bytes) -> None:
    """End the process if an archive is too large or damaged."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > MOST_EXPANDED:
            sys.exit(f"it expands to more than {MOST_EXPANDED // 10**6} MB")
        for member in archive.infolist():
            if member.filename.endswith(".xml"):
                expat.ParserCreate().ParseFile(archive.open(member))


def rows(sheet: CalamineSheet) -> list[list[str]]:
    return [list(map(text_of, row[:MOST_COLUMNS])) for row in sheet.iter_rows()]


def main() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, MOST_MEMORY))
    data = sys.stdin.buffer.read()
    if data.startswith(b"PK"):
        check(data)
    book = load_workbook(io.BytesIO(data))
    sheets = {name: rows(book.get_sheet_by_name(name)) for name in book.sheet_names}
    json.dump(sheets, sys.stdout)


if __name__ == "__main__":
    main()
