"""The page in a real browser: it draws, sorts and filters, asks no network for anything and runs nothing from names."""

import html
import json
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bgrating.human import figures
from bgrating.human.accounts import Analysed, account
from bgrating.human.collection import read_collection, read_records
from bgrating.human.formulas import choose
from bgrating.human.page import Collection, collection_page, player_page, read_table
from bgrating.human.players import players_table, with_ratings
from bgrating.human.tables import match_columns, write_table
from bgrating.settings import SettingsError

TEXT = """; [EventDate "2024.{month:02d}.{day:02d}"]

 1 point match

 Game 1
 {left} : 0                         {right} : 0
  1) {dice}
                                  Wins 1 point
"""
DICE = ["31: 8/5 6/5", "42: 8/4 6/4", "53: 8/3 6/3", "61: 13/7 8/7", "65: 24/13", "64: 24/14", "52: 13/8 13/11"]
PICTURE = '<img src="http://127.0.0.1:{port}/seen" onerror="document.title=1">'
HOSTILE = [
    "<script>document.title=1</script>",
    "</script><script>document.title=1",
    "{{ 7*7 }} $x_1$",
    "=1+1",
    "Ω 名前",
]

HARNESS = """<!DOCTYPE html><title>harness</title>
<iframe id="page" src="report.html" width="1000" height="800"></iframe>
<pre id="result">nothing</pre><script>
document.getElementById("page").addEventListener("load", event => {
  const view = event.target.contentWindow, page = view.document, found = {};
  const column = n => Array.from(page.querySelectorAll("#players tbody tr"), row => row.cells[n].textContent);
  const press = n => page.querySelectorAll("#players thead button")[n].click();
  found.title = page.title;
  found.scripts = page.scripts.length;
  found.drawn = Array.from(page.images, image => image.complete && image.naturalWidth > 100);
  press(2); found.falling = column(2);
  press(2); found.rising = column(2);
  press(0); press(0); found.names = column(0);
  const box = page.querySelector("input");
  box.value = "PLAYER 1"; box.dispatchEvent(new view.Event("input"));
  found.filtered = Array.from(page.querySelectorAll("#players tbody tr")).filter(row => !row.hidden).length;
  found.count = page.getElementById("players-count").textContent;
  found.fetched = view.performance.getEntriesByType("resource").map(entry => entry.name.slice(0, 5));
  document.getElementById("result").textContent = JSON.stringify(found);
});
</script>"""


@pytest.fixture(name="site")
def _site() -> Iterator[tuple[int, list[bytes]]]:
    """Listen as a web site would; return the port and what was asked of it."""
    asked: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def listen() -> None:
            while True:
                try:
                    caller, _ = listening.accept()
                except OSError:
                    return
                with caller:
                    asked.append(caller.recv(100))

        thread = threading.Thread(target=listen)
        thread.start()
        yield listening.getsockname()[1], asked
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def collection(folder: Path, names: list[str]) -> Collection:
    """Write matches between neighbours in a list of names and return their collection, with invented figures."""
    texts = folder / "texts"
    texts.mkdir()
    for number, (left, right) in enumerate(zip(names * 6, (names[1:] + names[:1]) * 6, strict=True)):
        play = DICE[number % len(DICE)] + f"\n  2) {DICE[number // len(DICE) % len(DICE)]}"
        text = TEXT.format(left=left, right=right, dice=play, month=1 + number // 28, day=1 + number % 28)
        (texts / f"{number:03d}.mat").write_text(text)
    (texts / f"{names[-1].replace('/', '-')}.mat").write_text("")
    with read_collection(texts, folder / "readings.jsonl", folder, folder / "batches"):
        records = list(read_records(folder / "readings.jsonl"))
    files, matches = account(records, Analysed.of([invented(records)]))
    chosen = choose("published")
    matches = with_ratings(matches, chosen, 2050.0)
    for name, table in (
        ("files", files),
        ("matches", match_columns(matches)),
        ("players", players_table(matches, chosen, 2050.0)),
    ):
        write_table(table, folder / f"{name}.csv")
    tables = [read_table(folder / f"{name}.csv") for name in ("files", "matches", "players")]
    return Collection("test", *tables, chosen, 2050.0, {"analysis": "0-ply"})


def invented(records: list[dict[str, Any]]) -> pd.DataFrame:
    random = np.random.default_rng(1)
    columns = Analysed.of([]).figures.columns
    keys = dict.fromkeys(match["key"] for record in records for match in record["matches"])
    rows = []
    for key in keys:
        for side in ("left", "right"):
            figures = {
                column: random.uniform(0.0, 0.5) if column.endswith(("_emg", "_mwc")) else 1.0 for column in columns
            }
            figures |= {
                "unforced_moves": 40,
                "close_cube_decisions": 4,
                "close_cube_decisions_2003": 5,
                "total_moves": 60,
            }
            texts = {"problem": None, "differences": None, "content": None, "name": None, "date": None, "format": "mat"}
            rows.append(figures | texts | {"key": key, "side": side})
    return pd.DataFrame(rows)


def test_the_page_in_a_browser(tmp_path: Path, site: tuple[int, list[bytes]]) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine (Debian: package chromium)")
    port, asked = site
    names = [f"player {number}" for number in range(12)] + HOSTILE + [PICTURE.format(port=port)]
    (tmp_path / "report.html").write_text(collection_page(collection(tmp_path, names)), encoding="utf-8")
    (tmp_path / "harness.html").write_text(HARNESS, encoding="utf-8")
    command = [
        browser,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--allow-file-access-from-files",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--virtual-time-budget=10000",
        "--dump-dom",
        (tmp_path / "harness.html").as_uri(),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    shown = html.unescape(done.stdout.split('<pre id="result">')[1].split("</pre>")[0])
    found = json.loads(shown)
    assert found["title"] == "Backgammon ratings: test"
    assert found["scripts"] == 1
    assert found["drawn"] == [True, True]
    ratings = [float(text.replace(",", "")) for text in found["falling"]]
    assert ratings == sorted(ratings, reverse=True)
    assert found["rising"] == found["falling"][::-1]
    assert sorted(found["names"]) == sorted(names)
    assert found["names"] == sorted(names, key=str.casefold)
    assert (found["filtered"], found["count"]) == (3, "3 shown")
    assert set(found["fetched"]) <= {"data:"}
    assert asked == []


def test_a_page_of_one_player(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "<b>bob</b>", "cy"])
    page = player_page(made, "<b>bob</b>")
    assert "<b>bob</b>" not in page
    assert "&lt;b&gt;bob&lt;/b&gt;" in page
    assert page.count('src="data:image/svg+xml;base64,') == 2
    assert "Best matches" in page
    assert "script-src &#39;sha256-" not in page
    with pytest.raises(SettingsError, match="player=anne: no such player in the collection; like it: ann"):
        player_page(made, "anne")


def test_the_page_of_an_empty_collection(tmp_path: Path) -> None:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "empty.mat").write_text("")
    with read_collection(tmp_path / "texts", tmp_path / "readings.jsonl", tmp_path, tmp_path / "batches"):
        files, matches = account(list(read_records(tmp_path / "readings.jsonl")), Analysed.of([]))
    chosen = choose("published")
    matches = with_ratings(matches, chosen, 2050.0)
    made = Collection("test", files, matches, players_table(matches, chosen, 2050.0), chosen, 2050.0, {})
    assert "empty file" in collection_page(made)


def test_a_rating_over_time_has_a_point_after_the_last_match_and_never_too_many() -> None:
    assert figures.window_ends(5, 3) == [3, 4, 5]
    assert figures.window_ends(20, 20) == [20]
    many = figures.window_ends(70_000, figures.WINDOW)
    assert many[-1] == 70_000
    assert many[0] >= figures.WINDOW
    assert figures.MOST_POINTS // 2 <= len(many) <= figures.MOST_POINTS
