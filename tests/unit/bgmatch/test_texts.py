"""Short texts: in the manner of each program, with something wrong, or seemingly wrong."""

from collections.abc import Callable
from typing import Any

import pytest

from bgmatch import read_matches, write_mat
from bgmatch.model import Match, Roll
from bgmatch.replay import MAX_CUBE
from bgmatch.sections import MatchTextError
from corpus import cases
from match_texts import TEXTS, facts, match_of, read, text_of

CASES = cases("match_texts.case")
PROGRAMS = [text for name, text in TEXTS.items() if name != "unlimited"]


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_a_text_of_the_corpus(case: dict[str, Any]) -> None:
    actual = facts(match_of(case))
    expected = {name: value for name, value in case.items() if name in actual}
    assert {name: actual[name] for name in expected} == expected
    codes = actual["codes"]
    assert set(case.get("has", ())) <= set(codes)
    assert not set(case.get("lacks", ())) & set(codes)
    assert "any" not in case or set(case["any"]) & set(codes)
    assert "once" not in case or codes.count(case["once"]) == 1


@pytest.mark.parametrize("text", PROGRAMS)
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        str.rstrip,
        lambda text: "From: ann\nhere is the match\n\n" + text.removeprefix("\ufeff"),
        lambda text: "\n".join(line.rstrip() for line in text.split("\n")),
    ],
)
def test_line_ends_and_margins_do_not_matter(text: str, change: Callable[[str], str]) -> None:
    names = ("names", "score", "sides", "results")
    plain, changed = (facts(read(one)) for one in (text, change(text)))
    assert [changed[name] for name in names] == [plain[name] for name in names]


def test_several_matches_in_one_file() -> None:
    names = ("gnubg", "galaxy", "studio")
    matches = read_matches("".join(TEXTS[name] for name in names).encode()).matches
    headings = [(match.dialect, len(match.games), match.date) for match in matches]
    assert headings == [
        ("gnubg", 2, "2025-11-08"),
        ("galaxy", 2, "2024-05-06"),
        ("studio", 2, "2022-08-14"),
    ]


def test_a_second_first_game_begins_a_match() -> None:
    games = TEXTS["gnubg"].split("match\n", 1)[1]
    first, second = read_matches((TEXTS["gnubg"] + games).encode()).matches
    assert second.match_length == 3
    assert [game.rolls for game in first.games] == [game.rolls for game in second.games]


@pytest.mark.parametrize("text", ["hello\nworld\n", "Game 1\n ann : 0    bob : 0\n"])
def test_a_text_without_a_match_is_refused(text: str) -> None:
    with pytest.raises(MatchTextError, match="no match in this text"):
        read_matches(text.encode())


def test_one_game_that_says_16_points_is_an_unlimited_one() -> None:
    first_game = (
        TEXTS["galaxy"].replace("3 point match", "16 point match").split("\n\n\n Game 2")[0]
    )
    assert (read(first_game).match_length, read(first_game).unlimited) == (0, True)


def test_a_match_whose_length_line_is_lost_is_a_finding_of_the_next() -> None:
    text = TEXTS["gnubg"].replace("3 point match", "3 pxint match") + TEXTS["gnubg"]
    (lost,) = [finding for finding in read(text).findings if finding.code == "before-length"]
    lines = text.splitlines()
    assert lost.line is not None
    assert lines[lost.line - 1] == " Game 1"
    last = max(number for number, line in enumerate(lines) if "point match" in line)
    rest = [
        line for line in lines[lost.line - 1 : last] if line.strip() and not line.startswith(";")
    ]
    assert f"{len(rest)} lines before" in lost.message


def positions(match: Match) -> list[object]:
    return [(roll.position, roll.hops) for roll in match.games[0].actions if isinstance(roll, Roll)]


def test_snowie_position_after_an_illegal_play() -> None:
    first = read(text_of({"rows": "  1) 63: 13/9 13/7               31: 8/5 6/5\n"}))
    illegal = first.games[0].actions[0]
    assert isinstance(illegal, Roll)
    assert illegal.position
    assert [illegal.position[0][point] for point in (9, 7, 13)] == [1, 1, 3]
    assert positions(read(write_mat(first))) == positions(first)


def test_the_cube_has_a_limit() -> None:
    """15,000 doubles and takes once made numbers too long to be written."""
    rows = "".join(f"{n % 10000:4d})  Doubles                     Takes\n" for n in range(15_000))
    match = read(text_of({"points": 0, "rows": rows}))
    assert "cube-limit" in facts(match)["codes"]
    assert max(getattr(action, "value", 0) for action in match.games[0].actions) == MAX_CUBE
    assert match.games[0].known == len(match.games[0].actions) == 2 * 12  # 4,096 is 2 to the 12th
