"""What a text says twice is compared, and what cannot belong to a match is a finding: nothing is lost unseen."""

import unicodedata

import pytest

from bgrating.matchtext import read_matches
from bgrating.matchtext.model import Match
from bgrating.matchtext.replay import MAX_CUBE
from unit.matchtext.test_dialects import GALAXY, GNUBG

UNLIMITED = """; [Site "BackgammonGalaxy"]
; [Player 1 "ann"]
; [Player 2 "bob"]
; [Player 1 Elo "0,00/0"]
; [Player 2 Elo "1,00/0"]

16 point match

 Game 1
 ann : 0                         bob : 0
  1) 61: 13/7 8/7                43: 24/20 13/10
  2) 52: 13/8 24/22               Doubles => 2
  3)  Drops                       Wins 1 point
"""


def only(text: str) -> Match:
    (match,) = read_matches(text.encode()).matches
    return match


def codes(match: Match) -> list[str]:
    return [finding.code for finding in match.findings]


@pytest.mark.parametrize("text", [GNUBG, UNLIMITED])
def test_whole_texts_have_no_finding(text: str) -> None:
    assert set(codes(only(text))) <= {"incomplete"} | ({"forced-play"} if text is GNUBG else set())


def test_a_match_whose_length_line_is_lost_is_a_finding_of_the_next() -> None:
    text = GNUBG.replace("3 point match", "3 pxint match") + GNUBG
    match = only(text)
    (lost,) = [finding for finding in match.findings if finding.code == "before-length"]
    lines = text.splitlines()
    assert lost.line is not None
    assert lines[lost.line - 1] == " Game 1"
    last = max(number for number, line in enumerate(lines) if "point match" in line)
    rest = [line for line in lines[lost.line - 1 : last] if line.strip() and not line.startswith(";")]
    assert f"{len(rest)} lines before" in lost.message


def test_a_header_score_without_the_points_above_the_length_is_the_same() -> None:
    longer = GALAXY.replace('Elo "2,00/0"', 'Elo "1,00/0"')
    assert "header-score" not in codes(only(longer))
    assert "header-score" in codes(only(longer.replace("3,00/0", "2,00/0")))


@pytest.mark.parametrize("length", ["1", "4", "5"])
def test_a_changed_length_is_told_by_what_the_text_says_of_the_end(length: str) -> None:
    assert not {"length", "header-score"} & set(codes(only(GALAXY.replace("2,00/0", "1,00/0"))))
    changed = GALAXY.replace("2,00/0", "1,00/0").replace("3 point match", f"{length} point match")
    assert {"length", "header-score", "match-over"} & set(codes(only(changed)))


def test_a_lost_row_is_a_finding_where_the_others_are_possible_without_it() -> None:
    rows = UNLIMITED.splitlines(keepends=True)
    lost = "".join(row for row in rows if not row.startswith("  2)"))
    assert "row-number" in codes(only(lost))
    assert "row-number" not in codes(only(UNLIMITED))


@pytest.mark.parametrize("written", ["Wins 1 point.", "wins 1 points", "Wins 1 point and the match"])
def test_wins_as_programs_write_them_are_no_finding(written: str) -> None:
    assert "unread-points" not in codes(only(UNLIMITED.replace("Wins 1 point", written)))


def test_the_same_name_on_both_sides_is_a_finding() -> None:
    accents = {form: unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD")}
    assert accents["NFC"] != accents["NFD"]
    match = only(GNUBG.replace("ann", accents["NFC"]).replace("bob", accents["NFD"]))
    assert [player.name for player in match.players] == [accents["NFC"]] * 2
    assert "same-name" in codes(match)
    assert "same-name" not in codes(only(GNUBG))


def test_a_cube_has_an_end() -> None:
    """15,000 doubles and takes once made numbers too long to be written."""
    rows = "".join(f"{n % 10000:4d})  Doubles                     Takes\n" for n in range(15_000))
    match = only(f" 0 point match\n\n Game 1\n ann : 0                         bob : 0\n{rows}")
    assert "cube-limit" in codes(match)
    assert max(getattr(action, "value", 0) for action in match.games[0].actions) == MAX_CUBE
    assert match.games[0].known < len(match.games[0].actions) + 1


def test_a_roll_beside_the_match_length_is_not_lost_unseen() -> None:
    """As where two files were put together in the middle of a line."""
    (match,) = read_matches(
        UNLIMITED.replace("16 point match", "16 point match        64: 24/18 18/14").encode()
    ).matches
    assert [(finding.code, finding.line) for finding in match.findings] == [("unread", 7)]


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("ann : 0", "ann : 1", "first-score"),
        *((*change, "header-score") for change in (("1,00/0", "7,00/0"), ("0,00/0", "1,00/0"), ("Wins 1", "Wins 4"))),
        ("52: 13/8 24/22", " " * 14, "turn"),  # the roll before a double, of a side that could not move, is lost
        *(("Wins 1 point", written, "unread-points")
          for written in ("Win{l0eH s 1 point", "Wins > point", "Wins 0 points", "Wins", "Wins 1 pxint")),
        ("61: 13/7 8/7", "66: 13/7 8/2", "opening-double"),
        ("43: 24/20 13/10", "43: 24/20* 13/10", "hit"),
        ("43: 24/20 13/10", "43: 24/20 13/10*", "hit"),
        ('"ann"]', '"ann"]\n; [CubeLimit "1"]', "header-cube-limit"),
        ('"ann"]', '"ann"]\n; [Crawford "maybe"]', "crawford"),
        ('"ann"]', '"ann"]\n; [Jacoby "maybe"]', "jacoby"),
        ('"ann"]', '"ann"]\n; [EventDate "2022.02.31"]', "date"),
        ('"ann"]', '"ann"]\n; [EventDate "2022.13.01"]', "date"),
        ('"ann"]', '"ann"]\n; [EventDate "July 2022"]', "date"),
    ],
)  # fmt: skip
def test_what_no_match_can_have_is_a_finding(old: str, new: str, code: str) -> None:
    assert code not in codes(only(UNLIMITED))
    assert codes(only(UNLIMITED.replace(old, new))).count(code) == 1


@pytest.mark.parametrize(
    "header",
    ['CubeLimit "2"', 'Crawford "0"', 'Jacoby "true"', 'EventDate "2024.02.29"', 'EventDate "2022.??.??"',
     'EventDate "????.??.??"', 'EventDate "2022.07.00"', 'EventDate "2022-07-10 18:30"', 'EventDate ""'],
)  # fmt: skip
def test_headers_that_a_match_may_have_are_no_finding(header: str) -> None:
    assert codes(only(f"; [{header}]\n{UNLIMITED}")) == []


def test_a_star_is_true_where_the_play_hits() -> None:
    assert codes(only(UNLIMITED.replace("52: 13/8 24/22", "52: 24/22 6/1*"))) == []


@pytest.mark.parametrize(("value", "is_on"), [("False", False), ("0", False), ("TRUE", True), ("1", True)])
def test_rules_are_on_or_off_in_every_usual_word(value: str, is_on: bool) -> None:
    text = f'; [Crawford "{value}"]\n' + GNUBG
    assert only(text).crawford is is_on
    assert "crawford" not in codes(only(text))
