"""Frozen matches: whole, and how exactly a replay gives their rows."""

from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.engine.locate import Engine
from bgrating.play.archive import ArchiveAnalyst, Limits, analyse_archive
from bgrating.play.designs import Design, DesignPoint, Shard
from bgrating.play.match_tables import read_checked, shard_rows
from bgrating.play.shards import play_shard
from bgrating.tables.provenance import read_provenance

# The matches of 1.07.001 were frozen from figures in single precision; today's are read from a text
# with six decimals, and a match adds up those of its games.
DECIMALS = 1e-6
MOST_GAMES = 45


def assert_whole(rows: pd.DataFrame, facts: dict[str, Any], design: Design, length: int) -> None:
    """Check that frozen matches are those of a design, each once and to its end."""
    assert len(rows) == facts["rows"]
    assert facts["study_seed"] == design.seed
    assert facts["analysis"]["name"] == design.analysis
    assert not rows.duplicated(["player", "opponent", "shard", "match"]).any()
    assert (rows[["player_score", "opponent_score"]].max(axis=1) >= length).all()


def assert_replayed(
    engine: Engine, table: Path, design: Design, point: DesignPoint, shard: Shard, folder: Path
) -> None:
    """Play and analyse the first matches of a shard again; compare with a frozen table."""
    archive, limits = folder / "shard.zip", Limits(600.0, folder / "shard.log")
    play_shard(engine, design.task(point, shard), archive, limits)
    analyst = ArchiveAnalyst(engine, design.analysis_level(), limits)
    analyse_archive(analyst, archive, archive.with_suffix(".csv"))
    evaluations = read_provenance(table)["opening_evaluations"]
    assert [read_provenance(archive)["opening_evaluation"]] == evaluations
    rows = read_checked(table)
    rows = rows[(rows["player"] == point.player) & (rows["opponent"] == point.opponent)]
    rows = rows[(rows["shard"] == shard.number) & (rows["match"] < shard.matches)]
    again = shard_rows(archive.with_suffix(".csv"), archive, point, shard.number)
    assert_played_again(again, rows, engine.known.version)


def assert_played_again(again: pd.DataFrame, frozen: pd.DataFrame, engine_version: str) -> None:
    """Compare replayed rows with frozen ones: exactly, and with 1.07.001 to the decimals of the
    text.

    A cube decision whose last decimal decides whether it is close may count otherwise, in one match
    at most.
    """
    expected = frozen.reset_index(drop=True)
    exact: dict[str, Any] = {"check_exact": True}
    if engine_version == "1.07.001":
        exact = {"rtol": 0.0, "atol": MOST_GAMES * DECIMALS / 2}
        close = [name for name in expected.columns if "close_cube_decisions" in name]
        apart = (again[close].to_numpy() != expected[close].to_numpy()).any(axis=1)
        assert apart.sum() <= 1
        assert (again[close] - expected[close]).abs().to_numpy().max() <= 1
        again = again.assign(**{name: expected[name] for name in close})
    pd.testing.assert_frame_equal(again.astype(expected.dtypes), expected, **exact)
