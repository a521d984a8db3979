"""Files of JavaFIBS and Gibbon: tests/data/saved has matches of examples/ as these programs write
them.

JavaFIBS calls the left player You, who moves upwards in every second game. Gibbon's White is the
left player, its Black moves upwards.
"""

from pathlib import Path

import pytest

from bgmatch import read_matches, read_saved
from bgmatch.formats.program_file import SavedError
from bgmatch.formats.saved import read_file
from bgmatch.model import Match
from bgmatch.write import content_key
from corpus import DATA, cases

BEARS_OFF, RESIGNED = "2025-01-12-advanced-noise-0.02", "2025-02-23-advanced-noise-0.02"
"""Matches by how their last game ends."""


def saved(suffix: str, name: str = RESIGNED) -> bytes:
    return (DATA / "saved" / f"{name}{suffix}").read_bytes()


def text_of(project: Path, name: str = RESIGNED) -> bytes:
    return (project / "examples" / f"{name}.mat").read_bytes()


def codes(data: bytes, suffix: str) -> list[str]:
    return [finding.code for finding in read_saved(data, suffix)[0].findings]


def outcome(match: Match) -> list[object]:
    results = [
        (game.score, game.crawford, game.result.winner, game.result.points) for game in match.games
    ]
    match_values = [
        content_key(match),
        match.match_length,
        match.final_score,
        match.winner,
        results,
    ]
    return [[player.name for player in match.players], *match_values]


@pytest.mark.parametrize("name", [BEARS_OFF, RESIGNED])
@pytest.mark.parametrize("suffix", [".match", ".gmd"])
def test_a_file_is_read_as_the_match_that_it_holds(project: Path, name: str, suffix: str) -> None:
    read, _ = read_saved(saved(suffix, name), suffix)
    (match,) = read_matches(text_of(project, name)).matches
    assert outcome(read) == outcome(match)
    assert read.findings == ()
    assert (read.event, read.round) == (("Open", "Final") if suffix == ".gmd" else ("", ""))


@pytest.mark.parametrize("played", ["15:noise-0.02:", "1:noise-0.02:1-5 12-17"])
def test_a_play_that_is_missing_or_illegal_is_corrected(project: Path, played: str) -> None:
    """The line of the right player's first roll."""
    data = saved(".match").decode()
    assert "1:noise-0.02:1-4 12-17" in data
    read, _ = read_saved(data.replace("1:noise-0.02:1-4 12-17", played, 1).encode(), ".match")
    assert content_key(read) == content_key(read_matches(text_of(project)).matches[0])
    (finding,) = read.findings
    assert (finding.code, "was corrected to" in finding.message) == ("repaired", True)
    assert (finding.game, finding.line) == (1, None)  # the actions of these files have no line


@pytest.mark.parametrize(("suffix", "old", "new", "told"), cases("sentences.fibs"))
def test_an_unknown_line_is_refused(suffix: str, old: str, new: str, told: str) -> None:
    data = saved(suffix)
    assert old.encode() in data
    with pytest.raises(SavedError, match=told):
        read_file(data.replace(old.encode(), new.encode()), suffix)


def test_a_last_score_that_the_games_do_not_give_is_found() -> None:
    data = saved(".match")
    other = data.replace(b"14:noise-0.02-1:advanced-8", b"14:noise-0.02-1:advanced-9")
    assert other != data
    assert codes(other, ".match") == ["final-score"]


def test_a_last_roll_that_is_lost_is_found() -> None:
    """Gibbon writes no winner, so there a game without its last roll has no end."""
    *before, roll, move, won, score = saved(".match", BEARS_OFF).split(b"\r\n")
    assert (roll[:2], move[:2], won[:2]) == (b"0:", b"1:", b"7:")
    assert codes(b"\r\n".join([*before, won, score]), ".match") == ["last-roll"]
    assert codes(b"\n".join(saved(".gmd", BEARS_OFF).split(b"\n")[:-2]), ".gmd") == [
        "unfinished",
        "incomplete",
    ]


def test_a_game_without_a_winner_leaves_the_score_unknown() -> None:
    """Gibbon writes no score: a second "Game:" begins a game of nothing."""
    assert codes(saved(".gmd").replace(b"Game:\n", b"Game:\nGame:\n", 1), ".gmd") == ["score"]


def test_a_suffix_may_have_capitals() -> None:
    empty = b"GMD-1\n"
    with pytest.raises(SavedError) as small:
        read_file(empty, ".gmd")
    with pytest.raises(SavedError) as capital:
        read_file(empty.lower(), ".GMD")
    assert "is not from JavaFIBS or Gibbon" in str(capital.value)
    assert "of an unknown kind" in str(small.value)


def test_a_reason_is_one_line_of_limited_length() -> None:
    data = saved(".gmd")
    assert b"Roll:W: 6 2" in data
    with pytest.raises(SavedError, match="a roll of 6999") as problem:
        read_file(data.replace(b"Roll:W: 6 2", b"Roll:W: 6 " + b"9" * 4000), ".gmd")
    assert len(str(problem.value)) < 300
