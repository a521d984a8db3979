"""The tournament through Snakemake with the real engine: played, resumed, rated, and rated without playing."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.engine.locate import Engine
from bgrating.tables.provenance import read_provenance

Run = Callable[..., subprocess.CompletedProcess[str]]
Look = Callable[[str, Path], None]

LEVELS = "levels=advanced,beginner,expert-diluted-0.3"
SETTINGS = (LEVELS, "match_length=1", "games_per_cell=3", "name=t", "seed=4")
FOLDER = Path("tournament") / "t"


@pytest.fixture(scope="module")
def results(snakemake: Run, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    done = snakemake("tournament", "--config", f"results={folder}", *SETTINGS)
    assert done.returncode == 0, done.stdout
    assert "3 levels to 1 point: 18 matches" in done.stdout
    return folder / engine.known.nets


def archives(results: Path) -> dict[str, bytes]:
    return {f"{path.parent.name}/{path.name}": path.read_bytes() for path in sorted(results.rglob("shards/**/*.zip"))}


def test_every_table_is_there(results: Path) -> None:
    folder = results / FOLDER
    for name in ("tournament", "cells", "seats", "diluted"):
        facts = read_provenance(folder / f"{name}.csv")
        assert facts["engine"]["version"].startswith("GNU Backgammon")
        assert facts["study_seed"] == facts["seed"] == 4
    players = pd.read_csv(folder / "tournament.csv")
    assert set(players["player"]) == {"advanced", "beginner", "expert-diluted-0.3"}
    assert players["games"].tolist() == [12, 12, 12]
    assert players["p_champion"].sum() == pytest.approx(1)
    cells = pd.read_csv(folder / "cells.csv")
    assert cells["games"].tolist() == [3] * 6
    assert (folder / "outcomes.png").stat().st_size > 0
    assert "Five ratings of every player" in (folder / "report.html").read_text()


@pytest.mark.parametrize("target", ["tournament", pytest.param("tournament_shards", marks=pytest.mark.nightly)])
def test_another_seed_is_refused_and_nothing_is_played_anew(snakemake: Run, results: Path, target: str) -> None:
    before = archives(results)
    other = [setting.replace("seed=4", "seed=5") for setting in SETTINGS]
    done = snakemake(target, "--config", f"results={results.parent}", *other)
    assert done.returncode != 0
    assert "holds matches of the seed 4, not of 5: give --seed 4, or another --name" in done.stdout
    assert archives(results) == before


def test_the_page_in_a_browser(results: Path, look: Look) -> None:
    look("tournament", results / FOLDER / "report.html")


def test_more_matches_go_on_from_those_that_are_there(snakemake: Run, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "results" / results.name)
    before = archives(results)
    lost = next((tmp_path / "results").rglob("advanced~beginner/000.csv"))
    for path in lost.parent.iterdir():
        path.unlink()
    more = [setting.replace("games_per_cell=3", "games_per_cell=4") for setting in SETTINGS]
    place = ["--config", f"results={tmp_path / 'results'}", *more]
    assert "\nshard  6\n" in re.sub(" +", "  ", snakemake("-n", "tournament_shards", *place).stdout)
    second = lost.parents[1] / "beginner~advanced" / "001.csv"
    done = snakemake(str(second), str(lost), "--cores", "1", *place)
    assert done.returncode == 0, done.stdout
    after = archives(tmp_path / "results")
    assert {name: after[name] for name in before if name != "advanced~beginner/000.zip"} == {
        name: data for name, data in before.items() if name != "advanced~beginner/000.zip"
    }
    assert set(after) - set(before) == {"beginner~advanced/001.zip"}
    sizes = [json.loads(path.read_text())["rows"] for path in (tmp_path / "results").rglob("advanced~beginner/*.zip.*")]
    assert sizes == [4], "a cell that lost its shard plays it whole"
    played = [path.with_suffix(".zip").stat().st_mtime_ns for path in (lost, second)]
    assert played == sorted(played), "first shards are played before second ones"


def test_frozen_matches_are_rated_again_without_playing(snakemake: Run, results: Path, tmp_path: Path) -> None:
    shutil.copytree(results, tmp_path / "results" / results.name)
    folder = tmp_path / "results" / results.name / FOLDER
    kept = (folder / "tournament.csv").read_bytes()
    place = [f"results={tmp_path / 'results'}", *SETTINGS]
    frozen = snakemake("freeze", "--config", *place)
    assert frozen.returncode == 0, frozen.stdout
    assert "18 of 18 matches" in frozen.stdout
    shutil.rmtree(folder / "shards")
    for name in ("tournament.csv", "matches.parquet"):
        (folder / name).unlink()
    again = snakemake("tournament", "--config", *place)
    assert again.returncode == 0, again.stdout
    assert (folder / "tournament.csv").read_bytes() == kept


@pytest.mark.nightly
def test_programs_meet_their_shards_are_frozen_and_rated(snakemake: Run, project: Path, tmp_path: Path) -> None:
    """One of them breaks a rule in every match: it has lost them all."""
    program = f"ubgi:{sys.executable} {project / 'tests' / 'unit' / 'referee' / 'ubgi_engine.py'}"
    sides = f"levels=expert,{program},{program} illegal"
    place = [f"results={tmp_path}", sides, "match_length=1", "games_per_cell=2", "name=p"]
    done = snakemake("tournament", "--config", *place)
    assert done.returncode == 0, done.stdout
    assert "3 programs to 1 point: 12 matches" in done.stdout
    folder = next(tmp_path.glob("*/tournament/p"))
    table = pd.read_csv(folder / "tournament.csv").set_index("player")
    assert table.loc["ubgi-engine.py-illegal", ["games", "wins"]].tolist() == [8, 0]
    assert table.loc["expert", "epm"] == pytest.approx(0.0, abs=1e-4)
    assert read_provenance(folder / "tournament.csv")["sides"]["expert"]["version"].startswith("GNU Backgammon")
    frozen = snakemake("freeze", "--config", *place)
    assert "12 of 12 matches" in frozen.stdout
