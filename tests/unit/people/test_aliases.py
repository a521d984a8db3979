"""Names that may be one person's are suggested, and what is given back is what was suggested."""

import os
from pathlib import Path

import pandas as pd
import pytest

from bgrating.people.aliases import joined, known_name, persons, read_aliases, suggestions
from bgrating.settings import SettingsError
from bgrating.tables.tables import write_table
from corpus import cases


def matches(*pairs: tuple[str, str]) -> pd.DataFrame:
    rows = [{"player": one, "opponent": other} for pair in pairs for one, other in (pair, pair[::-1])]
    return pd.DataFrame(rows)


def suggested(table: pd.DataFrame) -> dict[str, tuple[str, str]]:
    return {row.alias: (row.name, row.reason) for row in suggestions(table).itertuples(index=False)}


def test_capitals_accents_blanks_and_words() -> None:
    found = suggested(
        matches(
            *[("Zoë Lee", "x")] * 4,
            ("Zoe Lee", "x"),
            ("ZOË LEE", "x"),
            ("zoelee", "x"),
            ("Zoë-Lee", "x"),
        )
    )
    assert found == dict.fromkeys(
        ("ZOË LEE", "Zoe Lee", "zoelee", "Zoë-Lee"), ("Zoë Lee", "the same but for capitals, accents, blanks or signs")
    )


def test_a_team_is_neither_of_its_members_and_umlauts_have_two_spellings() -> None:
    team = ("Ann Lee", "x"), ("Bob Ray", "x"), *[("Ann Lee Bob Ray", "x")] * 2
    assert suggested(matches(*team)) == {}
    umlauts = ("Mueller", "y"), *[("Müller", "y")] * 2
    assert suggested(matches(*umlauts)) == {"Mueller": ("Müller", "the same but for umlauts")}


@pytest.mark.parametrize(("twin", "name"), cases("values.twins"))
def test_every_kind_of_twin_is_suggested(twin: str, name: str) -> None:
    assert {alias: other for alias, (other, _) in suggested(matches(*[(name, "x")] * 2, (twin, "y"))).items()} == {
        twin: name
    }


@pytest.mark.parametrize(("one", "other"), cases("values.two_persons"))
def test_what_may_be_two_persons_is_not_suggested(one: str, other: str) -> None:
    assert suggested(matches(*[(one, "x")] * 2, (other, "y"))) == {}


def test_initials_of_two_persons_name_none() -> None:
    assert suggested(matches(("J. Smith", "x"), ("John Smith", "y"), ("Jane Smith", "z"))) == {}


@pytest.mark.parametrize("data", ["alias;name\nZoé;Zoë\n".encode("cp1252"), "alias\tname\nZoé\tZoë\n".encode("utf-16")])
def test_aliases_as_a_spreadsheet_saves_them(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "aliases.csv").write_bytes(data)
    assert read_aliases(tmp_path / "aliases.csv") == {"Zoé": "Zoë"}


def test_who_has_played_each_other_are_two() -> None:
    assert suggested(matches(("ann", "Ann"))) == {}


def test_no_alias_is_the_name_of_another() -> None:
    names = ("Christopher Lee", "Christophr Lee", "Christophe Lee", "C. Lee", "christopher lee")
    found = suggested(matches(*[(name, "x") for name in names]))
    assert len(found) > 1
    assert not set(found) & {name for name, _ in found.values()}


def test_what_is_suggested_can_be_given_back(tmp_path: Path) -> None:
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


def test_who_is_asked_for_is_found_by_the_letters_of_the_name() -> None:
    names = ["Zoë Lee", "ANN", "ann", "Bob\\u200b", "Łukasz"]
    for wanted, name in {"zoe lee": "Zoë Lee", "ZOËLEE": "Zoë Lee", "ANN": "ANN", "bob": "Bob\\u200b"}.items():
        assert known_name(wanted, names) == name
    with pytest.raises(SettingsError, match=r"player Ann: which of them: ANN, ann\?"):
        known_name("Ann", names)
    with pytest.raises(SettingsError, match=r"player zoé lea: no such player here; did you mean Zoë Lee\?"):
        known_name("zoé lea", names)
    with pytest.raises(SettingsError, match=r"player qqq: no such player here$"):
        known_name("qqq", names)


@pytest.mark.parametrize(("rows", "words"), cases("sentences.aliases"))
def test_aliases_that_say_nothing_or_two_things_are_refused(tmp_path: Path, rows: str, words: str) -> None:
    head = "from,to" if words.startswith("needs") else "alias,name"
    (tmp_path / "aliases.csv").write_text(f"{head}\n{rows}\n")
    with pytest.raises(SettingsError) as refused:
        read_aliases(tmp_path / "aliases.csv")
    assert words in str(refused.value)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="another system's pipes")
def test_aliases_that_are_no_file_are_one_sentence_at_once(tmp_path: Path) -> None:
    """Line 7: a pipe was waited for without end; a device filled the memory."""
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero")):
        with pytest.raises(SettingsError, match=r"cannot be read as CSV: .*not a regular file"):
            read_aliases(path)


def test_an_alias_of_an_alias_is_followed_to_its_end_and_empty_rows_are_none(tmp_path: Path) -> None:
    (tmp_path / "aliases.csv").write_text("alias,name\na,b\n,\nb,c\n\nd,d\n")
    assert read_aliases(tmp_path / "aliases.csv") == {"a": "c", "b": "c", "d": "d"}


def bearers(pairs: dict[tuple[str, str], int], **aliases: str) -> tuple[dict[str, str], list[str]]:
    found, remarks = persons(pairs, aliases)
    return {name: bearer for name, bearer in found.items() if name != bearer}, remarks


def test_names_that_differ_in_capitals_alone_are_one_person_and_that_is_said() -> None:
    pairs = {("Ann", "x"): 2, ("ANN", "y"): 1, ("ann", "x"): 1, ("", "x"): 1}
    found, (remark,) = bearers(pairs)
    assert found == {"ANN": "Ann", "ann": "Ann"}
    assert "Ann (ANN, ann)" in remark
    # The alias that a user gives is the name of all.
    found, (remark,) = bearers(pairs, ANN="Ann Lee")
    assert found == {"Ann": "Ann Lee", "ANN": "Ann Lee", "ann": "Ann Lee"}
    assert "Ann Lee (Ann, ann)" in remark
    assert bearers(pairs | {("ANN LEE", "x"): 9}, ann="Ann Lee")[0]["ANN LEE"] == "Ann Lee"


def test_names_stay_apart_where_the_user_or_a_match_says_so() -> None:
    pairs = {("Ann", "x"): 2, ("ANN", "y"): 1, ("ann", "x"): 1}
    assert bearers(pairs, ann="ann")[0] == {"ANN": "Ann"}
    assert bearers(pairs, ann="ann", ANN="Ann Lee")[0] == {"ANN": "Ann Lee"}
    assert bearers(pairs | {("ann", "Ann"): 1}) == ({}, [])
    assert bearers({("ann", "Ann"): 1, ("x", "y"): 1}, ann="Bob")[0] == {"ann": "Bob"}
    assert bearers({("bob", "Ann"): 1, ("ann", "y"): 1}, bob="ann")[0] == {"bob": "ann"}  # these two have met as well
