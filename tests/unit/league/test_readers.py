"""Files of games as they are read."""

from pathlib import Path

import pytest

from bgrating.league.games import GamesReading
from bgrating.league.readers import read_games
from bgrating.league.settings import RatingsError


def read(folder: Path, text: str, name: str = "games.csv") -> GamesReading:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return read_games(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no game to rate"),
        ("first,second,first_score\n", "no game to rate"),
        ("first,second,first_score\nann,ann,1\n", "no game to rate .*against itself"),
        ("a,b,c\n1,2,3\n", "its first line .a,b,c. is not .*: begin with .* date,player1,player2,score1,score2,length"),
        ("hello\n", "its first line .hello. is not a form that is known"),
    ],
)
def test_a_file_without_games_is_one_error(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RatingsError, match=f"{message}[^\n]*$"):  # one line, so one sentence on the terminal
        read(tmp_path, text)


def test_a_file_that_is_no_text_and_one_that_is_not_there_are_one_error_each(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    with pytest.raises(RatingsError, match="no such file"):
        read_games(path)
    path.write_bytes(b"first,second,first_score\n\x81,b,1\n")
    with pytest.raises(RatingsError, match="not a text in UTF-8, UTF-16 or Windows-1252"):
        read_games(path)
