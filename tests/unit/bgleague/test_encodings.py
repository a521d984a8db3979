"""Encodings of lists, as the programs of many countries save them."""

from pathlib import Path

import pytest

from bgleague.readers import read_games
from bgleague.settings import RatingsError
from corpus import cases

ROWS = [
    ("Datum", "Spieler 1", "Spieler 2", "Punkte 1", "Punkte 2", "Länge"),
    ("14.03.2026", "Jürgen Groß", "Bob", "7", "4", "7"),
    ("15.3.2026", "Bob", "Zoë", "7", "2", "7"),
]


@pytest.mark.parametrize(("encoding", "names", "note"), cases("lists/dates.encodings"))
def test_an_encoding_is_one_in_which_all_words_are_words(
    tmp_path: Path, encoding: str, names: str, note: str
) -> None:
    rows = "".join(f"{name.strip()},Bob,7-3\n" for name in names.split(","))
    path = tmp_path / "list.csv"
    path.write_bytes(f"player1,player2,score\n{rows}".encode(encoding))
    if note == "refused":
        with pytest.raises(
            RatingsError,
            match=(
                r"(may be written in .* or .*|no encoding known here fits its words); save it as"
                r" CSV UTF-8"
            ),
        ):
            read_games([path])
        return
    reading = read_games([path])
    assert reading.games["first"].tolist() == [name.strip() for name in names.split(",")]
    assert note in "; ".join(reading.notes)
    assert bool(note) is bool(reading.notes)


@pytest.mark.parametrize("separator", [";", "\t", ","])
@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"]
)
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_text_of_every_program_gives_the_same_games(
    tmp_path: Path, separator: str, encoding: str, end: str
) -> None:
    """German Excel: `;` and Windows-1252, or tabs and UTF-16; Word: tabs and either code."""
    path = tmp_path / "club.txt"
    path.write_bytes("".join(separator.join(row) + end for row in ROWS).encode(encoding))
    reading = read_games([path])
    assert reading.games[
        ["first", "second", "first_score", "date", "length"]
    ].to_numpy().tolist() == [
        ["Jürgen Groß", "Bob", 1, "2026-03-14", 7],
        ["Bob", "Zoë", 1, "2026-03-15", 7],
    ]
    assert reading.flagged.empty
    assert ["Windows-1252 (such as" in note for note in reading.notes] == [True] * (
        encoding == "cp1252"
    )
