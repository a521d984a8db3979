"""Attacks on the evidence in lists of results: slips in a line, times, words for winners, points.

An attack is JSON: a sound list, and the list that was made of its games (`before` and `after`). The
games of the second list must be those of the first in the same order. A slip leaves out all games
of its pair of players and no other. A row that contradicts itself may be left out alone, and a list
that fits two readings may be refused.
"""

import json
import random
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from bgleague.readers import read_games
from bgleague.settings import RatingsError
from text_changes import Change, named

_NAMES = ("Ann", "Bob", "Cyd", "Dan")
_SLIPS = ("7O", "x", "3,4", "-1", "2.5", "1e", "?", "seven", "7-O", "x7", "7-3 5", "ret 3", "3+")
_WAYS = (
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y-%m-%d %I:%M %p",
    "%d.%m.%Y, %I:%M%p",
    "%d.%m.%Y %H:%M",
    "%d.%m.%Y %Hh%M",
    "%Y-%m-%dT%H:%M:%S.250",
    "%d %b %Y %H:%M",
    "%a %b %d %H:%M:%S %Y",
)
_CLOCKS = ("%H:%M", "%I:%M %p", "%H:%M:%S", "%H.%M", "%Hh%M")
_WINNERS = ("1 0", "0 1", "1 2", "Ann Bob", "home away", "P1 P2", "white black", "me opponent")
_TODAY = date(2026, 11, 26)

Cells = list[list[str]]


def lists() -> dict[str, bytes]:
    """Return games of a season: who won (1 or 0), an hour after each other, by seed."""
    made = {}
    for seed in range(20):
        rng = random.Random(seed)
        games = []
        for _ in range(rng.randint(4, 9)):
            games.append([*rng.sample(_NAMES[:2] if seed % 2 else _NAMES, 2), rng.randint(0, 1)])
        made[f"evidence-{seed}"] = json.dumps(games).encode()
    return made


def tally_slip(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Put a slip into one count of a table of counts."""
    rows = [["first", "second", "first_wins", "second_wins", "draws"]]
    for number, first in enumerate(_NAMES):
        counts = [str(rng.randint(1, 9)) for _ in range(3)]
        rows.append([first, _NAMES[number - 1], *counts])
    return _slipped(rows, rng.randint(1, 4), rng.randint(2, 4), rng)


def cross_slip(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Put a slip into one cell of a cross table of scores or of wins."""
    points = {pair: rng.randint(0, 6) for pair in ((0, 1), (0, 2), (1, 2))}
    is_of_scores = rng.random() < 0.5
    rows = [["", *_NAMES[:3]]]
    for row in range(3):
        cells = [_NAMES[row]]
        for column in range(3):
            won, lost = 7, points.get((row, column), points.get((column, row), 0))
            score = f"{won}-{lost}" if row < column else f"{lost}-{won}"
            cells.append("" if row == column else score if is_of_scores else str(lost % 5 + 1))
        rows.append(cells)
    row, column = rng.sample(range(3), 2)
    return _slipped(rows, row + 1, column + 1, rng)


def _slipped(rows: Cells, row: int, column: int, rng: random.Random) -> bytes:
    before = _text(rows)
    # In a cross table x stands for no game.
    rows[row][column] = rng.choice([slip for slip in _SLIPS if rows[0][0] or slip != "x"])
    return _attack(before, _text(rows))


def times(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write the moments in another way, the rows in another order."""
    way = rng.choice(_WAYS)
    return _in_time(data, rng, lambda moment: [moment.strftime(way)], ["date"])


def clock(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write the time of day in a column of its own, the rows in another order."""
    way = rng.choice(_CLOCKS)

    def written(moment: datetime) -> list[str]:
        return ["2026-03-05", moment.strftime(way)]

    return _in_time(data, rng, written, ["date", "time"])


def offsets(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write each moment with an offset of its own from UTC, the rows in another order."""

    def written(moment: datetime) -> list[str]:
        hours = rng.randint(-8, 8)
        return [f"{moment + timedelta(hours=hours):%Y-%m-%dT%H:%M:%S}{hours:+03d}:00"]

    return _in_time(data, rng, written, ["date"])


def numbers(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write the moments as seconds, milliseconds or days of a spreadsheet."""
    way = rng.randrange(3)

    def written(moment: datetime) -> list[str]:
        days = (moment - datetime(1899, 12, 30, tzinfo=UTC)) / timedelta(days=1)
        seconds = moment.timestamp()
        return [(f"{seconds:.0f}", f"{seconds * 1000:.0f}", f"{days:.5f}")[way]]

    return _in_time(data, rng, written, ["date"])


def _in_time(data: bytes, rng: random.Random, written: object, head: list[str]) -> bytes:
    assert callable(written)
    start = datetime(2026, 3, 5, 9, tzinfo=UTC)
    rows = []
    for hour, (first, second, won) in enumerate(json.loads(data)):
        winner, loser = (first, second) if won else (second, first)
        rows.append([*written(start + timedelta(hours=hour)), winner, loser])
    before = _text([["winner", "loser"], *(row[-2:] for row in rows)])
    rng.shuffle(rows)
    return _attack(before, _text([[*head, "winner", "loser"], *rows]))


def winners(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Write numbers or words for the winner in place of a name."""
    words = rng.choice(_WINNERS).split()
    games = [["Ann", "Bob", won] for _, _, won in json.loads(data)]
    rows = [[first, second, words[1 - won]] for first, second, won in games]
    before = [[first, second, first if won else second] for first, second, won in games]
    head = ["player1", "player2", "winner"]
    return _attack(_text([head, *before]), _text([head, *rows]))


def points(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Put columns of points before the round beside a column of results."""
    mark = rng.choice(["-", " - ", ":", "–"])
    games = json.loads(data)
    rows = [["Name", "Pts", "Result", "Pts", "Name"]]
    for first, second, won in games:
        one, two = (str(rng.randint(0, 3)) for _ in range(2))
        rows.append([first, one, f"{won}{mark}{1 - won}", two, second])
    plain = [[first, second, f"{won}-{1 - won}"] for first, second, won in games]
    before = _text([["player1", "player2", "score"], *plain])
    return _attack(before, _text(rows), is_by_row=True)


def days(data: bytes, _other: bytes, rng: random.Random) -> bytes:
    """Give one game a day that cannot be: tomorrow's year, a zero of a calendar, before 1800."""
    rows = []
    for day, (first, second, won) in enumerate(json.loads(data), 1):
        rows.append([f"2026-03-{day:02d}", first, second, f"{won}-{1 - won}"])
    head = ["date", "player1", "player2", "score"]
    place = rng.randrange(len(rows))
    wrong = ["2125-02-23", "2027-01-01", "1799-12-31", "2026-13-01", "2026-02-30"]
    before = _text([head, *(row for at, row in enumerate(rows) if at != place)])
    rows[place][0] = rng.choice(wrong)
    return _attack(before, _text([head, *rows]))


def _text(rows: Sequence[Sequence[str]]) -> str:
    return "".join(";".join(row) + "\n" for row in rows)


def _attack(before: str, after: str, *, is_by_row: bool = False) -> bytes:
    return json.dumps({"before": before, "after": after, "is_by_row": is_by_row}).encode()


def evidence_outcome(data: bytes, folder: Path) -> tuple[str, str]:
    """Return what became of an attack, and in what it differs."""
    attack = json.loads(data)
    before, after = (folder / f"{name}.csv" for name in ("before", "after"))
    before.write_text(attack["before"], encoding="utf-8")
    after.write_text(attack["after"], encoding="utf-8")
    sound = read_games([before], _TODAY).games
    try:
        reading = read_games([after], _TODAY)
    except RatingsError:
        return "refused", ""
    columns = ["first", "second", "first_score", "count"]
    expected, read = (table[columns].to_numpy().tolist() for table in (sound, reading.games))
    if read == expected:
        return ("flagged" if len(reading.flagged) else "same"), ""
    unrated = len(reading.flagged) - sum(reading.flagged["rated"])
    gone = {frozenset(game[:2]) for game in expected if game not in read}
    whole = [game for game in expected if frozenset(game[:2]) not in gone]
    is_slip = len(gone) == 1 and read == whole and unrated > 0
    rest = iter(expected)
    is_row = attack["is_by_row"] and all(game in rest for game in read)
    is_told = is_slip or (is_row and len(read) + unrated == len(expected))
    return ("flagged", "") if is_told else ("misread", "results")


CHANGES: dict[str, Change] = named(
    tally_slip, cross_slip, times, clock, offsets, numbers, winners, points, days
)
