"""Find the copies of each match of a collection, choose the one that counts, and list their
differences.

Two matches are copies if they have the same rolls and plays, whatever their players' names. They
are copies too if they have the same players and nearly the same rolls and plays. A copy may be a
part of another one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from bgmatch.records import Json

SHARED = 0.8
LEAST_ROLLS = 8
"""Smallest share of the shorter match's moves, and smallest number of rolls, that two copies have
in common."""
WHOLE = 0.9
"""Smallest share of the longest copy's rolls of a copy that may be preferred to longer ones."""
GRAM = 4
"""Rolls at the start or end of a game that two matches must share to be compared."""
MOST_COMPARED = 20
"""Most matches with such rolls that a match is compared with."""
MOST_NAMED = 3
"""Most copies that a reason names, and most differences of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """A match among its copies.

    Its place, its record, and the `names` of left and right after aliases.

    `lacks` is 0 if the engine has analysed it, 1 if the engine failed, 2 if the engine did not get
    it.
    """

    place: str
    file: str
    number: int
    read: Json
    names: tuple[str, str]
    lacks: int

    @property
    def content(self) -> str:
        return content_of(self.read)[0]

    def sorted_names(self) -> tuple[str, ...]:
        return tuple(sorted(name.casefold() for name in self.names))

    def players(self) -> tuple[str, ...]:
        """Return the names of both players, then the name of the player who rolled first."""
        return (*sorted(self.names), self.names[self.read["first"]])

    def agrees(self, other: "Copy") -> bool:
        """Return whether both name the same players, and if they are exact copies, in the same
        seats.
        """
        same = 3 if self.content == other.content else 2
        return self.players()[:same] == other.players()[:same]

    def seats(self) -> str:
        left, right = (name or "a player without a name" for name in self.names)
        return f"{left} (left) and {right} (right)"


def content_of(match: Json) -> tuple[str, int]:
    """Return the key of exact copies, of which the engine analyses one.

    Rolls and plays, and match length.
    """
    return match["content"], match["match_length"]


def rank(match: Json, file: str, number: int, most_rolls: int = 0, agreeing: int = 0) -> Any:
    """Return the sort key of the copies of a match (readings.py): the first one counts.

    The longest copy has `most_rolls`; `agreeing` copies name the same players as this one. Copies
    without a match length, or with one that the play contradicts, come last, so that no rating is
    lost. Names of files decide only between equal records.
    """
    length = match["match_length"]
    rolls = match["rolls"]
    complete = match["complete"]
    return (
        match["over"],
        length == 0,
        rolls < WHOLE * most_rolls,
        not complete,
        len(match["warnings"]) + match["more_warnings"],
        max(match["score"]) - length if length and complete else 0,
        not match["program"],
        -rolls,
        -len(match["date"]),
        match["date"],  # a later date may be that of the copying
        -agreeing,
        match["key"],
        match["names"],
        file,
        number,
    )


def grouped(matches: Iterable[Copy]) -> Iterator[list[Copy]]:
    """Yield the copies of every match, first the one that counts."""
    by_content: dict[str, list[Copy]] = {}
    for match in matches:
        by_content.setdefault(match.content, []).append(match)
    first = {content: copies[0] for content, copies in by_content.items()}
    parent = {content: content for content in first}

    def root(content: str) -> str:
        while parent[content] != content:
            content = parent[content]
        return content

    by_rolls: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for content, match in first.items():
        words = match.read["moves"]
        for place in dict.fromkeys(
            (match.sorted_names(), gram) for game in words for gram in _grams(game)
        ):
            alike = by_rolls.setdefault(place, [])
            for other in alike[-MOST_COMPARED:]:
                if root(other) == root(content) or _are_alike(words, first[other].read["moves"]):
                    parent[root(content)] = root(other)
                    break
            else:
                alike.append(content)
    groups: dict[str, list[Copy]] = {}
    for content, copies in by_content.items():
        groups.setdefault(root(content), []).extend(copies)
    for copies in groups.values():
        most = max(copy.read["rolls"] for copy in copies)
        votes = Counter(copy.players() for copy in copies)
        yield sorted(
            copies,
            key=lambda copy: (
                copy.lacks,
                rank(copy.read, copy.file, copy.number, most, votes[copy.players()]),
            ),
        )


def _grams(game: str) -> Iterator[str]:
    rolls = [word for word in game.split()[1:] if word[0].isdigit()]
    size = min(GRAM, len(rolls) // 2)
    if size:
        yield " ".join(rolls[:size])
        yield " ".join(rolls[-size:])


def _are_alike(moves: list[str], others: list[str]) -> bool:
    ours, theirs = ([word for game in games for word in game.split()] for games in (moves, others))
    enough = SHARED * min(len(ours), len(theirs))
    if (Counter(ours) & Counter(theirs)).total() < enough:
        return False
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    common = [word for block in blocks for word in ours[block.a : block.a + block.size]]
    return len(common) >= enough and sum(word[:2].isdigit() for word in common) >= LEAST_ROLLS


def disagreements(copies: list[Copy]) -> Iterator[str]:
    """Yield sentences on the differences between the first copy, which counts, and the others."""
    original, *others = copies
    if renamed := [copy for copy in others if not copy.agrees(original)]:
        names = [f"{copy.place} for {copy.seats()}" for copy in renamed[:MOST_NAMED]]
        names[0] = f"{renamed[0].place} has the same rolls and plays for {renamed[0].seats()}"
        yield f"the names of its copies are others: {'; '.join([*names, *_more(len(renamed))])}"
    different = [
        f"its copy {copy.place} differs: {facts}"
        for copy in others
        if (facts := differences(original, copy))
    ]
    yield from different[:MOST_NAMED]
    yield from _more(len(different), " copies that differ")


def as_copy(copy: Copy, original: Copy) -> str:
    """Return why a copy does not count."""
    facts = differences(copy, original)
    exact = copy.content == original.content
    said = (
        f"same rolls and plays as {original.place}"
        if exact
        else f"the same match as {original.place}"
    )
    if not copy.agrees(original):
        said += f", which counts for {original.seats()}, not for {copy.seats()}"
    return f"{said}, but: {facts}" if facts else said


def differences(this: Copy, other: Copy) -> str:
    """Return the differences of two copies beside the players' names.

    Facts that one of them lacks do not count.
    """
    facts = [("length", _length(this), _length(other))]
    ours, theirs = (copy.read["date"] for copy in (this, other))
    if not ours.startswith(theirs) and not theirs.startswith(ours):
        facts.append(("date", ours, theirs))
    if this.agrees(other):
        facts.append(("score", _score(this), _score(other)))
    found = [
        f"{what} {ours}, there {theirs}"
        for what, ours, theirs in facts
        if ours != theirs and ours and theirs
    ]
    found += _changed_games(this.read["moves"], other.read["moves"])
    return "; ".join([*found[:MOST_NAMED], *_more(len(found))])


def _length(match: Copy) -> str:
    length = match.read["match_length"]
    return f"{length} points" if length else "unlimited"


def _score(match: Copy) -> str:
    """Return the final score in the order of the names, at most the match length."""
    named = sorted(
        zip(match.names, match.read["score"], strict=True), key=lambda pair: pair[0].casefold()
    )
    return "-".join(str(min(points, match.read["match_length"] or points)) for _, points in named)


def _changed_games(ours: list[str], theirs: list[str]) -> Iterator[str]:
    """Yield a sentence on the games of the first copy that the second lacks.

    A game begins with its score.
    """
    missing = [number for number, game in enumerate(ours, 1) if game not in theirs]
    if missing:
        yield f"game {', '.join(map(str, missing))}: other rolls, plays or score"
    elif len(ours) != len(theirs):
        yield f"{len(ours)} games, there {len(theirs)}"


def _more(count: int, what: str = "") -> list[str]:
    return [f"and {count - MOST_NAMED} more{what}"] if count > MOST_NAMED else []
