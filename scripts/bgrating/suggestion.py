"""The known name nearest to a misspelt word."""

import difflib
import unicodedata
from collections.abc import Iterable


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ": did you mean NAME?" with the known name nearest to a word, or nothing; ignores case and accents."""
    plain = {_plain(name): name for name in known}
    near = difflib.get_close_matches(_plain(word), plain, n=1)
    return f": did you mean {plain[near[0]]}?" if near else ""


def _plain(name: str) -> str:
    return without_marks(name.casefold())


def without_marks(text: str) -> str:
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))
