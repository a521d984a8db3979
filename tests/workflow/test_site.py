"""The site of a collection of real matches: decisions that add up, no page of an old state, and what it looks like."""

import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import browser
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play.designs import ShardTask
from bgrating.play.shards import Limits, play_shard
from bgrating.site.addresses import player_pages

Look = Callable[[str, Path], None]

LENGTH = 25
MATCH = "lassehjorthmadsen+bglab/lasse/match1004844.txt"


def rate(project: Path, place: Path, *words: str) -> None:
    command = [sys.executable, "-m", "bgrating", "rate", "games", "--results", "results", *words]
    own = os.environ | {"PYTHONPATH": str(project / "scripts"), "BGRATING_STORE": "store"}
    subprocess.run(command, cwd=place, env=own, check=True)


@pytest.fixture(scope="module", name="place")
def _place(project: Path, shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rate a real match; return the folder that holds it (`games`) and the `results`."""
    place = tmp_path_factory.mktemp("site")
    (place / "games").mkdir()
    shutil.copy(shared / "matches" / MATCH, place / "games")
    rate(project, place)
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


@pytest.mark.nightly
def test_a_long_match_is_followed_with_keys_alone_and_with_a_finger(
    project: Path, engine: Engine, tmp_path: Path
) -> None:
    """The rolls of the file, which no page wrote, come one after another; the page asks for nothing and is silent."""
    players = levels.player("intermediate"), levels.player("advanced")
    task, archive = ShardTask(players, LENGTH, 1, 0, 1), tmp_path / "long.zip"
    play_shard(engine, task, archive, Limits(1000.0, tmp_path / "engine.log"))
    with zipfile.ZipFile(archive) as played:
        played.extractall(tmp_path / "games")
    rate(project, tmp_path, "--check", "none")
    (long,) = (tmp_path / "games").glob("*.mat")
    rolls = re.findall(r"\b([1-6]{2}):", long.read_text(encoding="ascii"))
    assert len(rolls) >= 300
    (page,) = (folder_of(tmp_path) / "matches").glob("*.html")
    count = len(browser.told_in(page.read_text(encoding="utf-8"))["place"])
    told = "document.querySelector('#answer h2').textContent.match(/step (.*)/)[1] + ' ' + STAGE"
    told = told.replace("STAGE", "document.querySelector('#stage svg').ariaLabel")

    def follow(one: browser.Page, step: Callable[[], None]) -> None:
        seen = []
        for number in range(1, count + 1):
            where = one.ask(told)
            assert where.startswith(f"{number} of {count} ")
            seen += re.findall(r"rolled (\d\d);", where)
            step()
        assert one.ask(told).startswith(f"{count} of {count} ")
        assert seen == rolls

    with browser.opened(page) as one:
        while one.ask("document.activeElement.id") != "play":
            one.press("Tab")
        one.press("Home")
        follow(one, lambda: one.press("ArrowRight"))
        one.press("Home")
        one.resize(400)
        one.ask("stage.scrollIntoView({block: 'center'})")
        x, y = one.ask("(box => [box.x + box.width / 2, box.y + box.height / 2])(stage.getBoundingClientRect())")
        follow(one, lambda: one.swipe((x + 50, y), (x - 50, y)))
        one.show_on_paper()
        shown = "['.track .chart', '#stage'].map(at => document.querySelector(at).getClientRects().length)"
        assert one.ask(shown) == [1, 0], "paper has the curve and no board to step through"
        assert (one.said(), one.asked()) == ([], [page.as_uri()])
        print(f"{len(rolls)} rolls, {count} steps; the page has {page.stat().st_size} bytes")
    assert page.stat().st_size <= 200_000
