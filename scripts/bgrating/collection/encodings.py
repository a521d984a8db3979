"""Names in files whose encoding is a guess.

Another reading is used where it gives names that other files have.
"""

from collections.abc import Iterable, Iterator, Set

from bgmatch.decoder import Decoded, usual_name
from bgmatch.records import Json
from bgrating.people.aliases import MOST_NAMED, letters_of
from bgrating.tables.csv_safety import escape_controls

_NAMES = ("names", "real_names")


def encoding_of(found: Decoded | None, matches: Iterable[Json]) -> Json:
    """Return what is not certain of a file's encoding; nothing if all is.

    `note` says how it was read, `is_open` whether another reading is as likely. `rivals` has each
    name's other spellings by encoding.
    """
    if found is None or not found.is_guess:
        return {}
    names = sorted({name for match in matches for kind in _NAMES for name in match[kind]})
    rivals = {name: found.otherwise(name) for name in names}
    return {"note": escape_controls(found.note), "is_open": found.is_open, "rivals": rivals}


def spellings(names: Iterable[str]) -> set[str]:
    """Return names, and their letters without accents."""
    return {spelling for name in names for spelling in (name, letters_of(name))}


def names_of(record: Json) -> list[str]:
    return [name for match in record["matches"] for name in match["names"]]


def with_known_names(record: Json, known: Set[str]) -> Json:
    """Return a file's record in the first encoding that gives a known name for one that is not
    known; figures stay.
    """
    for name, others in record["encoding"]["rivals"].items():
        for encoding, other in others.items():
            if spellings([other]) & known and not spellings([name]) & known:
                return _read_as(record, encoding, other)
    return record


def _read_as(record: Json, encoding: str, named: str) -> Json:
    rivals = record["encoding"]["rivals"]
    others = {name: escape_controls(rivals[name].get(encoding, name)) for name in rivals}
    matches = [
        match | {kind: [others[name] for name in match[kind]] for kind in _NAMES}
        for match in record["matches"]
    ]
    note = (
        f"its names were read as {usual_name(encoding)}, since {named} is known from another file"
    )
    return record | {"matches": matches, "encoding": {"note": note, "is_open": False}}


def remark(records: Iterable[Json]) -> Iterator[str]:
    """Yield a sentence on the files whose encoding is a guess, those first whose names may be other
    ones.
    """
    guessed = [record for record in records if record["encoding"]["note"] and record["matches"]]
    guessed.sort(key=lambda record: not record["encoding"]["is_open"])
    if guessed:
        listed = "; ".join(
            f"{record['file']}: {record['encoding']['note']}" for record in guessed[:MOST_NAMED]
        )
        more = f"; and {len(guessed) - MOST_NAMED} more" if len(guessed) > MOST_NAMED else ""
        yield (
            f"Files that are not in UTF-8: {listed}{more}. If names look wrong, save the file as"
            " UTF-8."
        )
