"""Where the pages of players and matches are, and the provenance of the tables."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from urllib.parse import unquote

from bgrating.suggestion import without_marks

PROVENANCE = "rate.provenance.json"
"""The provenance of all tables of a collection; a folder that holds it is ours to write in."""
MOST_PAGES = 5000
"""Pages of players, and of matches: those beyond are in the tables only."""
MOST_LETTERS = 40
_TAIL = re.compile(r"(?<=[^\W_])_\d{8,}(?=\.\w+$|$)")


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
    return re.sub(r"[^A-Za-z0-9]+", "-", without_marks(text)).strip("-")[-MOST_LETTERS:].strip("-")


def match_pages(pairs: Iterable[tuple[str, int]]) -> dict[tuple[str, int], str]:
    """Return where the pages of matches (file, number in it) are, from the collection's folder; MOST_PAGES at most."""
    first = list(islice(pairs, MOST_PAGES))
    titles = {file: title.rpartition(".")[0] or title for file, title in file_titles(file for file, _ in first).items()}
    several = {file for file, number in first if number > 1}
    texts = {(file, n): f"{titles[file]} {n}" if file in several else titles[file] for file, n in first}
    alike = Counter(texts.values())
    texts = {pair: text if alike[text] == 1 else f"{pair[0]} {pair[1]}" for pair, text in texts.items()}
    names = page_names(texts.values())
    return {pair: f"matches/{names[text]}" for pair, text in texts.items()}


def file_titles(files: Iterable[str]) -> dict[str, str]:
    """Return what pages call files: a blank for %20, without a site's number at the end if titles stay different.

    Sites write seconds since 1970, or the number of an upload, behind the name.
    """
    read = {file: unquote(file) for file in files}
    bare = {file: _TAIL.sub("", name) for file, name in read.items()}
    alike = Counter(bare.values())
    taken = set(read.values())
    return {
        file: name if alike[name] == 1 and (name == read[file] or name not in taken) else read[file]
        for file, name in bare.items()
    }


def player_pages(players: Iterable[str]) -> dict[str, str]:
    """Return where the pages of a collection's players are, from its folder; those beyond MOST_PAGES have none."""
    return {name: f"players/{page}" for name, page in page_names(islice(players, MOST_PAGES)).items()}
