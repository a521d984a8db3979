"""Positions that were set by hand: what follows is the rest of a sound match."""

from pathlib import Path

import pytest

from bgmatch import board, read_matches
from bgmatch.model import LEFT, CubeAction, Game, Match, Roll, Verdict
from corpus import cases
from set_positions import cut, letters, position_after

OPENING = "-b----E-C---eE---c-e----B-"


@pytest.fixture(name="match", scope="module")
def _match(shared: Path) -> Match:
    (match,) = read_matches((shared / "cases" / "base.mat").read_bytes()).matches
    return match


def first_cube(game: Game) -> int:
    return next(
        (n for n, action in enumerate(game.actions) if isinstance(action, CubeAction)),
        len(game.actions),
    )


def test_letters_of_the_opening() -> None:
    left, right = board.start()
    assert letters((tuple(left), tuple(right))) == OPENING


@pytest.mark.parametrize("line", cases("values.set_positions"))
def test_a_game_that_begins_from_a_set_position_is_the_rest_of_its_game(
    match: Match, line: str
) -> None:
    truth = match.games[0]
    for count in range(1, min(12, first_cube(truth))):
        (read,) = read_matches(cut(match, count, line).encode()).matches
        (game,) = read.games
        begin, *rest = game.actions
        assert isinstance(begin, Roll)
        assert (begin.verdict, begin.position) == (Verdict.SET, position_after(truth, count))
        played, expected = (
            [(roll.side, roll.hops) for roll in actions if isinstance(roll, Roll)]
            for actions in (rest, truth.actions[count:])
        )
        assert played == expected
        assert (game.known, game.rolls) == (len(game.actions), truth.rolls - count)
        assert game.result.winner == truth.result.winner
        assert [finding.code for finding in read.findings] == ["set-position", "incomplete"]


ROW = "  5) 43: 25/22 6/2*              51: 25/24 8/3* \n"


@pytest.mark.parametrize(
    ("row", "count", "verdict"),
    [
        ("  5) 43:\n; Set Pos={position}/0\n{blank}51: 25/24 8/3*\n", 8, Verdict.PLAYED),
        ("  5) 43: 25/22 6/2*\n; Set Pos={position}/0\n", 9, Verdict.ILLEGAL),
    ],
)
def test_a_position_within_a_game_brings_it_back(
    match: Match, shared: Path, row: str, count: int, verdict: Verdict
) -> None:
    """A missing play that leads to the position is found; one that does not is not judged."""
    text = (shared / "cases" / "base.mat").read_text(encoding="utf-8")
    truth = match.games[0]
    assert ROW in text
    new = row.format(position=letters(position_after(truth, count)), blank=" " * 34)
    (read,) = read_matches(text.replace(ROW, new).encode()).matches
    game = read.games[0]
    assert (game.known, game.result.winner) == (len(game.actions), truth.result.winner)
    before = game.actions[7]
    assert isinstance(before, Roll)
    assert (before.side, before.verdict) == (LEFT, verdict)


@pytest.mark.parametrize(
    "line",
    ["-b----E-C---eE---c-e---", "-b----E-C---eE---c-f----C-", "", "nonsense", f"{OPENING}/2"],
)
def test_a_position_that_is_none_leaves_the_game_out(match: Match, line: str) -> None:
    text = cut(match, 3)
    start = text.index("Set Pos=") + len("Set Pos=")
    (read,) = read_matches((text[:start] + line + text[text.index("\n", start) :]).encode()).matches
    assert read.games[0].known == 0
    assert "set-position" in [finding.code for finding in read.findings]
