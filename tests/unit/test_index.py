"""The first page of the results."""

import json
from pathlib import Path

from bgrating.index import write_index


def test_the_first_page_links_to_what_is_there(tmp_path: Path) -> None:
    for name in (
        "1.08/part2/report.html",
        "human/club/report.html",
        "human/club/players/ann.html",
        "1.08/odd/report.html",
        "ratings/league/report.html",
        "human/foreign.html",
        "foreign.html",
        "foreign/a/report.html",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    counts = {"players.csv": {"rows": 1234}, "matches.csv": {"rows": 86}}
    (tmp_path / "human/club/rate.provenance.json").write_text(json.dumps({"written": counts}))
    counts = {"league.csv": {"rows": 1}, "games.csv": {"rows": 1}}
    (tmp_path / "ratings/league/ratings.provenance.json").write_text(json.dumps({"written": counts}))
    write_index(tmp_path)
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    for address in ("1.08/part2/report.html", "human/club/report.html", "1.08/odd/report.html"):
        assert f'href="{address}"' in text
    assert "players/ann.html" not in text
    assert "foreign" not in text
    assert "1,234 players, 43 matches" in text
    assert "1 player, 1 result<" in text
    assert text.index("1.08/part2") < text.index("1.08/odd")
    assert "What are my errors worth?" in text
