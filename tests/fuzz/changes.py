"""Change sound files: a function of the file, of another one and of a random generator."""

import io
import random
import re
import struct
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from xml.sax.saxutils import escape

from xgdatatools.xgzarc import ArchiveRecord, FileRecord

import damaged_texts as damage
from corpus import texts
from fuzz import evidence, records, relations, serving, settings, state
from saved_files import unpacked, with_checksum
from text_changes import BYTES, LINES, Change, letter, named

_RECORD = 2560
_NOW, _THEN = re.compile(rb"\d{4}-\d\d-\d\dT[\d:]{8}Z"), b"2026-01-01T00:00:00Z"
_CELL_MARKS = ((b"<t>", b"</t>"), (b"<v>", b"</v>"))
_READ = {
    0: [(9, 140), (690, 1340)],
    1: [(9, 72)],
    2: [(9, 64), (64, 196), (196, 220)],
    3: [(9, 124), (124, 192), (2308, 2340)],
    4: [(9, 36)],
    5: [(9, 24)],
}
"""Where in a record of an .xg file is what is read, by its kind."""
HOSTILE = texts("hostile.fields")
"""What a field of a list, or the name of a member of an archive, is replaced by."""


def field(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Replace a field of a list by a hostile one, quoted or not."""
    lines = data.decode().splitlines()
    row = rng.randrange(len(lines))
    mark = max(",;\t", key=lines[0].count)
    fields, new = lines[row].split(mark), rng.choice(HOSTILE)
    fields[rng.randrange(len(fields))] = f'"{new}"' if rng.random() < 0.5 else new
    lines[row] = mark.join(fields)
    return ("\n".join(lines) + "\n").encode("utf-8", "surrogatepass")


def recoded(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Save a list as another program would: another encoding, separator, line end."""
    text = data.decode().replace(max(",;\t", key=data.decode().count), rng.choice(",;\t|"))
    text = text.replace("\n", rng.choice(["\n", "\r\n", "\r"]))
    codec = rng.choice(["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "cp1252", "cp037", "utf-7"])
    return text.encode(codec, "replace")


def as_sheet(data: bytes) -> bytes:
    import openpyxl

    lines = data.decode().splitlines()
    mark = max(",;\t", key=lines[0].count)
    book = openpyxl.Workbook()
    for line in lines:
        fields = line.split(mark)
        book.active.append([int(field) if field.isdecimal() else field for field in fields])
    out = io.BytesIO()
    book.save(out)
    # openpyxl writes when a workbook is made, but attacks repeat by their seed.
    members = unzipped(out.getvalue())
    return zipped([(name, _NOW.sub(_THEN, part)) for name, part in members], zipfile.ZIP_DEFLATED)


def cell(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    members, new = unzipped(data), rng.choice(HOSTILE).encode("utf-8", "replace")
    written = escape(new.translate(None, bytes(range(32))).decode())[:30_000].encode()
    places = []
    for number, (name, content) in enumerate(members):
        if name.endswith(("sheet1.xml", "sharedStrings.xml")):
            marked = [marks for marks in _CELL_MARKS if marks[0] in content]
            places += [(number, marks) for marks in marked]
    place, marks = rng.choice(places)
    name, content = members[place]
    start = rng.choice([found.end() for found in re.finditer(marks[0], content)])
    members[place] = name, content[:start] + written + content[content.index(marks[1], start) :]
    return zipped(members, zipfile.ZIP_DEFLATED)


def xml(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Change one byte of the XML in a spreadsheet, and renew the checksums."""
    members = unzipped(data)
    places = [n for n, (name, _) in enumerate(members) if "sheet1" in name or "Strings" in name]
    place = rng.choice(places)
    members[place] = members[place][0], letter(members[place][1], b"", rng)
    return zipped(members, zipfile.ZIP_DEFLATED)


def bits_inside(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Flip up to eight bits of the records in an .xg file, and renew the checksums."""
    games = bytearray(Archive.of(data).games)
    for _ in range(rng.randint(1, 8)):
        games[rng.randrange(len(games))] ^= 1 << rng.randrange(8)
    return Archive.of(data).with_games(bytes(games))


def field_inside(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Change one byte that is read of an .xg file, every kind of record equally often."""
    games = bytearray(Archive.of(data).games)
    kind = rng.choice(sorted(_READ))
    starts = [start for start in range(0, len(games), _RECORD) if games[start + 8] == kind]
    place = rng.choice(starts) + rng.randrange(*rng.choice(_READ[kind]))
    others = {0, 1, 2, 127, 255, games[place] ^ 1} - {games[place]}
    games[place] = rng.choice(sorted(others))
    return Archive.of(data).with_games(bytes(games))


def records_inside(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Leave out, double or exchange a record of an .xg file, and renew the checksums."""
    games = Archive.of(data).games
    parts = [games[start : start + _RECORD] for start in range(0, len(games), _RECORD)]
    place = rng.randrange(1, len(parts) - 1)
    one, other = parts[place : place + 2]
    parts[place : place + 2] = rng.choice([[one], [one] * 3, [other, one]])
    return Archive.of(data).with_games(b"".join(parts))


def header(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Set two or four bytes of a header of a zip archive to what is 0, small, large or anything."""
    marks = {b"PK\1\2": 46, b"PK\3\4": 30, b"PK\5\6": 22}
    mark = rng.choice(sorted(marks))
    starts = [place for place in range(len(data) - 3) if data.startswith(mark, place)]
    width = rng.choice([2, 4])
    place = rng.choice(starts) + rng.randrange(4, marks[mark] - width + 1, 2)
    largest = 2 ** (8 * width)
    values = [0, 1, largest // 2, largest - 1, rng.randrange(100), rng.randrange(65536)]
    value = rng.choice(values)
    return data[:place] + value.to_bytes(width, "little") + data[place + width :]


def member_name(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Give a member of a zip archive a hostile name, or another's, marked as UTF-8 or not."""
    members = unzipped(data)
    place = rng.randrange(len(members))
    name = rng.choice([*HOSTILE, members[0][0], "/etc/passwd", "a/", "x.zip", "\xe9"])
    raw = name.encode(rng.choice(["utf-8", "utf-16-le"]), "surrogatepass")[:60_000] or b"\0"
    raw += rng.choice([b"", b".mat", Path(members[place][0]).suffix.encode()])
    members[place] = "Q" * len(raw), members[place][1]
    made, marked = bytearray(zipped(members, zipfile.ZIP_DEFLATED)), rng.random() < 0.5
    with zipfile.ZipFile(io.BytesIO(made)) as packed:
        infos, listed = packed.infolist(), packed.start_dir
    listed += sum(46 + len(info.filename) for info in infos[:place])
    for start, flags, size in ((infos[place].header_offset, 7, 30), (listed, 9, 46)):
        made[start + size : start + size + len(raw)] = raw
        made[start + flags] |= 8 * marked
    return bytes(made)


def bomb(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Add a member that expands to 64 MB, packed by any method, and says that it is small."""
    size = 64 * 1024 * 1024
    methods = [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    made = zipped([*unzipped(data), ("bomb.mat", bytes(size))], rng.choice(methods))
    return made.replace(struct.pack("<L", size), struct.pack("<L", rng.choice([0, 9, size])))


def byte_inside(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Change a byte inside a .bgf, .ogxm or .gvab file, unpacked or with a new checksum."""
    if data.startswith(b"OGXM"):
        place = rng.randrange(data.rindex(b"CSUM"))
        return with_checksum(data, place, data[place] ^ 1 << rng.randrange(8))
    held = unpacked(data)
    place = rng.randrange(held.index(b"\n"), len(held))
    return held[:place] + bytes([held[place] ^ 1 << rng.randrange(8)]) + held[place + 1 :]


def unzipped(data: bytes) -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(io.BytesIO(data)) as packed:
        return [(info.filename, packed.read(info)) for info in packed.infolist()]


def zipped(members: list[tuple[str, bytes]], method: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as packed, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of two members of one name
        for name, content in members:
            info = zipfile.ZipInfo(name.encode("utf-8", "replace").decode())
            packed.writestr(info, content, method)
    return out.getvalue()


def _damaged(change: damage.Damage, data: bytes, _other: bytes, rng: random.Random) -> bytes:
    try:
        return change(data.decode("utf-8", "replace").replace("\r\n", "\n"), rng).encode()
    except IndexError:  # nothing of this kind is in the text
        return data


CHANGES: dict[str, dict[str, Change]] = {
    "text": named(*LINES),
    "repair": {change.__name__: partial(_damaged, change) for change in damage.DAMAGES},
    "xg": named(*BYTES, bits_inside, field_inside, records_inside),
    "sgf": named(*LINES),
    "bgf": named(*BYTES, byte_inside),
    "ogxm": named(*BYTES, byte_inside),
    "gvab": named(*BYTES, byte_inside),
    "zip": named(*BYTES, header, member_name, bomb),
    "club": named(*LINES, field, recoded),
    "evidence": evidence.CHANGES,
    "xlsx": named(*BYTES, header, member_name, bomb, cell, xml),
    "settings": settings.changes(HOSTILE),
    "state": state.CHANGES,
    "relations": relations.CHANGES,
    "serve": serving.changes(HOSTILE),
    "formula": records.FORMULA_CHANGES,
    "manifest": records.MANIFEST_CHANGES,
}
"""What is done to files of each kind."""


@dataclass(frozen=True)
class Archive:
    """An .xg file taken apart: what stands before the archive, and its game file."""

    head: bytes
    games: bytes

    @classmethod
    def of(cls, data: bytes) -> "Archive":
        end = len(data) - ArchiveRecord.SIZEOFREC
        about = ArchiveRecord()
        about.fromstream(io.BytesIO(data[end:]))
        start = end - about.registrysize - about.archivesize
        index = io.BytesIO(zlib.decompress(data[end - about.registrysize : end]))
        while True:
            file = FileRecord()
            file.fromstream(index)
            if file.name == "temp.xg":
                return cls(data[:start], zlib.decompress(data[start + file.start :][: file.csize]))

    def with_games(self, games: bytes) -> bytes:
        """Return a file of the same head with another game file and no other member."""
        packed = zlib.compress(games, 1)
        name = b"\x07temp.xg".ljust(256, b"\0") + bytes(256)
        about = struct.pack("<lllLBBxx", len(games), len(packed), 0, zlib.crc32(games), 0, 1)
        held = packed + zlib.compress(name + about, 1)
        sizes = len(held) - len(packed), len(packed)
        return self.head + held + struct.pack("<Llllll12x", zlib.crc32(held), 1, 1, *sizes, 1)
