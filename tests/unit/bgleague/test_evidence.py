"""Evidence in lists: slips leave a unit out whole, times order games, columns read one way."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import permutations, product
from pathlib import Path

import pytest

from bgleague.readers import read_games
from bgleague.settings import GamesToRate, RatingsError

TODAY = date(2026, 11, 26)
SLIPS = ["7O", "x", "3;4", "-1", "2.5", "1e", "?", "seven"]
START = datetime(2026, 3, 5, 9, tzinfo=UTC)
PLAYED = [("Ann", "Bob"), ("Bob", "Cyd"), ("Cyd", "Ann"), ("Bob", "Ann"), ("Cyd", "Bob")]
"""The first of each pair wins, an hour after the game before."""


def read(folder: Path, rows: Sequence[Sequence[str]]) -> GamesToRate:
    path = folder / "list.csv"
    path.write_text("".join(";".join(row) + "\n" for row in rows), encoding="utf-8")
    return read_games([path], TODAY)


@pytest.mark.parametrize(("slip", "row", "column"), [*product(SLIPS, (1, 2), (2, 3, 4))])
def test_a_slip_in_a_tally_leaves_its_line_out_whole(
    tmp_path: Path, slip: str, row: int, column: int
) -> None:
    rows = [["first", "second", "first_wins", "second_wins", "draws"]]
    rows += [
        ["Ann", "Bob", "7", "3", "1"],
        ["Bob", "Cyd", "5", "4", "2"],
        ["Cyd", "Ann", "2", "6", "3"],
    ]
    rows[row][column] = slip.replace(";", ",")
    reading = read(tmp_path, rows)
    assert set(reading.games["row"]) == {2, 3, 4} - {row + 1}
    assert reading.flagged[["row", "rated"]].to_numpy().tolist() == [[row + 1, False]]


@pytest.mark.parametrize(
    ("slip", "pair"), [*product(["7-O", "x7", "7-3 5", "ret 3", "3+"], permutations((0, 1, 2), 2))]
)
@pytest.mark.parametrize("is_of_scores", [True, False], ids=["scores", "wins"])
def test_a_slip_in_a_cross_table_leaves_its_pair_out(
    tmp_path: Path, slip: str, pair: tuple[int, int], is_of_scores: bool
) -> None:
    names = ["Ann", "Bob", "Cyd"]
    cells = {
        (0, 1): "7-3",
        (0, 2): "5-7",
        (1, 2): "7-6",
        (1, 0): "3-7",
        (2, 0): "7-5",
        (2, 1): "6-7",
    }
    if not is_of_scores:
        cells = {(0, 1): "3", (0, 2): "1", (1, 2): "4", (1, 0): "2", (2, 0): "6", (2, 1): "5"}
    cells[pair] = slip
    rows = [
        ["", *names],
        *([name, *(cells.get((at, to), "") for to in range(3))] for at, name in enumerate(names)),
    ]
    reading = read(tmp_path, rows)
    pairs_met = {
        frozenset(players) for players in reading.games[["first", "second"]].to_numpy().tolist()
    }
    left_out = frozenset(names[index] for index in pair)
    assert pairs_met == {frozenset(players) for players in permutations(names, 2)} - {left_out}
    assert reading.flagged["rated"].tolist() == [False]


def written_times(moments: Sequence[datetime]) -> dict[str, list[str]]:
    """Return the moments as many programs write them."""
    east = timedelta(hours=2)
    offsets = [timedelta(hours=3 * at - 6) for at in range(len(moments))]
    return {
        "iso": [f"{moment:%Y-%m-%d %H:%M}" for moment in moments],
        "utc": [f"{moment:%Y-%m-%dT%H:%M:%SZ}" for moment in moments],
        "one offset": [f"{moment + east:%Y-%m-%dT%H:%M:%S}+02:00" for moment in moments],
        "many offsets": [
            f"{moment + offset:%Y-%m-%d %H:%M}{offset // timedelta(hours=1):+03d}00"
            for moment, offset in zip(moments, offsets, strict=True)
        ],
        "12 hours": [f"{moment:%Y-%m-%d %I:%M %p}" for moment in moments],
        "12 hours, short": [
            f"{moment:%d.%m.%Y, %I:%M}{'am' if moment.hour < 12 else 'pm'}" for moment in moments
        ],
        "german": [f"{moment:%d.%m.%Y %H:%M}" for moment in moments],
        "french": [f"{moment:%d.%m.%Y %Hh%M}" for moment in moments],
        "fractions": [f"{moment:%Y-%m-%dT%H:%M:%S}.250" for moment in moments],
        "words": [f"{moment:%d %b %Y %H:%M}" for moment in moments],
        "unix": [f"{moment.timestamp():.0f}" for moment in moments],
        "milliseconds": [f"{moment.timestamp() * 1000:.0f}" for moment in moments],
        "spreadsheet": [
            f"{(moment - datetime(1899, 12, 30, tzinfo=UTC)) / timedelta(days=1):.5f}"
            for moment in moments
        ],
    }


WAYS = [*written_times([START])]


@pytest.mark.parametrize("order", [(0, 1, 2, 3, 4), (4, 3, 2, 1, 0), (2, 0, 4, 1, 3)])
@pytest.mark.parametrize("how", WAYS)
def test_times_order_games_however_they_are_written(
    tmp_path: Path, how: str, order: Sequence[int]
) -> None:
    moments = written_times([START + timedelta(hours=at) for at in range(5)])[how]
    rows = [["date", "winner", "loser"], *([moments[at], *PLAYED[at]] for at in order)]
    games = read(tmp_path, rows).games
    assert games[["first", "second"]].to_numpy().tolist() == [list(pair) for pair in PLAYED]


@pytest.mark.parametrize("clock", ["%H:%M", "%I:%M %p", "%H:%M:%S", "%H.%M", "%Hh%M"])
@pytest.mark.parametrize("order", [(4, 3, 2, 1, 0), (2, 0, 4, 1, 3)])
def test_a_column_of_times_orders_games(tmp_path: Path, clock: str, order: Sequence[int]) -> None:
    times = [(START + timedelta(hours=at)).strftime(clock) for at in range(5)]
    rows = [
        ["date", "time", "winner", "loser"],
        *(["2026-03-05", times[at], *PLAYED[at]] for at in order),
    ]
    games = read(tmp_path, rows).games
    assert games[["first", "second"]].to_numpy().tolist() == [list(pair) for pair in PLAYED]


@pytest.mark.parametrize(
    "words",
    ["1 0", "0 1", "1", "0", "1 2", "2", "Ann Bob", "home away", "P1 P2", "white black", "0 2"],
)
@pytest.mark.parametrize("pattern", [(0,), (1,), (0, 1), (1, 0, 0), (0, 0, 0, 1)])
def test_a_winner_is_read_or_refused_whoever_won(
    tmp_path: Path, words: str, pattern: Sequence[int]
) -> None:
    """Ann is the first player. The words decide, not how often each of them occurs."""
    meanings = words.split()
    used = [meanings[at % len(meanings)] for at in pattern]
    rows = [["player1", "player2", "winner"], *(["Ann", "Bob", word] for word in used)]
    if ({"0", "1"} & {*used} and "2" not in used) or {"0", "2"} <= {*used}:
        with pytest.raises(RatingsError, match=r"two readings|no one reading"):
            read(tmp_path, rows)
        return
    second = {"2", "Bob", "away", "P2", "black"}
    games = read(tmp_path, rows).games
    assert games["first_score"].tolist() == [float(word not in second) for word in used]


@pytest.mark.parametrize("result", ["{}-{}", "{} - {}", "{}:{}", "{}–{}"])
@pytest.mark.parametrize("points", ["0 0", "1 1", "3 2", "2 3"])
def test_a_result_wins_against_points_that_are_none(
    tmp_path: Path, result: str, points: str
) -> None:
    rows = [["Name", "Pts", "Result", "Pts", "Name"]]
    won = [1, 0, 1, 1, 0, 0, 1, 0]
    first, second = points.split()
    rows += [["Ann", first, result.format(one, 1 - one), second, "Bob"] for one in won]
    assert read(tmp_path, rows).games["first_score"].tolist() == [float(one) for one in won]
