"""Choose the encoding of names by the names of other files, where a file leaves it open."""

from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from bgmatch.decoder import Decoded, usual_name
from bgmatch.records import Json
from bgrating.collection.copies import few
from bgrating.collection.match_record import FileRecord, MatchRecord
from bgrating.people.aliases import MOST_NAMED, letters_of
from bgrating.tables.csv_safety import escape_controls


def encoding_of(decoded: Decoded | None, matches: Iterable[MatchRecord]) -> Json:
    """Return `note`, `is_open` and `rivals` of a file's record; nothing if all is certain."""
    if decoded is None or not decoded.is_guess:
        return {}
    names = {name for match in matches for name in (*match.names, *match.real_names)}
    rivals = {name: decoded.otherwise(name) for name in sorted(names)}
    return {"note": escape_controls(decoded.note), "is_open": decoded.is_open, "rivals": rivals}


def spellings(names: Iterable[str]) -> set[str]:
    """Return names, and their letters without accents."""
    exact = set(names)
    return exact | set(map(letters_of, exact))


def with_known_names(record: FileRecord, known: Set[str]) -> FileRecord:
    """Read a file's unknown names in another encoding, if that gives a name of another file.

    The first such encoding counts. Only names change.
    """
    for name, spellings_by_encoding in record.rivals.items():
        if spellings([name]) & known:
            continue
        for encoding, spelling in spellings_by_encoding.items():
            if spellings([spelling]) & known:
                return _read_as(record, encoding, spelling)
    return record


def _read_as(record: FileRecord, encoding: str, named: str) -> FileRecord:
    def reread(names: Sequence[str]) -> list[str]:
        return [escape_controls(record.rivals[name].get(encoding, name)) for name in names]

    return replace(
        record,
        matches=[
            replace(match, names=reread(match.names), real_names=reread(match.real_names))
            for match in record.matches
        ],
        note=f"its names were read as {usual_name(encoding)}, since {named} is known from another"
        " file",
        is_open=False,
        rivals={},
    )


def remark(records: Iterable[FileRecord]) -> Iterator[str]:
    """Yield a sentence on the files whose encoding is a guess, those first whose names may be other
    ones.
    """
    guessed = [record for record in records if record.note and record.matches]
    guessed.sort(key=lambda record: not record.is_open)
    if guessed:
        examples = few([f"{record.file}: {record.note}" for record in guessed], most=MOST_NAMED)
        yield (
            f"Files that are not in UTF-8: {'; '.join(examples)}. If names look wrong, save the"
            " file as UTF-8."
        )
