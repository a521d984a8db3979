"""A match and a copy with one fact changed: one match counts, or a finding names both."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from bgmatch import board, read_matches, write_mat
from bgmatch.model import CubeAction, Match, Roll
from bgmatch.sections import MatchTextError
from match_texts import mirrored
from records import accounted
from text_changes import Change, named

LEAST_ROLLS = 20
"""A match in two files is told from two matches by its rolls: a copy that is cut keeps half of
these at least."""
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_LENGTH = re.compile(rb"^ *\d+ point match", re.MULTILINE)
_DATE = re.compile(rb"(?<=EventDate \")\d{4}\.\d\d\.\d\d")
_ROLL = re.compile(rb"[1-6][1-6]: ")


def of_examples() -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(EXAMPLES.glob("*.mat"))}


def one_match(data: bytes) -> Match | None:
    """Return the only match of a text, if it has a length and LEAST_ROLLS."""
    matches = read_matches(data).matches
    long = [match for match in matches if match.match_length and match.rolls >= LEAST_ROLLS]
    return long[0] if len(matches) == len(long) == 1 else None


def _written(match: Match) -> bytes:
    names = (match.players[0].name, match.players[1].name)
    try:
        return write_mat(match, names).encode()
    except ValueError:  # names that are no plain words
        return write_mat(match).encode()


def play(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Replace a play by another legal one of the same roll."""
    (match,) = read_matches(data).matches
    others = []
    for number, game in enumerate(match.games):
        sides = board.start()
        for place, roll in enumerate(game.actions):
            if isinstance(roll, Roll):
                own, opponent = sides[roll.side], sides[1 - roll.side]
                legal = board.plays(own, opponent, roll.dice)
                board.make(own, opponent, roll.hops)
                different = [hops for hops, *after in legal if after != [own, opponent]]
                others += [(number, place, hops) for hops in different]
    number, place, hops = rng.choice(others)
    games = list(match.games)
    actions = list(games[number].actions)
    actions[place] = replace(actions[place], hops=hops)
    games[number] = replace(games[number], actions=tuple(actions))
    return _written(replace(match, games=tuple(games)))


def die(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    place = rng.choice([found.start() for found in _ROLL.finditer(data)]) + rng.randrange(2)
    others = sorted({*b"123456"} - {data[place]})
    return data[:place] + bytes([rng.choice(others)]) + data[place + 1 :]


def date(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    new = rng.choice([b"2019.03.%02d" % rng.randint(1, 31), b"2019", b""])
    return _DATE.sub(new, data) if _DATE.search(data) else b'; [EventDate "%s"]\n\n' % new + data


def capitals(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write a player's name in other capitals."""
    (match,) = read_matches(data).matches
    name = rng.choice(match.players).name
    other = rng.choice([name.upper(), name.lower(), name.swapcase()])
    return data.replace(name.encode(), other.encode())


def length(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    return _LENGTH.sub(b" %d point match" % rng.choice([1, 3, 5, 7, 9, 11, 25]), data)


def unlimited(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    return _LENGTH.sub(rng.choice([b" Unlimited match", b" 0 point match"]), data)


def cut(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Leave out the end, or the first games, as far as half of LEAST_ROLLS stay."""
    lines = data.splitlines(keepends=True)
    heads = [n for n, line in enumerate(lines) if line.lstrip().startswith(b"Game ")]
    first = heads[0]
    if rng.random() < 0.5:
        left = [lines[:first] + lines[n:] for n in heads[1:]]
    else:
        left = [lines[:n] for n in range(first, len(lines))]
    left = [part for part in left if len(_ROLL.findall(b"".join(part))) >= LEAST_ROLLS // 2]
    return b"".join(rng.choice(left or [lines]))


def dialect(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write the match as another program would: columns, words for points, encodings."""
    (match,) = read_matches(data).matches
    if rng.random() < 0.5:
        match = mirrored(match)
    text = _written(match).decode()
    if rng.random() < 0.5:
        text = re.sub(r"\b25/", "bar/", re.sub(r"/0\b", "/off", text))
    text = text.replace("\n", rng.choice(["\n", "\r\n", "\r"]))
    return text.encode(rng.choice(["utf-8", "utf-8-sig", "utf-16"]))


_ONE = (play, die, date, capitals, length, unlimited, cut, dialect)


def two_facts(data: bytes, other: bytes, rng: random.Random) -> bytes:
    """Change one fact of a copy that was written otherwise."""
    made = rng.choice([one for one in _ONE if one is not dialect])(data, other, rng)
    return capitals(made, other, rng) if rng.random() < 0.5 else made.replace(b"\n", b"\r\n")


CHANGES: dict[str, Change] = named(*_ONE, two_facts)


def related(data: bytes, sound: bytes) -> tuple[str, str]:
    """Return what becomes of a match and its changed copy in one collection, whatever their files
    are called.

    `same`: one counts, and both have the same facts. `flagged`: one counts and a finding names
    both, or the copy is flagged. `refused`: the copy is. `misread`: both count without a word, or
    what else is wrong.
    """
    results = []
    for names in (("a.mat", "b.mat"), ("b.mat", "a.mat")):
        found, matches = accounted({names[0]: sound, names[1]: data})
        counted = set(matches["file"])
        if not counted:
            return "misread", "neither counts"
        if found[names[1]][0] == "rejected":
            results.append(("refused", counted == {names[0]}))
            continue
        told = [other in found[file][1] for file, other in (names, names[::-1])]
        if len(counted) == 2:
            if not any(told):
                return "misread", "both count without a word"
            results.append(("flagged", True))
            continue
        kept = next(iter(counted)) == names[0]
        if not told[kept]:
            return "misread", "the copy names no other file"
        if (differs := _differ(_facts(data), _facts(sound))) and not told[not kept]:
            return "misread", "what counts does not name the copy that differs"
        results.append(("flagged", kept) if differs else ("same", True))
    if results[0] != results[1]:
        return "misread", f"the names of files decide: {results}"
    return results[0][0], ""


def _facts(data: bytes) -> list[tuple[str, object]]:
    """Return date, and what else copies may disagree about, whoever plays in which column."""
    try:
        matches = read_matches(data).matches
    except MatchTextError:
        return []
    actions = [[_said(game.actions) for game in match.games] for match in matches]
    facts = [(match.match_length, said) for match, said in zip(matches, actions, strict=True)]
    return [(match.date, fact) for match, fact in zip(matches, facts, strict=True)]


def _differ(ours: list[tuple[str, object]], theirs: list[tuple[str, object]]) -> bool:
    """Tell whether facts differ; a date that one of two lacks, as a whole or in part, is none."""
    return len(ours) != len(theirs) or any(
        one != two or not (date.startswith(other) or other.startswith(date))
        for (date, one), (other, two) in zip(ours, theirs, strict=True)
    )


def _said(actions: Sequence[Roll | CubeAction]) -> list[object]:
    rolls = [(sorted(one.dice), sorted(one.hops)) for one in actions if isinstance(one, Roll)]
    cube = [
        (place, one.kind, one.value)
        for place, one in enumerate(actions)
        if isinstance(one, CubeAction)
    ]
    return [*rolls, *cube]
