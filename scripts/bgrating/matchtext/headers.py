"""The lines above the games: tags, dates, ratings, length of the match; the two players, and who wrote the text."""

import re
import unicodedata
from contextlib import suppress
from datetime import date

from bgrating.matchtext.model import MatchPlayer

_TAG = re.compile(r"[;#]\s*\[([^\"\]]*)\"(.*)\"\s*\]$")
_MATCH = re.compile(r"\s*(?:(\d{1,6})[\s-]+points?\s+match|match\s+(?:of|to)\s+(\d{1,6})\b)", re.IGNORECASE)
_UNLIMITED = re.compile(r"\s*(?:unlimited|money)\s+(?:match|session|game)\b", re.IGNORECASE)
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
_WORD = re.compile(r"[^\W_]+")


def tag(line: str) -> tuple[str, str] | None:
    """Return key and value of ``; [Key "value"]``, or None for any other line."""
    header = _TAG.match(line.strip())
    return (header[1].strip(), header[2].strip()) if header else None


def match_length(line: str) -> int | None:
    """Return the length that a line such as ``7 point match`` declares, 0 for money, None for other lines."""
    declared = _MATCH.match(line)
    if declared:
        return int(declared[1] or declared[2])
    return 0 if _UNLIMITED.match(line) else None


def iso_date(text: str) -> str:
    """Return a header's date as ``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``, as far as the calendar has it; else empty.

    Of a date that begins with the day or the month only the year is taken, unless one reading alone is a date. With
    points between them the day comes first.
    """
    other = _DAY_OR_MONTH_FIRST.match(text.strip())
    if other:
        first, point, second, year = other.groups()
        orders = [(second, first)] if point == "." else [(second, first), (first, second)]
        dates = {iso_date(f"{year}-{month}-{day}") for month, day in orders}
        whole = [one for one in dates if len(one) == 10]
        return whole[0] if len(whole) == 1 else iso_date(year)
    written = _DATE.match(text.strip())
    if not written or not 1000 <= int(written[1]) <= 2999:
        return ""
    year, month, day = (int(part or 0) for part in written.groups())
    for known, length in (((year, month, day), 10), ((year, month, 1), 7)):
        with suppress(ValueError):
            return date(*known).isoformat()[:length]
    return f"{year}"


def is_date(text: str) -> bool:
    """Tell whether a header's date is one, whole or in part, or says that it is not known (``????.??.??``)."""
    known = _UNKNOWN_PARTS.sub("", re.split(r"[\sT]", text.strip())[0])
    read = iso_date(known)
    return not known or (read != "" and len(re.split(r"[./-]", known)) == len(read.split("-")))


def elo(text: str) -> float | None:
    """Return the rating of a ``Player N Elo`` header such as ``1665.83/36``; None where the player had none.

    Then the experience is 0: Backgammon Galaxy writes the match score there (``5,00/0``), eXtreme Gammon its starting
    rating (``1600.00/0``).
    """
    rating = _ELO.match(text)
    if not rating or (rating[2] and int(rating[2]) == 0):
        return None
    value = float(rating[1].replace(",", "."))
    return None if value < 100 or (rating[2] is None and value == _XG_START) else value


def final_score(text: str) -> int | None:
    """Return the score that Backgammon Galaxy writes as ``Player N Elo "5,00/0"``; None for anything else."""
    score = _SCORE.match(text)
    return int(score[1]) if score else None


def rated_name(text: str) -> tuple[str, float | None]:
    """Split GridGammon's ``name,1770`` into name and rating; other names come back as they are."""
    rated = _RATED_NAME.match(text)
    return (rated[1], float(rated[2])) if rated else (text, None)


def flag(value: str) -> bool | None:
    """Return True for On, yes, true and 1, False for Off, no, false and 0, None for anything else."""
    words = {True: ("on", "yes", "true", "1"), False: ("off", "no", "false", "0")}
    return next((is_on for is_on, known in words.items() if value.strip().casefold() in known), None)


def dialect(headers: dict[str, str], names: tuple[str, str], text: str) -> str:
    """Return the name of the program or site that wrote a match: by its Site header, else by its notation.

    ``headers`` have lower-case keys. Many programs write plain numeric texts without headers: these are ``jellyfish``.
    With gnubg's headers alone a text is ``gnubg``.
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


def players(
    headers: dict[str, str], names: tuple[str, str], program: str
) -> tuple[tuple[MatchPlayer, MatchPlayer], bool]:
    """Return left and right player, and whether the headers' Player 1 has the right column.

    That is where its name agrees better with the one above a column. Where neither does, eXtreme Gammon's text export
    has Player 1 in the right column, the others in the left. Names are in Unicode's composed form (NFC), so that the
    same name is the same text whoever wrote it.
    """
    given = (composed(headers.get("player 1", "")), composed(headers.get("player 2", "")))
    split = (rated_name(composed(names[0])), rated_name(composed(names[1])))
    same, swapped = (
        _likeness(given[0], first) + _likeness(given[1], second)
        for first, second in ((split[0][0], split[1][0]), (split[1][0], split[0][0]))
    )
    is_swapped = any(given) and (swapped > same or (swapped == same and program == "xg"))
    out = []
    for side in (0, 1):
        name, rating = split[side]
        number = 1 - side if is_swapped else side
        rated = elo(headers.get(f"player {number + 1} elo", "")) if rating is None else rating
        out.append(MatchPlayer(name, given[number] or name, rated))
    return (out[0], out[1]), is_swapped


def composed(name: str) -> str:
    return unicodedata.normalize("NFC", name).strip()


def _likeness(real: str, name: str) -> int:
    """Return how many words two names have in common."""
    return len({*_WORD.findall(real.casefold())} & {*_WORD.findall(name.casefold())})
