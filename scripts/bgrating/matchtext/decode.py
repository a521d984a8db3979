"""From bytes to lines of text, or one clear error."""

import codecs
import re
from dataclasses import dataclass

from bgrating import BgratingError

MAX_BYTES = 16 * 1024 * 1024
"""Largest text that is read, in bytes; a match of 25 points takes about 30 kB."""

MAX_LINE = 10_000
"""Longest line that is read, in characters; the longest lines of the programs have about 300."""

_LINE_END = re.compile(r"\r\n|\r|\n")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x19\x1b-\x1f\x7f]")


class MatchTextError(BgratingError):
    """The bytes are not a match text; the message says why, in one line."""


@dataclass(frozen=True, slots=True)
class Decoded:
    """Lines without their ends, and how they were encoded."""

    lines: list[str]
    encoding: str
    bom: bool
    eol: str
    final_newline: bool


def decode(data: bytes) -> Decoded:
    """Decode the bytes of a match file: UTF-8 or UTF-16 with a byte-order mark, UTF-8, Windows or Latin-1.

    Raises MatchTextError for an empty, a binary or a huge file.
    """
    if len(data) > MAX_BYTES:
        raise MatchTextError(f"too large for a match text: more than {MAX_BYTES} bytes")
    text, encoding, bom = _text(data)
    text = text.rstrip("\x1a")  # the end-of-file mark of DOS
    if not text.strip():
        raise MatchTextError("empty file")
    if _CONTROL.search(text):
        raise MatchTextError("binary file, not a match text")
    ends = set(_LINE_END.findall(text))
    names = {"\n": "LF", "\r\n": "CRLF", "\r": "CR"}
    eol = names[ends.pop()] if len(ends) == 1 else "mixed" if ends else ""
    lines = _LINE_END.split(text)
    longest = max(len(line) for line in lines)
    if longest > MAX_LINE:
        raise MatchTextError(f"not a match text: a line of {longest} characters")
    return Decoded(lines, encoding, bom, eol, final_newline=lines[-1] == "")


def _text(data: bytes) -> tuple[str, str, bool]:
    if data.startswith(codecs.BOM_UTF8):
        return data[3:].decode("utf-8", "replace"), "utf-8", True
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace"), "utf-16", True
    if b"\0" in data:
        raise MatchTextError("binary file, not a match text")
    try:
        return data.decode("utf-8"), "utf-8", False
    except UnicodeDecodeError:
        pass
    windows = any(0x80 <= byte <= 0x9F for byte in set(data))
    try:
        return (data.decode("cp1252"), "cp1252", False) if windows else (data.decode("latin-1"), "latin-1", False)
    except UnicodeDecodeError:
        raise MatchTextError("binary file, not a match text") from None
