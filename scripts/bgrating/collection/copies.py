"""Find the copies of each match of a collection, choose the one that counts, and list their
differences.

Two matches are copies if they have the same rolls and plays, whatever their players' names. They
are copies too if they have the same players and nearly the same rolls and plays. A copy may be a
part of another one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from bgrating.collection.match_record import FileRecord, MatchRecord

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
    """A match of a file among its copies, with the `names` of left and right after aliases.

    `lacks` is 0 if the engine has analysed it, 1 if the engine failed, 2 if the engine did not get
    it.
    """

    record: FileRecord
    number: int
    match: MatchRecord
    names: tuple[str, str]
    lacks: int

    @property
    def label(self) -> str:
        file = self.record.file
        return file if len(self.record.matches) == 1 else f"{file} match {self.number}"

    def sorted_names(self) -> tuple[str, ...]:
        return tuple(sorted(name.casefold() for name in self.names))

    def players(self) -> tuple[str, ...]:
        """Return the names of both players, then the name of the player who rolled first."""
        return (*sorted(self.names), self.names[self.match.first])

    def is_exact(self, other: "Copy") -> bool:
        return self.match.content_key == other.match.content_key

    def agrees(self, other: "Copy") -> bool:
        """Return whether both name the same players, and if they are exact copies, in the same
        seats.
        """
        same = 3 if self.is_exact(other) else 2
        return self.players()[:same] == other.players()[:same]

    def seats(self) -> str:
        left, right = (name or "a player without a name" for name in self.names)
        return f"{left} (left) and {right} (right)"


def exact_key(match: MatchRecord) -> tuple[str, int]:
    """Return the key of exact copies, of which the engine analyses one: plays and match length."""
    return match.content_key, match.match_length


def rank(match: MatchRecord, file: str, number: int, most_rolls: int = 0, agreeing: int = 0) -> Any:
    """Return the sort key of the copies of a match (readings.py): the first one counts.

    The longest copy has `most_rolls`; `agreeing` copies name the same players as this one. Copies
    without a match length, or with one that the play contradicts, come last, so that no rating is
    lost. Names of files decide only between equal records.
    """
    length = match.match_length
    return (
        match.over,
        length == 0,
        match.rolls < WHOLE * most_rolls,
        not match.complete,
        len(match.warnings),
        max(match.score) - length if length and match.complete else 0,
        not match.figures,
        -match.rolls,
        -len(match.date),
        match.date,  # a later date may be that of the copying
        -agreeing,
        match.key,
        match.names,
        file,
        number,
    )


def grouped(matches: Iterable[Copy]) -> Iterator[list[Copy]]:
    """Yield the copies of every match, first the one that counts."""
    for copies in _groups(matches):
        most = max(copy.match.rolls for copy in copies)
        votes = Counter(copy.players() for copy in copies)
        yield sorted(copies, key=lambda copy: _rank(copy, most, votes[copy.players()]))


def _groups(matches: Iterable[Copy]) -> Iterable[list[Copy]]:
    """Return the copies of every match, first joined by their plays, then by likeness."""
    group_of: dict[str, list[Copy]] = {}
    for match in matches:
        group_of.setdefault(match.match.content_key, []).append(match)
    by_rolls: dict[tuple[tuple[str, ...], str], list[Copy]] = {}
    for copy in [copies[0] for copies in group_of.values()]:
        for gram in dict.fromkeys(_grams(copy.match.moves)):
            others = by_rolls.setdefault((copy.sorted_names(), gram), [])
            group_of_copy = group_of[copy.match.content_key]
            group = _group_of_alike(copy, others[-MOST_COMPARED:], group_of)
            if group is None:
                others.append(copy)
            elif group is not group_of_copy:
                group += group_of_copy
                group_of |= {one.match.content_key: group for one in group_of_copy}
    return {id(group): group for group in group_of.values()}.values()


def _group_of_alike(
    copy: Copy, others: Iterable[Copy], group_of: Mapping[str, list[Copy]]
) -> list[Copy] | None:
    """Return the group of the first other copy that is alike, or already in this copy's group."""
    for other in others:
        group = group_of[other.match.content_key]
        is_joined = group is group_of[copy.match.content_key]
        if is_joined or _are_alike(copy.match.moves, other.match.moves):
            return group
    return None


def _rank(copy: Copy, most_rolls: int, agreeing: int) -> Any:
    return copy.lacks, rank(copy.match, copy.record.file, copy.number, most_rolls, agreeing)


def _grams(games: Iterable[str]) -> Iterator[str]:
    for game in games:
        rolls = [word for word in game.split()[1:] if word[0].isdigit()]
        size = min(GRAM, len(rolls) // 2)
        if size:
            yield " ".join(rolls[:size])
            yield " ".join(rolls[-size:])


def _are_alike(moves: Sequence[str], others: Sequence[str]) -> bool:
    ours = " ".join(moves).split()
    theirs = " ".join(others).split()
    enough = SHARED * min(len(ours), len(theirs))
    if (Counter(ours) & Counter(theirs)).total() < enough:
        return False
    blocks = SequenceMatcher(None, ours, theirs, autojunk=False).get_matching_blocks()
    common = [word for block in blocks for word in ours[block.a : block.a + block.size]]
    return len(common) >= enough and sum(word[:2].isdigit() for word in common) >= LEAST_ROLLS


def disagreements(copies: Sequence[Copy]) -> Iterator[str]:
    """Yield sentences on the differences between the first copy, which counts, and the others."""
    original, *others = copies
    renamed = [copy for copy in others if not copy.agrees(original)]
    if renamed:
        names = [f"{copy.label} for {copy.seats()}" for copy in renamed]
        names[0] = f"{renamed[0].label} has the same rolls and plays for {renamed[0].seats()}"
        yield f"the names of its copies are others: {'; '.join(few(names))}"
    unlike = {copy.label: differences(original, copy) for copy in others}
    different = [
        f"its copy {label} differs: {difference}"
        for label, difference in unlike.items()
        if difference
    ]
    yield from few(different, " copies that differ")


def as_copy(copy: Copy, original: Copy) -> str:
    """Return why a copy does not count."""
    same = "same rolls and plays as" if copy.is_exact(original) else "the same match as"
    sentence = f"{same} {original.label}"
    if not copy.agrees(original):
        sentence += f", which counts for {original.seats()}, not for {copy.seats()}"
    unlike = differences(copy, original)
    return f"{sentence}, but: {unlike}" if unlike else sentence


def differences(this: Copy, other: Copy) -> str:
    """Return the differences of two copies beside the players' names.

    What one of them lacks does not count.
    """
    compared = [("length", _length(this), _length(other))]
    ours = this.match.date
    theirs = other.match.date
    if not ours.startswith(theirs) and not theirs.startswith(ours):
        compared.append(("date", ours, theirs))
    if this.agrees(other):
        compared.append(("score", _score(this), _score(other)))
    sentences = [
        f"{subject} {our}, there {their}" for subject, our, their in compared if our != their
    ]
    sentences += _changed_games(this.match.moves, other.match.moves)
    return "; ".join(few(sentences))


def _length(copy: Copy) -> str:
    length = copy.match.match_length
    return f"{length} points" if length else "unlimited"


def _score(copy: Copy) -> str:
    """Return the final score in the order of the names, at most the match length."""
    score = capped(copy.match)
    order = sorted((0, 1), key=lambda seat: copy.names[seat].casefold())
    return "-".join(str(score[seat]) for seat in order)


def capped(match: MatchRecord) -> list[int]:
    """Return the final score, at most the match length."""
    return [min(points, match.match_length or points) for points in match.score]


def _changed_games(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[str]:
    """Yield a sentence on the games of the first copy that the second lacks.

    A game begins with its score.
    """
    missing = [number for number, game in enumerate(ours, 1) if game not in theirs]
    if missing:
        yield f"game {', '.join(map(str, missing))}: other rolls, plays or score"
    elif len(ours) != len(theirs):
        yield f"{len(ours)} games, there {len(theirs)}"


def few(sentences: Sequence[str], noun: str = "", most: int = MOST_NAMED) -> list[str]:
    """Return the first sentences, and how many more there are."""
    more = [f"and {len(sentences) - most} more{noun}"] if len(sentences) > most else []
    return [*sentences[:most], *more]
