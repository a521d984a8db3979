"""Suggest the known name nearest to a misspelt word."""

import difflib
import unicodedata
from collections.abc import Iterable


def did_you_mean(word: str, names: Iterable[str]) -> str:
    """Return ": did you mean NAME?" for the nearest known name, else an empty text.

    Case and accents do not count.
    """
    plain = {without_marks(name.casefold()): name for name in names}
    near = difflib.get_close_matches(without_marks(word.casefold()), plain, n=1)
    return f": did you mean {plain[near[0]]}?" if near else ""


def without_marks(text: str) -> str:
    return "".join(
        letter
        for letter in unicodedata.normalize("NFKD", text)
        if not unicodedata.combining(letter)
    )
