"""Spreadsheets: cells that became times or dates, and hostile files. lists.toml has more."""

import io
import zipfile
from collections.abc import Callable
from datetime import date, time, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import binary_workbook
from bgleague.readers import read_games
from bgleague.settings import RatingsError
from corpus import DATA, cases

LIST: list[tuple[Any, ...]] = [
    ("player1", "player2", "score"),
    ("Ann", "Bob", "7-4"),
    ("Bob", "Cyd", "7-2"),
]
SHEET = "xl/worksheets/sheet1.xml"


def workbook(path: Path, rows: list[tuple[Any, ...]], **cells: str) -> Path:
    book = openpyxl.Workbook()
    sheet = book["Sheet"]
    for row in rows:
        sheet.append(row)
    for address, value in cells.items():
        sheet[address] = value
    book.save(path)
    return path


def test_a_score_that_became_a_time_is_one_again_and_one_that_became_a_date_is_flagged(
    tmp_path: Path,
) -> None:
    scores = (time(7, 4), timedelta(hours=25, minutes=3), date(2026, 4, 7))
    reading = read_games(
        [workbook(tmp_path / "club.xlsx", [LIST[0], *(("Ann", "Bob", score) for score in scores)])]
    )
    assert reading.games["length"].tolist() == [7, 25]
    assert ["write it as 7:4" in reason for reason in reading.flagged["reason"]] == [True]


@pytest.mark.parametrize(("name", "games"), cases("values.workbooks"))
def test_workbooks_of_other_programs_are_read(name: str, games: list[list[Any]]) -> None:
    games_read = read_games([DATA / "lists" / name]).games
    assert games_read[["first", "second", "first_score", "length"]].to_numpy().tolist() == games


def test_a_binary_workbook_of_excel_is_read(tmp_path: Path) -> None:
    """The second date is the day 46082 of a spreadsheet."""
    rows = [
        ("date", "player1", "player2", "score1", "score2"),
        ("2026-03-01", "Ann Łuć", "Bob", 7.0, 4.0),
        (46082.0, "Bob", "Cyd", 2.0, 11.0),
    ]
    path = tmp_path / "club.xlsb"
    path.write_bytes(binary_workbook.workbook("Club", rows))
    games_read = read_games([path]).games
    assert games_read[["first", "second", "first_score", "length"]].to_numpy().tolist() == [
        ["Ann Łuć", "Bob", 1.0, 7],
        ["Bob", "Cyd", 0.0, 11],
    ]
    assert games_read["date"].tolist() == ["2026-03-01", "2026-03-01"]
    path.write_bytes(path.read_bytes()[:-300])
    with pytest.raises(RatingsError, match="a damaged or protected spreadsheet"):
        read_games([path])


def test_a_cell_far_out_is_left_out_or_refused(tmp_path: Path) -> None:
    """A million rows of three columns are read; 17 billion cells take more memory than there is."""
    assert len(read_games([workbook(tmp_path / "club.xlsx", LIST, B1048576="")]).games) == 2
    assert len(read_games([workbook(tmp_path / "club.xlsx", LIST, XFD3="x")]).games) == 2
    with pytest.raises(RatingsError, match="its cells need too much memory"):
        read_games([workbook(tmp_path / "club.xlsx", LIST, XFD1048576="x")])


def changed(book: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Return a workbook with a changed sheet."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(book)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for name in old.namelist():
            new.writestr(name, change(old.read(name)) if name == SHEET else old.read(name))
    return out.getvalue()


def laughs(sheet: bytes) -> bytes:
    """Return a sheet with a name of ten billion letters, by entities of ten entities each."""
    letters = "abcdefghij"
    entities = ['<!ENTITY a "0123456789">']
    for inner, outer in pairwise(letters):
        entities.append(f'<!ENTITY {outer} "{f"&{inner};" * 10}">')
    assert b"Bob" in sheet
    return f"<!DOCTYPE x [{''.join(entities)}]>".encode() + sheet.replace(b"Bob", b"&j;")


@pytest.mark.slow
def test_a_harmful_spreadsheet_is_refused_in_one_sentence(tmp_path: Path) -> None:
    data = workbook(tmp_path / "good.xlsx", LIST).read_bytes()
    word = io.BytesIO()
    with zipfile.ZipFile(word, "w") as archive:
        archive.writestr("word/document.xml", "<w/>")
    for data_of_file, message in (
        (data[: len(data) // 2], "a damaged or protected spreadsheet"),
        (data[:200] + bytes(300) + data[500:], "a damaged or protected spreadsheet"),
        (changed(data, lambda sheet: sheet + b" " * 200_000_000), "it expands to more than 100 MB"),
        (changed(data, laughs), "a damaged or protected spreadsheet"),
        (word.getvalue(), "a damaged or protected spreadsheet"),
        (data + bytes(9_000_000), "a spreadsheet of more than 8 MB; save it as CSV"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100), "a damaged or protected spreadsheet"),
        (b"%PDF-1.7\n", "a PDF; save it as CSV or .xlsx"),
        (bytes(range(256)) * 10, "not a text"),
    ):
        path = tmp_path / "list.bin"
        path.write_bytes(data_of_file)
        with pytest.raises(RatingsError, match=message) as problem:
            read_games([path])
        assert "\n" not in str(problem.value)
        assert len(str(problem.value)) < 400
