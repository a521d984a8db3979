"""Open an eXtreme Gammon file (.xg), an archive with the records of a match.

The library xgdatatools (Michael Petch's structures, after XG's published xg_format.pas) parses the
records. Its unpacking has no size limit and leaves temporary files, so this module unpacks, up to
the size of a match.
"""

import io
import zlib
from collections.abc import Iterator
from typing import Any

from xgdatatools.xgstruct import GameFileRecord
from xgdatatools.xgzarc import ArchiveRecord, FileRecord

from bgmatch.formats.program_file import SavedError, unreadable

MAX_EXPANDED = 32 * 1024 * 1024
"""Largest game file that is unpacked, in bytes; a match of 25 points takes about 10 MB."""

_MAGIC = b"RGMH"
_GAME_MAGIC = b"DMLI"
_GAME_MAGIC_AT = 556
_GAME_FILE = "temp.xg"
_MAX_FILES = 16
_RECORD = 2560


def records(data: bytes) -> Iterator[Any]:
    """Return the records of a file in order, the match's header first.

    Raises SavedError; damaged fields raise other exceptions.
    """
    games = _game_file(data)
    if games[_GAME_MAGIC_AT : _GAME_MAGIC_AT + 4] != _GAME_MAGIC or len(games) < _RECORD:
        raise SavedError("this eXtreme Gammon file holds no match")
    stream = io.BytesIO(games)
    version = -1
    for start in range(0, len(games) - _RECORD + 1, _RECORD):
        stream.seek(start)
        record = GameFileRecord(version=version).fromstream(stream)
        version = record.Version if start == 0 else version
        yield record


def _game_file(data: bytes) -> bytes:
    if not data.startswith(_MAGIC):
        raise SavedError("not an eXtreme Gammon file")
    end = len(data) - ArchiveRecord.SIZEOFREC
    archive = ArchiveRecord()
    archive.fromstream(io.BytesIO(data[max(end, 0) :]))
    index_at = end - archive.registrysize
    start = index_at - archive.archivesize
    if not 0 < start <= index_at <= end or zlib.crc32(data[start:end]) != archive.crc:
        raise unreadable("this eXtreme Gammon file is cut or damaged: its checksum is another")
    index = io.BytesIO(_expanded(data[index_at:end], compressed=archive.compressedregistry))
    for _ in range(min(archive.filecount, _MAX_FILES)):
        file = FileRecord()
        file.fromstream(index)
        if file.name == _GAME_FILE:
            games = _expanded(
                data[start + file.start : index_at][: file.csize], compressed=file.compressed
            )
            if zlib.crc32(games) != file.crc:
                raise unreadable(
                    "this eXtreme Gammon file is damaged: the checksum of its games is another"
                )
            return games
    raise SavedError("this eXtreme Gammon file holds no games")


def _expanded(data: bytes, *, compressed: bool) -> bytes:
    expanded = data
    if compressed:
        expanded = zlib.decompressobj().decompress(data, MAX_EXPANDED + 1)
    if len(expanded) > MAX_EXPANDED:
        raise SavedError(
            f"too large for a match: this eXtreme Gammon file expands to more than {MAX_EXPANDED:,}"
            " bytes"
        )
    return expanded
