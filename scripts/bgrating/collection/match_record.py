"""Records of files and matches: what the tables of a collection need of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bgmatch.records import Json, Record


@dataclass(frozen=True, slots=True)
class MatchRecord:
    """A match of a file; two values in a list are those of the left and the right player.

    `content_key` stands for its rolls and plays (bgmatch/write.py), `moves` has a text a game.
    `figures` are those of eXtreme Gammon (XgFigures), if it wrote the file. `first` is the side
    that rolled first (left if none did). `over` says whether the match was over before its last
    game by its length. `whole` says whether the engine sees every game to its end, from a known
    score on. `repairs` counts corrections. `key` names the engine input, equal for equal ones.
    Without a key `problem` says why there is none. `from_file_name` names the fields that only the
    file's name has.
    """

    content_key: str
    moves: Sequence[str]
    match_length: int
    declared_length: int
    unlimited: bool
    games: int
    rolls: int
    score: Sequence[int]
    complete: bool
    winner: int | None
    date: str
    event: str
    round: str
    names: Sequence[str]
    real_names: Sequence[str]
    ratings: Sequence[float | None]
    first: int
    over: bool
    figures: Sequence[Json]
    whole: bool
    repairs: int
    incomplete: str
    warnings: Sequence[str]
    key: str = ""
    problem: str = ""
    from_file_name: str = ""


@dataclass(frozen=True, slots=True)
class FileRecord:
    """A file: why nothing was read (`problem`, or empty), or its matches.

    `note` says how its text was decoded if that is a guess, `is_open` whether another reading is as
    likely. `rivals` has each name's other spellings by encoding.
    """

    file: str
    sha256: str = ""
    dialect: str = ""
    problem: str = ""
    matches: Sequence[MatchRecord] = ()
    note: str = ""
    is_open: bool = False
    rivals: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def names(self) -> Iterator[str]:
        return (name for match in self.matches for name in match.names)

    @property
    def numbered(self) -> Iterator[tuple[int, MatchRecord]]:
        return enumerate(self.matches, 1)


def record_of(stored: Record, file: str) -> FileRecord:
    """Return the record that ``dataclasses.asdict`` made into JSON, for a file of this name."""
    matches = [MatchRecord(**match) for match in stored["matches"]]
    return FileRecord(**{**stored, "file": file, "matches": matches})
