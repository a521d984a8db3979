"""Tables come back as written, harmless for spreadsheets, and true to their provenance."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from bgrating.tables.dictionary import ColumnsError, columns
from bgrating.tables.lines import write_plain
from bgrating.tables.provenance import ProvenanceError, provenance_path, read_provenance
from bgrating.tables.table_files import (
    read_json,
    read_rows,
    read_table,
    write_json,
    write_matrix,
    write_rows,
    write_table,
)
from matrix_files import read_matrix

HEAD = "player,wins_first,games_first,wins_second,games_second"
HOSTILE = ["=1+1", "-x", "nan", "2003", "'t Hooft", "＝1", 'quo"te, comma']


def runs(names: list[str]) -> pd.DataFrame:
    won = {
        "wins_first": 1 / 3,
        "games_first": range(len(names)),
        "wins_second": 0.5,
        "games_second": 2,
    }
    return pd.DataFrame({"player": names, **won})


def test_harmful_names_are_read_back(tmp_path: Path) -> None:
    write_table(runs(HOSTILE), tmp_path / "x.csv", "ratings/first_mover", seed=1)
    text = (tmp_path / "x.csv").read_text(encoding="utf-8")
    assert "'=1+1,0.3333333333,0,0.5,2\n" in text
    assert read_table(tmp_path / "x.csv")["player"].tolist() == HOSTILE
    facts = read_provenance(tmp_path / "x.csv")
    assert (facts["rows"], facts["seed"]) == (len(HOSTILE), 1)
    matrix = pd.DataFrame(np.eye(len(HOSTILE)), index=HOSTILE, columns=HOSTILE)
    write_matrix(matrix, tmp_path / "y.csv")
    assert read_matrix(tmp_path / "y.csv").equals(matrix)


def test_truths_whole_numbers_and_what_is_absent(tmp_path: Path) -> None:
    rows = [{"row": 3, "rated": True, "text": "-x"}, {"row": np.nan, "reason": "a", "rated": False}]
    write_table(pd.DataFrame(rows), tmp_path / "x.csv", "ratings/flagged")
    assert (tmp_path / "x.csv").read_text().splitlines()[1:] == ["3,,true,'-x", ",a,false,"]
    again = read_table(tmp_path / "x.csv")
    assert again["reason"].tolist() == ["", "a"]
    assert again["rated"].tolist() == [True, False]
    assert again["text"].tolist() == ["-x", ""]


def test_columns_are_those_of_the_dictionary_in_its_order(tmp_path: Path) -> None:
    write_table(runs(["a"])[HEAD.split(",")[::-1]], tmp_path / "x.csv", "ratings/first_mover")
    assert (tmp_path / "x.csv").read_text() == f"{HEAD}\na,0.3333333333,0,0.5,2\n"
    for other in (runs(["a"]).assign(new=1), runs(["a"]).drop(columns="player")):
        with pytest.raises(ColumnsError, match=r"ratings/first_mover: .*('player'|'new')"):
            write_table(other, tmp_path / "x.csv", "ratings/first_mover")
    write_table(pd.DataFrame(), tmp_path / "x.csv", "ratings/first_mover")
    assert (tmp_path / "x.csv").read_text() == f"{HEAD}\n"
    assert len(read_table(tmp_path / "x.csv")) == 0
    games = pd.DataFrame(
        {
            "first": "a",
            "second": "b",
            "first_score": 1.0,
            "count": 1,
            "row": [2],
            "date": "2026-01-01",
        }
    )
    write_table(games, tmp_path / "games.csv", "ratings/games")
    assert read_table(tmp_path / "games.csv").columns.tolist() == games.columns.tolist()


def test_a_table_that_was_changed_is_not_read(tmp_path: Path) -> None:
    schema = pa.schema([("player", pa.string()), ("wins_first", pa.float32())])
    write_table(runs(["a"]), tmp_path / "x.csv", "ratings/first_mover")
    write_rows(runs(["a"]), schema, tmp_path / "deep" / "x.parquet", study="s")
    write_json({"a": 1 / 3}, tmp_path / "x.json")
    write_matrix(runs(["a"])[["wins_first"]].set_axis(["a"]), tmp_path / "m.csv")
    assert read_json(tmp_path / "x.json") == {"a": 0.3333333333}
    assert read_rows(tmp_path / "deep" / "x.parquet", schema).columns.tolist() == [
        "player",
        "wins_first",
    ]
    for path, read in (
        (tmp_path / "x.csv", read_table),
        (tmp_path / "deep" / "x.parquet", lambda path: read_rows(path, schema)),
        (tmp_path / "x.json", read_json),
        (tmp_path / "m.csv", read_matrix),
    ):
        path.write_bytes(path.read_bytes().replace(b"3", b"4", 1).replace(b"PAR1", b"PAR2"))
        with pytest.raises(ProvenanceError, match="its checksum is not the one in its provenance"):
            read(path)
        provenance_path(path).unlink()
        with pytest.raises(ProvenanceError, match="has no provenance beside it"):
            read(path)


def test_json_holds_only_finite_figures(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json({"a": float("nan")}, tmp_path / "x.json")
    write_json({"a": [1 / 3, {"b": None}], "c": "1/3"}, tmp_path / "x.json")
    assert json.loads((tmp_path / "x.json").read_text()) == {
        "a": [0.3333333333, {"b": None}],
        "c": "1/3",
    }


def test_a_table_of_any_size_is_one_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kind, path = "human/alias_suggestions", tmp_path / "x.csv"
    frame = pd.DataFrame({"name": list("abcde"), "alias": list("vwxyz")}).reindex(
        columns=columns(kind)
    )
    write_table(frame, path, kind)
    text = path.read_text()
    monkeypatch.setattr("bgrating.tables.table_files.ROWS_TOGETHER", 2)
    write_table(frame, path, kind)
    assert path.read_text() == text
    assert text.count("\n") == 6


def test_plain_rows_are_written_as_a_frame_is(tmp_path: Path) -> None:
    kind, names = "human/alias_suggestions", columns("human/alias_suggestions")
    values = ["=1+1", 'a "b", c', 1 / 3, 12, True, None, float("nan")]
    rows = [
        {name: values[(number + place) % 7] for place, name in enumerate(names)}
        for number in range(7)
    ]
    write_table(pd.DataFrame(rows, dtype=object), tmp_path / "frame.csv", kind)
    write_plain(rows, tmp_path / "rows.csv", kind)
    assert (tmp_path / "rows.csv").read_bytes() == (tmp_path / "frame.csv").read_bytes()
    assert read_provenance(tmp_path / "rows.csv")["rows"] == 7
