"""Where the pages of players and matches are."""

import hashlib
import re

from bgrating.tables.csv_safety import without_mark


def page_name(text: str) -> str:
    """Return the file name of a page: what can be read of a name's end, and a hash, which tells like names apart."""
    plain = re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-")[-24:].strip("-") or "page"
    return f"{plain}-{hashlib.sha256(text.encode()).hexdigest()[:8]}.html"


def player_file(player: str) -> str:
    """Return where a player's page is, from the folder of the collection; the name may be as a table has it."""
    return f"players/{page_name(without_mark(player))}"
