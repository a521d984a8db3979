"""Let the reader have changed files, and count what becomes of them.

Outcomes: `refused`, a status with a reason; `flagged`, read with a warning or as incomplete; `same`, read without any
and equal to an unchanged file in all that it says (of two put together: to either); `consistent`, read without any, all
of it, and different, since nothing in the changed text contradicts the change; `misread`, read without any, but not
what the text says; `fallen`, an exception that is none of ours. No file may be misread or fall.

What a text says is found by another way than the reader's: every roll, cube word and win, in the order of the text.
A changed .xg file counts as misread if it is read without a warning and has other rolls, plays or results.
A row is lost if it has a roll that is in no match, and no finding names the row.
"""

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bgrating.collection.listing import Found
from bgrating.collection.readings import read_found
from bgrating.collection.xg import read_xg
from bgrating.collection.xg_file import XgError
from bgrating.matchtext import CubeAction, Match, MatchTextError, Roll, read_matches
from bgrating.matchtext.headers import match_length
from bgrating.matchtext.sections import decode
from study.fuzz.mutations import BINARY, INSIDE, TEXT, Mutation

OUTCOMES = ("refused", "flagged", "same", "consistent", "misread", "fallen")
CHANGES = ("length", "games", "scores", "rolls", "plays", "cube", "results", "headers")
"""What a consistent change has changed, the first that differs."""

_WORDS = {"t": "take", "a": "take", "d": "drop", "p": "drop"}
_TOKEN = re.compile(
    r"(?<![\d/])(?P<roll>[1-6][1-6]):|\b(?P<double>(?:re)?doubles?|beavers?|raccoons?)\b"
    r"|\b(?P<answer>takes?|accepts?|drops?|pass(?:es)?)\b|\bwins?\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Attack:
    """One changed file: of which kind, what was done, from which file, and the seed that repeats it."""

    kind: str
    name: str
    file: str
    seed: int


def mutation(attack: Attack) -> Mutation:
    """Return the change that an attack makes."""
    return (TEXT if attack.kind == "text" else BINARY | INSIDE)[attack.name]


def plan(kind: str, names: Sequence[str], files: Sequence[str], count: int, seed: int) -> list[Attack]:
    """Return so many attacks on files of a kind, every change equally often. Raises ValueError for too few."""
    if count < len(names):
        raise ValueError(f"{count} attacks leave some of {len(names)} changes out")
    rng = random.Random(f"{kind} {seed}")
    return [Attack(kind, names[n % len(names)], rng.choice(files), rng.getrandbits(32)) for n in range(count)]


def changed(attack: Attack, folder: Path, files: Sequence[str]) -> tuple[bytes, list[bytes]]:
    """Return the changed file of an attack, and the one or two files that it was made of."""
    rng = random.Random(attack.seed)
    other = (folder / rng.choice(files)).read_bytes()
    data = (folder / attack.file).read_bytes()
    made = mutation(attack)(data, other, rng)
    return made, [data, other] if attack.name == "spliced" else [data]


def outcome(attack: Attack, data: bytes, sound: Sequence[bytes]) -> tuple[str, str]:
    """Return what became of a file made of sound ones, and for a consistent change what it has changed."""
    suffix = ".xg" if attack.kind == "xg" else ".mat"
    try:
        record, _ = read_found(Found(f"attack{suffix}", "", None, ()), lambda _found: data)
        if record["problem"]:
            return "fallen" if record["problem"].startswith("the reader failed") else "refused", ""
        if any(match["problem"] or match["warnings"] or match["incomplete"] for match in record["matches"]):
            return "flagged", ""
        after = _read(attack, data)
        changes = [difference(_read(attack, one), after) for one in sound]
    except Exception:
        return "fallen", ""
    change = changes[0]
    if "" in changes:
        return "same", ""
    if attack.kind == "xg":
        return ("consistent" if change == "headers" else "misread"), change
    return ("consistent" if tokens_of_text(data) == tokens_of_matches(after) else "misread"), change


def _read(attack: Attack, data: bytes) -> tuple[Match, ...]:
    return (read_xg(data)[0],) if attack.kind == "xg" else read_matches(data).matches


def difference(before: Sequence[Match], after: Sequence[Match]) -> str:
    """Return the first of CHANGES in which two readings differ; empty where they are the same."""
    for name, one, other in zip(CHANGES, _said(before), _said(after), strict=True):
        if one != other:
            return name
    return ""


def _said(matches: Sequence[Match]) -> list[Any]:
    games = [game for match in matches for game in match.games]
    actions = [[action for action in game.actions if isinstance(action, Roll)] for game in games]
    return [
        [match.match_length for match in matches],
        [len(match.games) for match in matches],
        [game.score for game in games],
        [[(roll.side, sorted(roll.dice)) for roll in rolls] for rolls in actions],
        [[sorted(roll.hops) for roll in rolls] for rolls in actions],
        [[(a.side, a.kind, a.value) for a in game.actions if isinstance(a, CubeAction)] for game in games],
        [(game.result.winner, game.result.points) for game in games],
        [(match.players, match.date, match.headers, match.comments) for match in matches],
    ]


def tokens_of_text(data: bytes) -> list[str]:
    """Return every roll, cube word and win of a text in order, comments left out, without a board."""
    lines = (line for line in decode(data).lines if not line.lstrip().startswith((";", "#")))
    return [_token(found) for line in lines for found in _TOKEN.finditer(line)]


def _token(found: "re.Match[str]") -> str:
    if found["roll"]:
        return found["roll"]
    if found["double"]:
        return found["double"].lower()[0].replace("r", "d")
    return _WORDS[found["answer"].lower()[0]] if found["answer"] else "wins"


def tokens_of_matches(matches: Iterable[Match]) -> list[str]:
    """Return what ``tokens_of_text`` must find for matches that were read whole."""
    out: list[str] = []
    for game in (game for match in matches for game in match.games):
        for action in game.actions:
            if isinstance(action, Roll):
                out.append(f"{action.dice[0]}{action.dice[1]}")
            else:
                out.append(
                    str(action.kind) if action.kind in {"take", "drop"} else str(action.kind)[0].replace("r", "d")
                )
        out += ["wins"] * (game.result.stated is not None)
    return out


def lost_rows(data: bytes) -> int:
    """Return the number of rows of a text that are lost; those of a text that is refused are not."""
    try:
        matches = read_matches(data).matches
    except MatchTextError:
        return 0
    lines = decode(data).lines
    named = {finding.line for match in matches for finding in match.findings}
    for finding in matches[0].findings:
        if finding.code == "before-length" and finding.line:
            above = next(number for number, line in enumerate(lines, 1) if match_length(line) is not None)
            named.update(range(finding.line, above))
    games = [game for match in matches for game in match.games]
    held = Counter(action.line for game in games for action in game.actions if isinstance(action, Roll))
    return sum(
        sum(found["roll"] is not None for found in _TOKEN.finditer(line)) > held[number]
        for number, line in enumerate(lines, 1)
        if number not in named and not line.lstrip().startswith((";", "#"))
    )


def is_sound(data: bytes) -> bool:
    """Tell whether a text is read without any finding, and its rolls, cube words and wins by both ways alike."""
    try:
        matches = read_matches(data).matches
    except MatchTextError:
        return False
    return not any(match.findings for match in matches) and tokens_of_text(data) == tokens_of_matches(matches)


def is_sound_xg(data: bytes) -> bool:
    """Tell whether an .xg file is read without any finding."""
    try:
        return not read_xg(data)[0].findings
    except XgError:
        return False
