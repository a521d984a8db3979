"""Names that may be one person's are suggested, and what is given back is what was suggested."""

from pathlib import Path

import pandas as pd
import pytest

from bgrating.collection.aliases import joined, known_name, read_aliases, suggestions
from bgrating.settings import SettingsError
from bgrating.tables.tables import write_table


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
            ("Lee", "x"),
            *[("Bob Ray", "y")] * 2,
            ("Bob", "y"),
            ("Al", "y"),
            ("Al Poe", "y"),
        )
    )
    assert found == {
        "ZOË LEE": ("Zoë Lee", "the same but for capitals"),
        "Zoe Lee": ("Zoë Lee", "the same but for accents"),
        "zoelee": ("Zoë Lee", "the same but for blanks or signs"),
        "Zoë-Lee": ("Zoë Lee", "the same but for blanks or signs"),
        "Lee": ("Zoë Lee", "all its words are in the other"),
        "Bob": ("Bob Ray", "all its words are in the other"),
    }


def test_a_team_is_neither_of_its_members_and_umlauts_have_two_spellings() -> None:
    team = ("Ann Lee", "x"), ("Bob Ray", "x"), *[("Ann Lee Bob Ray", "x")] * 2
    assert suggested(matches(*team)) == {}
    umlauts = ("Mueller", "y"), *[("Müller", "y")] * 2
    assert suggested(matches(*umlauts)) == {"Mueller": ("Müller", "the same but for umlauts")}


@pytest.mark.parametrize("data", ["alias;name\nZoé;Zoë\n".encode("cp1252"), "alias\tname\nZoé\tZoë\n".encode("utf-16")])
def test_aliases_as_a_spreadsheet_saves_them(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "aliases.csv").write_bytes(data)
    assert read_aliases(tmp_path / "aliases.csv") == {"Zoé": "Zoë"}


def test_who_has_played_each_other_are_two() -> None:
    assert suggested(matches(("ann", "Ann"), ("ann", "Ann Lee"), ("bob", "x"))) == {
        "Ann": ("Ann Lee", "all its words are in the other")
    }
    assert suggested(matches(("ann", "Ann"))) == {}


def test_no_alias_is_the_name_of_another() -> None:
    table = matches(
        ("ann", "x"), ("ann lee", "x"), ("Ann Lee", "y"), ("ann lee poe", "z"), ("ANN", "z"), *[("ann", "w")] * 5
    )
    found = suggested(table)
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


def test_thousands_of_names_take_no_time() -> None:
    table = matches(*[(f"player {number}", f"opponent {number % 7}") for number in range(20_000)])
    assert not len(suggestions(table))
