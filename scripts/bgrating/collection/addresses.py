"""Where the pages of players and matches are."""

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from itertools import islice

MOST_PAGES = 5000
"""Pages of players, and of matches: those beyond are in the tables only."""
MOST_LETTERS = 40


def page_names(texts: Iterable[str]) -> dict[str, str]:
    """Return a file name for the page of each of different texts: what can be read of it.

    Texts that read alike get a part of their hash as well, as much as tells them apart, whatever their order.
    """
    slugs = {text: _slug(text) for text in texts}
    alike = Counter(slug.casefold() for slug in slugs.values())
    names = {text: slug for text, slug in slugs.items() if slug and alike[slug.casefold()] == 1}
    others = {text: hashlib.sha256(text.encode()).hexdigest() for text in slugs if text not in names}
    length = next(n for n in range(8, 65) if len({digest[:n] for digest in others.values()}) == len(others))
    taken = {name.casefold() for name in names.values()}
    for text, digest in others.items():
        name = f"{slugs[text] or 'page'}-{digest[:length]}"
        names[text] = name if name.casefold() not in taken else f"{slugs[text]}-{digest}"
    return {text: f"{names[text]}.html" for text in slugs}


def _slug(text: str) -> str:
    """Return the Latin letters and digits at the end of a text, everything else a dash."""
    parted = unicodedata.normalize("NFKD", text)
    plain = "".join(letter for letter in parted if not unicodedata.combining(letter))
    return re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")[-MOST_LETTERS:].strip("-")


def match_pages(pairs: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return where the pages of matches (file, number in it) are, from the collection's folder; MOST_PAGES at most."""
    texts = {pair: f"{pair[0]} {pair[1]}" for pair in islice(pairs, MOST_PAGES)}
    names = page_names(texts.values())
    return {pair: f"matches/{names[text]}" for pair, text in texts.items()}


def player_pages(players: Iterable[str]) -> dict[str, str]:
    """Return where the pages of a collection's players are, from its folder; those beyond MOST_PAGES have none."""
    return {name: f"players/{page}" for name, page in page_names(islice(players, MOST_PAGES)).items()}
