"""Take event, round and date of matches from the names of their files, if the files lack them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from urllib.parse import unquote

from bgmatch.days import impossible
from bgmatch.headers import iso_date
from bgmatch.records import Json
from bgrating.collection.match_record import FileRecord, MatchRecord

_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)([-._ ]?)(\d\d)\2(\d\d)(?!\d)")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_DAY = re.compile(rf"(?<!\d)((?:19|20)\d\d)({'|'.join(_MONTHS)})(\d\d)", re.IGNORECASE)
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_ROUND = re.compile(
    r"(?<![a-z])(?:(?:semi|quarter)?[ -]?final|(?:round|r) ?\d{1,3})(?![a-z\d])", re.IGNORECASE
)
_WORD = re.compile(r"[^\W\d_]{3,}")
_NO_EVENT = {"match", "point", "points", "game", "games", "set", "and", "the"}


def with_name_metadata(record: FileRecord) -> FileRecord:
    """Return a file's record with the event, round and date that only its name has.

    `from_file_name` of a match lists them.
    """
    return replace(record, matches=[_with_metadata(match, record.file) for match in record.matches])


def _with_metadata(match: MatchRecord, file: str) -> MatchRecord:
    metadata = name_metadata(file, match.names)
    taken: Json = {
        name: value for name, value in metadata.items() if value and not getattr(match, name)
    }
    return replace(match, **taken, from_file_name=", ".join(taken))


def name_metadata(file: str, players: Sequence[str]) -> dict[str, str]:
    """Return event, round and date of a file's name, empty if it has none.

    A date is a day or a year. Two digits are no year: they could be a day. An event is the other
    words of a name with a date or a round, without the players' names.
    """
    stem = unquote(PurePath(file).stem).replace("_", " ")
    stage = _ROUND.search(stem)
    date = _date(stem)
    rest = _NAMED_DAY.sub(" ", stem.replace(stage[0], " ") if stage else stem)
    no_event_words = {*_WORD.findall(" ".join(players).casefold()), *_NO_EVENT}
    words = [word for word in _WORD.findall(rest) if word.casefold() not in no_event_words]
    event = " ".join(words) if date or stage else ""
    return {"event": event, "round": stage[0].strip(" -") if stage else "", "date": date}


def _date(stem: str) -> str:
    day = _DAY.search(stem)
    named = _NAMED_DAY.search(stem)
    year = _YEAR.search(stem)
    if day:
        date = iso_date(f"{day[1]}-{day[3]}-{day[4]}")
    elif named:
        date = iso_date(f"{named[1]}-{_MONTHS.index(named[2].casefold()) + 1}-{named[3]}")
    else:
        date = year[0] if year else ""
    return "" if impossible(date) else date
