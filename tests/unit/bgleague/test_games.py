"""Names and players of a table of games: fused players, unknown players."""

import pandas as pd
import pytest

from bgleague.games import fused, fused_names, players_of, require_players
from bgleague.settings import RatingsError


def test_fused_names_go_to_the_first_step_at_or_above_their_number() -> None:
    changed = {"azero1": "azero1000", "azero12345": "azero20000", "azero20001-t1": "azero30000-t1"}
    changed |= {"deep2": "deep1000", "deep3": "deep1000"}
    unchanged = ("azero0", "azero20000-t1", "azero99999", "minimax", "minimax2", "m-t1")
    assert fused_names([*changed, *unchanged], [0, 1000, 20000, 30000]) == changed | {
        name: name for name in unchanged
    }


def test_games_between_players_that_become_one_are_dropped() -> None:
    games = pd.DataFrame(
        [("a5", "a7", 1.0, 3), ("a5", "b", 0.0, 2)],
        columns=["first", "second", "first_score", "count"],
    )
    joined, dropped = fused(games, [10, 20])
    assert dropped == 3
    assert joined[["first", "second", "count"]].to_numpy().tolist() == [["a10", "b", 2]]
    with pytest.raises(RatingsError, match="rising"):
        fused(games, [20, 10])


def test_an_unknown_player_is_named_with_those_like_it() -> None:
    known = players_of(pd.DataFrame([("minimax", "random")], columns=["first", "second"]))
    with pytest.raises(RatingsError, match=r"fix: .*'minmax'.* minimax"):
        require_players(["minmax"], known, "fix")
    with pytest.raises(RatingsError, match="2 players"):
        require_players(["qqqq"], known, "subset")
