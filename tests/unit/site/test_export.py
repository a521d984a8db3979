"""A page to send stands alone, stays small and replaces nothing that somebody else made."""

import math
import os
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.settings import SettingsError
from bgrating.site.addresses import file_titles, match_pages, player_pages
from bgrating.site.export import MOST, check_export, export, require_one_page
from bgrating.tables.folder import marked
from unit.site.test_collection_page import collection, site_of


@pytest.fixture(name="pages", scope="module")
def _pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("site")
    made = collection(folder, ["ann", "bob", "cy"])
    site_of(made, folder)
    return {
        "player": folder / player_pages(made.players["player"])["ann"],
        "match": folder / next(iter(match_pages(made.matches).values())), "collection": folder / "report.html",
    }  # fmt: skip


def words(page: str) -> list[str]:
    told = re.sub(r"<script.*?</script>", "", page.partition("<main>")[2], flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", re.sub(r"</?a\b[^>]*>", "", told)).split()


@pytest.mark.parametrize("kind", ["player", "match"])
def test_a_page_to_send_has_no_link_to_another_file(pages: dict[str, Path], tmp_path: Path, kind: str) -> None:
    there = pages[kind].read_text(encoding="utf-8")
    assert re.search(r'href="\.\./', there)
    export(pages[kind], tmp_path / "sent.html")
    sent = (tmp_path / "sent.html").read_text(encoding="utf-8")
    assert re.findall(r'href="(?!#|data:)[^"]*"', sent) == []
    assert "../matches/" not in sent
    assert len(sent.encode()) < MOST
    for text in ("ann", "<h1>", 'id="decisions">', "24/23 13/10"):
        assert (text in sent) is (text in there)
    assert words(sent) == words(there)
    export(pages[kind], tmp_path / "sent.html")  # ours: the newer one takes its place


def test_the_picture_of_a_player_is_a_file_of_its_size(pages: dict[str, Path], tmp_path: Path) -> None:
    check_export(tmp_path / "ann.svg", "ann")
    export(pages["player"], tmp_path / "ann.svg")
    assert (tmp_path / "ann.svg").read_text(encoding="utf-8").partition("\n")[2].startswith("<svg ")
    assert 'width="1200" height="630"' in (tmp_path / "ann.svg").read_text(encoding="utf-8")
    check_export(tmp_path / "ann.svg", "ann")


def test_a_player_of_thousands_of_matches_is_sent_with_the_latest(pages: dict[str, Path], tmp_path: Path) -> None:
    text = pages["player"].read_text(encoding="utf-8")
    rows = text.partition('id="matches">')[2].partition("<tbody>\n")[2].partition("</tbody>")[0]
    row = rows.splitlines()[0]
    many = "".join(f"{row.replace('</td>', f' {number}</td>', 1)}\n" for number in range(9000))
    large = tmp_path / "players" / "ann.html"
    large.parent.mkdir()
    large.write_bytes(marked(text.replace(rows, many), "players/ann.html"))
    export(large, tmp_path / "sent.html")
    sent = (tmp_path / "sent.html").read_text(encoding="utf-8")
    assert MOST - 2 * len(row) < len(sent.encode()) <= MOST
    assert " 8999</td>" in sent
    assert " 0</td>" not in sent
    kept = sent.count("<tr>") - text.count("<tr>") + rows.count("<tr>")
    assert f"<h2>The latest {kept:,} matches</h2>" in sent


@pytest.mark.parametrize(
    ("name", "player", "words"),
    [
        ("match.pdf", "", "name a page"),
        ("ann.svg", "", "only a player has a picture"),
        ("nowhere/match.html", "", "there is no folder"),
        ("folder.html", "", "that is a folder"),
        ("mine.html", "", "bgrating did not make this file"),
        ("mine.svg", "ann", "bgrating did not make this file"),
        ("pipe.html", "", "bgrating did not make this file"),
        ("link.html", "", "bgrating did not make this file"),
        ("nowhere.html", "", "bgrating did not make this file"),
    ],
)
def test_a_name_that_cannot_be_written_is_one_sentence(tmp_path: Path, name: str, player: str, words: str) -> None:
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "mine.html").write_text("<title>My wedding</title>")
    (tmp_path / "mine.svg").write_text("<svg/>")
    os.mkfifo(tmp_path / "pipe.html")
    (tmp_path / "link.html").symlink_to(tmp_path / "mine.html")
    (tmp_path / "nowhere.html").symlink_to(tmp_path / "nowhere" / "else")
    with pytest.raises(SettingsError, match=words) as problem:
        check_export(tmp_path / name, player)
    assert "\n" not in str(problem.value)
    assert (tmp_path / "mine.html").read_text() == "<title>My wedding</title>"


@pytest.mark.parametrize(
    "change", [lambda page: f"{page}<p>mine</p>", lambda page: page.partition("\n")[2], lambda _: ""]
)
def test_a_page_of_ours_that_somebody_changed_is_not_replaced(
    pages: dict[str, Path], tmp_path: Path, change: Callable[[str], str]
) -> None:
    """Line 7: a page of one's own that quoted our policy line was replaced."""
    sent = tmp_path / "sent.html"
    export(pages["player"], sent)
    sent.write_text(theirs := change(sent.read_text(encoding="utf-8")), encoding="utf-8")
    for attempt in (lambda: check_export(sent, "ann"), lambda: export(pages["player"], sent)):
        with pytest.raises(SettingsError, match="bgrating did not make this file, or it was changed since"):
            attempt()
    assert sent.read_text(encoding="utf-8") == theirs


def test_several_matches_need_a_player(pages: dict[str, Path], tmp_path: Path) -> None:
    require_one_page(Path("x.html"), "", 1)
    require_one_page(Path("x.html"), "ann", 7)
    with pytest.raises(SettingsError, match="there are 7 matches; add --player NAME"):
        require_one_page(Path("x.html"), "", 7)
    with pytest.raises(SettingsError, match="no page of his own"):
        export(pages["collection"], tmp_path / "x.html")


def test_pages_of_matches_have_the_names_of_players_and_the_date() -> None:
    rows = [
        ("a.mat", 1, "Ann", "Bob", "2024-01-02"), ("a.mat", 2, "Ann", "Bob", "2024-01-02"),
        ("b.mat", 1, "Ann", "Bob", math.nan), ("c_1424149854.mat", 1, "", "", ""),
        ("d.mat", 1, "x" * 30, "Zoë", "2024-01-02"), ("e.mat", 1, "Ann", "Bob 2", "2024-01-02"),
    ]  # fmt: skip
    left = pd.DataFrame(rows, columns=["file", "match", "player", "opponent", "date"]).assign(side="left")
    found = match_pages(pd.concat([left, left.assign(side="right")]))
    assert list(found) == [row[:2] for row in rows]
    names = list(found.values())
    assert names[:1] + names[2:5] == [
        "matches/2024-01-02-Ann-Bob.html", "matches/Ann-Bob.html", "matches/c.html",
        f"matches/2024-01-02-{'x' * 13}-Zoe.html",
    ]  # fmt: skip
    assert len(set(names)) == len(rows)
    assert names[1].startswith("matches/2024-01-02-Ann-Bob-2")


def test_the_number_of_a_site_is_left_out_of_a_name_where_names_stay_apart() -> None:
    names = ["x_1424149854.txt", "y_1424149854.txt", "y_1424149855.txt", "z.txt", "z_1424149854.txt", "_12345678.txt"]
    assert list(file_titles(names).values()) == ["x.txt", *names[1:]]
    assert file_titles(["A%20b_20131117.mat", "match10014006.mat"]) == {
        "A%20b_20131117.mat": "A b.mat",
        "match10014006.mat": "match10014006.mat",
    }
