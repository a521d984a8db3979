"""Where the pages of players and matches are, and the provenance of the tables."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from bgrating.suggestion import without_marks

if TYPE_CHECKING:
    import pandas as pd

PROVENANCE = "rate.provenance.json"
"""The provenance of all tables of a collection; a folder that holds it is ours to write in."""
MOST_PAGES = 5000
"""Pages of players, and of matches: those beyond are in the tables only."""
MOST_LETTERS = 40
LETTERS_OF_NAME = 13
"""Letters of each player's name in the name of a match's page, which has a date and a number beside them."""
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


def match_pages(matches: "pd.DataFrame") -> dict[tuple[str, int], str]:
    """Return where the pages of matches are, from the collection's folder; MOST_PAGES at most.

    `matches` has two rows a match, with `file`, `match`, `side`, `player`, `opponent` and `date`. A page is named after
    its date and players, or its file where nobody has a name; of those alike, in the order of the table, the second is
    2.
    """
    left = matches.loc[matches["side"] == "left", ["file", "match", "player", "opponent", "date"]].head(MOST_PAGES)
    titles = file_titles(left["file"])
    texts: dict[str, tuple[str, int]] = {}
    for file, number, *names, date in left.itertuples(index=False):
        letters = [_slug(name)[:LETTERS_OF_NAME].strip("-") for name in names]
        words = [date if isinstance(date, str) else "", *letters] if any(letters) else [Path(titles[file]).stem]
        base = text = " ".join(filter(None, words))
        alike = 1
        while text in texts:
            alike += 1
            text = f"{base} {alike}"
        texts[text] = file, number
    return {texts[text]: f"matches/{page}" for text, page in page_names(texts).items()}


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
