"""Lists as other programs save them: encodings, separators, title rows, spreadsheets, and files that mean harm."""

import io
import zipfile
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from bgrating.league.readers import read_games
from bgrating.league.settings import GamesToRate, RatingsError

TODAY = date(2026, 11, 22)
ROWS = [("14.03.2026", "Jürgen Groß", "Bob", "7", "4", "7"), ("15.3.2026", "Bob", "Zoë", "7", "2", "7")]
HEAD = ("Datum", "Spieler 1", "Spieler 2", "Punkte 1", "Punkte 2", "Länge")


def text(separator: str, end: str = "\r\n") -> str:
    return end.join([separator.join(row) for row in (HEAD, *ROWS)]) + end


def read(path: Path) -> GamesToRate:
    return read_games(path, TODAY)


def holds(reading: GamesToRate) -> None:
    games = reading.games
    assert games[["first", "second"]].to_numpy().tolist() == [["Jürgen Groß", "Bob"], ["Bob", "Zoë"]]
    assert games["first_score"].tolist() == [1, 1]
    assert games["date"].tolist() == ["2026-03-14", "2026-03-15"]
    assert games["length"].tolist() == [7, 7]
    assert reading.flagged.empty


@pytest.mark.parametrize("separator", [";", "\t", ","])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
def test_text_of_every_program_gives_the_same_games(tmp_path: Path, separator: str, encoding: str, end: str) -> None:
    """German Excel saves `;` and Windows-1252, or tabs and UTF-16; Word tabs and Windows-1252 or UTF-8 with a mark."""
    path = tmp_path / "club.txt"
    path.write_bytes(text(separator, end).encode(encoding))
    holds(read(path))
    assert ["Windows-1252 (such as" in note for note in read(path).notes] == [True] * (encoding == "cp1252")


@pytest.mark.parametrize(
    "above",
    [
        "Vereinsmeisterschaft 2026;;;;;\n",
        "sep=;\n",
        ";;;;;\nBackgammonclub München, Stand 1.4.2026;;;;;\n\n",
        "Ergebnisse: Hin- und Rückrunde, nach Datum\nTabelle 1\n",
    ],
)
def test_rows_above_the_names_of_the_columns_are_skipped(tmp_path: Path, above: str) -> None:
    path = tmp_path / "club.csv"
    path.write_text(above + text(";"), encoding="utf-8")
    holds(read(path))
    assert "above the names of the columns" in read(path).notes[0]


def test_two_columns_of_one_name_are_the_first_and_the_second_players(tmp_path: Path) -> None:
    path = tmp_path / "club.csv"
    path.write_text("Spieler;Punkte;Spieler;Punkte\nAnn;7;Bob;4\nAnn;3;Bob;7\n")
    assert read(path).games["first_score"].tolist() == [1, 0]


def workbook(path: Path, rows: list[tuple[Any, ...]], title: str = "Liste") -> Path:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = title
    for row in rows:
        sheet.append(row)
    book.save(path)
    return path


def test_a_spreadsheet_is_read_with_its_dates_and_numbers(tmp_path: Path) -> None:
    rows: list[tuple[Any, ...]] = [
        ("Clubmeisterschaft",),
        (),
        HEAD,
        (date(2026, 3, 14), "Jürgen Groß", "Bob", 7, 4.0, 7),
        (datetime(2026, 3, 15), "Bob", "Zoë", "7", "2", 7),
    ]
    reading = read(workbook(tmp_path / "club.xlsx", rows))
    holds(reading)
    assert reading.games["row"].tolist() == [4, 5]
    assert reading.notes == ("1 row above the names of the columns",)
    total = [(), ("Summe", None, None, "=SUM(D4:D5)", None, None)]  # which Excel has not computed
    reading = read(workbook(tmp_path / "total.xlsx", [*rows, *total]))
    assert (len(reading.games), reading.flagged["row"].tolist()) == (2, [7])


def test_the_first_sheet_with_results_is_read_and_named(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.create_sheet("Spiele")
    for row in (HEAD, *ROWS):
        book["Spiele"].append(row)
    book.save(tmp_path / "club.xlsx")
    reading = read(tmp_path / "club.xlsx")
    holds(reading)
    assert "the workbook has 2 sheets, 1 with a list of results: Spiele" in reading.notes[0]


def test_a_score_that_became_a_time_is_one_again_and_one_that_became_a_date_is_flagged(tmp_path: Path) -> None:
    head = ("player1", "player2", "score")
    rows = [
        head,
        ("Ann", "Bob", time(7, 4)),
        ("Ann", "Bob", timedelta(hours=25, minutes=3)),
        ("Ann", "Bob", date(2026, 4, 7)),
    ]
    reading = read(workbook(tmp_path / "club.xlsx", rows))
    assert reading.games["length"].tolist() == [7, 25]
    assert ["write it as 7:4" in reason for reason in reading.flagged["reason"]] == [True]
    (tmp_path / "club.csv").write_text("player1;player2;score\nAnn;Bob;07:04\nAnn;Bob;07. Apr\n")
    assert read(tmp_path / "club.csv").games["length"].tolist() == [7]


def test_cells_far_out_take_neither_memory_nor_time(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    sheet = book.active
    assert sheet is not None
    for row in (HEAD, *ROWS):
        sheet.append(row)
    sheet["XFD1048576"] = "x"
    book.save(tmp_path / "club.xlsx")
    reading = read(tmp_path / "club.xlsx")
    assert len(reading.games) == 2


def changed(source: Path, target: Path, change: Callable[[str, bytes], bytes]) -> Path:
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(name, change(name, old.read(name)))
    return target


@pytest.mark.slow
def test_what_means_harm_is_one_sentence(tmp_path: Path) -> None:
    good = workbook(tmp_path / "good.xlsx", [HEAD, *ROWS])
    data = good.read_bytes()
    sheet = "xl/worksheets/sheet1.xml"
    bomb = changed(good, tmp_path / "bomb.xlsx", lambda name, old: old + b" " * 200_000_000 * (name == sheet))
    entity = (
        b'<!DOCTYPE x [<!ENTITY a "0123456789">'
        + b"".join(b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9))
        + b"]>"
    )
    laughs = changed(
        good,
        tmp_path / "laughs.xlsx",
        lambda name, old: entity + old.replace(b"Bob", b"&j;") if name == sheet else old,
    )
    assert b"&j;" in zipfile.ZipFile(laughs).read(sheet)
    rows_far = changed(
        good,
        tmp_path / "far.xlsx",
        lambda name, old: old.replace(b'<row r="3"', b'<row r="99999999999"') if name == sheet else old,
    )
    assert len(read(rows_far).games) == 1
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w") as parts:
        parts.writestr("word/document.xml", "<w/>")
    for name, content, message in (
        ("cut", data[: len(data) // 2], "a damaged spreadsheet"),
        ("zero", data[:200] + bytes(300) + data[500:], "a damaged spreadsheet"),
        ("bomb", bomb.read_bytes(), "it expands to more than 100 MB"),
        ("laughs", laughs.read_bytes(), "a damaged spreadsheet"),
        ("word", empty.getvalue(), "a damaged spreadsheet"),
        ("large", data + bytes(9_000_000), "a spreadsheet of more than 8 MB; save it as CSV"),
        ("old", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "an old or protected spreadsheet"),
        ("pdf", b"%PDF-1.7\n", "a PDF; save it as CSV or .xlsx"),
        ("noise", bytes(range(256)) * 10, "not a text"),
    ):
        path = tmp_path / f"{name}.bin"
        path.write_bytes(content)
        with pytest.raises(RatingsError, match=message) as problem:
            read(path)
        assert "\n" not in str(problem.value)
        assert len(str(problem.value)) < 400


def test_a_spreadsheet_without_results_quotes_its_first_row(tmp_path: Path) -> None:
    with pytest.raises(RatingsError, match=r"its first line \(Nachname Stärke\)"):
        read(workbook(tmp_path / "x.xlsx", [("Nachname", "Stärke"), ("Ann", 3)]))
