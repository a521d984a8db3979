"""The frozen pairs: whole, without names, and what both engines say again today."""

import random
from pathlib import Path

import pandas as pd
import pytest

from bgrating.engine.locate import Engine
from bgrating.engine.nets import nets_of
from bgrating.play import designs
from bgrating.play.matches import shard_rows
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.tables.provenance import ProvenanceError, provenance_path, read_provenance
from bgrating.tables.tables import read_rows
from replays import DECIMALS, MOST_GAMES
from study.translation import FROZEN, NETS, OLD, SIMULATED
from study.translation.ratios import FIGURES, SCHEMA

# Shards of long matches take longer; they go through the same code.
LONGEST = 3


@pytest.fixture(scope="module", name="pairs")
def _pairs() -> pd.DataFrame:
    return read_rows(FROZEN, SCHEMA)


def test_it_is_whole_and_says_what_it_holds(pairs: pd.DataFrame) -> None:
    facts = read_provenance(FROZEN)
    assert facts["rows"] == len(pairs)
    assert facts["matches"] == pairs["source"].value_counts().to_dict()
    for nets in NETS:
        assert facts["engines"][nets]
        assert {nets_of(engine, FROZEN) for engine in facts["engines"][nets]} == {nets}
    assert not pairs.duplicated(["source", "played_by", "player", "opponent", "match_length", "shard", "match"]).any()
    assert pairs.drop(columns="shard").notna().all(axis=None)


def test_it_holds_every_match_of_the_design_from_both_engines(pairs: pd.DataFrame) -> None:
    design, simulated = designs.design("translation"), pairs[pairs["source"] == SIMULATED]
    planned = sum(point.matches for point in design.points)
    assert simulated["played_by"].value_counts().to_dict() == dict.fromkeys(NETS, planned)
    assert read_provenance(FROZEN)["study_seed"] == design.seed


def test_it_names_nobody(pairs: pd.DataFrame) -> None:
    people = pairs[pairs["source"] != SIMULATED]
    assert people[["player", "opponent"]].stack().str.fullmatch(r"p\d{4}").all()


def test_both_saw_the_same_matches(pairs: pd.DataFrame) -> None:
    """Moves with a choice follow from the rules alone, and so do results."""
    for side in ("player", "opponent"):
        assert (pairs[f"{side}_unforced_moves_1.07.001"] == pairs[f"{side}_unforced_moves_1.08"]).all()
    for nets in NETS:
        luck = pairs[f"player_luck_mwc_{nets}"] - pairs[f"opponent_luck_mwc_{nets}"]
        assert (pairs["actual_result"] - luck - pairs[f"luck_adjusted_result_{nets}"]).abs().max() < 1e-4


@pytest.mark.parametrize("played_by", NETS)
def test_a_shard_chosen_at_random_is_played_and_judged_again(
    pairs: pd.DataFrame, engine: Engine, old_engine: Engine, tmp_path: Path, played_by: str
) -> None:
    engines = {OLD: old_engine, engine.known.nets: engine}
    design = designs.design("translation")
    point = random.Random().choice([point for point in design.points if point.match_length <= LONGEST])
    print("replayed:", point)
    archive = tmp_path / "000.zip"
    shard = next(point.shards())
    limits = Limits(300.0, tmp_path / "engine.log")
    play_shard(engines[played_by], design.task(point, shard), archive, limits)
    tables = {nets: tmp_path / f"000.{nets}.csv" for nets in NETS}
    facts = read_provenance(FROZEN)
    for nets, table in tables.items():
        analyse_archive(engines[nets], design.analysis_level(), archive, table, limits)
        here = read_provenance(table)["opening_evaluation"]
        if facts["opening_evaluations"][nets] != [here]:
            pytest.skip(
                f"frozen on other processors: the opening is {facts['opening_evaluations'][nets]} there, {here} here"
            )
    rows = {nets: shard_rows(table, point, shard.number).reset_index(drop=True) for nets, table in tables.items()}
    own = {f"{name}_{nets}": table[name] for nets, table in rows.items() for name in FIGURES}
    again = rows[OLD].assign(source=SIMULATED, played_by=played_by, **own)[SCHEMA.names]
    same = (pairs["played_by"] == played_by) & (pairs["player"] == point.player)
    same &= (pairs["opponent"] == point.opponent) & (pairs["match_length"] == point.match_length)
    frozen = pairs[same].reset_index(drop=True)
    assert len(frozen) == shard.matches
    pd.testing.assert_frame_equal(again, frozen, rtol=0.0, atol=MOST_GAMES * DECIMALS / 2, check_dtype=False)


def test_a_table_whose_bytes_changed_is_refused(tmp_path: Path) -> None:
    table = tmp_path / FROZEN.name
    table.write_bytes(FROZEN.read_bytes() + b" ")
    provenance_path(table).write_bytes(provenance_path(FROZEN).read_bytes())
    with pytest.raises(ProvenanceError, match=r"pairs\.parquet: its checksum is not the one"):
        read_rows(table, SCHEMA)
