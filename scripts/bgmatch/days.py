"""The days on which a match can have been played: one rule for match files and lists of results."""

from datetime import UTC, date, datetime, timedelta

EARLIEST = "1800"
"""An earlier year is taken for a slip."""
ZEROS = {"1899-12-30", "1899-12-31", "1900-01-01", "1904-01-01", "1970-01-01"}
"""First days of calendars of spreadsheets and clocks, which programs write for an unknown date."""

UNKNOWN = "1900-01-01"
"""The date of a match without one in our own texts: gnubg would take that of the file."""


def impossible(day: str, today: date | None = None) -> str:
    """Return why no match was played on a day; empty if one can have been.

    A day is YYYY, YYYY-MM or YYYY-MM-DD. An unknown day, an empty text, is not impossible.
    Somewhere it is tomorrow already, so only later days lie in the future. `today` is that of UTC
    by default.
    """
    tomorrow = (today or datetime.now(UTC).date()) + timedelta(days=1)
    if day > tomorrow.isoformat()[: len(day)]:
        return "the date lies in the future"
    if day and day < EARLIEST:
        return f"the date lies before {EARLIEST}"
    return "the date is the zero of a program's calendar" if day in ZEROS else ""
