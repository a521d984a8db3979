"""Tell which matches of a collection are copies of one match, which of them counts, and what they disagree about.

Two matches are copies if they have the same rolls and plays, whoever is named. They are copies too if the same players
have nearly all rolls and plays in common. A copy may be a part of another one.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

Json = dict[str, Any]

SHARED, LEAST_ROLLS = 0.8, 8
"""Which part of the shorter one's moves two copies have in common, and how many rolls at least."""
WHOLE = 0.9
"""Which part of the longest copy's rolls a copy has that is preferred to longer ones."""
GRAM = 4
"""Rolls at the start or the end of a game that two matches have in common before they are compared."""
MOST_COMPARED = 20
"""Matches with the same rolls there, to which another one is compared."""
MOST_TOLD = 3
"""Copies that are named, and differences of each."""


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """A match as far as copies are compared: where it is, its record, and the `names` of left and right after aliases.

    `lacks`: 0 for a content that the engine has analysed, 1 for one that it could not, 2 for one that it was not given.
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

    def who(self) -> tuple[str, ...]:
        return tuple(sorted(name.casefold() for name in self.names))

    def players(self) -> tuple[str, ...]:
        """Return the names of both players, then that of who rolled first."""
        return (*sorted(self.names), self.names[self.read["first"]])

    def agrees(self, other: "Copy") -> bool:
        """Tell whether both have the same players, and exact copies for the same rolls."""
        same = 3 if self.content == other.content else 2
        return self.players()[:same] == other.players()[:same]

    def whose(self) -> str:
        left, right = (name or "a player without a name" for name in self.names)
        return f"{left} (left) and {right} (right)"


def content_of(match: Json) -> tuple[str, int]:
    """Return what exact copies share that an engine need not analyse twice: the rolls and plays, and the length."""
    return match["content"], match["match_length"]


def rank(match: Json, file: str, number: int, most_rolls: int = 0, agreeing: int = 0) -> Any:
    """Return what orders the copies of a match (readings.py): the least counts.

    The longest copy has `most_rolls`; so many are `agreeing` with this one on the players.
    A length that the play contradicts and matches without a length come last, so that no rating is lost. Names of files
    decide between equal records only.
    """
    length, rolls, complete = match["match_length"], match["rolls"], match["complete"]
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
        match["date"],  # that of a copy may be when it was made
        -agreeing,
        match["key"],
        match["names"],
        file,
        number,
    )


def grouped(matches: Iterable[Copy]) -> Iterator[list[Copy]]:
    """Yield the copies of every match, the one that counts first."""
    by_content: dict[str, list[Copy]] = {}
    for match in matches:
        by_content.setdefault(match.content, []).append(match)
    first = {content: copies[0] for content, copies in by_content.items()}
    leader = {content: content for content in first}

    def led(content: str) -> str:
        while leader[content] != content:
            content = leader[content]
        return content

    by_rolls: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for content, match in first.items():
        words = match.read["moves"]
        for place in dict.fromkeys((match.who(), gram) for game in words for gram in _grams(game)):
            alike = by_rolls.setdefault(place, [])
            for other in alike[-MOST_COMPARED:]:
                if led(other) == led(content) or _nearly(words, first[other].read["moves"]):
                    leader[led(content)] = led(other)
                    break
            else:
                alike.append(content)
    groups: dict[str, list[Copy]] = {}
    for content, copies in by_content.items():
        groups.setdefault(led(content), []).extend(copies)
    for copies in groups.values():
        most = max(copy.read["rolls"] for copy in copies)
        votes = Counter(copy.players() for copy in copies)
        yield sorted(
            copies, key=lambda one: (one.lacks, rank(one.read, one.file, one.number, most, votes[one.players()]))
        )


def _grams(game: str) -> Iterator[str]:
    rolls = [word for word in game.split()[1:] if word[0].isdigit()]
    size = min(GRAM, len(rolls) // 2)
    if size:
        yield " ".join(rolls[:size])
        yield " ".join(rolls[-size:])


def _nearly(moves: list[str], others: list[str]) -> bool:
    one, other = ([word for game in games for word in game.split()] for games in (moves, others))
    enough = SHARED * min(len(one), len(other))
    if (Counter(one) & Counter(other)).total() < enough:
        return False
    blocks = SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks()
    common = [word for block in blocks for word in one[block.a : block.a + block.size]]
    return len(common) >= enough and sum(word[:2].isdigit() for word in common) >= LEAST_ROLLS


def disagreements(copies: list[Copy]) -> Iterator[str]:
    """Say what the copies of a match, of which the first one counts, state differently from it."""
    original = copies[0]
    named = [copy for copy in copies if not copy.agrees(original)]
    if named:
        sentences = [f"{copy.place} has the same rolls and plays for {copy.whose()}" for copy in named[:1]]
        sentences += [f"{copy.place} for {copy.whose()}" for copy in named[1:MOST_TOLD]]
        yield f"the names of its copies are others: {'; '.join([*sentences, *_more(len(named))])}"
    told = [(copy.place, facts) for copy in copies[1:] if (facts := differences(original, copy))]
    for place, facts in told[:MOST_TOLD]:
        yield f"its copy {place} differs: {facts}"
    yield from _more(len(told), " copies that differ")


def as_copy(copy: Copy, original: Copy) -> str:
    """Return why a copy does not count."""
    facts = differences(copy, original)
    exact = copy.content == original.content
    said = f"same rolls and plays as {original.place}" if exact else f"the same match as {original.place}"
    if not copy.agrees(original):
        said += f", which counts for {original.whose()}, not for {copy.whose()}"
    return f"{said}, but: {facts}" if facts else said


def differences(this: Copy, other: Copy) -> str:
    """Return what two copies of a match disagree about but the players; facts that one of them lacks are none."""
    facts = [("length", _length(this), _length(other))]
    ours, theirs = (copy.read["date"] for copy in (this, other))
    if not ours.startswith(theirs) and not theirs.startswith(ours):
        facts.append(("date", ours, theirs))
    if this.agrees(other):
        facts.append(("score", _score(this), _score(other)))
    told = [f"{what} {ours}, there {theirs}" for what, ours, theirs in facts if ours != theirs and ours and theirs]
    told += _changed_games(this.read["moves"], other.read["moves"])
    return "; ".join([*told[:MOST_TOLD], *_more(len(told))])


def _length(match: Copy) -> str:
    length = match.read["match_length"]
    return f"{length} points" if length else "unlimited"


def _score(match: Copy) -> str:
    """Return the final score in the order of the names; points above the length count for none."""
    named = sorted(zip(match.names, match.read["score"], strict=True), key=lambda one: one[0].casefold())
    return "-".join(str(min(points, match.read["match_length"] or points)) for _, points in named)


def _changed_games(ours: list[str], theirs: list[str]) -> Iterator[str]:
    """Say which games of the first copy the second one has otherwise; a game begins with its score."""
    missing = [number for number, game in enumerate(ours, 1) if game not in theirs]
    if missing:
        yield f"game {', '.join(map(str, missing))}: other rolls, plays or score"
    elif len(ours) != len(theirs):
        yield f"{len(ours)} games, there {len(theirs)}"


def _more(count: int, what: str = "") -> list[str]:
    return [f"and {count - MOST_TOLD} more{what}"] if count > MOST_TOLD else []
