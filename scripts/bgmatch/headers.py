"""Read the lines above the games.

They give dates, ratings, match length and players, and show the program that wrote the text.
"""

import re
import unicodedata
from contextlib import suppress
from datetime import date

from bgmatch.model import MatchPlayer, Names, Players

_TAG = re.compile(r"[;#]\s*\[([^\"\]]*)\"(.*)\"\s*\]$")
_MATCH = re.compile(r"(?i)\s*(?:(\d{1,6})[\s-]+points?\s+match|match\s+(?:of|to)\s+(\d{1,6})\b)")
_UNLIMITED = re.compile(r"(?i)\s*(?:unlimited|money)\s+(?:match|session|game)\b")
_DATE = re.compile(r"(\d{4})(?:[./-](\d{1,2})(?:[./-](\d{1,2}))?)?(?![\d])")
_DAY_OR_MONTH_FIRST = re.compile(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})$")
_UNKNOWN_PARTS = re.compile(r"(^|[./-])[?0]+(?=$|[./-])")
_ELO = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*(?:/\s*(\d+))?\s*$")
_SCORE = re.compile(r"\s*(\d{1,5})[.,]00/0\s*$")
_RATED_NAME = re.compile(r"(.*\S)\s*,\s*(\d{3,4}(?:\.\d+)?)$")
_XG_START = 1600.0
_SITES = {
    "galaxy": "galaxy",
    "backgammon studio": "studio",
    "playok": "playok",
    "xg mobile": "xg-mobile",
    "hedgehog": "gammonview",
    "gammonview": "gammonview",
    "opengammon": "gammonview",
    "gridgammon": "gridgammon",
    "gamesgrid": "gamesgrid",
    "dailygammon": "dailygammon",
    "extreme gammon": "xg",
}
_FLAGS = dict.fromkeys(("on", "yes", "true", "1"), True) | dict.fromkeys(
    ("off", "no", "false", "0"), False
)
Headers = dict[str, str]

_WORD = re.compile(r"[^\W_]+")


def add_header(line: str, headers: Headers) -> None:
    """Add the value of a line ``; [Key "value"]`` unless the key has one; ignore other lines."""
    header = _TAG.match(line.strip())
    if header:
        headers.setdefault(header[1].strip().casefold(), header[2].strip())


def match_length(line: str) -> int | None:
    """Return the length that a line such as ``7 point match`` declares; None for other lines.

    Money has the length 0.
    """
    declared = _MATCH.match(line)
    if declared:
        return int(declared[1] or declared[2])
    return 0 if _UNLIMITED.match(line) else None


def iso_date(text: str) -> str:
    """Return a header's date, or as much of it as is one; else empty.

    It is the longest of ``YYYY-MM-DD``, ``YYYY-MM`` and ``YYYY`` that is a date. If the day or the
    month comes first, only the year is sure, unless a single order gives a date. In a date with
    dots the day comes first.
    """
    year_last = _DAY_OR_MONTH_FIRST.match(text.strip())
    if year_last:
        first, separator, second, year = year_last.groups()
        orders = [f"{year}-{second}-{first}"]
        if separator != ".":
            orders.append(f"{year}-{first}-{second}")
        complete = [read for read in set(map(iso_date, orders)) if len(read) == 10]
        return complete[0] if len(complete) == 1 else iso_date(year)
    year_first = _DATE.match(text.strip())
    if not year_first or not 1000 <= int(year_first[1]) <= 2999:
        return ""
    year, month, day = (int(number or 0) for number in year_first.groups())
    for numbers, length in (((year, month, day), 10), ((year, month, 1), 7)):
        with suppress(ValueError):
            return date(*numbers).isoformat()[:length]
    return f"{year}"


def is_date(text: str) -> bool:
    """Return whether a header's date is one, complete or not, or unknown (``????.??.??``)."""
    known = _UNKNOWN_PARTS.sub("", re.split(r"[\sT]", text.strip())[0])
    read = iso_date(known)
    return not known or (read != "" and len(re.split(r"[./-]", known)) == len(read.split("-")))


def elo(text: str) -> float | None:
    """Return the rating of a ``Player N Elo`` header such as ``1665.83/36``; else None.

    Without a rating the experience is 0. Backgammon Galaxy then writes the match score
    (``5,00/0``), eXtreme Gammon its starting rating (``1600.00/0``).
    """
    rating = _ELO.match(text)
    if not rating or (rating[2] and int(rating[2]) == 0):
        return None
    value = float(rating[1].replace(",", "."))
    return None if value < 100 or (rating[2] is None and value == _XG_START) else value


def final_score(text: str) -> int | None:
    """Return the score in Backgammon Galaxy's ``Player N Elo "5,00/0"``; else None."""
    score = _SCORE.match(text)
    return int(score[1]) if score else None


def rated_name(text: str) -> tuple[str, float | None]:
    """Split GridGammon's ``name,1770`` into name and rating; other names have none."""
    name_and_rating = _RATED_NAME.match(text)
    if not name_and_rating:
        return text, None
    return name_and_rating[1], float(name_and_rating[2])


def flag(value: str) -> bool | None:
    """Return True for On, yes, true or 1; False for Off, no, false or 0; else None."""
    return _FLAGS.get(value.strip().casefold())


def dialect(headers: Headers, names: Names, text: str) -> str:
    """Return the name of the program or site that wrote a match.

    Its Site header tells, else its notation. ``headers`` have lower-case keys. Many programs write
    numeric texts without headers: these are ``jellyfish``. A text that only has gnubg's headers is
    ``gnubg``.
    """
    if any(rated_name(name)[1] is not None for name in names):
        return "gridgammon"
    site = headers.get("site", "").casefold()
    for word, name in _SITES.items():
        if word in site:
            return name
    if "/Off" in text or "Bar/" in text or "player 1 elo" in headers:
        return "xg"
    if "player 1" in headers:
        return "other"
    if headers.keys() & {"event", "round", "site", "eventdate", "transcriber"}:
        return "gnubg"
    return "other" if headers else "jellyfish"


def players(headers: Headers, names: Names, program: str) -> tuple[Players, bool]:
    """Return left and right player, and whether the headers' Player 1 has the right column.

    Player 1 has the column whose name shares more words with the header. If both share as many,
    eXtreme Gammon's text export has Player 1 on the right, other programs on the left. Names are in
    Unicode's composed form (NFC), so that equal names are equal texts.
    """
    real_names = [composed(headers.get(f"player {number}", "")) for number in (1, 2)]
    elos = [elo(headers.get(f"player {number} elo", "")) for number in (1, 2)]
    columns = [rated_name(composed(name)) for name in names]
    column_names = [name for name, _ in columns]
    same = sum(map(_common_words, real_names, column_names))
    swapped = sum(map(_common_words, reversed(real_names), column_names))
    is_swapped = any(real_names) and (swapped > same or (swapped == same and program == "xg"))
    if is_swapped:
        real_names.reverse()
        elos.reverse()
    left, right = (
        MatchPlayer(name, real_name or name, rating or header_rating)
        for (name, rating), real_name, header_rating in zip(columns, real_names, elos, strict=True)
    )
    return (left, right), is_swapped


def composed(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def _common_words(name: str, header: str) -> int:
    return len({*_WORD.findall(name.casefold())} & {*_WORD.findall(header.casefold())})
