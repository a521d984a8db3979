"""Find the encoding of a text: by its byte-order mark, its zero bytes, UTF-8, or else by its words.

Most single-byte encodings can decode any bytes, so decoding alone proves nothing. A word fits if its letters belong to
one alphabet, if its capitals are at its start or throughout, and if it contains no sign. Languages that share a letter
are told apart by sequences that one of them never writes. A Cyrillic or Greek word has a vowel.
"""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_BETWEEN_WORDS = "\u2013\u2014\u2018\u2019"
_ROUND_WORDS = "\u201a\u201c\u201d\u201e\u2026\u00ab\u00bb\u00b7\u00b0\u00a7\u00ba\u00bd\u2122"
_WORD = re.compile(rf"[^\x00-@\[-`{{-\x7f\s{_BETWEEN_WORDS}]{{2,}}")
_BLANK_CONTROLS = re.compile(r"[\x00\x0b\x0c]")
_ESCAPES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
_ENOUGH = 0.9  # share of the words that must fit
_MOST_WORDS = 2_000  # words that are looked at
_MOST_CONTROLS = 0.05  # larger shares are binary files
_RARE = 0x99  # the first byte of rare characters in Shift-JIS
_SMALL = "".join(letter for letter in map(chr, range(0x61, 0x180)) if letter.islower())
_JOINED = re.compile(f"(?<=[{_SMALL}])(?=[A-Z])")
_HEBREW = re.compile("[\u05d0-\u05ea]+")
_ARABIC = re.compile("[\u0620-\u063f\u0641-\u064a\u066e-\u06d3]+")
_CYRILLIC = re.compile("(?=.*[аеёиоуыэюяєії])[\u0430-\u045f\u0491]+")
_GREEK = re.compile("(?=.*[αεηιουωάέήίόύώϊϋ])[\u03ac-\u03c1\u03c3-\u03ce]*[\u03ac-\u03ce]")
"""Small letters, one of them a vowel; the sigma \u03c2 stands at the end of a word only."""


class NotTextError(ValueError):
    """The bytes are no text, or a text in two encodings; the message says which in one clause."""


class Rival(NamedTuple):
    """Another reading of a text. `is_equal`: nothing in its words makes it less likely."""

    encoding: str
    text: str
    is_equal: bool


class Decoded(NamedTuple):
    """A text without control characters, the usual name of its encoding, and other readings that fit its words.

    `encoding` is empty if no encoding fits; the text then has the characters of Latin-1. `is_guess` is False if a mark
    or UTF-8 decides. Rivals differ from the text; the likeliest come first.
    """

    text: str
    encoding: str
    is_guess: bool = False
    rivals: tuple[Rival, ...] = ()

    @property
    def equals(self) -> tuple[Rival, ...]:
        """Return the rivals that are as likely as the text."""
        return tuple(rival for rival in self.rivals if rival.is_equal)

    @property
    def note(self) -> str:
        """Return a clause about the encoding, with an example; empty if the encoding is certain."""
        if not self.is_guess:
            return ""
        if not self.encoding:
            return "no encoding known here fits its words"
        if not self.equals:
            return f"it was read as {self.encoding}{_example(self.text, 'such as ')}"
        readings = [Rival(self.encoding, self.text, is_equal=True), *self.equals]
        shown = [f"{rival.encoding}{_example(rival.text)}" for rival in readings]
        return f"its names may be written in {' or '.join(shown)}"


def decoded(data: bytes) -> Decoded:
    """Return the text of a file with its encoding.

    Raises NotTextError for a binary file, and for a text in UTF-8 and another encoding.
    """
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    marked = marked or _wide(data.rstrip(b"\0")[:2000])
    if not marked:
        data = data.rstrip(b"\0\x1a")
    encoding = marked or "utf-8"
    try:
        return Decoded(_printable(data.decode(encoding)), encoding.removesuffix("-sig").upper())
    except UnicodeDecodeError:
        pass
    if marked:
        return Decoded(_printable(data.decode(encoding, "replace")), "", is_guess=True)
    _printable(data.decode("latin-1"))
    _require_one_encoding(data)
    return _by_words(data)


def _wide(head: bytes) -> str:
    """Return the encoding of a text in UTF-16 without a mark, by its zero bytes; empty for other texts."""
    zeros = {"utf-16-be": head[::2].count(0), "utf-16-le": head[1::2].count(0)}
    fewer, more = sorted(zeros.values())
    if 4 * more <= len(head) or 3 * fewer >= more:
        return ""
    return max(zeros, key=lambda name: zeros[name])


def _printable(text: str) -> str:
    """Return a text without control characters: some programs write page breaks, padding or colours.

    Raises NotTextError for a binary file.
    """
    text = _ESCAPES.sub("", text)
    if not _CONTROLS.search(text) and not _BLANK_CONTROLS.search(text):
        return text
    if len(_CONTROLS.findall(text)) > _MOST_CONTROLS * len(text):
        raise NotTextError("binary file, not a text")
    return _CONTROLS.sub("", _BLANK_CONTROLS.sub(" ", text))


def _require_one_encoding(data: bytes) -> None:
    """Raise NotTextError if some lines are UTF-8 and others are not; UTF-8 hardly arises by chance."""
    in_utf8 = in_other = 0
    for number, line in enumerate(re.split(b"[\r\n]", data), 1):
        if line.isascii():
            continue
        try:
            words = _words(line.decode("utf-8"))
        except UnicodeDecodeError:
            in_other = in_other or number
        else:
            in_utf8 = in_utf8 or (number if words else 0)
    if in_utf8 and in_other:
        raise NotTextError(f"a text in two encodings: line {in_utf8} is UTF-8, line {in_other} is not")


def _by_words(data: bytes) -> Decoded:
    """Return the likeliest reading: the one with most words that fit, then the fewest alphabets."""
    encodings: dict[str, str] = {}
    odds: dict[str, float] = {}
    for encoding, alphabets in _ENCODINGS.items():
        try:
            text = _printable(data.decode(encoding))
        except (UnicodeDecodeError, NotTextError):
            continue
        words = _words(text)
        fitting = [found for word in words if (found := _alphabets_of(word, alphabets))]
        if len(fitting) >= _ENOUGH * len(words):
            encodings.setdefault(text, encoding)
            odd = len(words) - len(fitting) + _cover(fitting) + (encoding in _RARE_ENCODINGS) * _RARITY
            odds[text] = min(odd, odds.get(text, odd))
    if not encodings:
        return Decoded(_printable(data.decode("latin-1")), "", is_guess=True)
    best, *others = sorted(odds, key=lambda text: odds[text])
    rivals = (Rival(_name(encodings[text]), text, odds[text] - odds[best] < _RARITY) for text in others)
    return Decoded(best, _name(encodings[best]), is_guess=True, rivals=tuple(rivals))


def _words(text: str) -> list[str]:
    """Return the distinct words with letters beyond ASCII; names such as JörgenHolm are two words."""
    pieces = _WORD.findall(_JOINED.sub(" ", text))
    words = (piece.strip(_ROUND_WORDS) for piece in pieces if not piece.isascii())
    distinct = dict.fromkeys(word for word in words if len(word) > 1 and not word.isascii())
    return list(distinct)[:_MOST_WORDS]


def _example(text: str, before: str = "") -> str:
    words = _words(text)
    return f" ({before}{words[0]})" if words else ""


def _name(encoding: str) -> str:
    usual = encoding.upper().replace("CP125", "Windows-125").replace("CP932", "Shift-JIS")
    return usual.replace("ISO8859_", "ISO-8859-").replace("MAC_", "Mac ")


def _cover(fitting: Sequence[frozenset[str]]) -> float:
    """Return the number of alphabets that all words need, the most frequent first; a rare one counts more."""
    total = 0.0
    rest = list(fitting)
    while rest:
        counts = Counter(name for found in rest for name in found)
        best = max(counts, key=lambda name: counts[name] - (name == _RARE_ALPHABET) * 0.5)
        rest = [found for found in rest if best not in found]
        total += 1 + (best == _RARE_ALPHABET) * 0.1
    return total


@lru_cache(maxsize=100_000)
def _alphabets_of(word: str, alphabets: tuple[str, ...]) -> frozenset[str]:
    """Return the alphabets in which a word can be written."""
    return frozenset(name for name in alphabets if _ALPHABETS[name](word))


class _Latin:
    """The words of a language: its letters beyond ASCII, and a pattern of what it never writes."""

    def __init__(self, letters: str, never: str = "$.") -> None:
        self.letters = frozenset(letters)
        self.never = re.compile(never)

    def __call__(self, word: str) -> bool:
        small = word.replace("İ", "i").lower()
        foreign = [letter for letter in small if not letter.isascii()]
        is_whole = self.letters.issuperset(foreign) and 3 * len(foreign) <= 2 * len(word)
        return is_whole and _is_cased(word.replace("ß", "")) and not self.never.search(small)


def _is_cased(word: str) -> bool:
    """Tell whether letters are small, or capitals, or small after a first capital."""
    return word == word.upper() or word[1:] == word[1:].lower()


def _is_cyrillic(word: str) -> bool:
    return _is_cased(word) and bool(_CYRILLIC.fullmatch(word.lower()))


def _is_greek(word: str) -> bool:
    return _is_cased(word) and bool(_GREEK.fullmatch(word.lower()))


def _is_japanese(word: str) -> bool:
    """Tell whether a word has kana or usual characters; Cyrillic bytes give rare characters."""
    foreign = [letter for letter in word if not letter.isascii()]
    is_usual = any(letter.encode("cp932")[0] < _RARE for letter in foreign)
    return is_usual and {*map(_script, foreign)} <= {"HIRAGANA", "KATAKANA", "CJK", "KATAKANA-HIRAGANA"}


def _is_hebrew(word: str) -> bool:
    return bool(_HEBREW.fullmatch(word))


def _is_arabic(word: str) -> bool:
    return bool(_ARABIC.fullmatch(word))


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


_ALPHABETS: dict[str, Callable[[str], bool]] = {
    "German": _Latin("äöüß", "[äöü]{2}"),
    "French": _Latin(
        "àâæçèéêëîïôœùûüÿ",
        "[aeu][èêùû]|[èùûæœ]$|[èêûùæ][aioué]|[aeiou]œ|[^aeiou]ë|ç[^aou]|ê(?:[bdkszwj]|c[^h])",
    ),
    "Spanish": _Latin("áéíñóúü", "ñ[^aeiouáéíóú]|ü[^eiéí]"),
    "Portuguese": _Latin("àáâãçéêíóôõú", "õ[^e]|ã[^aoes]|ã[aes].|ç[^aouãõáóú]|ê[bdkwj]"),
    "Italian": _Latin("àèéìòù", "[àèéìòù].|[aeu]è"),
    "Dutch": _Latin("éëïöü", "[^aeiou]ë"),
    "Swedish": _Latin("äåéö", "[äåö]{3}|[iou]å"),
    "Danish": _Latin("åæéøöü", "æ$|[aiouyø]æ|[aeiouy]ø|ø[æøa]|[iy]å"),
    "Icelandic": _Latin(
        "áæéíðóöúýþ", "^ð|^ý[^mr]|[ao]ð|[^aeiouyáéíóúýæör]ð|þ[^aeiouyáéíóúýæöjrv]|[aeiouyáéíóúý][ýþæ]|ýþ"
    ),
    "Polish": _Latin("ąćęłńóśźż", "[ćńśź][aeouyąęó]|[aeouyó][ąęó]|^[ąęń]|[^aeiouyąęóśń]ć"),
    "Czech": _Latin(
        "áéíóúýčďěňřšťůž", "ř(?:r|[^aeiouyáéíóúůýě]{2})|č[^aeiouyáéíóúůýě]+(?:es?)?$|ď[cs]$|[^aeiouyáéíóúýě]ň"
    ),
    "Slovak": _Latin("áäéíóôúýčďľňšťž", "č[^aeiouyáéíóúý]+(?:es?)?$|ď[cs]$|[^aeiouyáéíóúýě]ň"),
    "Hungarian": _Latin("áéíóöőúüű", "[őű][aeiou]|[aeiou][őű]"),
    "Croatian": _Latin("čćđšž", ".*[^aeiour]ć|č[^aeiou]+(?:es?)?$"),
    "Romanian": _Latin("ăâîşţ", "ă[eou]"),
    "Turkish": _Latin("âçîöüğış", "^ğ|[^aeıioöuü]ğ|.[eioöuü][^aeıioöuü]*ı"),
    "Lithuanian": _Latin("ąčėęšūž", "[aeiou][ėū]|ę[^sn]"),
    "Latvian": _Latin("āčēģīķļņšūž", "ē[aou]|[aeou][īū]|ķ[^eiēīsu]|ļ[^aeiouāēīū]"),
    "Estonian": _Latin("äõöüšž"),
    "Cyrillic": _is_cyrillic,
    "Greek": _is_greek,
    "Japanese": _is_japanese,
    "Hebrew": _is_hebrew,
    "Arabic": _is_arabic,
}
_OF_LATIN = tuple(name for name, fits in _ALPHABETS.items() if isinstance(fits, _Latin))
_LATIN_ENCODINGS = "cp1252 cp1254 cp1250 cp1257 iso8859_2 mac_roman cp850 cp852 cp857 mac_latin2"
_ENCODINGS = {
    **dict.fromkeys(_LATIN_ENCODINGS.split(), _OF_LATIN),
    **dict.fromkeys(("cp1251", "koi8-r", "cp866"), ("Cyrillic",)),
    **dict.fromkeys(("cp1253", "iso8859_7"), ("Greek",)),
    **dict.fromkeys(("iso8859_5", "mac_cyrillic"), ("Cyrillic",)),
    "cp932": ("Japanese",),
    "cp1255": ("Hebrew",),
    "cp1256": ("Arabic",),
}
"""Encodings in the order of their use, with the alphabets that are looked for in each."""
_RARE_ENCODINGS = set(_ENCODINGS) - {"cp1252", "cp1250", "cp1254", "cp1251", "koi8-r", "cp1253", "cp1255", "cp932"}
_RARITY = 0.5
_RARE_ALPHABET = "Icelandic"
"""The alphabet with the fewest readers; most of its words are Turkish words in another encoding."""
