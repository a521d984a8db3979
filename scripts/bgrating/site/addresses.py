"""Where the pages of players and matches are, and the provenance of the tables."""

import hashlib
import re
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


def page_name(words: str, key: str) -> str:
    """Return the file name of a page: what can be read of its words, and a part of the hash of its key."""
    letters = re.sub(r"[^A-Za-z0-9]+", "-", without_marks(words)).strip("-")[:MOST_LETTERS].strip("-")
    return f"{letters or 'page'}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.html"


def match_pages(matches: "pd.DataFrame") -> dict[tuple[str, int], str]:
    """Return where the pages of matches are, from the collection's folder; MOST_PAGES at most.

    `matches` has two rows a match, with `file`, `match`, `side`, `player`, `opponent` and `date`. A page is named after
    its date and players, or its file where nobody has a name.
    """
    left = matches.loc[matches["side"] == "left", ["file", "match", "player", "opponent", "date"]].head(MOST_PAGES)
    pages = {}
    for file, number, *names, date in left.itertuples(index=False):
        words = " ".join(filter(None, names)) or Path(unquote(file)).stem
        dated = f"{date} {words}" if isinstance(date, str) else words
        pages[file, number] = f"matches/{page_name(dated, f'{file} {number}')}"
    return pages


def player_pages(players: Iterable[str]) -> dict[str, str]:
    """Return where the pages of a collection's players are, from its folder; those beyond MOST_PAGES have none."""
    return {name: f"players/{page_name(name, name)}" for name in islice(players, MOST_PAGES)}
