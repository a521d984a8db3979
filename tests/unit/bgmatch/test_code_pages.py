"""Two hundred texts by code page, writer and fault: read as UTF-8, or the difference is said."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from bgmatch import read_matches
from bgmatch.decoder import Decoded, decoded
from corpus import cases
from match_texts import TEXTS

PAGES = cases("encodings.pages")
FAULTS: dict[str, Callable[[str], str]] = {
    "none": str,
    "page breaks": lambda text: re.sub(r"(?m)^( *Game)", "\f\\1", text),
    "a doubled row": lambda text: re.sub(r"(?m)^( *2\).*\n)", r"\1\1", text, count=1),
    "lines of DOS and padding": lambda text: text.replace("\n", "\r\n") + "\x1a\0\0\0",
}
WRITERS = ["gnubg", "galaxy", "gridgammon", "playok", "xg"]


def renamed(text: str, names: list[str]) -> str:
    """Return a text with other names wherever its players are named."""
    text = text.removeprefix("\ufeff")
    players = [player for match in read_matches(text.encode()).matches for player in match.players]
    old_names = dict.fromkeys(
        name for player in players for name in (player.name, player.real_name)
    )
    for old, new in zip(
        sorted(old_names, key=len, reverse=True), names * len(old_names), strict=False
    ):
        text = re.sub(rf"(?<!\w){re.escape(old)}(?!\w)", new, text)
    return text


@pytest.mark.parametrize(
    ("mistaken", "names"),
    [("cp1252", ["José Núñez", "Zoë Müller"]), ("latin-1", ["Łukasz", "Šárka Čížková"])],
)
def test_a_text_that_was_encoded_twice_is_its_original_and_says_so(
    mistaken: str, names: list[str]
) -> None:
    original = renamed(TEXTS["gnubg"], names).encode()
    one, other = read_matches(original), read_matches(original.decode(mistaken).encode())
    assert other.matches == one.matches
    assert (one.decoded.note, "it was read as UTF-8" in other.decoded.note) == ("", True)


@pytest.mark.parametrize("name", ["Strauß’ Cup", "Weiß\u00a0", "CAFÉ…", "José\u00a0\u00a0"])
def test_a_sign_behind_a_letter_is_no_letter_that_was_encoded_twice(name: str) -> None:
    name.encode("cp1252").decode("utf-8")  # by chance it could be
    assert decoded(name.encode()) == Decoded(name, "utf-8")


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(("encoding", "names"), PAGES)
def test_a_text_in_a_code_page_is_its_original_or_says_so(
    encoding: str, names: list[str], fault: str, writer: str
) -> None:
    original = FAULTS[fault](renamed(TEXTS[writer], names))
    one, other = read_matches(original.encode()), read_matches(original.encode(encoding))
    players = [[match.players for match in file.matches] for file in (one, other)]
    figures = [
        [replace(match, players=one.matches[0].players) for match in file.matches]
        for file in (one, other)
    ]
    assert figures[0] == figures[1]
    assert other.decoded.note
    if players[0] != players[1]:
        assert other.decoded.is_open
    else:
        assert names[0] in other.decoded.text
