"""One bad file, name or figure never ends a run, and has a status with a reason."""

import re
import unicodedata
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import short_match
from bgrating.collection import readings
from bgrating.collection.accounts import Analysed, account
from bgrating.collection.rate import RateRequest, rate
from bgrating.people.aliases import joined, read_aliases
from bgrating.people.players import players_table, with_ratings
from bgrating.rating.choose import choose
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import write_table
from records import said
from unit.collection.test_accounts import read, statuses, text, unlike


@pytest.mark.parametrize("problem", [EOFError("ended early"), RecursionError("deep"), MemoryError(), KeyError("x")])
def test_a_reader_that_fails_on_a_file_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, problem: Exception
) -> None:
    (tmp_path / "a.mat").write_text(text())
    (tmp_path / "bad.mat").write_text(text("evil"))
    sound = readings.read_matches

    def failing(data: bytes) -> Any:
        if b"evil" in data:
            raise problem
        return sound(data)

    monkeypatch.setattr(readings, "read_matches", failing)
    found, _ = statuses(tmp_path)
    assert found["a.mat"] == ("analysed", "")
    assert found["bad.mat"][0] == "rejected"
    assert type(problem).__name__ in found["bad.mat"][1]
    assert "report this file" in found["bad.mat"][1]


def test_what_the_engine_reads_differently_ends_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.mat").write_text(short_match.match("ann"))
    (tmp_path / "odd.mat").write_text(short_match.match("evil", dice="43"))
    sound = readings.expected_import

    def other(match: Any) -> Any:
        return sound(match) | ({"match_length": 9} if match.players[0].name == "evil" else {})

    monkeypatch.setattr(readings, "expected_import", other)
    files = rate(RateRequest([tmp_path], luck=False, store=None, cores=1)).files.set_index("file")
    assert files["status"].to_dict() == {"a.mat": "analysed", "odd.mat": "rejected"}
    assert files.loc["odd.mat", "reason"].startswith("the engine read it differently: match length 9 in the text, ")


def refused(records: list[dict[str, Any]], problem: str) -> Analysed:
    return Analysed.of([], {match["key"]: problem for record in records for match in record["matches"]})


def test_a_copy_of_a_rejected_file_is_no_duplicate(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    (tmp_path / "b.mat").write_text(text("other", "names"))
    records = read(tmp_path)
    files, _ = account(records, refused(records, "the engine crashed on it"))
    assert files["status"].tolist() == ["rejected"] * 2
    assert files["reason"].tolist() == ["the engine crashed on it", "a copy of a.mat: the engine crashed on it"]


def test_complete_is_written_alike_whatever_the_collection(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    for extra in ("", text(length=5)):
        (tmp_path / "b.mat").write_text(unlike(extra))
        records = read(tmp_path)
        _, matches = account(records, said(records))
        rated = with_ratings(matches, choose("published", "1.07.001"), 2050.0)
        write_table(rated.assign(level="0-ply")[columns("human/matches")], tmp_path / "matches.csv", "human/matches")
        written = pd.read_csv(tmp_path / "matches.csv", dtype=str, keep_default_na=False)
        assert set(written["complete"]) == ({"true", "false"} if extra else {"true"})
        assert set(written["won"]) == ({"true", "false", ""} if extra else {"true", "false"})


def test_one_name_in_two_forms_is_one_player_and_one_name_on_both_sides_is_nobody(tmp_path: Path) -> None:
    composed, parted = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    (tmp_path / "a.mat").write_text(text(composed, "bob"))
    (tmp_path / "b.mat").write_text(unlike(text(parted, "bob")))
    (tmp_path / "c.mat").write_text(text("ann", "ann").replace("24/23", "24/23 ").replace("8/5 6/5", "13/9"))
    records = read(tmp_path)
    files, matches = account(records, said(records))
    assert "both players are called 'ann'" in files.set_index("file").loc["c.mat", "reason"]
    chosen = choose("published", "1.07.001")
    table = players_table(with_ratings(matches, chosen, 2050.0), chosen, 2050.0)[0].set_index("player")
    assert table["matches"].to_dict() == {"bob": 2, composed: 2}
    aliases = tmp_path / "aliases.csv"
    aliases.write_text(f"alias,name\n{parted},Zoe\n")
    assert "Zoe" in joined(matches, read_aliases(aliases))["player"].tolist()


CELL = re.compile(r"[1-6][1-6]:( \d+/\d+)*|Doubles => 2|Takes|Drops")
BAD = ("{dice} x/y", "{dice} 2/1 2/1", "{dice}", " Doubles => 2", "")
"""What a cell is replaced by: a play that cannot be read, that cannot be made, none, another word, nothing."""


def test_one_bad_cell_costs_at_most_one_game(tmp_path: Path) -> None:
    """An unreadable play before a taken double once made the engine read the rest differently: all games were lost."""
    whole = short_match.match("left", "right")
    sources = {}
    for number, cell in enumerate(CELL.finditer(whole)):
        for kind, bad in enumerate(BAD):
            written = bad.format(dice=cell[0][:3] if cell[0][2] == ":" else "").ljust(len(cell[0]))
            name = f"{number}-{kind}.mat"
            damaged = whole[: cell.start()] + written + whole[cell.end() :]
            if damaged.split() == whole.split():
                continue
            (tmp_path / name).write_text(damaged.replace("left", f"left{number}{kind}"))
            sources[name] = 1 if cell.start() < whole.index("Game 2") else 2
    (tmp_path / "whole.mat").write_text(whole)
    result = rate(RateRequest([tmp_path], luck=False, store=None, cores=1))
    assert len(sources) == 48
    assert not result.files.loc[result.files["status"] == "rejected", "reason"].tolist()
    games = result.decisions.groupby(["file", "game"])["loss_emg"].agg(list)
    counted = sources.keys() & set(result.matches["file"])
    assert len(counted) > 30
    for name in counted:
        assert games[name, 3 - sources[name]] == games["whole.mat", 3 - sources[name]], name
