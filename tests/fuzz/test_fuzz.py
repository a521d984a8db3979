"""Attacks repeat by their seed, and each outcome is told from the others."""

import dataclasses
import json
import random
from pathlib import Path

import pandas as pd
import pytest

from bgrating.collection import readings
from bgrating.matchtext import MatchFile, read_matches
from bgrating.settings import SettingsError
from study.fuzz import attack
from study.fuzz.attack import CHANGES, OUTCOMES, Attack, changed, is_sound, lost_rows, outcome, plan
from study.fuzz.mutations import BINARY, INSIDE, TEXT, Archive
from study.fuzz.run import run
from unit.matchtext.test_contradictions import UNLIMITED
from unit.matchtext.test_dialects import GNUBG

SOUND = UNLIMITED.encode()
ONE = Attack("text", "digit", "a.mat", 1)


def told(text: str) -> tuple[str, str]:
    return outcome(ONE, text.encode(), [SOUND])


def test_outcomes() -> None:
    assert is_sound(SOUND)
    assert told("") == ("refused", "")
    assert told(UNLIMITED.replace("43: 24/20", "43: 24/19")) == ("flagged", "")
    assert told(UNLIMITED.replace("Drops   ", "Drops ")) == ("same", "")
    assert told(UNLIMITED.replace("52: 13/8 24/22", "52: 13/8 13/11")) == ("consistent", "plays")
    assert told(UNLIMITED.replace('"ann"', '"Ann"')) == ("consistent", "headers")


def test_a_reader_that_loses_a_roll_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def lossy(data: bytes) -> MatchFile:
        file = read_matches(data)
        (match,) = file.matches
        games = tuple(dataclasses.replace(game, actions=game.actions[1:]) for game in match.games)
        return dataclasses.replace(file, matches=(dataclasses.replace(match, games=games),))

    changed_text = UNLIMITED.replace("52: 13/8 24/22", "52: 13/8 13/11")
    assert lost_rows(changed_text.encode()) == 0
    monkeypatch.setattr(attack, "read_matches", lossy)
    assert told(changed_text)[0] == "misread"
    assert lost_rows(changed_text.encode()) == 1


def test_rows_that_a_finding_names_are_not_lost() -> None:
    again = GNUBG.replace("3 point match", "3 pxint match") + GNUBG
    assert lost_rows(again.encode()) == 0  # the rows of the first, whose length cannot be read
    assert lost_rows(b"no match") == 0


def test_a_reader_that_falls_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def falling(_data: bytes) -> MatchFile:
        raise ZeroDivisionError

    monkeypatch.setattr(readings, "read_matches", falling)
    assert told(UNLIMITED) == ("fallen", "")


def test_attacks_repeat_and_change_what_they_say(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_bytes(SOUND)
    attacks = plan("text", list(TEXT), ["a.mat"], 50, 7)
    assert attacks == plan("text", list(TEXT), ["a.mat"], 50, 7)
    assert {one.name for one in attacks} == set(TEXT) == {one.name for one in attacks[: len(TEXT)]}
    with pytest.raises(ValueError, match="9 attacks leave some of 10 changes out"):
        plan("text", list(TEXT), ["a.mat"], 9, 7)
    for one in attacks:
        data, made_of = changed(one, tmp_path, ["a.mat"])
        assert data == changed(one, tmp_path, ["a.mat"])[0]
        assert made_of == [SOUND] * (2 if one.name == "spliced" else 1)
        if one.name == "digit":
            assert sum(a != b for a, b in zip(data, SOUND, strict=True)) == 1


def test_an_archive_taken_apart_and_put_together_is_the_same(shared: Path) -> None:
    data = next((shared / "xg").glob("charlot1*.xg")).read_bytes()
    archive = Archive.of(data)
    assert Archive.of(archive.with_games(archive.games)) == archive
    again = Attack("xg", "bits_inside", "a.xg", 1)
    assert outcome(again, archive.with_games(archive.games), [data]) == ("same", "")
    for name in INSIDE:
        assert INSIDE[name](data, data, random.Random(1)) != data


def test_the_table_adds_up(tmp_path: Path, shared: Path) -> None:
    folder = tmp_path / "games"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.mat").write_bytes(SOUND)
    with pytest.raises(SettingsError, match="no file of kind xg"):
        run(folder, 10, 16, 1, 1, tmp_path / "attacks.csv")
    (folder / "a.xg").write_bytes(next((shared / "xg").glob("charlot1*.xg")).read_bytes())
    totals = run(folder, 20, 16, 1, 1, tmp_path / "attacks.csv")
    table = pd.read_csv(tmp_path / "attacks.csv")
    assert totals["tried"] == 36 == table["tried"].sum()
    assert (table[list(OUTCOMES)].sum(axis=1) == table["tried"]).all()
    kinds = table[[f"changed_{change}" for change in CHANGES]].sum(axis=1)
    assert (kinds == table["consistent"] + table["misread"]).all()
    changes = [("text", name) for name in TEXT] + [("xg", name) for name in (BINARY | INSIDE)]
    assert list(table[["kind", "change"]].itertuples(index=False, name=None)) == changes
    assert table["lost_rows"].sum() == totals["lost_rows"] == 0
    facts = json.loads((tmp_path / "attacks.csv.provenance.json").read_text())
    assert len(facts["bad"]) == totals["misread"] + totals["fallen"] == 0
