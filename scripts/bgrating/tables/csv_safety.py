"""Make names from files harmless: one line, and never a formula of a spreadsheet."""

import re
import unicodedata

# Control, format (bidirectional marks), surrogate, line and paragraph separator.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Spreadsheets take cells that begin with these for formulas (OWASP, "CSV Injection"), in full-width
# forms too.
_FORMULA = "=+\\-@＝＋－＠"
# A spreadsheet that separates cells by another sign than the comma splits a cell there, within
# quotation marks too.
_START = r'^|[;|\t\r\n][\s"]*'
_MARKED = re.compile(rf"({_START})(?=[{_FORMULA}'])|^(?=[\t\r\n])")
_UNMARKED = re.compile(rf"({_START})'")
_ESCAPE = re.compile(r"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt])")


def escape_controls(text: str) -> str:
    r"""Return a text as one line without invisible characters.

    They and the backslash become escapes such as \n.

    Different texts stay different. The result is safe on a terminal, in XML and in HTML that
    escapes `<`.
    """
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(_escaped(letter) for letter in text)


def unescape(text: str) -> str:
    """Invert `escape_controls`; other backslashes stay."""
    return _ESCAPE.sub(lambda match: match[0].encode("ascii").decode("unicode_escape"), text)


def cell(text: str) -> str:
    """Return a text as a cell of a CSV table, with an apostrophe before each possible formula.

    A formula may begin at the start or after a separator. A present apostrophe gets another one.
    `without_mark` is the inverse.
    """
    return _MARKED.sub(r"\1'", text)


def without_mark(text: str) -> str:
    return _UNMARKED.sub(r"\1", text)


def quoted(text: str) -> str:
    if any(mark in text for mark in ',;|\t"\r\n'):
        return '"' + text.replace('"', '""') + '"'
    return text


def _escaped(letter: str) -> str:
    point = ord(letter)
    if letter == "\\" or unicodedata.category(letter) in _UNSEEN or point & 0xFFFE == 0xFFFE:
        return letter.encode(
            "utf-8" if 0xD800 <= point <= 0xDFFF else "unicode_escape", "backslashreplace"
        ).decode()
    return letter
