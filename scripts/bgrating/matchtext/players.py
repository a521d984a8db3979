"""Who sits where: names, ratings and the program that wrote the text."""

import re
import unicodedata

from bgrating.matchtext.headers import elo, rated_name
from bgrating.matchtext.model import Player

_SITES = (
    ("galaxy", "galaxy"),
    ("backgammon studio", "studio"),
    ("playok", "playok"),
    ("xg mobile", "xg-mobile"),
    ("hedgehog", "gammonview"),
    ("gammonview", "gammonview"),
    ("opengammon", "gammonview"),
    ("gridgammon", "gridgammon"),
    ("gamesgrid", "gamesgrid"),
    ("dailygammon", "dailygammon"),
    ("extreme gammon", "xg"),
)
_WORD = re.compile(r"[^\W_]{3,}")


def dialect(headers: dict[str, str], names: tuple[str, str], text: str) -> str:
    """Name the program or site that wrote a match: by its Site header, else by how it writes.

    ``headers`` have lower-case keys. Plain numeric texts without headers, which many programs write
    alike, are ``jellyfish``; with no more than gnubg's own headers ``gnubg``.
    """
    if any(rated_name(name)[1] is not None for name in names):
        return "gridgammon"
    site = headers.get("site", "").casefold()
    for word, found in _SITES:
        if word in site:
            return found
    if "/Off" in text or "Bar/" in text or "player 1 elo" in headers:
        return "xg"
    if "player 1" in headers:
        return "other"
    if headers.keys() & {"event", "round", "site", "eventdate", "transcriber"}:
        return "gnubg"
    return "other" if headers else "jellyfish"


def players(headers: dict[str, str], names: tuple[str, str], program: str) -> tuple[tuple[Player, Player], str]:
    """Return left and right player, and how the headers' Player 1 was given a column.

    That is ``same`` or ``swapped`` when a name in the headers agrees with a name above a column, and
    ``assumed same`` or ``assumed swapped`` when none does: eXtreme Gammon's text export has Player 1
    in the right column, the others in the left. Empty without such headers. Names are in Unicode's composed form
    (NFC), so that the same name is the same text whoever wrote it.
    """
    given = (composed(headers.get("player 1", "")), composed(headers.get("player 2", "")))
    split = (rated_name(composed(names[0])), rated_name(composed(names[1])))
    order = _order(given, (split[0][0], split[1][0]), program) if any(given) else ""
    site = headers.get("site", "")
    out = []
    for side in (0, 1):
        name, rating = split[side]
        number = 1 - side if "swapped" in order else side
        site_rating, experience, note = elo(headers.get(f"player {number + 1} elo", ""), site)
        if rating is not None:
            site_rating, experience, note = rating, None, ""
        out.append(Player(name, given[number] or name, site_rating, experience, note))
    return (out[0], out[1]), order


def composed(name: str) -> str:
    """Return a name in Unicode's composed form (NFC), without blanks at its ends."""
    return unicodedata.normalize("NFC", name).strip()


def _order(given: tuple[str, str], names: tuple[str, str], program: str) -> str:
    same = _likeness(given[0], names[0]) + _likeness(given[1], names[1])
    swapped = _likeness(given[0], names[1]) + _likeness(given[1], names[0])
    if same != swapped:
        return "same" if same > swapped else "swapped"
    return "assumed swapped" if program == "xg" else "assumed same"


def _likeness(real: str, name: str) -> int:
    """Return 4 for equal names, 2 for a common word, 1 for a word that begins or holds another, else 0."""
    left, right = real.casefold(), name.casefold()
    if not left or not right:
        return 0
    if left == right:
        return 4
    left_words, right_words = set(_WORD.findall(left)), set(_WORD.findall(right))
    if left_words & right_words:
        return 2
    joined_left, joined_right = "".join(_WORD.findall(left)), "".join(_WORD.findall(right))
    if any(word in joined_right for word in left_words) or any(word in joined_left for word in right_words):
        return 1
    return 0
