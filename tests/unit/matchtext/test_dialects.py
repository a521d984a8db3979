"""Short texts in the manner of each program, and what is read from them."""

from collections.abc import Callable

import pytest

from bgrating.matchtext import read_matches
from bgrating.matchtext.model import LEFT, RIGHT, CubeKind, Ending, Match, Roll, Verdict
from bgrating.matchtext.sections import MatchTextError

GNUBG = """; [EventDate "2025.11.08"]

 3 point match

 Game 1
 ann : 0                        bob : 0
  1)                             41: 13/9 24/23\x20
  2) 31: 6/5 8/5                  Doubles => 2
  3)  Takes                      64: 24/18 18/14
  4) 66:\x20
      Wins 2 points

 Game 2
 ann : 2                        bob : 0
  1) 31: 8/5 6/5                 52:\x20
      Wins 1 point

"""

GALAXY = """; [Site "BackgammonGalaxy"]
; [Match ID "1"]
; [Player 1 "ann"]
; [Player 2 "bob"]
; [Player 1 Elo "2,00/0"]
; [Player 2 Elo "3,00/0"]
; [EventDate "2024.05.06"]
; [Variation "Backgammon"]
; [Crawford "On"]

3 point match

 Game 1
 ann : 0                         bob : 0
  1) 61: 13/7 8/7                43: 24/20 13/10
  2)  Doubles => 2                Drops
      Wins 1 point


 Game 2
 ann : 1                         bob : 0
  1)                             61: 8/7 13/7
  2) 44: 24/20 20/16 13/9 13/9   21: 6/5 13/11
  3)  Losses 3 point                                               Wins 3 point and the match
"""

STUDIO = """; [Site "Backgammon Studio"]
; [Player 1 "Ann Lee"]
; [Player 2 "Bob Ray"]
; [EventDate "2022.08.14"]
; [Crawford "On"]

3 point match


 Game 1
 annlee : 0                             ray : 0
  1) 31: 8/5 6/5                        55: 13/3(2)
  2) 44: 24/16 13/9(2)                  64: 8/2 6/2
  3)  Doubles => 2                       Takes
  4) 21: 13/11 6/5                      00: ????
  5)  Wins 2 point                     \x20


 Game 2
 annlee : 2                             ray : 0
  1) 31: 8/5 6/5                        62: 24/18 13/11
  2) 43: Concedes
  3)                                     Wins 3 point
"""

XG = """\ufeff; [Site "Bonn"]
; [Player 1 "Bob Ray"]
; [Player 2 "Ann Lee"]
; [Player 1 Elo "1665.83/36"]
; [Player 2 Elo "1600.00/0"]
; [EventDate "2016.05.04"]

1 point match

 Game 1
 Ann Lee : 0                           Bob Ray : 0
  1)                                   43: 24/21 13/9
  2) 42: 8/4* 6/4                      66: Cannot Move
  3) 53: 8/3 6/3                       65: Bar/20 24/18
  4) 31: ????                           Wins 1 point and the match



"""

GRIDGAMMON = """ 5 point match

 Game 1
 ann,1770 : 0                     bob,1760 : 0
  1) 42: 8/4 6/4                 34: 13/9 24/21
  2) 31: 8/5 6/5                           Wins 100 points
"""

PLAYOK = """; [Site "PlayOK"]
; [Player 1 "Ann Lee"]
; [Player 2 "Bob Ray"]
; [CubeLimit "64"]

 2 point match

 Game 1
 ann92 : 0                      marti : 0
  1) 52: 24/22 13/8              13: 8/5 6/5
  2) 25: 24/22 13/8
                                  Wins 2 points and the match
"""

GAMMONVIEW = """; [Site "HedgeHog"]
; [Player 1 "Ann Lee"]
; [Player 2 "Bob Ray"]
; [Jacoby "Off"]

0 point match

 Game 1
 Ann Lee: 0                      Bob Ray: 0
  1) 25: 24/22 13/8                      12: 24/23 13/11
  2) Doubles => 2                        Takes
  3) 55: 8/3 8/3 6/1* 6/1                Resigns
   Wins 2 points
"""


def read(text: str) -> Match:
    (match,) = read_matches(text.encode()).matches
    return match


def verdicts(match: Match, game: int) -> list[Verdict]:
    return [action.verdict for action in match.games[game].actions if isinstance(action, Roll)]


def codes(match: Match) -> set[str]:
    return {finding.code for finding in match.findings}


def test_gnubg() -> None:
    match = read(GNUBG)
    assert (match.dialect, match.match_length, match.date) == ("gnubg", 3, "2025-11-08")
    assert (match.final_score, match.winner, match.complete) == ((3, 0), LEFT, True)
    first, second = match.games
    assert [action.side for action in first.actions] == [1, 0, 1, 0, 1, 0]
    assert first.actions[2].kind is CubeKind.DOUBLE  # type: ignore[union-attr]
    assert first.actions[-1].verdict is Verdict.RESIGNED  # type: ignore[union-attr]
    assert (first.result.winner, first.result.points, first.result.ending) == (LEFT, 2, Ending.RESIGNATION)
    assert second.crawford
    assert verdicts(match, 1) == [Verdict.PLAYED, Verdict.RESIGNED]
    assert codes(match) == set()


def test_galaxy() -> None:
    match = read(GALAXY)
    assert match.dialect == "galaxy"
    assert [player.rating for player in match.players] == [None, None]
    assert match.games[0].result.ending is Ending.DROP
    assert (match.final_score, match.winner, match.complete) == ((1, 3), RIGHT, True)
    assert match.games[1].result.multiplier == 3


def test_galaxy_unlimited_game() -> None:
    text = GALAXY.replace("3 point match", "16 point match").split("\n\n\n Game 2")[0]
    match = read(text)
    assert (match.declared_length, match.match_length, match.unlimited) == (16, 0, True)
    assert match.complete
    assert not read(GALAXY.replace("3 point match", "16 point match")).unlimited


def test_studio() -> None:
    match = read(STUDIO)
    assert match.dialect == "studio"
    assert [(player.name, player.real_name) for player in match.players] == [("annlee", "Ann Lee"), ("ray", "Bob Ray")]
    rolls = [action for action in match.games[0].actions if isinstance(action, Roll)]
    assert rolls[1].hops == ((13, 8), (13, 8), (8, 3), (8, 3))
    assert rolls[2].hops == ((24, 20), (20, 16), (13, 9), (13, 9))
    assert [roll.dice for roll in rolls][-1] == (2, 1)  # the dice 00 are no roll
    assert (match.final_score, match.winner) == ((2, 3), RIGHT)
    assert verdicts(match, 1)[-1] is Verdict.RESIGNED
    assert codes(match) == set()


def test_xg_has_player_1_on_the_right() -> None:
    match = read(XG)
    assert match.dialect == "xg"
    assert [player.rating for player in match.players] == [None, 1665.83]
    assert [verdict.value[0] for verdict in verdicts(match, 0)] == list("ppdppr")
    assert match.games[0].result.winner == RIGHT


def test_xg_nicknames_that_resemble_nobody_are_swapped() -> None:
    match = read(XG.replace(" Ann Lee : 0 ", " zz : 0 ").replace(" Bob Ray : 0", " qq : 0"))
    assert [player.real_name for player in match.players] == ["Ann Lee", "Bob Ray"]
    assert [player.name for player in match.players] == ["zz", "qq"]


def test_gridgammon() -> None:
    match = read(GRIDGAMMON)
    assert match.dialect == "gridgammon"
    assert [(player.name, player.rating) for player in match.players] == [("ann", 1770.0), ("bob", 1760.0)]
    assert match.final_score == (0, 100)
    assert "points" in codes(match)


def test_playok() -> None:
    match = read(PLAYOK)
    assert match.dialect == "playok"
    assert match.players[0].real_name == "Ann Lee"
    assert (match.winner, match.complete) == (RIGHT, True)


def test_gammonview_money_session() -> None:
    match = read(GAMMONVIEW)
    assert (match.dialect, match.match_length, match.jacoby, match.complete) == ("gammonview", 0, False, True)
    assert match.games[0].result.ending is Ending.RESIGNATION
    assert match.final_score == (2, 0)


@pytest.mark.parametrize("text", [GNUBG, GALAXY, STUDIO, XG, GRIDGAMMON, PLAYOK, GAMMONVIEW])
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
    plain, changed = read(text), read(change(text))
    assert changed.players == plain.players
    assert changed.final_score == plain.final_score
    sides = [[action.side for action in game.actions] for game in plain.games]
    assert [[action.side for action in game.actions] for game in changed.games] == sides
    assert [game.result for game in changed.games] == [game.result for game in plain.games]


def test_several_matches_in_one_file() -> None:
    file = read_matches((GNUBG + GALAXY + STUDIO).encode())
    assert [match.dialect for match in file.matches] == ["gnubg", "galaxy", "studio"]
    assert [len(match.games) for match in file.matches] == [2, 2, 2]
    assert file.matches[1].players[0].name == "ann"
    assert file.matches[2].date == "2022-08-14"


def test_a_second_first_game_begins_a_match() -> None:
    games = GNUBG.split("match\n", 1)[1]
    first, second = read_matches((GNUBG + games).encode()).matches
    assert second.match_length == 3
    assert [game.rolls for game in first.games] == [game.rolls for game in second.games]


@pytest.mark.parametrize("text", ["hello\nworld\n", "Game 1\n ann : 0    bob : 0\n"])
def test_no_match(text: str) -> None:
    with pytest.raises(MatchTextError, match="no match in this text"):
        read_matches(text.encode())


def test_a_match_without_games() -> None:
    match = read("5 point match\n")
    assert (match.games, match.complete) == ((), False)
    assert "no-games" in codes(match)
