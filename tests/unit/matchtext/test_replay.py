"""Games with something wrong: every oddity gets a verdict and a finding, and the rest is still read."""

import pytest

from bgrating.matchtext import read_matches, write_mat
from bgrating.matchtext.model import LEFT, RIGHT, Ending, Match, Roll, Verdict
from bgrating.matchtext.snowie import write_position

HEAD = " {length} point match\n\n Game 1\n ann : {left}                       bob : {right}\n"


def read(rows: str, length: int = 5, score: tuple[int, int] = (0, 0)) -> Match:
    text = HEAD.format(length=length, left=score[0], right=score[1]) + rows
    (match,) = read_matches(text.encode()).matches
    return match


def codes(match: Match) -> list[str]:
    return [finding.code for finding in match.findings if finding.code != "incomplete"]


def verdicts(match: Match) -> list[Verdict]:
    return [action.verdict for action in match.games[0].actions if isinstance(action, Roll)]


def test_illegal_play_keeps_the_board() -> None:
    match = read(
        "  1) 63: 13/9 13/7              31: 8/5 6/5\n"
        "  2) 65: 24/18 18/13            31: 24/21 22/21\n"
        "      Wins 1 point\n"
    )
    game = match.games[0]
    assert verdicts(match) == [Verdict.ILLEGAL, Verdict.PLAYED, Verdict.PLAYED, Verdict.IMPOSSIBLE]
    illegal = game.actions[0]
    assert isinstance(illegal, Roll)
    assert illegal.position
    assert (illegal.position[LEFT][9], illegal.position[LEFT][7], illegal.position[LEFT][13]) == (1, 1, 3)
    assert game.known == 3
    assert codes(match) == ["illegal-play", "impossible-play"]
    assert game.result.winner == LEFT


@pytest.mark.parametrize(
    ("rows", "found", "told"),
    [
        ("  1) 63: 12/9 13/7              31: 8/5 6/5\n  2) 65: 1/0                     Wins 1 point\n",
         "impossible unchecked unchecked", ["impossible-play"]),
        ("  1) 31:                         52: 13/8 13/11\n      Wins 1 point\n", "missing unchecked",
         ["missing-play"]),
        ("  1) 31: Cannot Move              52: 13/8 13/11\n", "illegal played", ["illegal-play"]),
        ("  1) 31: 8/5 six/5                52: 13/8 13/11\n  2) shrug\n", "impossible unchecked",
         ["garbled-play", "unread"]),
        ("  1) 63: Illegal play (5;0;x;)   31: 8/5 6/5\n", "impossible unchecked", []),
    ],
)  # fmt: skip
def test_after_a_play_that_cannot_be_made_nothing_is_checked(rows: str, found: str, told: list[str]) -> None:
    match = read(rows)
    assert verdicts(match) == [Verdict(word) for word in found.split()]
    assert set(told) <= set(codes(match))
    assert match.rolls == len(found.split())
    assert (match.games[0].known == 0) == found.startswith(("impossible", "missing"))


def after_position(
    left: dict[int, int], right: dict[int, int], rows: str, length: int = 5, score: tuple[int, int] = (0, 0)
) -> Match:
    """Return a match that goes on from a position, with the right side to roll."""
    sides = tuple(tuple(points.get(point, 0) for point in range(26)) for points in (left, right))
    position = write_position((sides[0], sides[1]), LEFT, 5, ("ann", "bob"), (0, 0), 1)
    return read(f"  1) 63: {position}   {rows}", length, score)


def test_unwritten_forced_play_is_made() -> None:
    closed = {1: 2, 2: 2, 3: 2, 4: 2, 5: 2, 7: 5}
    match = after_position(closed, {25: 1, 0: 14}, "63: \n  2) 21: 7/5 7/6               11: 16/12\n")
    forced = match.games[0].actions[1]
    assert isinstance(forced, Roll)
    assert (forced.verdict, forced.hops) == (Verdict.FORCED, ((25, 19), (19, 16)))
    assert verdicts(match)[2:] == [Verdict.PLAYED, Verdict.PLAYED]
    assert "forced-play" in codes(match)


@pytest.mark.parametrize(
    ("loser", "points", "multiplier"),
    [({6: 14, 0: 1}, 1, 1), ({6: 15}, 2, 2), ({6: 14, 25: 1}, 3, 3), ({6: 14, 19: 1}, 3, 3), ({6: 14, 18: 1}, 2, 2)],
)
def test_points_of_a_bearoff(loser: dict[int, int], points: int, multiplier: int) -> None:
    match = after_position(loser, {1: 1, 0: 14}, "63: 1/off\n")
    result = match.games[0].result
    assert (result.winner, result.ending) == (RIGHT, Ending.BEAROFF)
    assert (result.points, result.multiplier) == (points, multiplier)


def test_snowie_position_after_an_illegal_play() -> None:
    first = read("  1) 63: 13/9 13/7               31: 8/5 6/5\n")
    again = read_matches(write_mat(first).encode()).matches[0]
    for ours, theirs in zip(first.games[0].actions, again.games[0].actions, strict=True):
        assert isinstance(ours, Roll)
        assert isinstance(theirs, Roll)
        assert (ours.position, ours.hops) == (theirs.position, theirs.hops)


@pytest.mark.parametrize(
    ("rows", "code"),
    [
        ("  1) 31: 8/5 6/5\n  2) 42: 8/4 6/4\n", "turn"),
        ("  1)  Takes\n", "no-double"),
        ("  1) 31: 8/5 6/5      Doubles => 4\n  2)  Takes\n", "cube-value"),
        ("  1) 31: 8/5 6/5      Doubles => 2\n  2)  Takes     31: 8/5 6/5\n  3) 21: 13/11 6/5    Doubles => 4\n",
         "cube-owner"),
        ("  1) 31: 8/5 6/5      Doubles => 2\n  2) 31: 8/5 6/5\n", "unanswered-double"),
        ("  1) 31: 8/5 6/5      Doubles => 2\n  2)  Drops\n  3) 31: 8/5 6/5\n", "after-end"),
        ("  1) 31: 8/5 6/5      Doubles => 2\n  2)  Drops\n      Wins 1 point\n", "winner"),
        ("  1) 31: 8/5 6/5      Doubles => 2\n  2)  Drops                Wins 3 points\n", "points"),
        ("  1) 31: 8/5 6/5      52: 13/8 13/11\n  2)  Wins 1 point         Wins 2 points\n", "two-winners"),
        ("  1) 01: 8/5 6/5\n", "dummy-dice"),
        ("; Set Pos=-b----E-C---eE---c-e----B-/0\n  1) 31: 8/5 6/5\n", "set-position"),
    ],
)  # fmt: skip
def test_findings(rows: str, code: str) -> None:
    assert code in codes(read(rows))


def test_crawford_double() -> None:
    rows = "  1) 31: 8/5 6/5      Doubles => 2\n  2)  Drops                Wins 1 point\n"
    text = (
        HEAD.format(length=3, left=0, right=0)
        + "  1) 31: 8/5 6/5\n      Wins 2 points\n\n Game 2\n ann : 2     bob : 0\n"
    )
    (match,) = read_matches((text + rows).encode()).matches
    assert match.games[1].crawford
    assert "crawford-double" in codes(match)
    assert codes(read(rows, 3, (2, 0))) == ["post-crawford", "first-score"]


@pytest.mark.parametrize(
    ("length", "score", "stated", "odd"),
    [(5, (0, 0), 2, False), (5, (0, 4), 1, False), (1, (0, 0), 1, False), (5, (0, 0), 1, True), (5, (0, 0), 4, True)],
)
def test_no_more_points_than_the_match_needs(length: int, score: tuple[int, int], stated: int, odd: bool) -> None:
    rows = f"63: 1/off\n{'':34}Wins {stated} points\n"
    match = after_position({6: 15}, {1: 1, 0: 14}, rows, length, score)
    assert ("points" in codes(match)) == odd
    assert match.games[0].result.points == stated


def test_jacoby_rule_shown_by_the_points_of_a_gammon() -> None:
    for stated, jacoby, multiplier in ((1, True, 1), (2, False, 2)):
        rows = "63: 1/off\n" + " " * 34 + f"Wins {stated} point\n"
        match = after_position({6: 15}, {1: 1, 0: 14}, rows, length=0)
        assert (match.jacoby, match.games[0].result.multiplier) == (jacoby, multiplier)
    assert after_position({6: 15}, {1: 1, 0: 14}, "63: 1/off\n", length=0).jacoby is None


def test_winner_from_the_next_score() -> None:
    text = (
        HEAD.format(length=5, left=0, right=0)
        + "  1) 31: 8/5 6/5\n\n Game 2\n ann : 0       bob : 2\n  1) 31: 8/5 6/5\n"
    )
    (match,) = read_matches(text.encode()).matches
    result = match.games[0].result
    assert (result.winner, result.points, result.ending, result.multiplier) == (RIGHT, 2, Ending.SCORE, 2)
    assert "no-result" in codes(match)


def test_scores_that_do_not_follow() -> None:
    text = (
        HEAD.format(length=5, left=0, right=0)
        + "      Wins 1 point\n\n Game 2\n ann : 3       bob : 0\n  1) 31: 8/5 6/5\n"
    )
    (match,) = read_matches(text.encode()).matches
    assert "score" in codes(match)


def test_columns_that_change_places_are_put_back() -> None:
    text = (
        HEAD.format(length=5, left=0, right=0)
        + "  1) 31: 8/5 6/5\n      Wins 1 point\n\n Game 2\n bob : 0                  ann : 1\n"
        + "  1) 31: 8/5 6/5               52: 13/8 13/11\n      Wins 2 points\n"
    )
    (match,) = read_matches(text.encode()).matches
    assert match.games[1].score == (1, 0)
    assert [action.side for action in match.games[1].actions] == [RIGHT, LEFT]
    assert match.final_score == (1, 2)


def test_other_variations_are_not_checked() -> None:
    text = '; [Variation "NackGammon"]\n' + HEAD.format(length=5, left=0, right=0) + "  1) 31: 8/5 6/5\n"
    (match,) = read_matches(text.encode()).matches
    assert "variation" in codes(match)
    assert verdicts(match) == [Verdict.UNCHECKED]
