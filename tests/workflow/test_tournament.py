"""The tournament through Snakemake and the engine: played, resumed, and rated again."""

import io
import shutil
import sys
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from planned import jobs

from bgrating.engine.locate import Engine
from bgrating.tables.provenance import read_provenance
from browser import Look
from commands import Run

SETTINGS = ["levels=advanced,beginner,expert-diluted-0.3", "match_length=1"]
SETTINGS += ["games_per_cell=3", "name=t", "seed=4"]
FOLDER = Path("tournament") / "t"
pytestmark = pytest.mark.slow


def played(snakemake: Run, engine: Engine, folder: Path) -> Path:
    done = snakemake("tournament", "--config", f"results={folder}", *SETTINGS)
    assert done.returncode == 0, done.stdout
    assert "3 levels to 1 point: 18 matches" in done.stdout
    return folder / engine.known.version


@pytest.fixture(scope="module")
def results(snakemake: Run, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(snakemake, engine, tmp_path_factory.mktemp("results"))


def changed(setting: str) -> list[str]:
    name = setting.partition("=")[0]
    return [setting if one.startswith(f"{name}=") else one for one in SETTINGS]


def members(archive: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(archive)) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def archives(results: Path) -> dict[str, bytes]:
    return {
        f"{path.parent.name}/{path.name}": path.read_bytes()
        for path in sorted(results.rglob("shards/**/*.zip"))
    }


def test_every_table_is_there(results: Path) -> None:
    folder = results / FOLDER
    for name in ("tournament", "cells", "seats"):
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


def test_another_seed_is_played_anew(snakemake: Run, results: Path) -> None:
    planned = snakemake(
        "-n", "tournament", "--config", f"results={results.parent}", *changed("seed=5")
    )
    assert jobs(planned)["play"] == 6
    same = snakemake("-n", "tournament", "--config", f"results={results.parent}", *SETTINGS)
    assert jobs(same) == {"tournament": 1}


def test_the_page_in_a_browser(results: Path, look: Look) -> None:
    look("tournament", results / FOLDER / "report.html")


def test_frozen_matches_are_rated_again_without_playing(
    snakemake: Run, results: Path, tmp_path: Path
) -> None:
    shutil.copytree(results, tmp_path / "results" / results.name)
    folder = tmp_path / "results" / results.name / FOLDER
    kept = (folder / "tournament.csv").read_bytes()
    place = f"results={tmp_path / 'results'}"
    done = snakemake("freeze", "--config", place, "part=tournament/t", *SETTINGS)
    assert done.returncode == 0, done.stdout
    assert "18 of 18 matches" in done.stdout
    for name in ("shards", "analyses"):
        shutil.rmtree(folder / name)
    for name in ("tournament.csv", "matches.parquet"):
        (folder / name).unlink()
    again = snakemake("tournament", "--config", place, *SETTINGS)
    assert again.returncode == 0, again.stdout
    assert (folder / "tournament.csv").read_bytes() == kept
    more = snakemake("tournament", "--config", place, *changed("games_per_cell=51"))
    assert more.returncode != 0
    assert "the design asks for 51" in more.stdout
    other = snakemake("tournament", "--config", place, *changed("seed=5"))
    assert other.returncode != 0
    assert (
        "holds matches of the seed 4, not of 5: give that seed, or results= another folder"
        in other.stdout
    )


@pytest.mark.nightly
def test_programs_meet_their_shards_are_frozen_and_rated(
    snakemake: Run, project: Path, tmp_path: Path
) -> None:
    """One of them breaks a rule in every match: it has lost them all."""
    program = f"ubgi:{sys.executable} {project / 'tests/unit/bgduel/ubgi_engine.py'}"
    sides = f"levels=expert,{program},{program} illegal"
    place = [f"results={tmp_path}", sides, "match_length=1", "games_per_cell=2", "name=p"]
    done = snakemake("tournament", "--config", *place)
    assert done.returncode == 0, done.stdout
    assert "3 programs to 1 point: 12 matches" in done.stdout
    folder = next(tmp_path.glob("*/tournament/p"))
    table = pd.read_csv(folder / "tournament.csv").set_index("player")
    assert table.loc["ubgi-engine.py-illegal", ["games", "wins"]].tolist() == [8, 0]
    assert table.loc["expert", "epm"] == pytest.approx(0.0, abs=1e-4)
    assert read_provenance(folder / "tournament.csv")["sides"]["expert"]["version"].startswith(
        "GNU Backgammon"
    )
    frozen = snakemake("freeze", "--config", "part=tournament/p", *place)
    assert "12 of 12 matches" in frozen.stdout, frozen.stdout


def test_more_matches_of_a_cell_begin_with_those_that_are_there(
    snakemake: Run, engine: Engine, tmp_path: Path
) -> None:
    results = played(snakemake, engine, tmp_path)
    before = archives(results)
    place = ["--config", f"results={results.parent}", *changed("games_per_cell=51")]
    planned = jobs(snakemake("-n", "tournament", *place))
    assert (planned["play"], planned["analyse"]) == (12, 12), (
        "first shards of 50 instead of 3 matches, and second ones"
    )
    cells = results / FOLDER / "analyses" / "1"
    first, second = cells / "advanced~beginner" / "000.csv", cells / "beginner~advanced" / "001.csv"
    done = snakemake(str(second), str(first), "--cores", "1", *place)
    assert done.returncode == 0, done.stdout
    after = archives(results)
    grown, new = "advanced~beginner/000.zip", "beginner~advanced/001.zip"
    assert {**before, grown: after[grown], new: after[new]} == after
    assert len(members(after[grown])) == 50
    assert members(before[grown]).items() <= members(after[grown]).items()
    assert len(members(after[new])) == 1
    shards = cells.parents[1] / "shards" / "1"
    times = [(shards / name).stat().st_mtime_ns for name in (grown, new)]
    assert times == sorted(times), "first shards are played before second ones"
