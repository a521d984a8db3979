"""Damage match texts in one place each. The undamaged text is the truth for the reader."""

import random
import re
from collections.abc import Callable

from bgmatch import read_matches
from bgmatch.model import Game, Match, Roll
from bgmatch.repair import REPAIRED
from bgmatch.sections import MatchTextError

SAVED, REFUSED, WRONG, FITS = "saved", "refused", "wrongly saved", "fits"
"""What becomes of a damaged text: corrected to the truth; found, and left out or flagged; corrected
to something else; read without a correction or a warning."""
_PLAY = re.compile(r"\b[1-6][1-6]: +(\S*\d/\d\S*(?: \S*\d/\S+)*)")
_SCORE = re.compile(r"^(.*\S\s*:\s*)(\d+)(\s{2,}\S.*:\s*\d+\s*)$", re.MULTILINE)
Damage = Callable[[str, random.Random], str]


def illegal_play(text: str, rng: random.Random) -> str:
    """Change one number of a play."""
    play = rng.choice([*_PLAY.finditer(text)])
    numbers = [*re.finditer(r"\d+", play[1])]
    number = rng.choice(numbers)
    other = rng.choice([point for point in range(1, 25) if str(point) != number[0]])
    start = play.start(1)
    return text[: start + number.start()] + str(other) + text[start + number.end() :]


def missing_play(text: str, rng: random.Random) -> str:
    play = rng.choice([*_PLAY.finditer(text)])
    return text[: play.start(1)] + " " * len(play[1]) + text[play.end(1) :]


def cut_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    place = rng.choice([number for number, line in enumerate(lines) if _PLAY.search(line)])
    lines[place] = lines[place][: rng.randrange(len(lines[place]))]
    return "\n".join(lines)


def lost_line(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    del lines[rng.choice([number for number, line in enumerate(lines) if _PLAY.search(line)])]
    return "\n".join(lines)


def exchanged_columns(text: str, rng: random.Random) -> str:
    """Exchange the columns of a game from a row on."""
    lines = text.split("\n")
    rows = [number for number, line in enumerate(lines) if len([*_PLAY.finditer(line)]) == 2]
    first = rng.choice(rows)
    for number in range(first, len(lines)):
        cells = re.match(r"( *\d+\) )(\d\d:.*?)( {2,})(\d\d:.*)$", lines[number])
        if not cells:
            break
        lines[number] = f"{cells[1]}{cells[4].strip():<{len(cells[2] + cells[3])}}{cells[2]}"
    return "\n".join(lines)


def wrong_score(text: str, rng: random.Random) -> str:
    scores = [*_SCORE.finditer(text)]
    score = rng.choice(scores[1:] or scores)
    return f"{text[: score.start(2)]}{int(score[2]) + rng.choice([1, 2])}{text[score.end(2) :]}"


_OF_LINES = (cut_line, lost_line, exchanged_columns)
DAMAGES: tuple[Damage, ...] = (illegal_play, missing_play, *_OF_LINES, wrong_score)


def sound(data: bytes) -> str:
    """Return the text of a file with one match without a finding; empty for any other."""
    try:
        text = data.decode("utf-8").replace("\r\n", "\n")
        matches = read_matches(text.encode()).matches
    except (UnicodeDecodeError, MatchTextError):
        return ""
    is_sound = len(matches) == 1 and not matches[0].findings and len(_SCORE.findall(text)) > 1
    return text if is_sound else ""


def outcome(text: str, damaged: str) -> str:
    try:
        found = _match(damaged)
    except (MatchTextError, ValueError):
        return REFUSED
    if any(finding.code == REPAIRED for finding in found.findings):
        return SAVED if _plays(found) == _plays(_match(text)) else WRONG
    return REFUSED if found.findings else FITS


def _match(text: str) -> Match:
    (match,) = read_matches(text.encode()).matches
    return match


def _plays(match: Match) -> list[object]:
    results = [(game.score, game.result.winner, game.result.points) for game in match.games]
    return [*results, *map(_words, match.games)]


def _words(game: Game) -> list[str]:
    return [action.token if isinstance(action, Roll) else action.kind for action in game.actions]
