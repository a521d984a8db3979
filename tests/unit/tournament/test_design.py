"""The design of a tournament: cells, names, sizes of shards, and what is refused."""

import json
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from bgrating.play import designs
from bgrating.play.designs import shard_table
from bgrating.settings import SettingsError
from bgrating.tables.provenance import provenance_path
from bgrating.tournament.design import (
    dilution_shares,
    kept,
    require_same_seed,
    study_design,
    tournament,
)

THREE = "expert,advanced,expert-diluted-0.3"


def config(results: Path, **settings: Any) -> dict[str, Any]:
    return {"results": str(results), "nets": "", **settings}


def pretend(results: Path, design: designs.Design, first: str, second: str, number: int, rows: int) -> None:
    table = shard_table(results, design.study, design.point(first, second, design.match_lengths()[0]), number)
    table.parent.mkdir(parents=True, exist_ok=True)
    for path in (table, table.with_suffix(".zip")):
        path.write_text("")
        path.with_name(f"{path.name}.provenance.json").write_text(json.dumps({"rows": rows}))


def test_every_ordered_pair_of_different_levels_is_a_cell(tmp_path: Path) -> None:
    planned = tournament(config(tmp_path, levels=THREE, match_length=5, games_per_cell=120))
    pairs = [(cell.player, cell.opponent) for cell in planned.design.points]
    assert len(pairs) == len(set(pairs)) == 6
    assert all(first != second for first, second in pairs)
    assert {(cell.match_length, cell.matches) for cell in planned.design.points} == {(5, 120)}
    assert [shard.matches for shard in planned.design.points[0].shards()] == [50, 50, 20]


def test_the_default_tournament_has_its_name_and_others_get_their_own(tmp_path: Path) -> None:
    for settings, name in (({}, "default"), ({"games_per_cell": 7}, "default"), ({"match_length": 1}, "1-points")):
        assert tournament(config(tmp_path, **settings)).design.study == f"tournament/{name}"
    assert tournament(config(tmp_path, match_length=1, name="mine")).design.study == "tournament/mine"
    assert tournament(config(tmp_path, seed=5)).design.seed == 5


def test_programs_have_cells_by_short_names_and_are_checked_as_far_as_they_hold_levels(tmp_path: Path) -> None:
    planned = tournament(config(tmp_path, levels="expert,noise-0.02+noise-0.4@/opt/new/gnubg,ubgi:./engine --fast"))
    assert planned.levels == ("expert", "noise-0.02+noise-0.4@gnu", "engine-fast")
    assert planned.programs["engine-fast"] == "ubgi:./engine --fast"
    assert len(planned.design.points) == 6
    assert not tournament(config(tmp_path, levels=THREE)).programs
    with pytest.raises(SettingsError, match="no player level 'wizard'"):
        tournament(config(tmp_path, levels="bgsage,wizard@/opt/new/gnubg"))


def test_a_study_is_one_of_the_designs_or_the_tournament(tmp_path: Path) -> None:
    assert study_design("smoke", {}) is designs.design("smoke")
    design = study_design("tournament/x", config(tmp_path, name="x"))
    assert design.study == "tournament/x"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"levels": "expert,wizard"}, "no player level 'wizard'; there are: .*expert"),
        ({"levels": "expert,expert"}, "levels: expert is given twice; a level does not play against itself"),
        ({"name": "../esc"}, "name '../esc'"),
        ({"levels": "expert"}, "levels: a tournament needs two levels at least"),
        ({"games_per_cell": 0}, r"games_per_cell: 0 is less than the minimum of 1 \(matches of every ordered pair"),
        ({"games_per_cell": -3}, "games_per_cell: -3 is less than the minimum of 1"),
        ({"games_per_cell": 1.5}, "games_per_cell: 1.5 is not of type 'integer'"),
        ({"games_per_cell": 50_001}, "games_per_cell: 50001 is more than 50000"),
        ({"match_length": "half"}, "match_length: 'half' is not of type 'integer'"),
        ({"match_length": 26}, "match_length: 26 is greater than the maximum of 25"),
    ],
)
def test_wrong_settings_are_refused_by_name(tmp_path: Path, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        tournament(config(tmp_path, **settings))


def test_nothing_that_was_played_is_lost_when_more_is_asked_for(tmp_path: Path) -> None:
    small = config(tmp_path, levels="expert,advanced", games_per_cell=8, name="t")
    pretend(tmp_path, tournament(small).design, "expert", "advanced", 0, 8)
    cells = tournament({**small, "games_per_cell": 70}).design
    sizes = [shard.matches for shard in cells.point("expert", "advanced", 3).shards()]
    assert sizes == [8, 50, 12]
    assert [shard.matches for shard in cells.point("advanced", "expert", 3).shards()] == [50, 20]
    fewer = tournament({**small, "games_per_cell": 5}).design.point("expert", "advanced", 3)
    assert [shard.matches for shard in fewer.shards()] == [8]


def test_shards_of_another_seed_are_refused(tmp_path: Path) -> None:
    design = tournament(config(tmp_path, levels="expert,advanced", name="t", seed=5)).design
    pretend(tmp_path, design, "expert", "advanced", 0, 8)
    place = shard_table(tmp_path, design.study, design.point("expert", "advanced", 3), 0).with_suffix(".zip")
    for seed in (5, 6):
        provenance_path(place).write_text(json.dumps({"rows": 8, "study_seed": seed}))
        with pytest.raises(SettingsError, match="the seed 6, not of 5: give --seed 6") if seed == 6 else nullcontext():
            require_same_seed(design, tmp_path)


def test_diluted_levels_that_differ_in_their_share_alone_are_a_family() -> None:
    assert dilution_shares(["expert", "advanced", "expert-diluted-0.1", "expert-diluted-0.3"]) == {
        "expert": 0.0,
        "expert-diluted-0.1": 0.1,
        "expert-diluted-0.3": 0.3,
    }
    assert dilution_shares(["advanced", "expert-diluted-0.1"]) == {}
    assert dilution_shares(["advanced", "beginner"]) == {}


def test_a_tournament_of_a_file_has_its_settings_and_counts_once_frozen(tmp_path: Path) -> None:
    ladder = tournament(config(tmp_path, name="ladder-1-point"))
    assert (ladder.match_length, len(ladder.levels), ladder.design.points[0].shard_matches) == (1, 12, 5)
    assert ladder.programs["expert-random-0.8"] == "expert%0.8"
    assert tournament(config(tmp_path, name="ladder-1-point", match_length=3)).match_length == 3
    assert tournament(config(tmp_path, name="other")).match_length == 3
    assert kept(tmp_path / "1.08") == {}
    (tmp_path / "1.08" / "tournament" / "ladder-1-point" / "frozen").mkdir(parents=True)
    assert list(kept(tmp_path / "1.08")) == ["ladder-1-point"]
