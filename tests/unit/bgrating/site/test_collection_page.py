"""The page in a browser draws, sorts, filters, uses no network, runs nothing from names."""

import csv
import re
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

import browser
from bgmatch.position import read_xgid
from bgrating.collection.accounts import _FIGURES, Analysed, account
from bgrating.collection.match_record import FileRecord
from bgrating.collection.rated_tables import Tables, answer, first_page
from bgrating.decisions.decision_table import COLUMNS
from bgrating.pages.template import records
from bgrating.people.players import players_table, with_ratings
from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.limits import BelowLimit, chances_below
from bgrating.site import addresses
from bgrating.site.addresses import match_pages, player_pages
from bgrating.site.collection_page import Collection, collection_page
from bgrating.site.site import Destination, write_site
from bgrating.tables.dictionary import columns
from bgrating.tables.folder import mark_of, marked
from bgrating.tables.table_files import read_table, write_table
from corpus import cases, data_text, values
from records import records_of

ENGINE_VERSION = "1.07.001"
ABOUT = {"analysis": "0-ply", "check": "none"}
TEXT = values("site")["text"]
DICE = ["31: 8/5 6/5", "42: 8/4 6/4", "53: 8/3 6/3", "61: 13/7 8/7", "65: 24/13", "64: 24/14"]
DICE.append("52: 13/8 13/11")
PICTURE = '<img src="http://127.0.0.1:{port}/seen" onerror="document.title=1">'
HOSTILE = ["<script>document.title=1</script>", "</script><script>document.title=1"]
HOSTILE += ["{{ 7*7 }} $x_1$", "=1+1", "Ω 名前"]

SEEN = data_text("pages/ranking.js")


@pytest.fixture(name="site")
def _site() -> Iterator[tuple[int, list[bytes]]]:
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
    """Write matches between neighbours in a list of names; return the invented collection."""
    texts = {f"{names[-1].replace('/', '-')}.mat": ""}
    pairs = zip(names * 6, (names[1:] + names[:1]) * 6, strict=True)
    for number, (left, right) in enumerate(pairs):
        play = DICE[number % len(DICE)] + f"\n  2) {DICE[number // len(DICE) % len(DICE)]}"
        facts = {"left": left, "right": right, "month": 1 + number // 28, "day": 1 + number % 28}
        texts[f"{number:03d}.mat"] = TEXT.format(dice=play, **facts)
    records = records_of(texts)
    files, matches = account(records, invented(records))
    chosen = choose("published", ENGINE_VERSION)
    matches = with_ratings(matches, chosen, 2050.0).assign(level="0-ply")
    tables = []
    shown = (files, matches[columns("human/matches")], rated(matches, chosen))
    for name, table in zip(("files", "matches", "players"), shown, strict=True):
        write_table(table, folder / f"{name}.csv", f"human/{name}")
        tables.append(read_table(folder / f"{name}.csv"))
    return Collection(
        "test", tables[0], tables[1], tables[1], tables[1], tables[2], chosen, 2050.0, ABOUT
    )


def changed(made: Collection, matches: pd.DataFrame, **more: Any) -> Collection:
    """Return a collection with other matches, which are those of its players' figures too."""
    return replace(made, matches=matches, of_players=matches, rated_by=matches, **more)


@pytest.fixture(name="made")
def _made(tmp_path: Path) -> Collection:
    return collection(tmp_path, ["ann", "bob", "cy"])


def tables_of(made: Collection) -> Tables:
    """Return the tables that a collection's pages show."""
    matches = made.matches
    return Tables(
        made.files,
        matches,
        matches,
        made.rated_by,
        made.model,
        made.players,
        pd.DataFrame(),
        population=None,
        remarks=[],
    )


def rated(matches: pd.DataFrame, model: RatingModel) -> pd.DataFrame:
    players = players_table(matches, model, 2050.0)[0]
    return players.assign(level="0-ply", checked_matches=0, rating_0_ply=players["rating"])


def invented(records: Sequence[FileRecord]) -> Analysed:
    random = np.random.default_rng(1)
    keys = dict.fromkeys(match.key for record in records for match in record.matches if match.key)
    counts = {"unforced_moves": 40, "total_moves": 60}
    counts |= {"close_cube_decisions": 4, "close_cube_decisions_2003": 5}

    def row(side: str) -> dict[str, Any]:
        figures = {
            name: random.uniform(0.0, 0.5) if name.endswith(("_emg", "_mwc")) else 1.0
            for name in _FIGURES
        }
        return figures | counts | {"side": side}

    return Analysed({key: {"rows": [row("left"), row("right")]} for key in keys}, {})


@pytest.mark.slow
def test_the_ranking_in_a_browser_sorts_and_filters_and_asks_no_network(
    tmp_path: Path, site: tuple[int, list[bytes]]
) -> None:
    port, asked = site
    names = [f"player {number}" for number in range(18)] + HOSTILE + [PICTURE.format(port=port)]
    site_of(collection(tmp_path, names), tmp_path)
    with browser.opened(tmp_path / "report.html") as page:
        page.resize(1000)
        found = page.ask(SEEN)
    assert found["title"] == "Backgammon ratings: test"
    assert found["scripts"] == 1
    # A bar for everybody, which says what it shows where the pointer rests.
    assert found["drawn"] == [True] * len(names)
    assert all(re.fullmatch(r"-?[\d,]+, -?[\d,]+ to -?[\d,]+", text) for text in found["said"])
    assert found["bars"] == found["falling"]
    ratings = [float(text.replace(",", "")) for text in found["falling"]]
    assert ratings == sorted(ratings, reverse=True)
    assert found["rising"] == found["falling"][::-1]
    assert sorted(found["names"]) == sorted(names)
    assert found["names"] == sorted(names, key=str.casefold)
    assert (found["filtered"], found["count"]) == (9, "9 rows")
    assert set(found["fetched"]) <= {"data:"}
    assert asked == []


CHECKED = values("site")["checked"]


def site_of(
    made: Collection,
    folder: Path,
    sent: str | None = None,
    former: set[str] | None = None,
    **more: Any,
) -> str:
    """Write the site of a collection in which every player lost something in the opening of every
    match.

    The pages that were in the folder before are `former`.
    """
    loss = values("site")["loss"]
    names = ("file", "match", "player", "opponent", "side")
    rows = [loss | more | {name: row[name] for name in names} for row in records(made.matches)]
    parts = [pa.Table.from_pylist(rows, schema=COLUMNS)]
    pages = Destination(folder, folder, former or set(), lambda _: None)
    return write_site(made, parts, pages, sent)


def pages_of(folder: Path) -> list[Path]:
    of_kinds = (folder.glob(f"{kind}/*.html") for kind in ("players", "matches"))
    return [folder / "report.html", *chain.from_iterable(of_kinds)]


@pytest.mark.parametrize("known", [True, False])
def test_only_pages_that_changed_are_made_again(
    tmp_path: Path, made: Collection, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    monkeypatch.setattr("bgrating.site.site.is_of_a_commit", lambda: known)
    site_of(made, tmp_path)
    pages = {f"{page.parent.name}/{page.name}" for page in tmp_path.glob("*/*.html")}
    for page in pages:
        name, _, made_of = mark_of(tmp_path / page).partition(" ")
        (tmp_path / page).write_bytes(marked("kept", name, made_of))
    third = made.matches["file"] == "002.mat"
    matches = made.matches.assign(net_luck_mwc=made.matches["net_luck_mwc"].where(~third, 0.25))
    to_remove = set(pages)
    site_of(changed(made, matches), tmp_path, former=to_remove)
    kept = {page for page in pages if (tmp_path / page).read_bytes().endswith(b"kept")}
    of_players = player_pages(made.players["player"])
    changed_pages = {of_players[name] for name in made.matches["player"][third]}
    changed_pages.add(match_pages(made.matches)["002.mat", 1])
    assert kept == (pages - changed_pages if known else set())
    assert to_remove == pages - kept


def test_every_player_and_match_has_a_page_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "<b>bob</b>", "cy", "=1+1"])
    site_of(made, tmp_path, **CHECKED)
    pages = pages_of(tmp_path)
    assert len(pages) == 1 + 4 + len(made.matches) // 2
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert "<b>bob</b>" not in text
        assert ">nan<" not in text
        for link in re.findall(r'href="([^"]+)"', text):
            target, _, _ = link.partition("#")
            is_made_later = target.endswith((".csv", ".parquet", ".json", "../index.html"))
            assert not target or is_made_later or (page.parent / target).is_file(), link
    of_players = player_pages(made.players["player"])
    bob = (tmp_path / of_players["<b>bob</b>"]).read_text(encoding="utf-8")
    assert "&lt;b&gt;bob&lt;/b&gt;" in bob
    told = browser.told_in(bob)
    assert told["player"] == ["<b>bob</b>"] * len(told["player"])
    assert told["candidates"][0].startswith("8/5 6/5 ")
    for page in told["page"]:
        assert (tmp_path / page.partition("#")[0]).is_file()
    assert bob.count("data-brief") == 1
    assert (tmp_path / of_players["=1+1"]).is_file()


@pytest.mark.slow
def test_real_keys_alone_play_the_quiz_of_a_player(tmp_path: Path, made: Collection) -> None:
    answered = "document.querySelectorAll('[data-quiz] li details[open]').length"
    arrows = "document.querySelectorAll('[data-quiz] path.best').length"
    quiz = "document.activeElement.closest('[data-quiz]') && document.activeElement.tagName"
    with browser.opened(player_page(made, "bob", tmp_path, **CHECKED)) as keys:
        keys.ask("document.querySelector('#quiz > details').open = true")
        questions = keys.ask("document.querySelectorAll('[data-quiz] li details').length")
        assert (keys.ask(answered), keys.ask(arrows)) == (0, 0)
        for _ in range(40 + 6 * questions):
            keys.press("Tab")
            if keys.ask(quiz) == "SUMMARY":
                keys.press("Enter")
        assert keys.ask(answered) == questions > 5
        keys.until(
            f"{arrows} === {2 * questions}"
        )  # the best play, 8/5 6/5, has two steps; drawn after the key


QUIZ = data_text("pages/quiz.js")


@pytest.mark.slow
def test_a_quiz_asks_missed_questions_again_and_goes_to_anki(
    tmp_path: Path, made: Collection
) -> None:
    with browser.opened(player_page(made, "bob", tmp_path, **CHECKED)) as page:
        found = page.ask(QUIZ)
    assert found["themes"] == ["all", "opening", "chequer play", "both one point away"]
    assert found["row"].startswith("1 of ")
    assert "bob has 31 to play" in found["question"]
    assert "costs" not in found["question"]
    assert (found["arrows"], found["answer"]) == (0, 2)
    assert "Your answer, 24/23 13/10: costs 0.170." in found["wrong"]
    assert "Your answer, 8/5 6/5: right." in found["right"]
    assert "0 of 1." in found["scores"]
    # All questions are one position here: right once since it was missed, so it comes again
    # tomorrow.
    assert found["boxes"] == [[1, found["day"] + 1]]
    assert re.fullmatch(r"This set is done: 0 of \d+ right at once\.", found["done"])
    assert found["again"] == "Nothing is due here today."
    head, cards = found["anki"].splitlines()[:4], found["anki"].splitlines()[4:]
    columns = "#columns:Front\tBack\tXGID\tTags"
    assert head == ["#separator:tab", "#html:true", columns, "#tags column:4"]
    questions = list(csv.reader(cards, delimiter="\t"))
    assert len(questions) == len(found["xgids"].splitlines()) > 5
    for (front, back, xgid, tag), line in zip(questions, found["xgids"].splitlines(), strict=True):
        assert "<style>" in front
        assert front.count('<circle class="seat0"') == 16
        assert "has 31 to play" in front
        assert "marker-end" not in front, "the front has no arrows"
        assert "Played 24/23 13/10: costs 0.170" in back
        assert "8/5 6/5 ✓" in back
        assert (xgid, tag) == (line, "opening")
        assert read_xgid(xgid).dice == (3, 1)


@pytest.mark.parametrize(("is_checked", "more", "is_taught"), cases("site.quiz"))
def test_a_quiz_asks_only_errors_that_a_deep_analysis_confirms(
    tmp_path: Path, is_checked: bool, more: dict[str, Any], is_taught: bool
) -> None:
    made = collection(tmp_path, ["ann", "bob"])
    facts = CHECKED if is_checked else {}
    page = player_text(made, "ann", tmp_path, **(facts | more))
    assert ("data-quiz></ol>" in page) is is_taught
    assert ("No error is sure enough to be practised" in page) is not is_taught


def test_the_page_of_a_player_has_the_chances_of_a_pr_below_the_limits_of_titles(
    tmp_path: Path,
) -> None:
    made = collection(tmp_path, ["Ann", "Bob"])
    chances = chances_below(made.matches)["Ann"]
    assert [one.limit for one in chances] == [2.5, 4.0, 6.5, 10.0]
    page = player_text(made, "Ann", tmp_path)
    told = page.partition("Chance that the true PR is ")[2].partition("</p>")[0]
    said = re.findall(r"below ([\d.]+) \([a-z ]+\): <b>(\d+) %</b>", told)
    open_ones = [one for one in chances if 0.005 <= one.chance < 0.995][:2]
    assert said == [(f"{one.limit:g}", f"{100 * one.chance:.0f}") for one in open_ones]


@pytest.mark.parametrize(("chances", "told"), cases("values.nearly_certain_limits"))
def test_a_chance_that_is_nearly_certain_is_told_of_its_own_limit(
    tmp_path: Path, chances: list[float], told: str
) -> None:
    """A player of PR 3.0 in 46 matches had "below 2.5: over 99 %"."""
    made = collection(tmp_path, ["ann", "bob"])
    limits = [one.limit for one in made.below["ann"]]
    made.below["ann"] = [BelowLimit(*pair) for pair in zip(limits, chances, strict=True)]
    assert f"the true PR is {told}" in player_text(made, "ann", tmp_path)


def test_the_page_of_an_empty_collection() -> None:
    files, matches = account(records_of({"empty.mat": ""}), Analysed({}, {}))
    chosen = choose("published", ENGINE_VERSION)
    matches = with_ratings(matches, chosen, 2050.0).assign(level="0-ply")
    made = Collection(
        "test", files, matches, matches, matches, rated(matches, chosen), chosen, 2050.0, ABOUT
    )
    assert "empty file" in collection_page(made, [])
    assert replace(made, provenance=ABOUT | {"check": "errors"}).checked == ""


def player_page(made: Collection, name: str, folder: Path, **more: Any) -> Path:
    """Write the site of a collection, and return the page of a player."""
    site_of(made, folder, **more)
    return folder / player_pages(made.players["player"])[name]


def player_text(made: Collection, name: str, folder: Path, **more: Any) -> str:
    return player_page(made, name, folder, **more).read_text(encoding="utf-8")


FIELD = {"mean": 3.8, "mean_se": 0.1, "sd": 0.3, "scatter": 30.0, "players": 99, "repeats": 99}
FIELD |= {"source": "stored"}


def test_one_players_collection_opens_on_that_player(tmp_path: Path) -> None:
    own = collection(tmp_path, ["ann", "bob", "ann", "cy", "ann", "dee"])
    page = report_of(replace(own, reader="ann"), tmp_path)
    first = page.partition('<section id="you"')[2].partition("</section>")[0]
    assert re.search(r"<h2>You: <a [^>]*>ann</a>", first)
    assert "what to practise" in first
    assert " 18 won of 36 complete matches" in first
    assert "Everybody" not in page
    listed = page.partition('id="left-out"')[0]
    assert ">Status<" not in listed
    assert ">File<" not in listed


def test_a_player_beyond_the_most_pages_has_no_link(
    made: Collection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(addresses, "MOST_PAGES", 1)
    shown = report_of(made, tmp_path)
    assert 'href="nan"' not in shown


def report_of(made: Collection, folder: Path) -> str:
    site_of(made, folder)
    return (folder / "report.html").read_text(encoding="utf-8")


DUEL = data_text("pages/duel.js")


@pytest.mark.slow
def test_two_players_can_be_chosen(tmp_path: Path, made: Collection) -> None:
    half = 1.644854 * 20
    rows = {"player": ["ann", "bob", "cy"], "rating": [1900.0, 1880.0, 1700.0]}
    rows |= {"rated_matches": 10, "standing": "rated"}
    players = made.players.assign(**rows)
    ends = {"ci_low": players["rating"] - half, "ci_high": players["rating"] + half}
    report_of(replace(made, players=players.assign(**ends)), tmp_path)
    with browser.opened(tmp_path / "report.html") as page:
        close, far, same = page.ask(DUEL)
    chance = stats.norm.cdf(20 / (20 * 2**0.5))
    more = next(
        n
        for n in range(1000)
        if stats.norm.cdf(20 / (20 * 2**0.5 * (10 / (10 + n)) ** 0.5)) >= 0.95
    )
    assert close.startswith(f"ann is better than bob with a chance of {100 * chance:.0f} %.")
    said = int(re.search(r"About (\d+) more", close)[1])  # type: ignore[index]
    assert more <= said <= more + 10
    assert far.startswith("ann is better than cy with a chance of 100 %. That is settled.")
    assert "In a match to 7 points ann wins with a chance of 65 % (90 % interval: " in far
    assert same == "Choose two different players."


def test_a_ranking_is_by_shrunk_ratings_and_marks_those_of_one_match(
    tmp_path: Path, made: Collection
) -> None:
    lucky, usual, weak = ({"standing": "rated", "domain": "inside"} for _ in range(3))
    lucky |= {"own_rating": 1990.0, "rating": 1900.0, "rated_matches": 1}
    usual |= {"own_rating": 1930.0, "rating": 1925.0, "rated_matches": 60}
    weak |= {"own_rating": 1348.0, "rating": 1550.0, "rated_matches": 2, "domain": "outside"}
    rows = pd.DataFrame([lucky, usual, weak]).assign(player=["ann", "bob", "cy"])
    made = replace(made, provenance=ABOUT | {"field": FIELD | {"words": "field: of 99 players"}})
    players = made.players.assign(**rows, ci_low=1500.0, ci_high=1980.0)
    page = collection_page(replace(made, players=players), [])
    ranking = re.findall(
        r"<tr>(.*?)</tr>", page.partition('id="players"')[2].partition("</table>")[0]
    )[1:]
    assert [re.search("ann|bob|cy", row)[0] for row in ranking] == ["bob", "ann", "cy"]
    assert ["one match" in row for row in ranking] == [False, True, False]
    assert ["outside" in row for row in ranking] == [False, False, True]
    assert "bob\u2069 is first with 1,925" in page


def test_the_answer_of_a_run_marks_ratings_outside_the_formula(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "bob"])
    players = made.players.assign(domain=["inside", "outside"], standing=["rated", "provisional"])
    tables = replace(tables_of(made), players=players)
    said = answer(tables, 2050.0, {"player": "", "analysis": "0-ply"}).splitlines()
    lines = [next(line for line in said if line.startswith(name)) for name in players["player"]]
    assert ["outside the formula's range" in line for line in lines] == [False, True]
    assert "provisional" in lines[1]


@pytest.mark.parametrize("case", cases("site.page"), ids=lambda case: case["about"])
def test_what_pages_of_a_collection_have_and_lack(tmp_path: Path, case: dict[str, Any]) -> None:
    made = collection(tmp_path, case.get("names", ["ann", "bob", "cy"]))
    if "first" in case:
        matches = made.matches.head(2 * case["first"])
        made = changed(made, matches, players=rated(matches, made.model))
    made = changed(made, made.matches.assign(**case.get("matches", {})))
    players = made.players.assign(**case.get("players", {}))
    made = replace(made, players=players, provenance=ABOUT | case.get("run", {}))
    if "player" in case:
        page = unescape(player_text(made, case["player"], tmp_path))
    else:
        page = unescape(report_of(made, tmp_path))
    assert [words for words in case.get("has", []) if words not in page] == []
    assert [words for words in case.get("lacks", []) if words in page] == []


def test_luck_is_net_of_the_opponents_and_adds_up_with_wins(tmp_path: Path) -> None:
    """Both had lucky dice, ann luckier ones by 0.1 a match; a match without an end counts for
    nobody's luck.

    The record of one match begins at a score where ann has nine chances of ten.
    """
    made = collection(tmp_path, ["ann", "bob"])
    matches = made.matches.reset_index(drop=True)
    of_ann = matches["player"] == "ann"
    unfinished = matches["file"] == matches["file"].iloc[0]
    is_fragment = matches["file"] == matches["file"].iloc[-1]
    chance = np.where(is_fragment, np.where(of_ann, 0.9, 0.1), 0.5)
    won = np.where(unfinished, np.nan, np.where(of_ann, 1.0, 0.0))
    matches = matches.assign(
        luck_mwc=np.where(unfinished & of_ann, 9.0, np.where(of_ann, 0.3, 0.2)),
        won=won,
        actual_result=won - chance,
        luck_adjusted_result=won - chance - np.where(of_ann, 0.1, -0.1),
    )
    matches = with_ratings(matches, made.model, 2050.0)
    players = rated(matches, made.model).set_index("player")
    decided = len(matches) // 2 - 1
    assert players["decided_matches"].tolist() == [decided, decided]
    assert players["net_luck_mwc"].to_dict() == pytest.approx(
        {"ann": 0.1 * decided, "bob": -0.1 * decided}
    )
    made = changed(made, matches, players=players.reset_index())
    page = player_text(made, "ann", tmp_path)
    words = re.sub(
        r"<[^>]*>", " ", page.partition("<h2>Results and luck</h2>")[2].partition("</section>")[0]
    ).split()
    by_luck = f"Matches won by luck +{0.1 * decided:.1f}"
    without = f"Would have won without luck {0.9 * decided:.1f} of {decided} (90 %)"
    assert " ".join(words).endswith(f"{by_luck} {without}")


def test_a_player_has_the_pr_of_xg_beside_ours_of_the_same_matches(tmp_path: Path) -> None:
    """XG judged two of twelve matches, with PR 10. The figures are in test_player_page.py."""
    made = collection(tmp_path, ["ann", "bob"])
    assert "PR by XG" not in player_text(made, "ann", tmp_path).partition("<main>")[2]
    judged = made.matches["file"].isin(["000.mat", "001.mat"])
    columns = {"xg_decisions": np.where(judged, 50.0, np.nan)}
    columns |= {"xg_pr": np.where(judged, 10.0, np.nan)}
    made = changed(made, made.matches.assign(**columns))
    words = "PR by XG in its files, at its depth, in 2 matches</dt><dd>10.0</dd>"
    words += "<dt>PR in these by gnubg at 0-ply</dt>"
    assert words in player_text(made, "ann", tmp_path)
    checked = changed(
        made, made.matches.assign(level="checked"), players=made.players.assign(level="checked")
    )
    assert "PR in these by gnubg, errors at 2-ply<" in player_text(checked, "ann", tmp_path)
    page = (tmp_path / match_pages(made.matches)["000.mat", 1]).read_text(encoding="utf-8")
    assert "(above: gnubg, errors at 2-ply)" in page
    assert "Analysed by gnubg at level 0-ply, errors at 2-ply:" in page


def test_the_five_worst_errors_stand_first_with_links_and_stay_without_a_script(
    tmp_path: Path, made: Collection
) -> None:
    page = player_text(made, "ann", tmp_path)
    assert 'id="worst"' not in page, "no error was judged deep enough"
    path = player_page(made, "ann", tmp_path, **CHECKED)
    with browser.opened(path) as tab:
        tab.resize(1366, 768)
        items = tab.ask(
            "Array.from(document.querySelectorAll('#worst li p:first-of-type'), one =>"
            " one.textContent)"
        )
        links = tab.ask(
            "Array.from(document.querySelectorAll('#worst li a'), one => one.getAttribute('href'))"
        )
        bottom = tab.ask("document.querySelector('#worst li').getBoundingClientRect().bottom")
    assert len(items) == len(links) == min(5, len(made.matches) // 3)
    assert all(text.startswith("Played 24/23 13/10; best 8/5 6/5.") for text in items)
    assert all((path.parent / link.partition("#")[0]).is_file() for link in links)
    assert bottom <= 768
    still = path.read_text(encoding="utf-8").partition("<noscript>")[2].partition("</noscript>")[0]
    assert still.count(">24/23 13/10</td>") == len(items)


def test_a_player_without_a_name_is_called_unnamed(tmp_path: Path, made: Collection) -> None:
    nameless = {column: made.matches[column].replace("cy", "") for column in ("player", "opponent")}
    made = changed(
        made, made.matches.assign(**nameless), players=made.players[made.players["player"] != "cy"]
    )
    site_of(made, tmp_path, **CHECKED)
    for page in pages_of(tmp_path):
        text = page.read_text(encoding="utf-8")
        assert "" not in browser.told_in(text).get("opponent", [])
        assert "<b></b>" not in text
        assert not re.search(r"<title>( –|[^<]*– ?</)", text), page
    opponent = (tmp_path / player_pages(made.players["player"])["bob"]).read_text(encoding="utf-8")
    assert "unnamed" in browser.told_in(opponent)["opponent"]
    assert re.search(r"<td[^>]*>unnamed</td>", opponent)


def test_provisional_ratings_stand_apart(tmp_path: Path, made: Collection) -> None:
    standing = ["rated", "provisional", "none"]
    made.players["standing"] = standing
    page = collection_page(made, [])
    tables = re.findall(
        r'<table class="sortable names" id="(players|provisional)">(.*?)</table>', page, re.DOTALL
    )
    assert [name for name, _ in tables] == ["players", "provisional"]
    names = made.players["player"].tolist()
    there = [[name in text for name in names] for _, text in tables]
    assert there == [[True, False, False], [False, True, True]]
    assert "fewer than 100 decisions" in page


def test_the_first_page_knows_whose_collection_it_is(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "bob", "ann", "cy", "ann", "dee"])
    told = first_page(tables_of(made))
    assert told["leader"].partition(" is first")[2]
    assert (told["player"], told["page"]) == ("ann", player_pages(["ann"])["ann"])
    last = made.matches[made.matches["player"] == "ann"].sort_values("date", kind="stable").iloc[-1]
    assert (told["date"], told["opponent"]) == (last["date"], last["opponent"])
    assert told["last"] == match_pages(made.matches)[last["file"], last["match"]]
    (tmp_path / "two").mkdir()
    equal = collection(tmp_path / "two", ["ann", "bob"])
    told = first_page(tables_of(equal))
    assert list(told) == ["leader"], "of two with as many matches nobody is the user"


def test_matches_of_one_day_are_listed_as_their_links_lead(tmp_path: Path) -> None:
    made = collection(tmp_path, ["ann", "bob"])
    made = changed(made, made.matches.assign(date="2024-01-01"))
    site_of(made, tmp_path)
    listed = re.findall(
        r'href="(matches/[^"]+)"', (tmp_path / "report.html").read_text(encoding="utf-8")
    )
    linked = ["", *(f"../{page}" for page in listed)]
    for later, page in zip(linked, listed, strict=False):
        found = re.search(
            r'href="([^"]+)">Later match', (tmp_path / page).read_text(encoding="utf-8")
        )
        assert (found[1] if found else "") == later
    of_ann = player_text(made, "ann", tmp_path).partition("All matches")[2]
    own = re.findall(r'href="[.]{2}/(matches/[^"]+)"', of_ann)
    assert own == listed


def test_a_rating_says_its_level_until_all_matches_are_checked(
    tmp_path: Path, made: Collection
) -> None:
    levels = ["checked", *made.matches["level"][1:]]
    tables = {"matches": made.matches.assign(level=levels)}
    tables |= {"players": made.players.assign(level="checked")}
    made = replace(made, **tables, provenance=ABOUT | {"check": "errors"})
    assert "From 12 matches, by 0-ply" in player_text(made, "ann", tmp_path)
    assert "Checked: 0 of 18 matches. Ratings are by 0-ply." in (
        tmp_path / "report.html"
    ).read_text(encoding="utf-8")
