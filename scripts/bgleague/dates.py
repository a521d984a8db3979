"""Read a column of dates; all its rows together decide the order of day, month and year.

A year of four digits shows its place. For other dates every order is tried. An order fits if the
fewest of its dates do not exist or lie in the future. If several orders fit, points or the language
of the heading mean that the day is first. Then an order is chosen if its dates span less than
YEARS, and those of the others more than MANY_YEARS. Otherwise there are two readings, and the list
is refused.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from bgleague.headings import WORDS, plain
from bgleague.settings import RatingsError
from bgmatch.days import EARLIEST, impossible
from bgrating.suggestion import without_marks

YEARS = 2
MANY_YEARS = 4
ORDERS = {"ymd": "the year first", "dmy": "the day first", "mdy": "the month first"}
"""The orders of the three numbers of a date, with their names in notices."""

_TIME = r"(?:[t ,]\s*\d{1,2}[:.h]\d.*)?"
_YEAR = r"[1-9]\d\d\d|\d\d?"
_NUMBERS = re.compile(rf"({_YEAR})\s*[-/. 年]\s*(\d{{1,2}})\s*[-/. 月]\s*({_YEAR})[.日]?{_TIME}")
_RUN = re.compile(r"((?:18|19|20)\d\d(?=\d{4}$)|\d\d)(\d\d)(\d\d|\d{4})")
_DAY_MONTH = re.compile(
    r"(?P<day>\d{1,2})(?:st|nd|rd|th)?[-/.\s]*(?:de\s+)?"
    r"(?P<month>[^\W\d_]{3,})\.?[-/.,\s]*(?:de\s+)?"
    rf"(?P<year>\d{{4}}|\d\d){_TIME}"
)
_MONTH_DAY = re.compile(
    r"(?P<month>[^\W\d_]{3,})\.?\s*(?P<day>\d{1,2})(?:st|nd|rd|th)?[,\s]+"
    rf"(?P<year>\d{{4}}){_TIME}"
)
_WEEKDAY = re.compile(r"[^\W\d_]{2,10}[.,]*\s+(?=\d)|[^\W\d_]{2,10},?\s+(?=[^\W\d_]{3,}\.?\s*\d)")
_YEAR_LAST = re.compile(r"(\d\d?:\d\d:\d\d) (\d{4})$")  # as the C library writes a time
_MONTH = {name: number for number, names in enumerate(WORDS["months"], 1) for name in names.split()}
_CLOCK = re.compile(
    r"(\d{1,2})(?:[:.h](\d{1,2}))?(?:[:.](\d\d)(?:[.,]\d+)?)?"
    r"\s*(?:([ap])\.?m\.?)?\s*(?:z|utc|gmt)?\s*([-+]\d\d:?\d\d)?"
)
_FORM_TIME = re.compile(r"(?:[1-9]/\d\d?|\d\d/[1-9])/\d{4} \d?\d:\d\d:\d\d")
"""A time as Google Forms writes it where the month is first; where the day is first, numbers have
two digits."""
_UNIX = re.compile(r"\d{10}|\d{13}")  # seconds or milliseconds
_AFTER_DATE = re.compile(r"(?<=\d)[t ,]\s*(\d{1,2}[:.h]\d.*)")
_SERIAL = re.compile(r"[2-7]\d{4}(?:[.,]\d+)?")  # days of a spreadsheet, from 1954 to 2119
_FIRST_SERIAL = date(1899, 12, 30)

Readings = Mapping[str, date | None]
"""The date of a text in each order of its numbers; None if it is no date."""


def read_dates(
    cells: Sequence[str], today: date, heading: str = "", order: str = ""
) -> tuple[list[str | None], list[str]]:
    """Return the cells of a column as YYYY-MM-DD, and notices on how they were read.

    A day is empty for an empty cell, and None for no date. It may be a day on which no match was
    played (`impossible`). `order` (a key of ORDERS) is the user's choice if two orders fit.

    Raises RatingsError if two orders fit and the user chose none.
    """
    readings = {text: _readings(text, today) for text in dict.fromkeys(cells) if text}
    unsure = {text: days for text, days in readings.items() if len(set(days.values())) > 1}
    notes = []
    column_order = "ymd"
    if unsure:
        is_form = plain(heading) == "timestamp" and any(map(_FORM_TIME.fullmatch, unsure))
        if is_form and not order and all(days["mdy"] for days in unsure.values()):
            order = "mdy"
        has_points = all("." in text for text in unsure)
        is_day_first = has_points or plain(heading) in WORDS["day_first"].split()
        column_order = order or _order(unsure, today, is_day_first=is_day_first)
        examples = [text for text, days in unsure.items() if days[column_order]]
        if examples and (order or not is_day_first):
            example = f"{examples[0]} is {unsure[examples[0]][column_order]}"
            notes.append(f"dates were read with {ORDERS[column_order]} ({example})")
    serials = list(filter(_SERIAL.fullmatch, readings))
    if serials:
        example = f"{serials[0]} is {readings[serials[0]]['ymd']}"
        notes.append(f"dates were read as days of a spreadsheet ({example})")
    days: dict[str, str | None] = {"": ""}
    for text, by_order in readings.items():
        day = by_order[column_order]
        days[text] = str(day) if day else None
    return [days[text] for text in cells], notes


def moment(day: str, clock: str, date_cell: str) -> str:
    """Return the moment of a match in UTC, such as 2026-01-05T09:00:00.

    It is the day alone if no time is known. The time of day stands in a cell of times (`clock`) or
    behind the date (`date_cell`). Midnight without an offset from UTC stands for a date without a
    time.
    """
    time = _clock_time(clock.lower()) or _time_of_date(date_cell.lower())
    return (datetime.fromisoformat(day or f"{EARLIEST}-01-01") + time).isoformat() if time else day


def _clock_time(text: str) -> timedelta | None:
    """Return the time from the midnight of the same day in UTC, or None for another text."""
    match = _CLOCK.fullmatch(text)
    if not match or not (match[2] or match[4]):
        return None
    hours, minutes, seconds = (int(digits or 0) for digits in match.groups()[:3])
    if match[4]:
        hours = hours % 12 + (12 if match[4] == "p" else 0)
    time = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    offset = match[5] or "+00:00"
    return time - timedelta(hours=int(offset[:3]), minutes=int(offset[0] + offset[-2:]))


def _time_of_date(text: str) -> timedelta | None:
    if _SERIAL.fullmatch(text):
        return timedelta(seconds=round(float(text.replace(",", ".")) % 1 * 86_400))
    if _UNIX.fullmatch(text):
        return timedelta(seconds=int(text[:10]) % 86_400)
    after = _AFTER_DATE.search(_YEAR_LAST.sub(r"\2 \1", text))
    return _clock_time(after[1].strip()) if after else None


def _readings(text: str, today: date) -> Readings:
    small = _YEAR_LAST.sub(r"\2 \1", without_marks(text.strip().lower()))
    if _UNIX.fullmatch(small):
        return dict.fromkeys(ORDERS, datetime.fromtimestamp(int(small[:10]), UTC).date())
    if _SERIAL.fullmatch(small):
        return dict.fromkeys(ORDERS, _FIRST_SERIAL + timedelta(int(small[:5])))
    for candidate in (small, _WEEKDAY.sub("", small, count=1)):
        match = _NUMBERS.fullmatch(candidate) or _RUN.fullmatch(candidate)
        if match:
            numbers = list(map(int, match.groups()))
            return {order: _in_order(order, numbers, today) for order in ORDERS}
        match = _DAY_MONTH.fullmatch(candidate) or _MONTH_DAY.fullmatch(candidate)
        month = _MONTH.get(match["month"][:4], _MONTH.get(match["month"][:3])) if match else None
        if match and month:
            return dict.fromkeys(ORDERS, _day(int(match["year"]), month, int(match["day"]), today))
    return dict.fromkeys(ORDERS)


def _in_order(order: str, numbers: Sequence[int], today: date) -> date | None:
    by_letter = dict(zip("ymd" if numbers[0] >= 100 else order, numbers, strict=True))
    return _day(by_letter["y"], by_letter["m"], by_letter["d"], today)


def _order(unsure: Mapping[str, Readings], today: date, *, is_day_first: bool) -> str:
    """Return the order of a column from its dates by order.

    A fault is a date that does not exist or lies in the future. A span is the years from the first
    date to the last. Raises RatingsError if two orders fit.
    """
    faults = {}
    spans = {}
    for order in ORDERS:
        days = [readings[order] for readings in unsure.values()]
        faults[order] = sum(not day or bool(impossible(str(day), today)) for day in days)
        known = list(filter(None, days))
        spans[order] = (max(known) - min(known)).days / 365.25 if known else 0.0
    fitting = [order for order in ORDERS if faults[order] == min(faults.values())]
    if is_day_first and "mdy" in fitting and "dmy" in fitting:
        fitting.remove("mdy")
    narrow = [order for order in fitting if spans[order] < YEARS]
    if narrow and not any(YEARS <= spans[order] <= MANY_YEARS for order in fitting):
        fitting = narrow
    for text, by_order in unsure.items():
        possible_days = dict.fromkeys(str(by_order[order] or "no date") for order in fitting)
        if len(possible_days) > 1:
            raise RatingsError(
                f"the dates fit two readings: {text} may be {' or '.join(possible_days)}; write"
                f" 2026-03-14, or add --dates with one of {', '.join(fitting)}"
            )
    return fitting[0]


def _day(year: int, month: int, day: int, today: date) -> date | None:
    """Return a date, None if it does not exist.

    A two-digit year is of the last 76 years or the next 23.
    """
    if year < 100:
        year += 2000 if year + 2000 < today.year + 24 else 1900
    try:
        return date(year, month, day)
    except ValueError:
        return None
