"""The clean text, and the way there and back."""

import random
from dataclasses import replace

import pytest

from bgrating.matchtext import board, read_matches, write_mat
from bgrating.matchtext.model import Action, Match, Roll
from bgrating.matchtext.write import UNKNOWN_DATE, content_key, playable_games

WORDS = {25: "bar", 0: "off"}


def random_rows(seed: int, words: bool) -> str:
    """Return rows of a random game, numbers or words, won by bearing off or a drop."""
    draw = random.Random(seed)
    sides = board.start()
    cells: list[str] = []
    turn, cube, owner = 0, 1, None
    while True:
        if len(cells) > 4 and cube < 8 and owner in {None, turn} and draw.random() < 0.04:
            cube *= 2
            cells += [f" Doubles => {cube}", draw.choice([" Takes", " Takes", " Drops"])]
            if cells[-1] == " Drops":
                break
            owner = 1 - turn
        first, second = draw.sample(range(1, 7), 2) if not cells else (draw.randint(1, 6), draw.randint(1, 6))
        dice = (first, second)
        options = board.plays(sides[turn], sides[1 - turn], dice)
        text = f"{dice[0]}{dice[1]}:"
        if options:
            hops, mine, theirs = draw.choice(options)
            sides = (mine, theirs) if turn == 0 else (theirs, mine)
            names = [(WORDS.get(a, str(a)), WORDS.get(b, str(b))) if words else (str(a), str(b)) for a, b in hops]
            draw.shuffle(names)
            if words and dice[0] == dice[1]:
                counted = {pair: names.count(pair) for pair in names}
                parts = [f"{a}/{b}" + (f"({n})" if n > 1 else "") for (a, b), n in counted.items()]
            else:
                parts = [f"{a}/{b}" for a, b in names]
            text += " " + " ".join(parts)
        elif words:
            text += " Cannot Move"
        cells.append(text)
        if sides[turn][0] == 15:
            break
        turn = 1 - turn
    rows = [cells[i : i + 2] for i in range(0, len(cells), 2)]
    return "".join(f"{i:3d}) {row[0]:<33} {row[1] if len(row) > 1 else ''}\n" for i, row in enumerate(rows, 1))


def random_match(seed: int, words: bool = False) -> str:
    head = '; [EventDate "2020.01.02"]\n 25 point match\n\n'
    games = [f" Game {n}\n ann : 0           bob : 0\n{random_rows(seed * 10 + n, words)}\n" for n in (1, 2)]
    return head + "\n".join(games)


def read(text: str) -> Match:
    (match,) = read_matches(text.encode()).matches
    return match


def bare(action: Action) -> Action:
    return replace(action, line=0, written="") if isinstance(action, Roll) else replace(action, line=0)


@pytest.mark.parametrize("seed", range(25))
def test_there_and_back(seed: int) -> None:
    match = read(random_match(seed))
    assert {finding.code for finding in match.findings} <= {"score", "incomplete"}
    again = read(write_mat(match))
    for ours, theirs in zip(match.games, again.games, strict=True):
        assert ours.result.winner == theirs.result.winner
        assert ours.result.multiplier == theirs.result.multiplier
        assert [bare(action) for action in ours.actions] == [bare(action) for action in theirs.actions]
    assert content_key(again) == content_key(match)


@pytest.mark.parametrize("seed", range(25))
def test_words_and_numbers_are_the_same_match(seed: int) -> None:
    assert content_key(read(random_match(seed, words=True))) == content_key(read(random_match(seed)))


def test_key_tells_matches_apart() -> None:
    keys = {content_key(read(random_match(seed))) for seed in range(20)}
    assert len(keys) == 20


def test_key_tells_a_play_that_hits_on_its_way_from_one_that_does_not() -> None:
    text = " 5 point match\n\n Game 1\n ann : 0             bob : 0\n  1) 43: 13/10 8/4            31: 24/23 23/20\n"
    plain, hit = read(text), read(text.replace("24/23 23/20", "24/21* 21/20"))
    assert plain.games[0].known == hit.games[0].known == 2
    assert content_key(plain) != content_key(hit)
    assert content_key(hit) == content_key(read(text.replace("24/23 23/20", "24/21*/20")))


def test_key_ignores_names_dates_columns_and_the_order_of_dice() -> None:
    text = " 5 point match\n\n Game 1\n ann : 0             bob : 0\n  1) 31: 8/5 6/5            52: 13/8 13/11\n"
    key = content_key(read(text))
    assert key
    assert content_key(read(text.replace("ann", "zoe").replace("31: 8/5 6/5", "13: 6/5 8/5"))) == key
    swapped = text.replace(
        "  1) 31: 8/5 6/5            52: 13/8 13/11", "  1)                   31: 8/5 6/5\n  2) 52: 13/8 13/11"
    )
    assert content_key(read(swapped)) == key
    assert content_key(read(text.replace("52: 13/8 13/11", "52: 13/8 24/22"))) != key
    assert content_key(read(" 5 point match\n\n Game 1\n ann : 0        bob : 0\n")) == ""


def test_text() -> None:
    match = read(
        " 5 point match\n\n Game 1\n Kévin <b> : 0        =cmd : 0\n"
        "  1)                       31: 8/5 6/5\n  2) 42: 8/4(1) 6/4       Doubles => 2\n  3)  Drops\n"
    )
    assert write_mat(match).split("\n") == [
        f'; [EventDate "{UNKNOWN_DATE}"]',
        "",
        " 5 point match",
        "",
        " Game 1",
        " left : 0                        right : 0",
        "  1)                              31: 8/5 6/5",
        "  2) 42: 8/4 6/4                   Doubles => 2",
        "  3)  Drops                       ",
        "                                  Wins 1 point",
        "",
        "",
    ]


def test_no_row_is_so_short_that_gnubg_reads_the_last_one_again() -> None:
    for seed in range(10):
        rows = [line for line in write_mat(read(random_match(seed))).split("\n") if line[3:4] == ")"]
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


@pytest.mark.parametrize("names", [("", "right"), ("a", "a"), ("a:b", "c"), ("a;b", "c"), ("é", "c"), ("a\nb", "c")])
def test_names_that_could_harm_are_refused(names: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match="plain words"):
        write_mat(read(random_match(1)), names)


def test_longer_than_gnubg_reads() -> None:
    with pytest.raises(ValueError, match="up to 64 points"):
        write_mat(read(random_match(1).replace("25 point", "65 point")))
