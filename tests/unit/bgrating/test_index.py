"""The first page of the results."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bgrating import index
from bgrating.index import write_index
from bgrating.tables.provenance import digest_of, text_of
from corpus import values


def kept(path: Path, rows: dict[str, int], **more: object) -> None:
    """Write the record of a folder of results, with a page beside it."""
    facts = {
        "written": {name: {"rows": number, "sha256": "0"} for name, number in rows.items()}
    } | more
    path.parent.mkdir(parents=True, exist_ok=True)
    path.with_name("report.html").touch()
    path.write_text(text_of(facts | {"sha256": digest_of(facts)}))


def first_page(results: Path) -> str:
    write_index(results)
    return (results / "index.html").read_text(encoding="utf-8")


def test_the_first_page_links_to_what_is_there(tmp_path: Path) -> None:
    ours = ("1.08/part2", "human/club", "1.08/odd", "ratings/league")
    others = (
        "human/club/players/ann.html",
        "human/foreign.html",
        "foreign.html",
        "foreign/a/report.html",
    )
    for name in (*(f"{folder}/report.html" for folder in ours), *others):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    kept(tmp_path / "human/club/rate.provenance.json", {"players.csv": 1234, "matches.csv": 86})
    kept(tmp_path / "ratings/league/ratings.provenance.json", {"league.csv": 1, "games.csv": 1})
    text = first_page(tmp_path)
    addresses = re.findall(r'href="([^"]*report\.html)"', text)
    assert set(addresses) == {f"{folder}/report.html" for folder in ours}
    assert addresses[-2:] == sorted(addresses[-2:])
    assert "players/ann.html" not in text
    assert "foreign" not in text
    for words in (
        "1,234 players, 43 matches",
        "1 player, 1 result<",
        "What are my errors worth?",
        "cube error): a2(N) = ",
    ):
        assert words in text


def test_two_commands_that_finish_at_once_both_stand_on_the_first_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other one writes its page and the first page while this one makes the first page."""
    render = index.page

    def slow(*words: Any, **variables: Any) -> str:
        text = render(*words, **variables)
        monkeypatch.setattr(index, "page", render)
        kept(tmp_path / "ratings/league/ratings.provenance.json", {"league.csv": 1, "games.csv": 1})
        write_index(tmp_path)
        return text

    kept(tmp_path / "human/club/rate.provenance.json", {"players.csv": 4, "matches.csv": 4})
    monkeypatch.setattr(index, "page", slow)
    text = first_page(tmp_path)
    assert "human/club/report.html" in text
    assert "ratings/league/report.html" in text


def test_a_page_that_is_moved_aside_meanwhile_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listed = tmp_path / "human" / "gone" / "report.html"
    kept(tmp_path / "human/club/rate.provenance.json", {"players.csv": 4, "matches.csv": 4})
    look = Path.glob
    monkeypatch.setattr(Path, "glob", lambda *words, **options: [*look(*words, **options), listed])
    assert "human/club/report.html" in first_page(tmp_path)


def test_an_edited_count_is_not_shown(tmp_path: Path) -> None:
    facts = tmp_path / "human/club/rate.provenance.json"
    kept(facts, {"players.csv": 1234, "matches.csv": 86})
    facts.write_text(facts.read_text().replace("1234", "4321"))
    text = first_page(tmp_path)
    assert "human/club/report.html" in text
    assert "players, 43 matches" not in text


@pytest.mark.parametrize(
    "edit", [lambda page: page + "<!-- mine -->", lambda _: "mine", lambda page: page[:-40]]
)
def test_an_edited_first_page_stays(tmp_path: Path, edit: Callable[[str], str]) -> None:
    index = tmp_path / "index.html"
    assert write_index(tmp_path) == []
    assert write_index(tmp_path) == []
    theirs = edit(index.read_text(encoding="utf-8"))
    index.write_text(theirs, encoding="utf-8")
    assert write_index(tmp_path) == [
        f"{index} is not of this program, or was changed since: it stays as it is"
    ]
    assert index.read_text(encoding="utf-8") == theirs


def test_the_first_page_answers_who_is_better_what_to_practise_and_what_decided_the_last_match(
    tmp_path: Path,
) -> None:
    record = tmp_path / "human/club/rate.provenance.json"
    kept(record, {"players.csv": 4, "matches.csv": 4}, first=values("site")["newest"])
    text = first_page(tmp_path)
    newest = text.partition("Newest collection")[2].partition("</section>")[0]
    for words in ("Ann is first.", "&lt;b&gt;Bob", "1,850", "(1,800 to 1,900)"):
        assert words in newest
    for address in ("human/club/players/Bob.html", "human/club/matches/last.html"):
        assert f'href="{address}"' in newest
