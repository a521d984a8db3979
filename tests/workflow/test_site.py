"""The pages of a collection of real matches in a browser, and a long match by keys alone."""

import re
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import browser
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.play.archive import Limits
from bgrating.play.designs import ShardTask
from bgrating.play.shards import play_shard
from bgrating.site.addresses import player_pages
from commands import bgrating

LENGTH = 25
MATCH = "lassehjorthmadsen+bglab/lasse/match1004844.txt"
CUT = """[...document.querySelectorAll(".boards li table")].filter(
  table => table.scrollWidth > table.closest("li").clientWidth + 1).length"""
"""How many tables below boards do not fit."""


def rated(place: Path, *words: str) -> Path:
    """Rate the folder `games` in a place; return the folder of the collection's pages."""
    done = bgrating(
        "rate", "games", "--results", "results", *words, cwd=place, BGRATING_STORE="store"
    )
    assert done.returncode == 0, done.stderr
    return place / "results" / "human" / "games"


def test_pages_in_a_browser(shared: Path, tmp_path: Path, look: browser.Look) -> None:
    (tmp_path / "games").mkdir()
    shutil.copy(shared / "matches" / MATCH, tmp_path / "games")
    folder = rated(tmp_path)
    look("index", tmp_path / "results" / "index.html")
    look("collection", folder / "report.html")
    look("player", folder / player_pages(pd.read_csv(folder / "players.csv")["player"])["lasse"])
    look("match", min((folder / "matches").glob("*.html")))


def test_tables_below_boards_are_not_cut(project: Path, tmp_path: Path) -> None:
    (tmp_path / "games").mkdir()
    shutil.copy(min((project / "examples").iterdir()), tmp_path / "games")
    (match,) = (rated(tmp_path, "--no-luck") / "matches").glob("*.html")
    with browser.opened(match) as page:
        for width in (400, 1000, 1600):
            page.resize(width, 20_000)
            assert page.ask(CUT) == 0, width


@pytest.mark.nightly
def test_keys_alone_and_a_finger_follow_a_long_match(engine: Engine, tmp_path: Path) -> None:
    """The rolls of the file come one after another; the page asks for nothing."""
    players = levels.player("intermediate"), levels.player("advanced")
    task, archive = ShardTask(players, LENGTH, 1, 0, 1), tmp_path / "long.zip"
    play_shard(engine, task, archive, Limits(1000.0, tmp_path / "engine.log"))
    with zipfile.ZipFile(archive) as played:
        played.extractall(tmp_path / "games")
    folder = rated(tmp_path, "--check", "none")
    (long,) = (tmp_path / "games").glob("*.mat")
    rolls = re.findall(r"\b([1-6]{2}):", long.read_text(encoding="ascii"))
    assert len(rolls) >= 300
    (page,) = (folder / "matches").glob("*.html")
    count = len(browser.told_in(page.read_text(encoding="utf-8"))["xgid"])
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
        x, y = one.ask(
            "(box => [box.x + box.width / 2, box.y + box.height /"
            " 2])(stage.getBoundingClientRect())"
        )
        follow(one, lambda: one.swipe((x + 50, y), (x - 50, y)))
        one.show_on_paper()
        shown = (
            "['.track .chart', '#stage'].map(at =>"
            " document.querySelector(at).getClientRects().length)"
        )
        assert one.ask(shown) == [1, 0], "paper has the curve and no board to step through"
        assert (one.said(), one.asked()) == ([], [page.as_uri()])
        print(f"{len(rolls)} rolls, {count} steps; the page has {page.stat().st_size} bytes")
    assert page.stat().st_size <= 200_000
