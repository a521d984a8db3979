"""A workbook in Excel's binary format, which no library writes, by the parts of [MS-XLSB]."""

import io
import struct
import zipfile
from collections.abc import Sequence

PACKAGE = "http://schemas.openxmlformats.org/package/2006"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ROW = 0
REAL = 5
TEXT = 6
BEGIN_SHEET = 129
END_SHEET = 130
BEGIN_BOOK = 131
END_BOOK = 132
BEGIN_SHEETS = 143
END_SHEETS = 144
BEGIN_ROWS = 145
END_ROWS = 146
EXTENT = 148
SHEET = 156


def workbook(title: str, rows: Sequence[Sequence[str | float]]) -> bytes:
    """Return a workbook of one sheet with texts and numbers."""
    book = record(BEGIN_BOOK) + record(BEGIN_SHEETS)
    book += record(SHEET, struct.pack("<II", 0, 1) + wide("rId1") + wide(title))
    book += record(END_SHEETS) + record(END_BOOK)
    sheet = record(BEGIN_SHEET)
    sheet += record(EXTENT, struct.pack("<4I", 0, len(rows) - 1, 0, len(rows[0]) - 1))
    sheet += record(BEGIN_ROWS)
    for line, row in enumerate(rows):
        sheet += record(ROW, struct.pack("<IIH3xI", line, 0, 300, 0))
        for column, value in enumerate(row):
            place = struct.pack("<II", column, 0)
            if isinstance(value, str):
                sheet += record(TEXT, place + wide(value))
            else:
                sheet += record(REAL, place + struct.pack("<d", value))
    sheet += record(END_ROWS) + record(END_SHEET)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as parts:
        parts.writestr("[Content_Types].xml", types())
        parts.writestr("_rels/.rels", relation("officeDocument", "xl/workbook.bin"))
        parts.writestr("xl/_rels/workbook.bin.rels", relation("worksheet", "worksheets/sheet1.bin"))
        parts.writestr("xl/workbook.bin", book)
        parts.writestr("xl/worksheets/sheet1.bin", sheet)
    return out.getvalue()


def record(kind: int, data: bytes = b"") -> bytes:
    """Return a record: its type in one or two bytes, its size in sevens of bits, its data."""
    head = bytes([kind]) if kind < 128 else bytes([kind & 127 | 128, kind >> 7])
    size = len(data)
    while size > 127:
        head += bytes([size & 127 | 128])
        size >>= 7
    return head + bytes([size]) + data


def wide(text: str) -> bytes:
    return struct.pack("<I", len(text)) + text.encode("utf-16-le")


def types() -> str:
    binary = "application/vnd.ms-excel.sheet.binary.macroEnabled.main"
    relations = "application/vnd.openxmlformats-package.relationships+xml"
    return (
        f'<Types xmlns="{PACKAGE}/content-types"><Default Extension="bin" ContentType="{binary}"/>'
        f'<Default Extension="rels" ContentType="{relations}"/></Types>'
    )


def relation(kind: str, target: str) -> str:
    return (
        f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="rId1"'
        f' Type="{OFFICE}/{kind}" Target="{target}"/></Relationships>'
    )
