"""Names from files in tables: no spreadsheet finds a formula; every name comes back."""

import csv
from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pandas as pd
import pytest

from bgrating.tables.csv_safety import cell, escape_controls, unescape, without_mark
from bgrating.tables.table_files import read_table, write_table
from corpus import cases

FORMULA = tuple("=+-@＝＋－＠")
NAMES = cases("values.names_of_spreadsheets")


def cells(line: str, separator: str) -> list[str]:
    """Return what a spreadsheet may find in a line: with quotation marks read, and without."""
    read = next(csv.reader([line], delimiter=separator))
    return [*read, *(part.strip('" ') for part in line.split(separator))]


def harmless(text: str) -> None:
    for line, separator in product(text.splitlines()[1:], ",;\t|"):
        formulas = [cell for cell in cells(line, separator) if cell.startswith(FORMULA)]
        assert not formulas or (
            separator == "," and not any(cell in formulas for cell in next(csv.reader([line])))
        ), line


def test_no_separator_makes_a_formula_of_a_name(tmp_path: Path) -> None:
    table = pd.DataFrame(
        {
            "player": NAMES,
            "wins_first": 1.5,
            "games_first": 2,
            "wins_second": 1.0,
            "games_second": 1,
        }
    )
    write_table(table, tmp_path / "x.csv", "ratings/first_mover")
    harmless((tmp_path / "x.csv").read_text(encoding="utf-8"))
    assert read_table(tmp_path / "x.csv")["player"].tolist() == NAMES


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_every_text_of_a_cell_is_read_back(length: int) -> None:
    for letters in product("=;'\" a\t", repeat=length):
        text = "".join(letters)
        assert without_mark(cell(text)) == text


def test_controls_become_escapes_that_can_be_taken_back() -> None:
    hostile = "a\x1b[31m\x07\x00\u202e\u200b\\n\ud800\uffff\x85\u2028é"
    escaped = escape_controls(hostile)
    assert escaped.isprintable()
    ElementTree.fromstring(f"<a>{escaped}</a>")
    assert unescape(escape_controls("a\x1b\u202e\\n\\")) == "a\x1b\u202e\\n\\"
