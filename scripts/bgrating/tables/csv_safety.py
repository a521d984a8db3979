"""Make names from files harmless wherever they are written: one line, and never a spreadsheet's formula."""

import unicodedata

# A spreadsheet takes a cell that begins so for a formula (OWASP, "CSV Injection"), the full-width forms too.
_FORMULA = ("=", "+", "-", "@", "'", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Control, format (bidirectional marks), surrogate, line and paragraph separator.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}


def shown(text: str) -> str:
    r"""Return a text as one line without invisible characters: those and the backslash become escapes such as \n.

    Different texts stay different.
    """
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(_escaped(letter) for letter in text)


def cell(text: str) -> str:
    """Return a text as a cell of a CSV table: one that begins like a formula gets an apostrophe before it.

    So does one that begins with an apostrophe, so that what stood there can be told.
    """
    return f"'{text}" if text.startswith(_FORMULA) else text


def without_mark(written: str) -> str:
    """Return the text that a cell stands for."""
    return written[1:] if written.startswith("'") else written


def _escaped(letter: str) -> str:
    if letter == "\\" or unicodedata.category(letter) in _UNSEEN:
        return letter.encode(
            "unicode_escape" if not 0xD800 <= ord(letter) <= 0xDFFF else "utf-8", "backslashreplace"
        ).decode()
    return letter
