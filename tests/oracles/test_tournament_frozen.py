"""The frozen tournament: whole, and what the engine plays again today; its tables are what its matches give."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.engine.levels import player
from bgrating.engine.locate import Engine
from bgrating.engine.nets import committed_results
from bgrating.play.designs import Shard
from bgrating.play.matches import read_checked, shard_rows
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.tables.provenance import read_provenance
from bgrating.tournament import design
from bgrating.tournament.design import Tournament
from bgrating.tournament.tables import TABLES
from replays import assert_played_again

MATCHES = 4
RESULTS = committed_results("1.08")


@pytest.fixture(scope="module", params=["1.08", "1.07.001"])
def nets(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tournament(project: Path, nets: str) -> Tournament:
    return design.tournament({"results": str(project / "results"), "nets": nets})


@pytest.fixture(scope="module")
def folder(project: Path, tournament: Tournament, nets: str) -> Path:
    return project / "results" / nets / tournament.design.study


@pytest.fixture(scope="module")
def frozen(folder: Path, tournament: Tournament) -> Path:
    return folder / "frozen" / f"{tournament.match_length}.parquet"


def test_the_frozen_matches_are_whole(frozen: Path, tournament: Tournament) -> None:
    rows, facts = read_checked(frozen), read_provenance(frozen)
    assert len(rows) == facts["rows"]
    assert facts["study_seed"] == tournament.design.seed
    assert facts["analysis"]["name"] == tournament.design.analysis
    assert not rows.duplicated(["player", "opponent", "shard", "match"]).any()
    assert set(rows["player"]) == set(rows["opponent"]) == set(tournament.levels)
    assert (rows["player"] != rows["opponent"]).all()
    assert (rows[["player_score", "opponent_score"]].max(axis=1) >= tournament.match_length).all()


def test_matches_are_played_again_exactly(
    request: pytest.FixtureRequest, limits: Limits, tmp_path: Path, frozen: Path, tournament: Tournament, nets: str
) -> None:
    engine: Engine = request.getfixturevalue("engine" if nets == "1.08" else "old_engine")
    rows = read_checked(frozen)
    held = [key for key in rows.groupby(["player", "opponent", "shard"]).groups if "1-ply" not in key]
    # One diluted player at least, since the way they play is the newest.
    diluted = [key for key in held if any(player(name).dilution for name in key[:2])]
    chosen = [random.Random(1).choice(held), random.Random(1).choice(diluted)]
    for number, (first, second, shard) in enumerate(chosen):
        archive = tmp_path / f"{number}.zip"
        point = tournament.design.point(first, second, tournament.match_length)
        play_shard(engine, tournament.design.task(point, Shard(int(shard), MATCHES)), archive, limits)
        analyse_archive(engine, tournament.design.analysis_level(), archive, archive.with_suffix(".csv"), limits)
        again = shard_rows(archive.with_suffix(".csv"), archive, point, shard)
        kept = rows[(rows["player"] == first) & (rows["opponent"] == second) & (rows["shard"] == shard)]
        assert [read_provenance(archive)["opening_evaluation"]] == read_provenance(frozen)["opening_evaluations"]
        assert_played_again(again, kept[kept["match"] < MATCHES], nets)


def test_the_tables_are_of_these_matches(folder: Path, frozen: Path) -> None:
    rows = read_checked(frozen)
    assert len({read_provenance(folder / f"{name}.csv")["matches_sha256"] for name in TABLES}) == 1
    players = pd.read_csv(folder / "tournament.csv").set_index("player")
    for name, row in players.iterrows():
        as_first, as_second = rows[rows["player"] == name], rows[rows["opponent"] == name]
        assert row["games"] == len(as_first) + len(as_second)
        assert row["wins"] == (as_first["actual_result"] > 0).sum() + (as_second["actual_result"] < 0).sum()


def test_all_systems_tell_the_levels_apart_alike(folder: Path) -> None:
    players = pd.read_csv(folder / "tournament.csv").set_index("player")
    systems = ["elo", "logistic", "eloworld", "luck_adjusted", "errors_fitted"]
    assert (players[systems].corr().to_numpy() > 0.97).all()
    for system in systems:
        by_noise = players.loc[["expert", "advanced", "intermediate", "beginner"], system].to_numpy()
        by_dilution = players.loc[["expert", "expert-diluted-0.1", "expert-diluted-0.3"], system].to_numpy()
        assert (np.diff(by_noise) < 0).all()
        assert (np.diff(by_dilution) < 0).all()


LADDER = (
    "worst",
    "random",
    "expert-random-0.8",
    "expert-random-0.6",
    "expert-random-0.4",
    "expert-random-0.1",
    "expert",
)


@pytest.mark.parametrize("name", ["ladder-1-point", "ladder-5-points"])
def test_rating_from_errors_ends_below_random_play(name: str) -> None:
    """Results put each rung above the one below; errors misjudge how far the worst plays are below random ones."""
    players = pd.read_csv(RESULTS / "tournament" / name / "tournament.csv").set_index("player")
    rungs = players.loc[[side for side in LADDER if side in players.index]]
    for system in ("elo", "logistic", "eloworld", "luck_adjusted"):
        assert (np.diff(rungs[system]) > 0).all()
    worst, random_play = rungs.iloc[0], rungs.iloc[1]
    by_results, by_errors = (random_play[system] - worst[system] for system in ("luck_adjusted", "errors_fitted"))
    assert by_results > 500
    assert not 2 / 3 < by_errors / by_results < 1.5
    assert players.loc[["worst", "random", "beginner"], "errors_outside_range"].all()
    assert not players.loc[["advanced", "expert", "worldclass"], "errors_outside_range"].any()
