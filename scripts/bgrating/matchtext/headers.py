"""The lines above the games: tags, dates, ratings, length of the match."""

import re

_TAG = re.compile(r"[;#]\s*\[([^\"\]]*)\"(.*)\"\s*\]$")
_MATCH = re.compile(r"\s*(?:(\d{1,6})\s+points?\s+match|match\s+(?:of|to)\s+(\d{1,6})\b)", re.IGNORECASE)
_UNLIMITED = re.compile(r"\s*(?:unlimited|money)\s+(?:match|session|game)\b", re.IGNORECASE)
_DATE = re.compile(r"(\d{4})(?:[./-](\d{1,2})(?:[./-](\d{1,2}))?)?(?![\d])")
_ELO = re.compile(r"\s*(\d+(?:[.,]\d+)?)\s*(?:/\s*(\d+))?\s*$")
_SCORE = re.compile(r"\s*(\d{1,5})[.,]00/0\s*$")
_RATED_NAME = re.compile(r"(.*\S)\s*,\s*(\d{3,4}(?:\.\d+)?)$")
_XG_START = 1600.0


def tag(line: str) -> tuple[str, str] | None:
    """Return key and value of ``; [Key "value"]``, or None for any other line."""
    found = _TAG.match(line.strip())
    return (found[1].strip(), found[2].strip()) if found else None


def match_length(line: str) -> int | None:
    """Return the length that a line such as ``7 point match`` declares, 0 for money, None for other lines."""
    found = _MATCH.match(line)
    if found:
        return int(found[1] or found[2])
    return 0 if _UNLIMITED.match(line) else None


def iso_date(text: str) -> str:
    """Return a header's date as ``YYYY-MM-DD``, ``YYYY-MM`` or ``YYYY``; empty where there is none."""
    found = _DATE.match(text.strip())
    if not found:
        return ""
    if not 1000 <= int(found[1]) <= 2999:
        return ""
    parts = [found[1]]
    for part, most in ((found[2], 12), (found[3], 31)):
        if part is None or not 1 <= int(part) <= most:
            break
        parts.append(f"{int(part):02d}")
    return "-".join(parts)


def elo(text: str, site: str) -> tuple[float | None, int | None, str]:
    """Return rating, experience and note of a ``Player N Elo`` header such as ``1665.83/36``.

    An experience of 0 means that nobody was rated: Backgammon Galaxy writes the match score there
    (``5,00/0``), eXtreme Gammon its starting rating (``1600.00/0``).
    """
    if not text.strip():
        return None, None, ""
    found = _ELO.match(text)
    if not found:
        return None, None, "unreadable"
    value = float(found[1].replace(",", "."))
    experience = int(found[2]) if found[2] else None
    if experience == 0:
        return None, 0, "score" if "galaxy" in site.casefold() or value < 100 else "default"
    if value < 100 or (experience is None and value == _XG_START):
        return None, experience, "score" if value < 100 else "default"
    return value, experience, ""


def final_score(text: str) -> int | None:
    """Return the score that Backgammon Galaxy writes as ``Player N Elo "5,00/0"``; None for anything else."""
    found = _SCORE.match(text)
    return int(found[1]) if found else None


def rated_name(text: str) -> tuple[str, float | None]:
    """Split GridGammon's ``name,1770`` into name and rating; other names come back as they are."""
    found = _RATED_NAME.match(text)
    return (found[1], float(found[2])) if found else (text, None)


def flag(value: str) -> bool | None:
    """Return True for On, False for Off, None for anything else."""
    return {"on": True, "off": False, "yes": True, "no": False}.get(value.strip().casefold())
