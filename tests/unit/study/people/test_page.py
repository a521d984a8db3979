"""The page of the check and its answers: on people of known strength, and on collections that cannot answer."""

import html
import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.engine.nets import committed_results
from bgrating.pages.style import save
from bgrating.rating.choose import choose
from bgrating.tables.tables import read_table
from study.people.page import figures, in_short, people_page, summary
from study.people.scale import TOGETHER
from study.people.tables import Check, check

NETS = "1.07.001"
HARNESS = """<!DOCTYPE html><iframe id="page" src="people.html" width="1000" height="800"></iframe>
<pre id="result">nothing</pre><script>
document.getElementById("page").addEventListener("load", event => {
  const view = event.target.contentWindow, page = view.document, found = {};
  found.title = page.title;
  found.drawn = Array.from(page.images, image => image.complete && image.naturalWidth > 100);
  found.fetched = view.performance.getEntriesByType("resource").map(entry => entry.name.slice(0, 5));
  document.getElementById("result").textContent = JSON.stringify(found);
});
</script>"""

REPLICATES = 20
"""Simulated collections for F: the page only shows what comes of them."""


def checked(matches: pd.DataFrame) -> Check:
    noise = read_table(committed_results(NETS) / "people-noise" / "frozen" / "error_sizes.csv")
    return check(matches, noise, choose("published", NETS), 2050.0, NETS, REPLICATES)


def page_of(matches: pd.DataFrame, folder: Path) -> tuple[Check, str]:
    found = checked(matches)
    drawn = save(figures(found.tables), folder / "figures")
    return found, people_page("test", found, drawn, {"analysis": "0-ply"})


def people(matches: int = 120, seed: int = 1) -> pd.DataFrame:
    return simulated_people.collection(np.random.default_rng(seed), players=30, matches=matches)[0]


@pytest.mark.slow
def test_the_page_in_a_browser(tmp_path: Path) -> None:
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine (Debian: package chromium)")
    table = people()
    hostile = "<script>document.title=1</script>"
    for column in ("player", "opponent"):
        table[column] = table[column].replace({"p000": hostile, "p002": "=1+1 $x_1$"})
    found, page = page_of(table, tmp_path)
    assert hostile in set(found.tables["appendix"]["player"])
    assert "=1+1 $x_1$" in set(found.tables["appendix"]["player"])
    assert hostile not in page
    assert html.escape(hostile) in page
    (tmp_path / "people.html").write_text(page, encoding="utf-8")
    (tmp_path / "harness.html").write_text(HARNESS, encoding="utf-8")
    command = [
        browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-background-networking",
        "--allow-file-access-from-files", f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=10000",
        "--dump-dom", (tmp_path / "harness.html").as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=True)
    seen = json.loads(html.unescape(done.stdout.split('<pre id="result">')[1].split("</pre>")[0]))
    assert seen["title"] == "Are people like noise? test"
    assert seen["drawn"] == [True] * len(list((tmp_path / "figures").glob("*.svg")))
    assert set(seen["fetched"]) <= {"data:"}


@pytest.mark.parametrize("kind", ["few", "money", "no luck", "nothing"])
def test_a_collection_that_cannot_answer_says_so(tmp_path: Path, kind: str) -> None:
    table = people(matches=5 if kind == "few" else 40)
    if kind == "money":
        table = table.assign(match_length=0, luck_adjusted_result=np.nan, actual_result=np.nan, recorded_rating=np.nan)
    elif kind == "no luck":
        table = table.assign(luck_adjusted_result=np.nan)
    elif kind == "nothing":
        table = table.head(0)
    found, page = page_of(table, tmp_path)
    assert in_short(found)[0].startswith("What errors cost: this collection is too small; 30 decided matches")
    assert summary(found, "x").endswith("Page: x\n")
    assert page.count("<h2>") >= 6


def test_every_sentence_carries_figures_and_a_number_of_matches_or_players() -> None:
    found = in_short(checked(people()))
    assert [sentence for sentence in found if "too small" in sentence] == [
        "Shape of errors: this collection is too small; 2,000 unforced moves are needed "
        "(it has 120 decided matches with luck)."
    ]
    for sentence in found:
        assert re.search(r"\d(?: decided)? (?:matches|players|people)", sentence), sentence


def test_without_recorded_ratings_it_says_so(tmp_path: Path) -> None:
    table = people().assign(recorded_rating=np.nan)
    found, page = page_of(table, tmp_path)
    assert found.tables["appendix"].empty
    recorded = in_short(found)[1]
    assert recorded.startswith("Recorded ratings: ")
    assert 'id="appendix"' not in page
    assert not (tmp_path / "figures" / "calibration-site.svg").exists()


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.9, 1.2, "ratings take the formula as it is"),
        (1.1, 1.3, "That is more than noise's errors cost."),
        (0.5, 0.9, "That is less than noise's errors cost."),
    ],
)
def test_a_verdict_follows_the_interval(low: float, high: float, words: str) -> None:
    found = checked(people())
    scale = found.tables["scale"]
    scale.loc[scale["estimator"] == TOGETHER, ["estimate", "ci_low", "ci_high"]] = ((low + high) / 2, low, high)
    (first, *_) = in_short(found)
    assert words in first
    assert f"{(low + high) / 2:.2f}" in first
