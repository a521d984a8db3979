"""Bytes to lines: encodings, line ends, and what is refused."""

import pytest

from bgrating.matchtext import MatchTextError
from bgrating.matchtext import sections as module
from bgrating.matchtext.sections import decode


@pytest.mark.parametrize(
    ("data", "encoding", "bom", "first"),
    [
        (b"\xef\xbb\xbfK\xc3\xa9vin\n", "utf-8", True, "Kévin"),
        ("Kévin\n".encode(), "utf-8", False, "Kévin"),
        (b"J\xfcrgen\n", "latin-1", False, "Jürgen"),
        (b"O\x92Laughlin\n", "cp1252", False, "O’Laughlin"),
        ("Kévin\n".encode("utf-16"), "utf-16", True, "Kévin"),
        (b"plain\n\x1a", "utf-8", False, "plain"),
    ],
)
def test_encodings(data: bytes, encoding: str, bom: bool, first: str) -> None:
    decoded = decode(data)
    assert (decoded.encoding, decoded.bom) == (encoding, bom)
    assert decoded.lines[0].removeprefix("\ufeff") == first


@pytest.mark.parametrize(
    ("data", "eol"),
    [
        (b"a\nb\n", "LF"),
        (b"a\r\nb\r\n", "CRLF"),
        (b"a\rb", "CR"),
        (b"a\r\nb\n", "mixed"),
        (b"a", ""),
    ],
)
def test_line_ends(data: bytes, eol: str) -> None:
    decoded = decode(data)
    assert decoded.eol == eol
    assert decoded.lines[0] == "a"


def test_only_line_ends_cut_lines() -> None:
    assert decode("a\u2028b\x85c\n".encode()).lines == ["a\u2028b\x85c", ""]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b"RGMH\x18\x00\x00\x00\x01", "binary"),
        (b"7 point match\x01\x02", "binary"),
        (b"\x81\x8d match", "binary"),
        (b"x" * (module.MAX_LINE + 1), "line of"),
    ],
)
def test_refused(data: bytes, reason: str) -> None:
    with pytest.raises(MatchTextError, match=reason):
        decode(data)


def test_huge_file_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(MatchTextError, match="more than 10 bytes"):
        decode(b"\0" * 11)
