"""The frozen tournament: whole, replayed today, and its tables are those of its matches."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgleague.tournament import design
from bgleague.tournament.design import Tournament
from bgleague.tournament.tournament_tables import TABLES
from bgrating.engine.levels import player
from bgrating.engine.locate import Engine
from bgrating.play.designs import Shard
from bgrating.play.match_tables import read_checked
from bgrating.rating.result_files import results_of
from bgrating.tables.provenance import read_provenance
from replays import assert_replayed, assert_whole

MATCHES = 4
RESULTS = results_of("1.08")


@pytest.fixture(scope="module", params=["1.08", "1.07.001"])
def engine_version(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def tournament(project: Path, engine_version: str) -> Tournament:
    return design.tournament({"results": str(project / "results"), "nets": engine_version})


@pytest.fixture(scope="module")
def folder(project: Path, tournament: Tournament, engine_version: str) -> Path:
    return project / "results" / engine_version / tournament.design.study


@pytest.fixture(scope="module")
def frozen(folder: Path, tournament: Tournament) -> Path:
    return folder / "frozen" / f"{tournament.match_length}.parquet"


def test_the_frozen_matches_are_whole(frozen: Path, tournament: Tournament) -> None:
    rows = read_checked(frozen)
    assert_whole(rows, read_provenance(frozen), tournament.design, tournament.match_length)
    assert set(rows["player"]) == set(rows["opponent"]) == set(tournament.levels)
    assert (rows["player"] != rows["opponent"]).all()


def test_matches_are_played_again_exactly(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    frozen: Path,
    tournament: Tournament,
    engine_version: str,
) -> None:
    engine: Engine = request.getfixturevalue("engine" if engine_version == "1.08" else "old_engine")
    groups = read_checked(frozen).groupby(["player", "opponent", "shard"]).groups
    held = [key for key in groups if "1-ply" not in key]
    # One diluted player at least, since the way they play is the newest.
    diluted = [key for key in held if any(player(name).dilution for name in key[:2])]
    for first, second, number in (random.Random(1).choice(held), random.Random(1).choice(diluted)):
        point = tournament.design.point(first, second, tournament.match_length)
        shard = Shard(int(number), MATCHES)
        assert_replayed(engine, frozen, tournament.design, point, shard, tmp_path)


def test_the_tables_are_of_these_matches(folder: Path, frozen: Path) -> None:
    rows = read_checked(frozen)
    assert len({read_provenance(folder / f"{name}.csv")["matches_sha256"] for name in TABLES}) == 1
    players = pd.read_csv(folder / "tournament.csv").set_index("player")
    for name, row in players.iterrows():
        as_first, as_second = rows[rows["player"] == name], rows[rows["opponent"] == name]
        assert row["games"] == len(as_first) + len(as_second)
        won = (as_first["actual_result"] > 0).sum() + (as_second["actual_result"] < 0).sum()
        assert row["wins"] == won


def test_all_systems_tell_the_levels_apart_alike(folder: Path) -> None:
    players = pd.read_csv(folder / "tournament.csv").set_index("player")
    systems = ["elo", "logistic", "eloworld", "luck_adjusted", "errors_fitted"]
    assert (players[systems].corr().to_numpy() > 0.97).all()
    by_noise = ["expert", "advanced", "intermediate", "beginner"]
    by_dilution = ["expert", "expert-diluted-0.1", "expert-diluted-0.3"]
    for names in (by_noise, by_dilution):
        assert (np.diff(players.loc[names, systems], axis=0) < 0).all()


LADDER = ("worst", "random", *(f"expert-random-0.{tenths}" for tenths in (8, 6, 4, 1)), "expert")


@pytest.mark.parametrize("name", ["ladder-1-point", "ladder-5-points"])
def test_rating_from_errors_ends_below_random_play(name: str) -> None:
    """Results order all rungs; errors misjudge how far the worst plays below random ones."""
    players = pd.read_csv(RESULTS / "tournament" / name / "tournament.csv").set_index("player")
    rungs = players.loc[[side for side in LADDER if side in players.index]]
    for system in ("elo", "logistic", "eloworld", "luck_adjusted"):
        assert (np.diff(rungs[system]) > 0).all()
    steps = rungs.iloc[1][["luck_adjusted", "errors_fitted"]] - rungs.iloc[0]
    by_results, by_errors = steps["luck_adjusted"], steps["errors_fitted"]
    assert by_results > 500
    assert not 2 / 3 < by_errors / by_results < 1.5
    assert players.loc[["worst", "random", "beginner"], "errors_outside_range"].all()
    assert not players.loc[["advanced", "expert", "worldclass"], "errors_outside_range"].any()
