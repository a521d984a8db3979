"""One bad file, name or figure never ends a run, and has a status with a reason."""

import gzip
import json
import unicodedata
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from bgrating.collection import readings
from bgrating.collection.accounts import Analysed, account
from bgrating.collection.aliases import joined, read_aliases
from bgrating.collection.analysis import _Outcome
from bgrating.collection.batches import KILLED, all_killed, known_contents, write_batches
from bgrating.collection.players import players_table, with_ratings
from bgrating.collection.tables import Sources
from bgrating.engine.levels import analysis
from bgrating.rating.choose import choose
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import ProvenanceError
from bgrating.tables.tables import write_table
from unit.collection.test_accounts import read, said, statuses, text, unlike


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


def test_files_that_once_ended_a_run(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    (tmp_path / "cut.bgf").write_bytes(b'{"format": "BGF"}\n' + gzip.compress(b":)\n\0" + bytes(1000))[:-20])
    (tmp_path / "bomb.bgf").write_bytes(b'{"format": "BGF"}\n' + gzip.compress(bytes(30_000_000)))
    (tmp_path / "position.xgp").write_bytes(b"RGMH")
    rows = "".join(f"{n % 10000:4d})  Doubles                     Takes\n" for n in range(15_000))
    (tmp_path / "cube.mat").write_text(f" 0 point match\n\n Game 1\n ann : 0         bob : 0\n  1) 31: 8/5 6/5\n{rows}")
    found, _ = statuses(tmp_path)
    assert found["a.mat"] == ("analysed", "")
    for name in ("cut.bgf", "bomb.bgf", "position.xgp"):
        assert found[name][0] == "rejected"
        assert "export the match as text" in found[name][1]
    assert found["cube.mat"][0] == "money"


def refused(records: list[dict[str, Any]], problem: str) -> pd.DataFrame:
    keys = dict.fromkeys(match["key"] for record in records for match in record["matches"] if match["key"])
    nothing = dict.fromkeys(("differences", "content", "date", "name"), "")
    return pd.DataFrame([{"key": key, "problem": problem, "format": "mat", **nothing} for key in keys])


def test_a_collection_whose_contents_are_all_refused_has_tables(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    records = read(tmp_path)
    table = refused(records, "the engine crashed on it")
    for batches in ([table], [table, said(records).iloc[:0]]):
        files, matches = account(records, Analysed.of(batches))
        assert files[["status", "reason"]].to_numpy().tolist() == [["rejected", "the engine crashed on it"]]
        assert not len(matches)


def test_a_table_of_the_engine_that_was_changed_is_not_read(tmp_path: Path) -> None:
    table = tmp_path / "00000.csv"
    row = pd.DataFrame([{"key": "k", "format": "mat", "luck_emg": 0.25}]).reindex(columns=columns("human/batch"))
    write_table(row, table, "human/batch")
    sources = Sources(tmp_path / "readings.jsonl", (table,), None)
    assert len(sources.analysed().figures) == 1
    table.write_text(table.read_text().replace("0.25", "0.35"))
    with pytest.raises(ProvenanceError, match=r"00000\.csv: its checksum is not the one in its provenance"):
        sources.analysed()


def test_a_copy_of_a_rejected_file_is_no_duplicate(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    (tmp_path / "b.mat").write_text(text("other", "names"))
    records = read(tmp_path)
    files, _ = account(records, Analysed.of([refused(records, "the engine crashed on it")]))
    assert files["status"].tolist() == ["rejected"] * 2
    assert files["reason"].tolist() == ["the engine crashed on it", "a copy of a.mat: the engine crashed on it"]


def test_what_was_killed_from_outside_is_tried_again(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    records = read(tmp_path)
    killed = refused(records, f"{KILLED}: the engine was ended")
    files, _ = account(records, Analysed.of([killed]))
    assert files["status"].tolist() == ["killed from outside"]
    files, matches = account(records, Analysed.of([killed, said(records)]))
    assert files["status"].tolist() == ["analysed"]
    assert len(matches) == 2
    # What a batch says was killed is wanted by the next plan, and is known again when a later batch has it.
    folder = tmp_path / "batches"
    assert write_batches(folder, [b'{"key": "k", "rolls": 1}', b'{"key": "l", "rolls": 1}'], 10) == ["00000"]
    assert known_contents(folder) == {"k": "00000", "l": "00000"}
    (folder / "00000.csv.provenance.json").write_text(json.dumps({"killed": ["k"]}))
    assert known_contents(folder) == {"l": "00000"}
    assert all_killed(folder) == [("00000", "k")]
    write_batches(folder, [b'{"key": "k", "rolls": 1}'], 10)
    assert known_contents(folder) == {"k": "00001", "l": "00000"}
    assert all_killed(folder) == [("00000", "k")]


def test_figures_that_make_no_sense_reject_their_content_only(engine: Any, limits: Any) -> None:
    outcome = _Outcome(engine, analysis("0-ply-no-luck"), limits)
    content = {"key": "k", "format": "mat", "expected": {"match_length": 1, "games": []}}
    outcome.keep(content, {"length": 1}, {})
    assert outcome.rows[0]["problem"].startswith("its figures cannot be read (KeyError")


def test_complete_is_written_alike_whatever_the_collection(tmp_path: Path) -> None:
    (tmp_path / "a.mat").write_text(text())
    for extra in ("", text(length=5)):
        (tmp_path / "b.mat").write_text(unlike(extra))
        records = read(tmp_path)
        _, matches = account(records, Analysed.of([said(records)]))
        rated = with_ratings(matches, choose("published", "1.07.001"), 2050.0)
        write_table(rated[columns("human/matches")], tmp_path / "matches.csv", "human/matches")
        written = pd.read_csv(tmp_path / "matches.csv", dtype=str, keep_default_na=False)
        assert set(written["complete"]) == ({"true", "false"} if extra else {"true"})
        assert set(written["won"]) == ({"true", "false", ""} if extra else {"true", "false"})


def test_one_name_in_two_forms_is_one_player_and_one_name_on_both_sides_is_nobody(tmp_path: Path) -> None:
    composed, parted = (unicodedata.normalize(form, "Zoë") for form in ("NFC", "NFD"))
    (tmp_path / "a.mat").write_text(text(composed, "bob"))
    (tmp_path / "b.mat").write_text(unlike(text(parted, "bob")))
    (tmp_path / "c.mat").write_text(text("ann", "ann").replace("24/23", "24/23 ").replace("8/5 6/5", "13/9"))
    records = read(tmp_path)
    files, matches = account(records, Analysed.of([said(records)]))
    assert "both players are called 'ann'" in files.set_index("file").loc["c.mat", "reason"]
    chosen = choose("published", "1.07.001")
    table = players_table(with_ratings(matches, chosen, 2050.0), chosen, 2050.0)[0].set_index("player")
    assert table["matches"].to_dict() == {"bob": 2, composed: 2}
    aliases = tmp_path / "aliases.csv"
    aliases.write_text(f"alias,name\n{parted},Zoe\n")
    assert "Zoe" in joined(matches, read_aliases(aliases))["player"].tolist()
