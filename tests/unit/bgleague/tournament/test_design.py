"""The design of a tournament: cells, names, sizes of shards, and what is refused."""

from pathlib import Path
from typing import Any

import pytest

from bgleague.tournament.design import tournament
from bgrating.settings_files import SettingsError
from corpus import cases

THREE = "expert,advanced,expert-diluted-0.3"


def config(results: Path, **settings: Any) -> dict[str, Any]:
    return {"results": str(results), "nets": "", **settings}


def test_every_ordered_pair_of_different_levels_is_a_cell(tmp_path: Path) -> None:
    planned = tournament(config(tmp_path, levels=THREE, match_length=5, games_per_cell=120))
    pairs = [(cell.player, cell.opponent) for cell in planned.design.points]
    assert len(pairs) == len(set(pairs)) == 6
    assert all(first != second for first, second in pairs)
    assert {(cell.match_length, cell.matches) for cell in planned.design.points} == {(5, 120)}
    assert [shard.matches for shard in planned.design.points[0].shards()] == [50, 50, 20]


def test_the_default_tournament_has_its_name_and_others_get_their_own(tmp_path: Path) -> None:
    for settings, name in (
        ({}, "default"),
        ({"games_per_cell": 7}, "default"),
        ({"match_length": 1}, "1-points"),
    ):
        assert tournament(config(tmp_path, **settings)).design.study == f"tournament/{name}"
    assert (
        tournament(config(tmp_path, match_length=1, name="mine")).design.study == "tournament/mine"
    )
    assert tournament(config(tmp_path, seed=5)).design.seed == 5


def test_programs_have_cells_by_short_names_and_are_checked_as_far_as_they_hold_levels(
    tmp_path: Path,
) -> None:
    planned = tournament(
        config(tmp_path, levels="expert,noise-0.02+noise-0.4@/opt/new/gnubg,ubgi:./engine --fast")
    )
    assert planned.levels == ("expert", "noise-0.02+noise-0.4@gnu", "engine-fast")
    assert planned.programs["engine-fast"] == "ubgi:./engine --fast"
    assert len(planned.design.points) == 6
    assert not tournament(config(tmp_path, levels=THREE)).programs
    with pytest.raises(SettingsError, match="no player level 'wizard'"):
        tournament(config(tmp_path, levels="bgsage,wizard@/opt/new/gnubg"))


@pytest.mark.parametrize(("settings", "message"), cases("sentences.tournaments"))
def test_wrong_settings_are_refused_by_name(
    tmp_path: Path, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(SettingsError, match=message):
        tournament(config(tmp_path, **settings))
