"""Judges of several depths: slopes where the truth is known, the table that the losses are kept in, and the command."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.engine.nets import committed_results
from bgrating.rating.choose import choose
from bgrating.tables.provenance import read_provenance, write_provenance
from bgrating.tables.tables import read_rows, read_table
from study.people import judge, scale
from study.people.judge import (
    OTHERS,
    SCHEMA,
    JudgesError,
    command,
    freeze,
    judges,
    losses,
    write_coverage,
    write_tables,
)
from study.people.pairs import pairs


def judged(matches: int = 4000, noise: float = 0.1) -> pd.DataFrame:
    """Return losses by a judge who is right (2-ply) and one with noise of its own (0-ply); results are right."""
    rng = np.random.default_rng(5)
    strength = rng.gamma(9.0, 0.015, 60)
    players = np.array([rng.choice(60, 2, replace=False) for _ in range(matches)])
    true = rng.gamma(4.0, strength[players] / 4.0)
    result = true[:, 1] - true[:, 0] + rng.normal(0, 0.08, matches)
    parts = []
    for level, seen in (("1.08 0-ply", true + rng.normal(0, noise, true.shape)), ("1.08 2-ply", true)):
        for seat, side in enumerate(("left", "right")):
            about = {
                "level": level, "match": range(matches), "side": side, "match_length": 7, "unforced_moves": 90,
                "player": [f"p{number:04d}" for number in players[:, seat]], "close_cube_decisions": 9,
                "luck_adjusted_result": result if seat == 0 else -result, "loss_mwc": seen[:, seat],
                "chequer_error_emg": np.maximum(5 * seen[:, seat], 0.01), "cube_error_emg": 0.1,
            }  # fmt: skip
            parts.append(pd.DataFrame(about))
    return pd.concat(parts, ignore_index=True)[SCHEMA.names]


def test_noise_of_a_judge_dilutes_the_slope_and_an_instrument_takes_it_out() -> None:
    found = judges(judged()).set_index(["level", "instrument"])
    assert found.loc[("1.08 2-ply", ""), "slope"] == pytest.approx(1.0, abs=0.05)
    assert found.loc[("1.08 0-ply", ""), "slope"] < 0.75
    row = found.loc[("1.08 0-ply", OTHERS)]
    assert abs(row["slope"] - 1) < 3 * row["std_error"] < 0.5


def collection(rows: list[tuple[str, int, str, str, float]]) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["file", "match", "player", "side", "luck_adjusted_result"])
    return table.assign(
        match_length=7, unforced_moves=9, close_cube_decisions=1, chequer_error_emg=0.2, chequer_error_mwc=0.02,
        cube_error_emg=0.1, cube_error_mwc=0.01,
    )  # fmt: skip


def test_losses_name_nobody_and_leave_out_matches_with_one_side() -> None:
    rows = [
        ("a.txt", 1, "Ann", "left", 0.1), ("a.txt", 1, "Bob", "right", -0.1),
        ("b.txt", 1, "Ann", "left", 0.2), ("b.txt", 1, "Cy", "right", np.nan),
    ]  # fmt: skip
    found = losses({"1.08 2-ply": collection(rows).drop(columns=["side", "luck_adjusted_result"])}, collection(rows))
    assert list(found.columns) == SCHEMA.names
    assert found["player"].tolist() == ["p0000", "p0001"]
    assert found["loss_mwc"].tolist() == pytest.approx([0.03, 0.03])


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


@pytest.mark.slow
def test_coverage_is_that_of_the_sets_which_provenance_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    people = pairs(simulated_people.collection(np.random.default_rng(1), matches=120))
    monkeypatch.setattr(judge, "frozen_pairs", lambda: people)
    write_coverage(tmp_path, 3)
    fitted = scale.Likelihood(scale.Meetings.of(people, choose("fitted", judge.SCALE_NETS).formula))
    fitted.fit()
    expected = scale.coverage(fitted, [scale.drawn(fitted, number) for number in range(3)])
    pd.testing.assert_frame_equal(read_table(tmp_path / "coverage.csv"), expected, check_dtype=False, rtol=1e-8)
    assert read_provenance(tmp_path / "coverage.csv")["simulated"] == [0, 1, 2]


def test_the_coverage_kept_is_that_of_the_factor_kept() -> None:
    folder = committed_results(judge.SCALE_NETS) / "people"
    (held,) = read_table(folder / "coverage.csv").to_dict("records")
    kept = read_table(folder / "scale.csv").set_index("group").loc[scale.DEEP]
    assert (held["truth"], held["std_error"]) == pytest.approx((kept["estimate"], kept["std_error"]), abs=1e-3)
