"""Names that may be one person's are suggested, and what is given back is what was suggested."""

import os
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from bgrating.people.aliases import joined, known_name, persons, read_aliases, suggestions
from bgrating.settings_files import SettingsError
from bgrating.tables.table_files import write_table
from corpus import cases

ALIKE = "the same but for capitals, accents, umlauts, signs or the order of words"


def matches(*pairs: tuple[str, str]) -> pd.DataFrame:
    rows = [
        {"player": one, "opponent": other} for pair in pairs for one, other in (pair, pair[::-1])
    ]
    return pd.DataFrame(rows)


def suggested(table: pd.DataFrame) -> dict[str, tuple[str, str]]:
    return {row.alias: (row.name, row.reason) for row in suggestions(table).itertuples(index=False)}


def test_capitals_accents_blanks_and_words() -> None:
    others = ("ZOË LEE", "Zoe Lee", "zoelee", "Zoë-Lee")
    found = suggested(matches(*[("Zoë Lee", "x")] * 4, *((name, "x") for name in others)))
    assert found == dict.fromkeys(others, ("Zoë Lee", ALIKE))


@pytest.mark.parametrize("pairs", cases("values.names_of_several_persons"))
def test_names_that_several_persons_may_have_are_not_suggested(pairs: list[list[str]]) -> None:
    assert suggested(matches(*map(tuple, pairs))) == {}


@pytest.mark.parametrize(("twin", "name"), cases("values.twins"))
def test_every_kind_of_twin_is_suggested(twin: str, name: str) -> None:
    assert {
        alias: other
        for alias, (other, _) in suggested(matches(*[(name, "x")] * 2, (twin, "y"))).items()
    } == {twin: name}


@pytest.mark.parametrize(("one", "other"), cases("values.two_persons"))
def test_names_of_two_persons_are_not_suggested(one: str, other: str) -> None:
    assert suggested(matches(*[(one, "x")] * 2, (other, "y"))) == {}


@pytest.mark.parametrize(
    "data", ["alias;name\nZoé;Zoë\n".encode("cp1252"), "alias\tname\nZoé\tZoë\n".encode("utf-16")]
)
def test_aliases_as_a_spreadsheet_saves_them(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "aliases.csv").write_bytes(data)
    assert read_aliases(tmp_path / "aliases.csv") == {"Zoé": "Zoë"}


def test_aliases_in_the_code_page_of_a_country(tmp_path: Path) -> None:
    path = tmp_path / "aliases.csv"
    path.write_bytes("alias;name\nŁuć;Łukasz Żak\n".encode("cp1250"))
    assert read_aliases(path) == {"Łuć": "Łukasz Żak"}
    path.write_bytes("alias;name\nDo;Doğan\n".encode("cp1254"))
    sentence = r"Windows-1254 \(Doğan\) or Windows-1250 \(Dođan\); save it as CSV UTF-8"
    with pytest.raises(SettingsError, match=sentence):
        read_aliases(path)


def test_no_alias_is_the_name_of_another() -> None:
    names = ("Christopher Lee", "Christophr Lee", "Christophe Lee", "C. Lee", "christopher lee")
    found = suggested(matches(*[(name, "x") for name in names]))
    assert len(found) > 1
    assert not set(found) & {name for name, _ in found.values()}


def test_suggestions_can_be_given_back_as_aliases(tmp_path: Path) -> None:
    names = ["=1+1", "=1 + 1", "'t Hooft", "'T HOOFT", "@ann", "Ann", "plain"]
    table = matches(*[(name, "other") for name in names], ("Ann", "other"))
    alike = suggestions(table)
    assert len(alike) == 3
    write_table(alike, tmp_path / "aliases.csv", "human/alias_suggestions")
    given = read_aliases(tmp_path / "aliases.csv")
    assert given == dict(zip(alike["alias"], alike["name"], strict=True))
    merged = joined(table, given)
    assert not len(suggestions(merged))
    (tmp_path / "raw.csv").write_text("alias,name\n't Hooft,Hooft\n=1+1,sum\n", encoding="utf-8")
    assert read_aliases(tmp_path / "raw.csv") == {"'t Hooft": "Hooft", "=1+1": "sum"}


def test_a_player_is_found_by_the_letters_of_the_name() -> None:
    names = ["Zoë Lee", "ANN", "ann", "Bob\\u200b", "Łukasz"]
    found = {"zoe lee": "Zoë Lee", "ZOËLEE": "Zoë Lee", "ANN": "ANN", "bob": "Bob\\u200b"}
    for wanted, name in found.items():
        assert known_name(wanted, names) == name
    for wanted, sentence in cases("sentences.unknown_players"):
        with pytest.raises(SettingsError, match=sentence):
            known_name(wanted, names)


@pytest.mark.parametrize(("rows", "words"), cases("sentences.aliases"))
def test_empty_or_contradictory_aliases_are_refused(tmp_path: Path, rows: str, words: str) -> None:
    head = "from,to" if words.startswith("needs") else "alias,name"
    (tmp_path / "aliases.csv").write_text(f"{head}\n{rows}\n")
    with pytest.raises(SettingsError) as refused:
        read_aliases(tmp_path / "aliases.csv")
    assert words in str(refused.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="another system's pipes")
def test_aliases_that_are_no_file_are_refused_at_once(tmp_path: Path) -> None:
    """Line 7: a pipe was waited for without end; a device filled the memory."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(SettingsError, match=r"cannot be read as CSV: .*not a regular file"):
            read_aliases(path)


def test_an_alias_of_an_alias_is_followed_to_its_end_and_empty_rows_are_none(
    tmp_path: Path,
) -> None:
    (tmp_path / "aliases.csv").write_text("alias,name\na,b\n,\nb,c\n\nd,d\n")
    assert read_aliases(tmp_path / "aliases.csv") == {"a": "c", "b": "c", "d": "d"}


@pytest.mark.parametrize(("pairs", "aliases", "others", "remark"), cases("values.persons"))
def test_names_that_differ_in_capitals_are_one_person_unless_the_user_or_a_match_says_otherwise(
    pairs: list[str], aliases: dict[str, str], others: dict[str, str], remark: str
) -> None:
    numbers = Counter(tuple(pair.split(" - ")) for pair in pairs)
    found, remarks = persons(numbers, aliases)
    assert {name: person for name, person in found.items() if name != person} == others
    assert [remark in one for one in remarks] == [True] * bool(remark)
