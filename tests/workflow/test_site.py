"""The site of a collection of real matches: decisions that add up, no page of an old state, and what it looks like."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.collection.addresses import player_pages

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


def page_of(folder: Path, player: str) -> str:
    return player_pages(pd.read_csv(folder / "players.csv")["player"])[player]


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
    # gnubg writes six decimals of totals and of the losses of plays, five of the luck of rolls. Of the cube it writes
    # chances, so one unit of their last decimal is the more in EMG the less is at stake.
    at_stake = (cubes["loss_mwc"] / cubes["loss_emg"]).where((cubes["loss_emg"] > 0) & (cubes["match_length"] > 0))
    plays = plays.assign(play=1e-6, roll=5e-6)
    cubes = cubes.assign(emg=1e-6 + 1e-6 / at_stake.fillna(np.inf), mwc=1e-6)
    for unit in ("emg", "mwc"):
        for rows, column, total, rounding in (
            (plays, f"loss_{unit}", f"chequer_error_{unit}", "play"),
            (cubes, f"loss_{unit}", f"cube_error_{unit}", unit),
            (plays, f"luck_{unit}", f"luck_{unit}", "roll"),
        ):
            # A session for money has no chance to win a match, an analysis without luck no luck.
            apart = (summed(rows, column) - matches[total]).abs()[matches[total].notna()]
            room = 1e-6 + summed(rows, rounding)
            print(f"{total}: {matches[total].sum():.3f} in {len(apart)} rows, apart by {apart.max():.1e} at most")
            assert (apart <= room[apart.index]).all(), (column, total)
    print(f"{len(decisions)} decisions of {matches['player'].nunique()} players")


def test_pages_in_a_browser(place: Path, look: Look) -> None:
    folder = folder_of(place)
    look("index", place / "results" / "index.html")
    look("collection", folder / "report.html")
    look("player", folder / page_of(folder, "lasse"))
    look("match", min((folder / "matches").glob("*.html")))


def test_a_player_with_another_name_leaves_no_page(place: Path, snakemake: Run) -> None:
    folder = folder_of(place)
    before = page_of(folder, "lasse")
    assert (folder / before).is_file()
    (place / "aliases.csv").write_text("alias,name\nlasse,Lasse H. M.\n")
    settings = (f"collection={place / 'games'}", f"results={place / 'results'}", f"aliases={place / 'aliases.csv'}")
    done = snakemake("human", "--config", *settings)
    assert done.returncode == 0, done.stdout
    assert "human_analyse" not in done.stdout
    assert not (folder / before).exists()
    assert (folder / page_of(folder, "Lasse H. M.")).is_file()
    assert before not in (folder / "report.html").read_text(encoding="utf-8")
