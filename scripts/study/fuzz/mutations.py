"""Change the bytes of real match files, each change a function of the file and a random generator alone."""

import io
import random
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from xgdatatools.xgzarc import ArchiveRecord, FileRecord

Mutation = Callable[[bytes, bytes, random.Random], bytes]
"""From a file, another file and a generator to the changed file."""

_SPLICES = bytes(range(32, 127)) + b"\n\t\x00\xff"


def digit(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Change one digit into another."""
    places = [place for place, byte in enumerate(data) if 48 <= byte <= 57]
    place = rng.choice(places)
    return data[:place] + bytes([rng.choice([b for b in range(48, 58) if b != data[place]])]) + data[place + 1 :]


def letter(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Change one byte into any other."""
    place = rng.randrange(len(data))
    return data[:place] + bytes([rng.choice(_SPLICES)]) + data[place + 1 :]


def cut(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Leave out all after some byte."""
    return data[: rng.randrange(len(data))]


def gap(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Leave out up to 40 bytes."""
    place = rng.randrange(len(data))
    return data[:place] + data[place + rng.randint(1, 40) :]


def noise(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Put in up to 20 bytes."""
    place = rng.randrange(len(data))
    return data[:place] + bytes(rng.choices(_SPLICES, k=rng.randint(1, 20))) + data[place:]


def line_lost(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Leave out a line."""
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def line_twice(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write a line twice."""
    lines = data.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    return b"".join([*lines[: place + 1], *lines[place:]])


def lines_exchanged(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Exchange two lines that follow one another."""
    lines = data.splitlines(keepends=True)
    place = rng.randrange(max(1, len(lines) - 1))
    lines[place : place + 2] = lines[place : place + 2][::-1]
    return b"".join(lines)


def spliced(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Go on with another file from some byte."""
    return data[: rng.randrange(len(data))] + other[rng.randrange(len(other)) :]


def glued(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Put another file behind, one byte of the whole changed."""
    return letter(data + b"\n" + other, other, rng)


TEXT: dict[str, Mutation] = {
    one.__name__: one
    for one in (digit, letter, cut, gap, noise, line_lost, line_twice, lines_exchanged, spliced, glued)
}
BINARY: dict[str, Mutation] = {one.__name__: one for one in (letter, cut, gap, noise, spliced)}


def bits_inside(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Flip up to eight bits of the records in an .xg file, and give it the checksums of the changed bytes."""
    games = bytearray(Archive.of(data).games)
    for _ in range(rng.randint(1, 8)):
        games[rng.randrange(len(games))] ^= 1 << rng.randrange(8)
    return Archive.of(data).with_games(bytes(games))


def records_inside(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Leave out, double or exchange a record of an .xg file, and give it the checksums of the changed bytes."""
    games, size = Archive.of(data).games, 2560
    parts = [games[start : start + size] for start in range(0, len(games), size)]
    place, how = rng.randrange(1, len(parts) - 1), rng.randrange(3)
    parts[place : place + 2] = ([parts[place]], [parts[place]] * 3, parts[place : place + 2][::-1])[how]
    return Archive.of(data).with_games(b"".join(parts))


INSIDE: dict[str, Mutation] = {one.__name__: one for one in (bits_inside, records_inside)}


@dataclass(frozen=True)
class Archive:
    """An .xg file taken apart: what stands before the archive, and its game file."""

    head: bytes
    games: bytes

    @classmethod
    def of(cls, data: bytes) -> "Archive":
        """Take a sound file apart."""
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
        about = struct.pack("<llllBBxx", len(games), len(packed), 0, _signed(zlib.crc32(games)), 0, 1)
        index = zlib.compress(name + about, 1)
        crc = _signed(zlib.crc32(packed + index))
        return self.head + packed + index + struct.pack("<llllll12x", crc, 1, 1, len(index), len(packed), 1)


def _signed(number: int) -> int:
    return number - 2**32 if number >= 2**31 else number
