"""Twelve lists as clubs keep them, after public ones; names invented. Each is read, or refused in one true sentence."""

from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from bgrating.league.readers import read_games
from bgrating.league.run import rate_results
from bgrating.league.settings import GamesToRate, RatingsError
from short_match import match

TODAY = date(2026, 11, 26)
CROSS = ";Ann;Bob;Cyd;Dan\nAnn;-----;11-8;9-11;11-2\nBob;4-11;-----;11-5;11-9\nCyd;11-6;2-11;-----;11-7\n"
MIRRORED = "Saison 2026,,,,,\nNr,Name,1,2,3,Punkte\n1,Ann,x,7-3,5-7,1\n2,Bob,3-7,x,7-6,1\n3,Cyd,7-5,6-7,x,1\n"


def text(content: str, name: str = "list.csv") -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        (folder / name).write_text(content, encoding="utf-8")
        return [folder / name]

    return write


def workbook(**sheets: list[tuple[Any, ...]]) -> Callable[[Path], list[Path]]:
    def write(folder: Path) -> list[Path]:
        book = openpyxl.Workbook()
        book.remove(book["Sheet"])
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(folder / "club.xlsx")
        return [folder / "club.xlsx"]

    return write


HEAD = ("Date", "Player 1", "Player 2", "Score")
JANUARY = [HEAD, (datetime(2026, 1, 2), "Ann", "Bob", "7-4"), (datetime(2026, 1, 9), "Cyd", "Ann", "7-5")]
FEBRUARY = [HEAD, (datetime(2026, 2, 6), "Bob", "Cyd", "3-7"), (datetime(2026, 2, 13), "Ann", "Bob", "5-7")]
PAIRS = ("Ann,Bob", "Ann,Bob", "Bob,Cyd")
MEMBERS = [("Name", "Phone"), ("Ann", "123"), ("Bob", "124"), ("Cyd", "125"), ("Dan", "126")]

LISTS: dict[str, tuple[Callable[[Path], list[Path]], int, str]] = {
    "a cross table of two rounds": (text(CROSS + "Dan;0-11;11-10;3-11;-----\n"), 12, "each cell has matches"),
    "a cross table that says each match twice": (text(MIRRORED), 3, "repeat those above"),
    "a cross table of wins": (
        text(",Ann,Bob,Cyd,Total\nAnn,,3,1,4\nBob,2,,4,6\nCyd,4,1,,5\n"),
        15,
        "games that the row",
    ),
    "a cross table of points": (
        text("\tAnn\tBob\tCyd\nAnn\t*\t7\t3\nBob\t4\t*\t7\nCyd\t7\t6\t*\n"),
        3,
        "one match to 7",
    ),
    "a cross table of words": (text(",Ann,Bob,Cyd\nAnn,,W,L\nBob,L,,W\nCyd,W,L,\n"), 3, "repeat those above"),
    "a sheet for each month, and the members": (
        workbook(January=JANUARY, February=FEBRUARY, Members=MEMBERS),
        4,
        "a list of 4 members; without a match: Dan",
    ),
    "a sheet of the season that repeats the months": (
        workbook(January=JANUARY, Season=[*JANUARY, *FEBRUARY[1:]]),
        4,
        "Season: 2 rows of January again: counted once",
    ),
    "a sheet of results and a table": (
        workbook(Results=JANUARY, Table=[("Rank", "Player", "Won"), (1, "Ann", 1), (2, "Cyd", 1)]),
        2,
        "the workbook has 2 sheets, 1 with a list of results: Results",
    ),
    "a knockout with byes and walkovers": (
        text(
            "Round;Player A;Player B;Result\nR1;Ann;BYE;\nR1;Bob;Cyd;9:6\nR1;Dan;Eve;w/o\nSF;Ann;Bob;9:8\n"
            "SF;Dan;no show;\nF;Ann;Dan;4:11\n"
        ),
        3,
        "",
    ),
    "a log of won games with points": (
        text("timestamp,winner,loser,points\n2026-01-01 20:00,Ann,Bob,1\n2026-01-01 20:20,Bob,Ann,4\n"),
        2,
        "what each game was worth",
    ),
    "a list with letters": (text("Dato;Spiller 1;Spiller 2;Resultat\n3/4/2026;Åse;Bo;V\n10/4/2026;Bo;Åse;T\n"), 2, ""),
    "a list in which both players give every match": (
        text(
            "Date;Player;Opponent;Result\n3.2.2025;Ann;Bob;W\n3.2.2025;Bob;Ann;L\n10.2.2025;Cyd;Ann;L\n"
            "10.2.2025;Ann;Cyd;W\n10.2.2025;Ann;Cyd;W\n10.2.2025;Cyd;Ann;L\n"
        ),
        6,
        "every result stands here from both sides: all count",
    ),
    "a list in Spanish": (text("Fecha;Jugador 1;Jugador 2;Resultado\n14/3/2026;José;Núria;7-4\n"), 1, ""),
    "a list in Swedish": (text("Datum;Vinnare;Förlorare;Resultat\n2026-03-14;Åke;Örjan;7-4\n"), 1, ""),
    "a list in Turkish": (text("Tarih;Oyuncu 1;Oyuncu 2;Skor\n14.03.2026;Işıl;Çağrı;7-4\n"), 1, ""),
    "a list in Russian": (text("Дата;Игрок 1;Игрок 2;Счёт\n14.03.2026;Иван;Пётр;7-4\n"), 1, ""),
    "a list in Japanese": (text("日付,選手1,選手2,得点1,得点2\n2026/3/14,田中,鈴木,7,4\n"), 1, ""),
    "dates in Russian": (text("Дата;Победитель;Проигравший\n14 марта 2026;Иван;Пётр\n1 мая 2026;Иван;Пётр\n"), 2, ""),
    "dates in Japanese": (text("日付,勝者,敗者\n2026年3月14日,田中,鈴木\n"), 1, ""),
    "dates in Turkish": (text("Tarih;Kazanan;Kaybeden\n14 Şubat 2026;Işıl;Çağrı\n2 Ağustos 2026;Işıl;Çağrı\n"), 2, ""),
    "a cross table of wins with sums": (
        text(",Ann,Bob,Cyd,Total\nAnn,,3,1,4\nBob,2,,4,6\nCyd,4,1,,5\nTotal,6,4,5,\n"),
        15,
        "a cross table of 3 players",
    ),
    "a cross table with a bye": (
        text(";Ann;Bob;Cyd;BYE\nAnn;;7-4;7-3;7-0\nBob;4-7;;7-6;7-0\nCyd;3-7;6-7;;7-0\nBYE;0-7;0-7;0-7;\n"),
        3,
        "a cross table of 3 players",
    ),
    "a ladder": (text("Date,Challenger,Defender,Result\n2026-03-14,Ann,Bob,W\n2026-03-15,Cyd,Bob,L\n"), 2, ""),
    "matches of teams": (
        text("Home team;Away team;Home player;Away player;Score\nRed;Blue;Ann;Bob;7-4\n"),
        1,
        "Home team",
    ),
    "columns between bars": (text("player1|player2|score\nAnn Lee|Bob|7-4\n"), 1, ""),
    "scores in words and with other hyphens": (
        text("Joueur 1;Joueur 2;Score\nNoël;Zoé;7 à 4\nNoël;Zoé;7 to 4\nNoël;Zoé;3‑7\n"),
        3,
        "",
    ),
    "lengths in words": (
        text("player1,player2,score,length\nAnn,Bob,7-4,7 pts.\nAnn,Bob,9-8,to 9\nAnn,Bob,5-1,5-point\n"),
        3,
        "",
    ),
    "letters beside scores": (text("Spieler;Gegner;Ergebnis\nAnn;Bob;S\nAnn;Bob;7:4\n"), 2, ""),
    "a winner in other capitals": (text("player1,player2,winner\nAnn Lee,Bob,ANN LEE\n"), 1, ""),
    "a list and match files": (
        lambda folder: [*text("player1,player2,score,length\nBob,Ann,3-0,3\nAnn,Cyd,7-2,7\n")(folder), matches(folder)],
        2,
        "match files: 1 row of list.csv again",
    ),
}


def matches(folder: Path) -> Path:
    (folder / "matches").mkdir()
    (folder / "matches" / "a.mat").write_text(match(), encoding="ascii")
    return folder / "matches"


def read(folder: Path, write: Callable[[Path], list[Path]]) -> GamesToRate:
    return read_games(write(folder), TODAY)


@pytest.mark.parametrize(("write", "games", "note"), LISTS.values(), ids=LISTS)
def test_a_list_as_clubs_keep_them_is_read(
    tmp_path: Path, write: Callable[[Path], list[Path]], games: int, note: str
) -> None:
    reading = read(tmp_path, write)
    assert int(reading.games["count"].sum()) == games, reading.notes
    assert note in "; ".join(reading.notes)


REFUSED: dict[str, tuple[Callable[[Path], list[Path]], str]] = {
    "members alone": (workbook(Members=MEMBERS), r"its first line \(Name Phone\) is not a known form"),
    "a standing": (text("Rank,Player,Played,Won\n1,Ann,3,2\n2,Bob,3,1\n"), "is not a known form"),
    "a season's table": (
        text("Pos,Player,Played,Won,Lost,Points\n1,Iris,6,5,1,10\n2,Sam,6,4,2,8\n"),
        "is not a known form",
    ),
    "a season's table of wins and losses": (text("Name,Won,Lost\nAnn,8,2\nBob,5,5\nCyd,2,8\n"), "is not a known form"),
    "points by round": (
        text("Name;1;2;3;4;Total\nAnn;7;3;7;7;24\nBob;5;7;7;2;21\nCyd;7;7;1;7;22\nDan;4;7;5;7;23\n"),
        "is not a known form",
    ),
    "a cross table of two": (text(",Ann,Bob\nAnn,,7-3\nBob,3-7,\n"), "is not a known form"),
    "names without results": (text("date,player1,player2\n2026-01-02,Ann,Bob\n"), "is not a known form"),
    "too many rows": (text("winner,loser\n" + "a,b\n" * 250_000), "250,001 rows; up to 250,000 are read: split it"),
}


@pytest.mark.parametrize(("write", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_list_is_refused_in_one_sentence(
    tmp_path: Path, write: Callable[[Path], list[Path]], message: str
) -> None:
    with pytest.raises(RatingsError, match=message):
        read(tmp_path, write)


@pytest.mark.parametrize("said", ["winner", "result"])
def test_scores_with_the_winners_points_first_are_read_so(tmp_path: Path, said: str) -> None:
    """One row of this kind is a slip; a row the other way round says that the first player's points stand first."""
    words = {"winner": ("Ann", "Bob", "Cyd"), "result": ("W", "L", "L")}[said]
    rows = [f"{pair},{word},{score}\n" for pair, word, score in zip(PAIRS, words, ("7-1", "7-4", "7-6"), strict=True)]
    head = f"player1,player2,{said},score\n"
    reading = read(tmp_path, text(head + "".join(rows)))
    assert reading.games["first_score"].tolist() == [1.0, 0.0, 0.0]
    assert "the winner's points first" in "; ".join(reading.notes)
    for others in (rows[:2], [*rows, rows[2].replace("7-6", "6-7")]):
        flagged = read(tmp_path, text(head + "".join(others))).flagged
        assert set(flagged["reason"]) == {"the score contradicts the winner"}


def test_a_forfeit_in_a_word_beside_a_score_is_known(tmp_path: Path) -> None:
    reading = read(tmp_path, text("player1,player2,score,result\nAnn,Bob,7-4,W\nAnn,Cyd,0-7,forfeit\n"))
    assert (len(reading.games), reading.flagged["reason"].tolist()) == (1, ["a forfeit: not rated"])


def test_a_standing_that_would_leave_most_matches_out_has_another_system(tmp_path: Path) -> None:
    """Whole-history ratings need dates; cross tables have none."""
    group = [("", "Ann", "Bob", "Cyd"), ("Ann", "", "7-4", "3-7"), ("Bob", "4-7", "", "7-2"), ("Cyd", "7-3", "2-7", "")]
    final = [HEAD, (datetime(2026, 5, 1), "Ann", "Cyd", "11-9")]
    league = rate_results(workbook(Group=group, Final=final)(tmp_path), today=TODAY)
    assert "3 matches without a date: not used in ratings over time" in league.notes
    main, rows = league.standing
    assert (main, len(rows)) == ("fibs", 3)
    assert "75% of the games have no date" in league.left_out.values()


def test_a_match_of_a_cross_table_that_is_contradicted_is_flagged(tmp_path: Path) -> None:
    reading = read(tmp_path, text(MIRRORED.replace("3,Cyd,7-5", "3,Cyd,6-7")))
    assert len(reading.games) == 2
    assert "contradicts the one across the diagonal" in reading.flagged["reason"].iloc[0]


def test_a_walkover_in_a_cross_table_is_called_so(tmp_path: Path) -> None:
    reading = read(tmp_path, text(";Ann;Bob;Cyd\nAnn;;7-4;w/o\nBob;4-7;;7-6\nCyd;-;6-7;\n"))
    assert (len(reading.games), reading.flagged["reason"].tolist()) == (2, ["a forfeit: not rated"])


def test_players_of_a_cross_table_stand_by_their_wins(tmp_path: Path) -> None:
    path = text(CROSS + "Dan;0-11;11-10;3-11;-----\n")(tmp_path)[0]
    wins = rate_results(path, today=TODAY).files["league.csv"].set_index("player")["wins"]
    assert wins.to_dict() == {"Ann": 4.0, "Bob": 3.0, "Cyd": 4.0, "Dan": 1.0}


def test_wins_of_a_cross_table_are_games_and_halves_are_draws(tmp_path: Path) -> None:
    """Ann won 2 of 3 against Bob; Bob and Cyd drew one and Cyd won one; Ann and Cyd drew."""
    games = read(tmp_path, text(",Ann,Bob,Cyd\nAnn,,2,½\nBob,1,,0.5\nCyd,½,1.5,\n")).games
    found = [(row.first, row.second, row.first_score) for row in games.sort_values(["first", "second"]).itertuples()]
    assert found == [
        ("Ann", "Bob", 1.0),
        ("Ann", "Bob", 1.0),
        ("Ann", "Bob", 0.0),
        ("Ann", "Cyd", 0.5),
        ("Bob", "Cyd", 0.0),
        ("Bob", "Cyd", 0.5),
    ]


def test_match_files_are_rated_in_the_order_of_their_dates(tmp_path: Path) -> None:
    for name, dice, month in (("a", "41", 5), ("b", "43", 2)):
        (tmp_path / f"{name}.mat").write_text(match(dice=dice, month=month), encoding="ascii")
    assert read_games([tmp_path], TODAY).games["date"].tolist() == ["2024-02-01", "2024-05-01"]
