"""The command that freezes losses by level and writes their tables."""

from pathlib import Path

import pandas as pd
import pytest

from bgrating.tables.provenance import write_provenance
from bgrating.tables.tables import read_rows, read_table
from study.people.judge import SCHEMA, JudgesError, command, freeze, write_tables
from unit.study.people.test_judge import collection


def written(path: Path, table: pd.DataFrame) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    table.to_csv(path, index=False)
    write_provenance(path, engine={"version": "gnubg"}, analysis=path.parent.name)
    return path


def test_tables_of_levels_are_joined_by_file_name_and_frozen_with_their_tables(tmp_path: Path) -> None:
    rows = [
        (f"club/{number:02d}.mat", 1, f"{side}{number % (5 if side == 'left' else 4)}", side, sign * 0.01 * number)
        for number in range(20) for side, sign in (("left", 1), ("right", -1))
    ]  # fmt: skip
    every = collection([*rows, ("other/x.mat", 1, "left1", "left", 0.1), ("other/x.mat", 1, "right1", "right", -0.1)])
    every["chequer_error_mwc"] += every["player"].str[-1].astype(int) / 50
    results = written(tmp_path / "0-ply" / "matches.csv", every)
    flat = every[every["file"].str.startswith("club/")].assign(file=lambda table: table["file"].str[5:])
    for batch in range(2):
        written(tmp_path / "deep" / str(batch) / "matches.csv", flat[20 * batch : 20 * batch + 20])
    freeze(results, "club/", {"1.08 0-ply": results, "1.08 2-ply": tmp_path / "deep"}, tmp_path / "out")
    frozen = read_rows(tmp_path / "out" / "frozen" / "losses.parquet", SCHEMA)
    assert frozen.groupby("level")["match"].nunique().to_dict() == {"1.08 0-ply": 20, "1.08 2-ply": 20}
    write_tables(tmp_path / "out")
    assert set(read_table(tmp_path / "out" / "judges.csv")["n_matches"]) == {20}
    with pytest.raises(JudgesError, match="two matches"):
        freeze(results, "", {"1.08 2-ply": tmp_path}, tmp_path / "out")
    with pytest.raises(JudgesError, match="nowhere"):
        freeze(results, "", {"1.08 2-ply": tmp_path / "nowhere" / "x"}, tmp_path / "out")


def test_levels_without_results_are_refused() -> None:
    with pytest.raises(JudgesError, match="--matches"):
        command.main(["1.08 0-ply=x.csv"], standalone_mode=False)
