"""The site of a collection of real matches: decisions that add up, no page of an old state, and what it looks like."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.collection.settings import player_file

Run = Callable[..., subprocess.CompletedProcess[str]]
Look = Callable[[str, Path], None]

MATCHES = ("match1004844.txt", "match10074339.txt", "match10059423.txt")


@pytest.fixture(scope="module", name="place")
def _place(snakemake: Run, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rate three real matches; return the folder that holds them (`games`) and the `results`."""
    place = tmp_path_factory.mktemp("site")
    (place / "games").mkdir()
    for name in MATCHES:
        shutil.copy(shared / "matches" / "lassehjorthmadsen+bglab" / "lasse" / name, place / "games")
    done = snakemake("human", "--config", f"collection={place / 'games'}", f"results={place / 'results'}")
    assert done.returncode == 0, done.stdout
    return place


def folder_of(place: Path) -> Path:
    return place / "results" / "human" / "games"


def test_decisions_add_up_to_each_player_s_totals(request: pytest.FixtureRequest) -> None:
    folder = request.config.getoption("--rated") or folder_of(request.getfixturevalue("place"))
    decisions = pd.read_parquet(folder / "decisions.parquet")
    keys = ["file", "match", "side"]
    matches = pd.read_csv(folder / "matches.csv", low_memory=False).set_index(keys).sort_index()
    plays, cubes = decisions[decisions["kind"] == "play"], decisions[decisions["kind"] != "play"]

    def summed(rows: pd.DataFrame, column: str) -> pd.Series:
        return rows.groupby(keys)[column].sum().reindex(matches.index, fill_value=0)

    assert (summed(plays, "unforced") == matches["unforced_moves"]).all()
    assert (summed(cubes, "unforced") == matches["close_cube_decisions"]).all()
    for word, column in (("double", "doubles"), ("take", "takes"), ("pass", "passes")):
        assert (summed(cubes[cubes["played"] == word], "unforced") == matches[column]).all()
    for unit in ("emg", "mwc"):
        for rows, column, total in (
            (plays, f"loss_{unit}", f"chequer_error_{unit}"),
            (cubes, f"loss_{unit}", f"cube_error_{unit}"),
            (plays, f"luck_{unit}", f"luck_{unit}"),
        ):
            # A session for money has no chance to win a match, an analysis without luck no luck.
            apart = (summed(rows, column) - matches[total]).abs().dropna()
            print(f"{total}: {matches[total].sum():.3f} in {len(apart)} rows, apart by {apart.max()} at most")
            # Six decimals of each figure, and chances of the cube divided by half of what is at stake.
            assert apart.empty or apart.max() < 2e-4, (column, total)


def test_pages_in_a_browser(place: Path, look: Look) -> None:
    folder = folder_of(place)
    look("index", place / "results" / "index.html")
    look("collection", folder / "report.html")
    look("player", folder / player_file("lasse"))
    look("match", min((folder / "matches").glob("*.html")))


def test_a_player_with_another_name_leaves_no_page(place: Path, snakemake: Run) -> None:
    folder = folder_of(place)
    assert (folder / player_file("lasse")).is_file()
    (place / "aliases.csv").write_text("alias,name\nlasse,Lasse H. M.\n")
    settings = (f"collection={place / 'games'}", f"results={place / 'results'}", f"aliases={place / 'aliases.csv'}")
    done = snakemake("human", "--config", *settings)
    assert done.returncode == 0, done.stdout
    assert "human_analyse" not in done.stdout
    assert not (folder / player_file("lasse")).exists()
    assert (folder / player_file("Lasse H. M.")).is_file()
    assert player_file("lasse") not in (folder / "report.html").read_text(encoding="utf-8")
