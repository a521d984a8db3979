"""Decide the encoding of a text from all its words: marks, zeros, UTF-8, else the one whose words look like words.

Most single-byte encodings can decode anything, so a text that merely decodes proves nothing. A word fits an encoding if
its letters are of one script, if capitals stand at its start or throughout, and if no sign stands within it. A Latin
word has at least as many plain letters as others; a Cyrillic or Greek one has a vowel.
"""

import codecs
import re
import unicodedata
from collections.abc import Callable
from typing import NamedTuple

_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SIGNS = "\u2013\u2014\u2018\u2019\u201a\u201c\u201d\u201e\u2026\u00ab\u00bb\u00b7\u00b0\u00a7\u00ba\u00bd\u2122"
_WORD = re.compile(rf"[^\x00-@\[-`{{-\x7f\s{_SIGNS}]{{2,}}")
_ENOUGH = 0.9  # share of the words that must fit


class Decoded(NamedTuple):
    """A text, and a sentence on its encoding where the bytes alone do not tell it."""

    text: str
    note: str = ""


def decoded(data: bytes) -> Decoded:
    """Return the text of a file. Raises ValueError with a sentence where no encoding fits, or two do."""
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
        words = [word for word in _WORD.findall(text) if not word.isascii()]
        if sum(map(fits, words)) >= _ENOUGH * len(words) and (words or fits is _is_latin):
            fitting[encoding] = text
    if not fitting:
        raise ValueError("not a text in UTF-8, UTF-16 or another encoding that its words fit; save it as CSV UTF-8")
    # The Latin encodings are in the order in which they are usual, and differ in few letters.
    latin = next((encoding for encoding in fitting if _FITS[encoding] is _is_latin), "")
    readings = [latin] if latin else []
    readings += [encoding for encoding in fitting if _FITS[encoding] is not _is_latin]
    if len({fitting[encoding] for encoding in readings}) > 1:
        names = " or ".join(_NAMES[encoding] for encoding in readings)
        raise ValueError(f"its names may be written in {names}; save it as CSV UTF-8")
    text = fitting[readings[0]]
    example = next((word for word in _WORD.findall(text) if not word.isascii()), "")
    shown = f" (such as {example})" if example else ""
    return Decoded(text, f"it was read as {_NAMES[readings[0]]}{shown}; if names look wrong, save it as CSV UTF-8")


def _is_cased(word: str) -> bool:
    """Tell whether letters are small, or capitals, or small after a first capital."""
    return word == word.upper() or word[1:] == word[1:].lower()


def _is_latin(word: str) -> bool:
    foreign = [letter for letter in word if not letter.isascii()]
    is_of_letters = all(letter.isalpha() and _script(letter) == "LATIN" for letter in foreign)
    return is_of_letters and 2 * len(foreign) <= len(word) and _is_cased(word.replace("ß", ""))


def _of_letters(letters: str, vowels: str) -> Callable[[str], bool]:
    """Return a test of words in capitals and small letters, of which one at least is a vowel."""

    def fits(word: str) -> bool:
        small = word.lower()
        return _is_cased(word) and set(small) <= set(letters) and bool(set(small) & set(vowels))

    return fits


def _is_greek(word: str) -> bool:
    return "\u03c2" not in word[:-1] and _has_greek_letters(word)


def _of_scripts(*scripts: str) -> Callable[[str], bool]:
    def fits(word: str) -> bool:
        return all(_script(letter) in scripts for letter in word)

    return fits


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]


def _is_chinese(word: str) -> bool:
    """Tell whether characters are of the more usual half of GB 2312: Cyrillic bytes give rare ones."""
    return all(_script(letter) == "CJK" and letter.encode("gb2312")[0] < _RARE for letter in word)


_RARE = 0xD8  # the first byte of the characters of level 2
_CYRILLIC = "".join(map(chr, range(0x430, 0x460))) + "\u0491"
_GREEK = "".join(map(chr, range(0x3AC, 0x3CF)))
_is_cyrillic = _of_letters(_CYRILLIC, "аеёиоуыэюяєії")
_has_greek_letters = _of_letters(_GREEK, "αεηιουωάέήίόύώϊϋ")
_is_japanese = _of_scripts("HIRAGANA", "KATAKANA", "CJK", "KATAKANA-HIRAGANA")
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
    "euc-kr": _of_scripts("HANGUL"),
    "gb2312": _is_chinese,
    "big5": _of_scripts("CJK"),
}
"""Encodings, and whether a word fits."""
_NAMES = {name: name.upper().replace("CP125", "Windows-125").replace("CP932", "Shift-JIS") for name in _FITS}
