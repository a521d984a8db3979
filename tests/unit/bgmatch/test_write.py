"""The clean text, and the way there and back."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from bgmatch import read_matches, write_mat
from bgmatch.errors import WriteError
from bgmatch.write import content_key, playable_games
from corpus import data_text
from match_texts import read, text_of

EXAMPLES = [
    path.read_text() for path in sorted((Path(__file__).parents[3] / "examples").glob("*.mat"))
]
"""Matches of five points as the engine plays them, with cubes, hits and bear-offs by both sides."""


def in_words(text: str) -> str:
    """Write plays as other programs do: bar, off, counts, another order, words for dances."""

    def play(roll: re.Match[str]) -> str:
        moves = roll[2].replace("25/", "bar/").replace("/0", "/off").split()[::-1] or [
            "Cannot",
            "Move",
        ]
        counted = [
            f"{move}({moves.count(move)})" * (move not in moves[:n]) for n, move in enumerate(moves)
        ]
        return f"{roll[1]}: {' '.join(filter(None, counted)).replace('(1)', '')}".ljust(
            len(roll[0])
        )

    return re.sub(r"\b([1-6]{2}):((?: \d+/\d+\*?)*)", play, text)


@pytest.mark.parametrize("text", EXAMPLES)
def test_a_match_is_written_and_read_back(text: str) -> None:
    match = read(text)
    assert match.findings == ()
    again = read(write_mat(match))
    for ours, theirs in zip(match.games, again.games, strict=True):
        assert ours.result.winner == theirs.result.winner
        assert ours.result.multiplier == theirs.result.multiplier
        plain, other = (
            [replace(action, line=0) for action in game.actions] for game in (ours, theirs)
        )
        assert plain == other
    assert content_key(again) == content_key(match)


@pytest.mark.parametrize("text", EXAMPLES)
def test_words_and_numbers_are_the_same_match(text: str) -> None:
    assert in_words(text) != text
    assert content_key(read(in_words(text))) == content_key(read(text))


def test_key_tells_matches_apart() -> None:
    assert len({content_key(read(text)) for text in EXAMPLES}) == len(EXAMPLES) == 12


def test_key_tells_a_play_that_hits_on_its_way_from_one_that_does_not() -> None:
    text = text_of({"rows": "  1) 43: 13/10 8/4            31: 24/23 23/20\n"})
    plain, hit = read(text), read(text.replace("24/23 23/20", "24/21* 21/20"))
    assert plain.games[0].known == hit.games[0].known == 2
    assert content_key(plain) != content_key(hit)
    assert content_key(hit) == content_key(read(text.replace("24/23 23/20", "24/21*/20")))


def test_key_ignores_names_dates_columns_and_the_order_of_dice() -> None:
    text = text_of({"rows": "  1) 31: 8/5 6/5            52: 13/8 13/11\n"})
    swapped = text_of({"rows": "  1)                   31: 8/5 6/5\n  2) 52: 13/8 13/11\n"})
    renamed = text.replace("ann", "zoe").replace("31: 8/5 6/5", "13: 6/5 8/5")
    key = content_key(read(text))
    assert key
    assert content_key(read(renamed)) == content_key(read(swapped)) == key
    assert content_key(read(text.replace("52: 13/8 13/11", "52: 13/8 24/22"))) != key
    assert content_key(read(text_of({"rows": ""}))) == ""


def test_the_clean_text_of_a_match() -> None:
    match = read(
        " 5 point match\n\n Game 1\n Kévin <b> : 0        =cmd : 0\n  1)                       31:"
        " 8/5 6/5\n  2) 42: 8/4(1) 6/4       Doubles => 2\n  3)  Drops\n"
    )
    head = '; [EventDate "1900.01.01"]\n\n 5 point match\n\n'
    assert write_mat(match) == head + data_text("texts/clean.txt")


def test_no_row_is_so_short_that_gnubg_reads_the_last_one_again() -> None:
    for text in EXAMPLES:
        rows = [line for line in write_mat(read(text)).split("\n") if line[3:4] == ")"]
        assert all(len(line) > 15 for line in rows)
        assert all("  " in line[15:] or line.count(":") == 2 for line in rows)


def test_games_that_an_engine_cannot_read_are_left_out() -> None:
    match = read(
        " 3 point match\n\n Game 1\n ann : 0       bob : 0\n      Wins 1 point\n\n"
        " Game 2\n ann : 1       bob : 0\n  1) 31: 8/5 6/5\n      Wins 2 points\n\n"
        " Game 3\n ann : 3       bob : 0\n  1) 31: 8/5 6/5\n"
    )
    assert [game.number for game in playable_games(match)] == [2]
    assert "Game 1\n left : 1 " in write_mat(match)
    assert "Game 2" not in write_mat(match)


@pytest.mark.parametrize(
    "names",
    [("", "b"), ("a", "a"), ("a:b", "c"), ("a;b", "c"), ("a,b", "c"), ("a\nb", "c"), (" a", "b")],
)
def test_names_that_could_harm_are_refused(names: tuple[str, str]) -> None:
    with pytest.raises(WriteError, match="must differ, not be empty"):
        write_mat(read(EXAMPLES[0]), names)


@pytest.mark.parametrize(
    "names",
    [("Kévin UNGER", "Ольга"), ("Game 1", "#2)"), ("7 point match", "x" * 40), ("y" * 40, "0 0")],
)
def test_names_of_people_are_read_back(names: tuple[str, str]) -> None:
    text = write_mat(read(EXAMPLES[0]), names)
    (match,) = read_matches(text.encode()).matches
    assert tuple(player.name for player in match.players) == names
    assert content_key(match) == content_key(read(EXAMPLES[0]))
    assert match.findings == ()


def test_a_match_longer_than_gnubg_reads_is_refused() -> None:
    with pytest.raises(WriteError, match="up to 64 points"):
        write_mat(read(EXAMPLES[0].replace("5 point match", "65 point match")))
