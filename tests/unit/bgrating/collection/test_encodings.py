"""Names in code pages: other files tell the right reading, and figures never change."""

from pathlib import Path

import pytest

from bgrating.collection.listing import ListedFile
from bgrating.collection.readings import CollectionReading
from bgrating.people.aliases import MOST_NAMED
from match_texts import TEXTS
from records import records_of

NAMES = ("Doğan", "Uğur Şahin")


def text(*names: str) -> str:
    """Return the text of a match of two players, in a manner that has no names in its headers."""
    changed = TEXTS["gnubg"]
    first, second = _players()
    return changed.replace(f" {first} :", f" {names[0]} :").replace(
        f" {second} :", f" {names[1]} :"
    )


def _players() -> list[str]:
    (record,) = records_of({"a.mat": TEXTS["gnubg"]})
    return list(record.names)


def reading_of(**texts: bytes) -> CollectionReading:
    reading = CollectionReading()
    for record in records_of({f"{name}.mat": data for name, data in texts.items()}):
        list(reading.add(ListedFile(record.file, record.file), record))
    reading.settle_names()
    return reading


def names(reading: CollectionReading) -> list[list[str]]:
    return [list(record.names) for record in reading.records]


def test_what_stays_open_is_said() -> None:
    reading = reading_of(a=text("Doğan", "Bob").encode("cp1254"))
    (remark,) = reading.remarks
    assert "a.mat: it may be written in Windows-1254 (Doğan) or Windows-1250 (Dođan)" in remark
    assert "(Dođan). If names look wrong, save the file as UTF-8" in remark
    assert names(reading) == [["Doğan", "Bob"]]


def test_the_first_files_of_a_guess_are_named_and_the_others_are_counted() -> None:
    guess = text("Doğan", "Bob").encode("cp1254")
    (remark,) = reading_of(**{f"a{number}": guess for number in range(MOST_NAMED + 2)}).remarks
    assert remark.count("it may be written in") == MOST_NAMED
    assert "; and 2 more. If names" in remark


@pytest.mark.parametrize("known", ["Dođan", "DODAN"])
def test_a_name_that_another_file_has_decides(known: str) -> None:
    """An accent less is the same name; the table of aliases then suggests the twins."""
    reading = reading_of(a=text("Doğan", "Bob").encode("cp1254"), b=text(known, "Cyd").encode())
    assert names(reading) == [["Dođan", "Bob"], [known, "Cyd"]]
    (remark,) = reading.remarks
    assert (
        "a.mat: its names were read as Windows-1250, since Dođan is known from another file"
        in remark
    )
    assert reading.pairs == {("Dođan", "Bob"): 1, (known, "Cyd"): 1}


def test_a_guess_is_said_and_utf_8_is_not() -> None:
    reading = reading_of(a=text("Łuć", "Żak").encode("cp1250"), b=text("Łuć", "Żak").encode())
    assert names(reading) == [["Łuć", "Żak"]] * 2
    (remark,) = reading.remarks
    assert "a.mat: it was read as Windows-1250 (such as Łuć)" in remark
    assert "b.mat" not in remark


def test_figures_stay_whatever_the_names_become() -> None:
    one = reading_of(a=text(*NAMES).encode("cp1254"))
    other = reading_of(a=text(*NAMES).encode())
    assert [record.matches for record in one.records] == [
        record.matches for record in other.records
    ]
    assert other.remarks == []


def test_two_turkish_files_have_two_people(shared: Path) -> None:
    cases = shared / "cases"
    found = reading_of(
        **{
            name[:-4]: (cases / name).read_bytes()
            for name in ("turkish-1254.mat", "turkish-utf8.mat")
        }
    )
    assert names(found) == [["Şenol Işık", "İgü Çelik"]] * 2
