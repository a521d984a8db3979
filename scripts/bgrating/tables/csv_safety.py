"""Make names from files harmless wherever they are written: one line, and never a spreadsheet's formula."""

import re
import unicodedata

# Control, format (bidirectional marks), surrogate, line and paragraph separator.
_UNSEEN = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# A spreadsheet takes a cell that begins so for a formula (OWASP, "CSV Injection"), the full-width forms too.
_FORMULA = "=+\\-@＝＋－＠"
# A spreadsheet that separates at something else than commas finds further cells within ours, in quotation marks or not.
_START = r'^|[;|\t\r\n][\s"]*'
_MARKED = re.compile(rf"({_START})(?=[{_FORMULA}'])|^(?=[\t\r\n])")
_UNMARKED = re.compile(rf"({_START})'")
_ESCAPE = re.compile(r"\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8}|[nrt])")


def escape_controls(text: str) -> str:
    r"""Return a text as one line without invisible characters: those and the backslash become escapes such as \n.

    Different texts stay different. What it returns is safe on a terminal, in XML and in HTML that escapes `<`.
    """
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(_escaped(letter) for letter in text)


def unescape(text: str) -> str:
    """Return the text that `escape_controls` made this of; what is no such escape stays."""
    return _ESCAPE.sub(lambda found: found[0].encode("ascii").decode("unicode_escape"), text)


def cell(text: str) -> str:
    """Return a text as a cell of a CSV table: whatever may be taken for a formula gets an apostrophe before it.

    That is what begins like one, at the start or after a separator. An apostrophe there gets another, so that
    `without_mark` can tell what stood there.
    """
    return _MARKED.sub(r"\1'", text)


def without_mark(written: str) -> str:
    return _UNMARKED.sub(r"\1", written)


def quoted(written: str) -> str:
    """Return a cell as it stands in a line of CSV, in quotation marks where any usual separator is in it."""
    if any(mark in written for mark in ',;|\t"\r\n'):
        return '"' + written.replace('"', '""') + '"'
    return written


def _escaped(letter: str) -> str:
    point = ord(letter)
    if letter == "\\" or unicodedata.category(letter) in _UNSEEN or point & 0xFFFE == 0xFFFE:
        return letter.encode("utf-8" if 0xD800 <= point <= 0xDFFF else "unicode_escape", "backslashreplace").decode()
    return letter
