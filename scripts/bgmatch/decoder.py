"""Find the encoding of a text: by its byte-order mark, its zero bytes, UTF-8, or else by its words.

Most single-byte encodings can decode any bytes, so decoding alone proves nothing. A word fits an
alphabet if all its letters belong to it, and if its capitals are at its start or throughout.
Languages that share letters are told apart by sequences that one of them never writes.
"""

import codecs
import itertools
import math
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from bgmatch.errors import MatchTextError

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BETWEEN_WORDS = "\u2013\u2014\u2018\u2019"
_ROUND_WORDS = "\u201a\u201c\u201d\u201e\u2026\u00ab\u00bb\u00b7\u00b0\u00a7\u00ba\u00bd\u2122"
_WORD = re.compile(rf"[^\x00-@\[-`{{-\x7f\s{_BETWEEN_WORDS}]{{2,}}")
_SMALL = "".join(letter for letter in map(chr, range(0x61, 0x180)) if letter.islower())
_JOINED = re.compile(f"(?<=[{_SMALL}])(?=[A-Z])")
_BEYOND_ASCII = re.compile(r"[\w'-]*[^\x00-\x7f][\w'-]*")
_FOREIGN = re.compile(r"[^\x00-\x7f]+")
_PADDING = re.compile(r"[\x00\x0b\x0c]")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_MOST_CONTROLS = 0.05  # a file with a larger share of control characters is binary
_ENOUGH = 0.9  # share of the words that must fit
_MOST_WORDS = 2_000  # words that are looked at

# What signs that stand alone add to the odds against a reading.
_LONELY = 2.0
# Readings whose odds differ by less are equal.
_EQUAL = 0.5
# Most words that fit this alphabet are Turkish words in another encoding.
_WEIGHTS = {"Icelandic": 1.1}


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("languages.toml").read_text(encoding="utf-8"))


@cache
def words_of(alphabet: str) -> re.Pattern[str]:
    """Return the pattern of an alphabet's or a language's words, in small letters."""
    others = _tables()["others"]
    if alphabet in others:
        return re.compile(others[alphabet])
    letters, never = _tables()["latin"][alphabet]
    return re.compile(rf"(?=.*[a-z])(?!.*?(?:{never}))[a-z{letters}]+")


class NotTextError(MatchTextError, ValueError):
    """The bytes are no text, or a text in two encodings; the message says which in one clause."""


class Rival(NamedTuple):
    """Another reading of a text. `is_equal`: nothing in its words makes it less likely."""

    encoding: str
    text: str
    is_equal: bool


class Decoded(NamedTuple):
    """A text without control characters, its encoding, and its other readings.

    `rivals` are the readings that fit its words too, the likeliest first. Encodings have Python's
    names; `encoding` is empty if none fits, and the text is then read as cp1252. `is_guess` is
    False if a mark or UTF-8 decides.
    """

    text: str
    encoding: str
    is_guess: bool = False
    rivals: tuple[Rival, ...] = ()

    @property
    def is_open(self) -> bool:
        """Return whether a rival is as likely, or no encoding fits."""
        return not self.encoding or any(rival.is_equal for rival in self.rivals)

    @property
    def note(self) -> str:
        """Return a clause about the encoding, with an example; empty if the encoding is certain."""
        if not self.is_guess:
            return ""
        if not self.encoding:
            return "no encoding known here fits its words"
        here = usual_name(self.encoding)
        if not self.is_open:
            return f"it was read as {here} (such as {next(_beyond_ascii(self.text))})"
        rival = self.rivals[0]
        pairs = itertools.zip_longest(
            _beyond_ascii(self.text), _beyond_ascii(rival.text), fillvalue="nothing"
        )
        word, rival_word = next(words for words in pairs if words[0] != words[1])
        return (
            f"it may be written in {here} ({word}) or {usual_name(rival.encoding)} ({rival_word})"
        )

    def otherwise(self, name: str) -> dict[str, str]:
        """Return the other readings of a name in the text, by encoding."""
        readings: dict[str, str] = {}
        for rival in self.rivals:
            with suppress(UnicodeError):
                reading = name.encode(self.encoding).decode(rival.encoding)
                if reading != name:
                    readings[rival.encoding] = reading
        return readings


def usual_name(encoding: str) -> str:
    """Return the name of an encoding that users know, such as Windows-1250."""
    return (
        encoding.upper()
        .replace("CP125", "Windows-125")
        .replace("CP932", "Shift-JIS")
        .replace("ISO8859_", "ISO-8859-")
        .replace("MAC_", "Mac ")
    )


def decoded(data: bytes) -> Decoded:
    """Return the text of a file with its encoding.

    Raises NotTextError for a binary file, and for a text in UTF-8 and another encoding.
    """
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    marked = marked or _wide(data.rstrip(b"\0")[:2000])
    if not marked:
        data = data.rstrip(b"\0\x1a")
    encoding = marked or "utf-8"
    with suppress(UnicodeDecodeError):
        text = _printable(data.decode(encoding))
        once = _encoded_once(text)
        return Decoded(once, encoding, is_guess=once != text)
    if marked:
        return Decoded(_printable(data.decode(encoding, "replace")), "", is_guess=True)
    _printable(data.decode("latin-1"))
    _require_one_encoding(data)
    return _by_words(data)


def _wide(head: bytes) -> str:
    """Return the encoding of a text in UTF-16 without a mark, by its zero bytes; else empty."""
    even = head[::2].count(0)
    odd = head[1::2].count(0)
    if max(even, odd) <= len(head) // 4 + 3 * min(even, odd):
        return ""
    return "utf-16-be" if even > odd else "utf-16-le"


def _printable(text: str) -> str:
    """Return a text without page breaks, padding, colours and other control characters.

    Raises NotTextError for a binary file.
    """
    text = _PADDING.sub(" ", _ESCAPES.sub("", text))
    if len(_CONTROLS.findall(text)) > _MOST_CONTROLS * len(text):
        raise NotTextError("a binary file, not a text")
    return _CONTROLS.sub("", text)


def _encoded_once(text: str) -> str:
    """Return a text that was encoded in UTF-8 twice ("JosÃ©") as it was, any other unchanged.

    A letter and the sign behind it, such as in "Strauß’", may by chance be the bytes of a letter.
    So a text whose words fit alphabets stays as it is.
    """
    if 0 < _odds(_words(text), tuple(_tables()["latin"] | _tables()["others"])) < math.inf:
        return text
    for mistaken in ("cp1252", "latin-1"):
        with suppress(UnicodeError):
            return text.encode(mistaken).decode("utf-8")
    return text


def _require_one_encoding(data: bytes) -> None:
    """Raise NotTextError if some lines are UTF-8 and others are not.

    UTF-8 hardly arises by chance.
    """
    first: dict[bool, int] = {}
    for number, line in enumerate(re.split(b"\r\n|\r|\n", data), 1):
        if not line.isascii():
            text = line.decode("utf-8", "ignore")
            is_utf8 = text.encode() == line
            if _words(text) or not is_utf8:
                first.setdefault(is_utf8, number)
    if len(first) == 2:
        where = f"line {first[True]} is UTF-8, line {first[False]} is not"
        raise NotTextError(f"a text in two encodings ({where})")


def _by_words(data: bytes) -> Decoded:
    """Return the likeliest reading: the one with most words that fit, then the fewest alphabets."""
    readings: dict[str, tuple[float, str]] = {}
    tables = _tables()
    for encoding, (rarity, names) in tables["encodings"].items():
        with suppress(UnicodeDecodeError, NotTextError):
            text = _printable(data.decode(encoding))
            alphabets = tuple(tables["latin"] if names == "latin" else names)
            odds = _odds(_words(text), alphabets) + rarity + _LONELY * _has_signs(text)
            if odds < readings.get(text, (math.inf, ""))[0]:
                readings[text] = (odds, encoding)
    if not readings:
        return Decoded(_printable(data.decode("cp1252", "replace")), "", is_guess=True)
    ranked = sorted(readings.items(), key=lambda reading: reading[1][0])
    (best, (least, encoding)), *later = ranked
    rivals = [Rival(rival, text, odds - least < _EQUAL) for text, (odds, rival) in later]
    return Decoded(best, encoding, is_guess=True, rivals=tuple(rivals))


def _has_signs(text: str) -> bool:
    """Return whether unusual signs stand alone; letters of another encoding often look so."""
    runs = (run.strip(_BETWEEN_WORDS + _ROUND_WORDS) for run in _FOREIGN.findall(text))
    return any(run and not any(map(str.isalpha, run)) for run in runs)


def _odds(words: list[str], alphabets: tuple[str, ...]) -> float:
    """Return the number of words that fit no alphabet and of alphabets that the others need.

    The number is infinite if few words fit.
    """
    fitting = list(filter(None, (_alphabets_of(word, alphabets) for word in words)))
    if len(fitting) < _ENOUGH * len(words):
        return math.inf
    odds = float(len(words) - len(fitting))
    while fitting:
        counts = Counter(itertools.chain.from_iterable(map(sorted, fitting)))
        best, _ = counts.most_common(1)[0]
        fitting = [names for names in fitting if best not in names]
        odds += _WEIGHTS.get(best, 1.0)
    return odds


@lru_cache(maxsize=100_000)
def _alphabets_of(word: str, alphabets: tuple[str, ...]) -> frozenset[str]:
    """Return the alphabets in which a word can be written."""
    plain = word.replace("ß", "")
    if plain != plain.upper() and plain[1:] != plain[1:].lower():
        return frozenset()
    small = word.replace("İ", "i").lower()
    return frozenset(name for name in alphabets if words_of(name).fullmatch(small))


def _words(text: str) -> list[str]:
    """Return the distinct words with letters beyond ASCII.

    Names such as JörgenHolm are two words.
    """
    pieces = _WORD.findall(_JOINED.sub(" ", text))
    words = (piece.strip(_ROUND_WORDS) for piece in pieces if not piece.isascii())
    distinct = dict.fromkeys(word for word in words if len(word) > 1 and not word.isascii())
    return list(distinct)[:_MOST_WORDS]


def _beyond_ascii(text: str) -> Iterator[str]:
    return (word[0] for word in _BEYOND_ASCII.finditer(text))
