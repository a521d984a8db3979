"""Members of a club: ratings by errors beside those by results, chances of pairs."""

from pathlib import Path

import pandas as pd
import pytest

from bgleague.members import by_errors, members
from bgleague.standing import MEMBERS
from bgrating.tables.provenance import sha256
from bgrating.tables.table_files import write_json

ROWS = [{"player": name, "link": f"#{name}"} for name in ("Ann", "bob", "cy")]
PAIRS = pd.DataFrame(
    {"player_p": ["Ann"], "player_q": ["bob"], "p_wins": [3.0], "q_wins": [1.0], "chance": 0.6}
)
PAIRS["p_better"] = 0.7
PLAYERS = (
    "player,matches,pr,own_rating,own_low,own_high,rating,ci_low,ci_high\n"
    "{player},{matches},6.5,1900,1,2,1800,1700,1900\n"
)


def collection(results: Path, name: str, matches: int, player: str = "ANN") -> Path:
    path = results / "human" / name / "players.csv"
    path.parent.mkdir(parents=True)
    path.write_text(PLAYERS.format(player=player, matches=matches))
    write_json({"sha256": sha256(path), "rows": 1}, path.parent / "players.csv.provenance.json")
    return path


def test_a_member_has_the_chance_against_everybody_met() -> None:
    ann, bob, cy = members(ROWS, PAIRS, {"ann": {"rating": 1800.0}})
    assert ann["errors"] == {"rating": 1800.0}
    assert [(one["player"], one["won"], one["lost"]) for one in ann["opponents"]] == [
        ("bob", 3.0, 1.0)
    ]
    assert bob["opponents"][0]["p_better"] == pytest.approx(0.3)
    assert (bob["opponents"][0]["chance"], bob["opponents"][0]["link"]) == (
        pytest.approx(0.4),
        "#Ann",
    )
    assert (cy["opponents"], cy["errors"]) == ([], None)
    assert len(members([ROWS[0] | {"player": str(n)} for n in range(99)], PAIRS, {})) == MEMBERS


def test_the_collection_with_most_matches_gives_the_rating_by_errors(tmp_path: Path) -> None:
    collection(tmp_path, "few", 3)
    collection(tmp_path, "many", 30)
    collection(tmp_path, "other", 30)
    changed = collection(tmp_path, "changed", 300)
    changed.write_text(changed.read_text() + "bob,1,1,1,1,1,1,1,1\n")
    (tmp_path / "human/strange").mkdir()
    (tmp_path / "human/strange/players.csv").write_text("a,b\n1,2\n")
    ratings = by_errors(tmp_path)
    assert list(ratings) == ["ann"]
    assert (ratings["ann"]["collection"], ratings["ann"]["matches"], ratings["ann"]["rating"]) == (
        "many",
        30,
        1800.0,
    )
    assert ratings["ann"]["page"].startswith("../../human/many/players/")
    assert by_errors(tmp_path / "nothing") == {}
