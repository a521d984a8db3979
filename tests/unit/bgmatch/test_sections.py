"""Bytes to lines: encodings, line ends, and what is refused."""

import pytest

from bgmatch import sections as module
from bgmatch.sections import MatchTextError, lines_of


@pytest.mark.parametrize(
    ("data", "first"),
    [
        (b"\xef\xbb\xbfK\xc3\xa9vin\n", "Kévin"),
        ("Kévin\n".encode(), "Kévin"),
        (b"J\xfcrgen\n", "Jürgen"),
        (b"O\x92Laughlin\n", "O’Laughlin"),
        ("Kévin\n".encode("utf-16"), "Kévin"),
        (b"plain\n\x1a", "plain"),
    ],
)
def test_text_of_every_encoding_is_decoded(data: bytes, first: str) -> None:
    assert lines_of(data)[0][0].removeprefix("\ufeff") == first


@pytest.mark.parametrize("data", [b"a\nb", b"a\r\nb", b"a\rb"])
def test_lines_end_as_on_every_system(data: bytes) -> None:
    assert lines_of(data)[0] == ["a", "b"]


def test_only_line_ends_cut_lines() -> None:
    assert lines_of("a\u2028b\x85c\n".encode())[0] == ["a\u2028b\x85c", ""]


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "empty"),
        (b" \r\n\t", "empty"),
        (b"RGMH\x18\x00\x00\x00\x01", "binary"),
        (b"7 point match\x01\x02", "binary"),
        (b"x" * (module.MAX_LINE + 1), "line of"),
        (b"\t" * (module.MAX_LINE // 8) + b"x", "line of 10001"),
    ],
)
def test_damaged_bytes_are_refused(data: bytes, reason: str) -> None:
    with pytest.raises(MatchTextError, match=reason):
        lines_of(data)[0]


def test_huge_file_is_refused_before_it_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(MatchTextError, match="more than 10 bytes"):
        lines_of(b"\0" * 11)
