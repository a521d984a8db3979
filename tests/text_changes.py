"""Change a match text: a function of the text, of another one and of a random generator."""

import random
from collections.abc import Callable

Change = Callable[[bytes, bytes, random.Random], bytes]

_SPLICES = bytes(range(32, 127)) + b"\n\t\x00\xff"


def digit(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    place = rng.choice([place for place, byte in enumerate(data) if 48 <= byte <= 57])
    return (
        data[:place]
        + bytes([rng.choice([b for b in range(48, 58) if b != data[place]])])
        + data[place + 1 :]
    )


def letter(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes([rng.choice(_SPLICES)]) + data[place + 1 :]


def cut(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def gap(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + data[place + rng.randint(1, 40) :]


def noise(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data))
    return data[:place] + bytes(rng.choices(_SPLICES, k=rng.randint(1, 20))) + data[place:]


def line_lost(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    del lines[rng.randrange(len(lines))]
    return b"".join(lines)


def line_twice(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    return b"".join([*lines[: place + 1], *lines[place:]])


def lines_exchanged(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    lines = data.splitlines(keepends=True)
    place = rng.randrange(max(1, len(lines) - 1))
    lines[place : place + 2] = lines[place : place + 2][::-1]
    return b"".join(lines)


def spliced(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))] + other[rng.randrange(len(other)) :]


def glued(data: bytes, other: bytes, rng: random.Random) -> bytes:
    return letter(data + b"\n" + other, other, rng)


def named(*changes: Change) -> dict[str, Change]:
    return {change.__name__: change for change in changes}


BYTES = (letter, cut, gap, noise, spliced)
LINES = (digit, *BYTES, line_lost, line_twice, lines_exchanged, glued)
