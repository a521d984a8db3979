"""The site of a collection of real matches: decisions that add up, no page of an old state, and what it looks like."""

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

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
