"""A page to send stands alone, stays small and replaces nothing that somebody else made."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

import browser
from bgrating.settings_files import SettingsError
from bgrating.site.addresses import match_pages, player_pages
from bgrating.site.export import check_export, export, require_one_page
from corpus import cases, texts
from unit.bgrating.site.test_collection_page import collection, site_of


def words(page: str) -> list[str]:
    told = re.sub(r"<(script|nav).*?</\1>", "", page.partition("<main>")[2], flags=re.DOTALL)
    return re.sub(r"<[^>]+>", " ", re.sub(r"</?a\b[^>]*>", "", told)).split()


@pytest.mark.parametrize("only", ["ann", ""])
def test_a_page_to_send_has_no_link_to_another_file(tmp_path: Path, only: str) -> None:
    made = collection(tmp_path, ["ann", "bob", "cy"])
    sent = site_of(made, tmp_path, sent=only)
    page = (
        player_pages(made.players["player"])["ann"]
        if only
        else list(match_pages(made.matches).values())[-1]
    )
    there = (tmp_path / page).read_text(encoding="utf-8")
    assert re.search(r'href="\.\./', there)
    assert re.findall(r'href="(?!#|data:)[^"]*"', sent) == []
    assert "../matches/" not in sent
    assert set(browser.told_in(sent).get("page", [])) <= {""}
    for text in ("<h1>", 'id="decisions">', "24/23 13/10"):
        assert (text in sent) is (text in there)
    of_links = {"0-ply:", "How", "how", "it", "made.", "was", "Earlier", "Later", "match"}
    assert set(words(there)) - set(words(sent)) <= of_links
    export(sent, tmp_path / "sent.html")
    export(sent, tmp_path / "sent.html")  # ours: the newer one takes its place
    assert (tmp_path / "sent.html").read_text(encoding="utf-8").partition("\n")[2] == sent


@pytest.mark.parametrize(("name", "words"), cases("sentences.pages_to_send"))
def test_a_name_that_cannot_be_written_is_one_sentence(
    tmp_path: Path, name: str, words: str
) -> None:
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "mine.html").write_text("<title>My wedding</title>")
    os.mkfifo(tmp_path / "pipe.html")
    (tmp_path / "link.html").symlink_to(tmp_path / "mine.html")
    (tmp_path / "nowhere.html").symlink_to(tmp_path / "nowhere" / "else")
    with pytest.raises(SettingsError, match=words) as problem:
        check_export(tmp_path / name)
    assert "\n" not in str(problem.value)
    assert (tmp_path / "mine.html").read_text() == "<title>My wedding</title>"


@pytest.mark.parametrize(
    "change",
    [lambda page: f"{page}<p>mine</p>", lambda page: page.partition("\n")[2], lambda _: ""],
)
def test_a_page_of_ours_that_somebody_changed_is_not_replaced(
    tmp_path: Path, change: Callable[[str], str]
) -> None:
    """A page of one's own that quoted our policy line was replaced."""
    sent = tmp_path / "sent.html"
    export("<p>ours", sent)
    sent.write_text(theirs := change(sent.read_text(encoding="utf-8")), encoding="utf-8")
    for attempt in (lambda: check_export(sent), lambda: export("<p>ours", sent)):
        with pytest.raises(
            SettingsError, match="bgrating did not make this file, or it was changed since"
        ):
            attempt()
    assert sent.read_text(encoding="utf-8") == theirs


def test_a_page_of_several_matches_needs_a_player(tmp_path: Path) -> None:
    require_one_page(Path("x.html"), "", 1)
    require_one_page(Path("x.html"), "ann", 7)
    with pytest.raises(SettingsError, match="there are 7 matches; add --player NAME"):
        require_one_page(Path("x.html"), "", 7)
    with pytest.raises(SettingsError, match="this player has no page"):
        export("", tmp_path / "x.html")


def test_no_two_pages_have_one_name_and_each_keeps_its_own() -> None:
    players = texts("values.names_of_pages")
    names = player_pages(players)
    assert list(names) == players
    assert len({name.casefold() for name in names.values()}) == len(players)
    assert player_pages(players[::-1]) == names
    for name in names.values():
        assert re.fullmatch(r"players/[A-Za-z0-9-]{10,60}\.html", name), name


def test_pages_of_matches_have_the_names_of_players_and_the_date() -> None:
    columns = ["file", "match", "player", "opponent", "date", "page"]
    left = pd.DataFrame(cases("values.names_of_matches"), columns=columns).assign(side="left")
    found = match_pages(pd.concat([left, left.assign(side="right")]))
    assert [name.rpartition("-")[0] for name in found.values()] == left["page"].tolist()
    assert list(found) == list(zip(left["file"], left["match"], strict=True))
    assert len(set(found.values())) == len(left)
