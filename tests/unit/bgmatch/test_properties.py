"""What holds for whatever bytes a stranger may send."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bgmatch import board, positions, read_matches, write_mat
from bgmatch.model import LEFT, RIGHT, Match, MatchFile
from bgmatch.sections import MatchTextError
from bgmatch.write import content_key
from drawn_texts import SHORT, SOURCES, TEXTS
from text_tokens import difference, is_sound, tokens_of_matches, tokens_of_text


def read(data: bytes) -> MatchFile | None:
    try:
        return read_matches(data)
    except MatchTextError:
        return None


@pytest.mark.slow
@SHORT
@given(st.binary(max_size=300) | TEXTS)
def test_the_reader_raises_its_own_errors_alone(data: bytes) -> None:
    read(data)


@SHORT
@given(TEXTS)
def test_every_line_belongs_to_a_match_or_to_a_finding(data: bytes) -> None:
    """What is read without a finding holds every roll, cube word and win of the text, in order."""
    file = read(data)
    if file and not any(match.findings for match in file.matches):
        assert tokens_of_matches(file.matches) == tokens_of_text(data)


@SHORT
@given(TEXTS)
def test_points_add_up_to_the_scores(data: bytes) -> None:
    file = read(data)
    for match in file.matches if file else ():
        closed = not {"score", "score-back", "no-score"} & {
            finding.code for finding in match.findings
        }
        for game, following in zip(match.games, match.games[1:], strict=False):
            gained = [game.result.points * (game.result.winner == side) for side in (LEFT, RIGHT)]
            assert not closed or following.score == (
                game.score[0] + gained[0],
                game.score[1] + gained[1],
            )
        for game in match.games:
            assert game.result.points >= 0
            assert (game.result.winner is None) == (game.result.points == 0)
            assert 0 <= game.known <= len(game.actions)
        check_boards(match)


def check_boards(match: Match) -> None:
    """Play every game as far as it is known: fifteen chequers a side, whatever the text."""
    for game in match.games:
        sides = board.start()
        boards = [board.position(sides)]
        for action in game.actions[: game.known]:
            if position := getattr(action, "position", None):
                sides = (list(position[0]), list(position[1]))
            else:
                board.make(sides[action.side], sides[1 - action.side], getattr(action, "hops", ()))
            assert [sum(side) for side in sides] == [15, 15]
            assert min(min(side) for side in sides) >= 0
            boards.append(board.position(sides))
        assert list(positions(game)) == boards


ROWS_LOST = SOURCES[0].replace(b"  1) 31: 8/5 6/5                 52: \n", b"")
"""The second game has a winner, and no row."""


@SHORT
@given(TEXTS)
@example(ROWS_LOST)
def test_read_write_read_is_the_same(data: bytes) -> None:
    if not is_sound(data):
        return
    for match in read_matches(data).matches:
        if match.match_length > 64:
            continue
        (once,) = read_matches(write_mat(match).encode()).matches
        (twice,) = read_matches(write_mat(once).encode()).matches
        assert difference([once], [twice]) == ""
        assert content_key(once) == content_key(match)
        assert [game.result.winner for game in once.games] == [
            game.result.winner for game in match.games
        ]
