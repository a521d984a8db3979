"""Addresses of the pages of players and matches, and the name of the provenance."""

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
"""The provenance of all tables of a collection; this program only writes into folders that contain
it."""
MOST_PAGES = 5000
"""Most pages of players, and of matches; the tables have all of them."""
MOST_LETTERS = 40


def page_name(text: str, key: str) -> str:
    """Return the file name of a page.

    It has the words in ASCII, and eight digits of the hash of its key.
    """
    letters = (
        re.sub(r"[^A-Za-z0-9]+", "-", without_marks(text)).strip("-")[:MOST_LETTERS].strip("-")
    )
    return f"{letters or 'page'}-{hashlib.sha256(key.encode()).hexdigest()[:8]}.html"


def match_pages(matches: "pd.DataFrame") -> dict[tuple[str, int], str]:
    """Return the pages of matches, relative to the collection's folder; MOST_PAGES at most.

    `matches` has two rows a match, with `file`, `match`, `side`, `player`, `opponent` and `date`.
    The name of a page has the date and the players, or the file if neither player has a name.
    """
    left_sides = matches.loc[
        matches["side"] == "left", ["file", "match", "player", "opponent", "date"]
    ].head(MOST_PAGES)
    pages = {}
    for file, number, *names, date in left_sides.itertuples(index=False):
        title = " ".join(filter(None, names)) or Path(unquote(file)).stem
        dated = f"{date} {title}" if isinstance(date, str) else title
        pages[file, number] = f"matches/{page_name(dated, f'{file} {number}')}"
    return pages


def player_pages(players: Iterable[str]) -> dict[str, str]:
    """Return the pages of players, relative to the collection's folder; MOST_PAGES at most."""
    return {name: f"players/{page_name(name, name)}" for name in islice(players, MOST_PAGES)}
