"""Frozen tables: whole, unmixed, and what the engine plays again today."""

import json
import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from bgrating import designs
from bgrating.engine.locate import Engine
from bgrating.match_table import TableError, gather, read_checked, shard_rows
from bgrating.provenance import provenance_path, read_provenance
from bgrating.shards import Limits, analyse_archive, play_shard

FROZEN = sorted((designs.DESIGNS.parents[1] / "results").glob("*/frozen/*.parquet"))
# Shards of long matches take minutes each; those of up to 7 points go through the same code.
REPLAYED, LONGEST = 3, 7


@pytest.mark.parametrize("table", FROZEN, ids=lambda path: f"{path.parts[-3]}-{path.stem}")
def test_a_frozen_table_is_whole_and_says_what_it_holds(table: Path) -> None:
    rows, facts = read_checked(table), read_provenance(table)
    design = designs.design(facts["study"])
    assert len(rows) == facts["rows"] <= facts["planned"]
    assert facts["planned"] == sum(point.matches for point in design.points_of(facts["match_length"]))
    if len(rows):
        assert facts["study_seed"] == design.seed
        assert facts["noise_mode"] == "pseudo-random"
        assert facts["analysis"]["name"] == design.analysis
        assert not rows.duplicated(["player", "opponent", "shard", "match"]).any()
        assert (rows[["player_score", "opponent_score"]].max(axis=1) >= facts["match_length"]).all()


def test_shards_chosen_at_random_are_played_again_exactly(engine: Engine, tmp_path: Path) -> None:
    held = []
    for table in FROZEN:
        facts = read_provenance(table)
        if facts["rows"] and facts["match_length"] <= LONGEST and facts["analysis"]["chequerplay"]["plies"] == 0:
            rows = read_checked(table)
            held += [
                (facts["study"], *key) for key in rows.groupby(["match_length", "player", "opponent", "shard"]).groups
            ]
    chosen = random.Random().sample(held, REPLAYED)
    print("replayed:", chosen)

    def replay(number: int) -> None:
        study, length, player, opponent, shard = chosen[number]
        design = designs.design(study)
        point = design.point(player, opponent, length)
        archive, limits = tmp_path / f"{number}.zip", Limits(600.0, tmp_path / f"{number}.log")
        play_shard(
            engine,
            (design.player_level(player), design.player_level(opponent)),
            length,
            study_seed=design.seed,
            shard=shard,
            matches=list(point.shards())[shard].matches,
            archive=archive,
            limits=limits,
        )
        analyse_archive(engine, design.analysis_level(), archive, archive.with_suffix(".csv"), limits)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(replay, range(REPLAYED)))
    for number, (study, length, player, opponent, shard) in enumerate(chosen):
        point = designs.design(study).point(player, opponent, length)
        table = designs.DESIGNS.parents[1] / "results" / study / "frozen" / f"{length}.parquet"
        here = read_provenance(tmp_path / f"{number}.zip")["opening_evaluation"]
        there = read_provenance(table)["opening_evaluations"]
        if there != [here]:
            pytest.skip(f"{table} was made on other processors: the opening is {there} there, {here} here")
        frozen = read_checked(table)
        same = (frozen["player"] == player) & (frozen["opponent"] == opponent) & (frozen["shard"] == shard)
        expected = frozen[same].reset_index(drop=True)
        replayed = shard_rows(tmp_path / f"{number}.csv", point, shard).astype(expected.dtypes)
        pd.testing.assert_frame_equal(replayed, expected, check_exact=True)


@pytest.fixture
def copies(tmp_path: Path) -> list[Path]:
    """Return copies of two frozen tables of Part II that hold matches."""
    chosen = [table for table in FROZEN if table.parts[-3] == "part2" and read_provenance(table)["rows"]][:2]
    for table in chosen:
        shutil.copy(table, tmp_path)
        shutil.copy(provenance_path(table), tmp_path)
    return [tmp_path / table.name for table in chosen]


def test_a_table_whose_bytes_changed_is_refused_by_name(copies: list[Path], tmp_path: Path) -> None:
    copies[0].write_bytes(copies[0].read_bytes() + b" ")
    with pytest.raises(TableError, match=rf"{copies[0].name}: its checksum is not the one in its provenance"):
        gather(copies, tmp_path / "matches.parquet")
    assert not (tmp_path / "matches.parquet").exists()


def test_a_table_without_provenance_is_refused_by_name(copies: list[Path], tmp_path: Path) -> None:
    provenance_path(copies[1]).unlink()
    with pytest.raises(TableError, match=rf"{copies[1].name} has no provenance"):
        gather(copies, tmp_path / "matches.parquet")


@pytest.mark.parametrize(
    ("fact", "value"),
    [
        ("engine", {"version": "GNU Backgammon 1.08.003"}),
        ("noise_mode", "deterministic"),
        ("match_equity_table", "zadeh"),
        ("study_seed", 1),
    ],
)
def test_tables_that_differ_in_what_they_measure_are_never_pooled(
    copies: list[Path], tmp_path: Path, fact: str, value: object
) -> None:
    facts = read_provenance(copies[1]) | {fact: value}
    provenance_path(copies[1]).write_text(json.dumps(facts))
    with pytest.raises(TableError, match=rf"{copies[1].name} differs in {fact}"):
        gather(copies, tmp_path / "matches.parquet")
