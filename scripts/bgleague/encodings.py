"""Find the encoding of a text: by its byte-order mark, its zero bytes, UTF-8, or else by its words.

Most single-byte encodings can decode any bytes, so decoding alone proves nothing. A word fits if its letters
are of one script, if its capitals are at its start or throughout, and if it contains no sign. At least half of the
letters of a Latin word are ASCII; a Cyrillic or Greek word has a vowel.
"""

import codecs
import re
import unicodedata
from typing import NamedTuple

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SIGNS = "\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2026\u00ab\u00bb\u00b7\u00b0\u00a7\u00ba\u00bd\u2122"
_WORD = re.compile(rf"[^\x00-@\[-`{{-\x7f\s{_SIGNS}]{{2,}}")
_ENOUGH = 0.9  # share of the words that must fit


class Decoded(NamedTuple):
    """A text, and a notice about its encoding if that was guessed from the words."""

    text: str
    note: str = ""


def decoded(data: bytes) -> Decoded:
    """Return the text of a file. Raises ValueError with a sentence if no encoding fits, or several do."""
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), "")
    if not marked and data[:2000].count(0) * 3 > len(data[:2000]):
        marked = "utf-16-be" if data[0] == 0 else "utf-16-le"
    if 0 in data and not marked:
        raise ValueError("not a text; save it as CSV UTF-8")
    try:
        return Decoded(data.decode(marked or "utf-8"))
    except UnicodeDecodeError:
        if marked:
            raise ValueError(f"its first bytes say {marked.upper()}, but it is damaged; save it as CSV UTF-8") from None
    return _by_words(data)


def _by_words(data: bytes) -> Decoded:
    fitting: dict[str, str] = {}
    for encoding, fits in _FITS.items():
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        # The Latin encodings differ in few letters, so only the first that fits counts.
        if fits is _is_latin and not _LATIN.isdisjoint(fitting):
            continue
        words = _words(text)
        if sum(map(fits, words)) >= _ENOUGH * len(words) and (words or fits is _is_latin):
            fitting[encoding] = text
    if not fitting:
        raise ValueError("not a text in UTF-8, UTF-16 or another encoding that its words fit; save it as CSV UTF-8")
    if len(set(fitting.values())) > 1:
        raise ValueError(f"its names may be written in {' or '.join(map(_name, fitting))}; save it as CSV UTF-8")
    encoding, text = next(iter(fitting.items()))
    shown = "".join(f" (such as {example})" for example in _words(text)[:1])
    return Decoded(text, f"it was read as {_name(encoding)}{shown}; if names look wrong, save it as CSV UTF-8")


def _words(text: str) -> list[str]:
    return [word for word in _WORD.findall(text) if not word.isascii()]


def _name(encoding: str) -> str:
    return encoding.upper().replace("CP125", "Windows-125").replace("CP932", "Shift-JIS")


def _is_cased(word: str) -> bool:
    """Tell whether letters are small, or capitals, or small after a first capital."""
    return word == word.upper() or word[1:] == word[1:].lower()


def _is_latin(word: str) -> bool:
    foreign = [letter for letter in word if not letter.isascii()]
    is_of_letters = all(letter.isalpha() and _script(letter) == "LATIN" for letter in foreign)
    return is_of_letters and 2 * len(foreign) <= len(word) and _is_cased(word.replace("ß", ""))


def _is_cyrillic(word: str) -> bool:
    return _is_cased(word) and bool(_CYRILLIC.fullmatch(word.lower()))


def _is_greek(word: str) -> bool:
    return _is_cased(word) and bool(_GREEK.fullmatch(word.lower()))


def _is_japanese(word: str) -> bool:
    return {*map(_script, word)} <= {"HIRAGANA", "KATAKANA", "CJK", "KATAKANA-HIRAGANA"}


def _is_korean(word: str) -> bool:
    return {*map(_script, word)} == {"HANGUL"}


def _is_chinese(word: str) -> bool:
    return {*map(_script, word)} == {"CJK"}


def _is_usual_chinese(word: str) -> bool:
    """Tell whether characters are of the more usual half of GB 2312: Cyrillic bytes give rare ones."""
    return _is_chinese(word) and all(letter.encode("gb2312")[0] < _RARE for letter in word)


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


_RARE = 0xD8  # the first byte of the characters of level 2
_CYRILLIC = re.compile("(?=.*[аеёиоуыэюяєії])[\u0430-\u045f\u0491]+")
_GREEK = re.compile("(?=.*[αεηιουωάέήίόύώϊϋ])[\u03ac-\u03c1\u03c3-\u03ce]*[\u03ac-\u03ce]")
"""Small letters, one of them a vowel; the sigma \u03c2 stands at the end of a word only."""
_FITS = {
    "cp1252": _is_latin,
    "cp1250": _is_latin,
    "mac-roman": _is_latin,
    "cp850": _is_latin,
    "cp1251": _is_cyrillic,
    "koi8-r": _is_cyrillic,
    "cp866": _is_cyrillic,
    "cp1253": _is_greek,
    "cp932": _is_japanese,
    "euc-jp": _is_japanese,
    "euc-kr": _is_korean,
    "gb2312": _is_usual_chinese,
    "big5": _is_chinese,
}
"""Encodings with a test of a word; Latin encodings in the order of their use."""
_LATIN = {encoding for encoding, fits in _FITS.items() if fits is _is_latin}
