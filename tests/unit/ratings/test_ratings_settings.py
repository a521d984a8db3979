"""Settings of the target ratings, the plan of a run, methods on one scale, the page."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.figures.style import save
from bgrating.ratings import plan as plans
from bgrating.ratings import tables
from bgrating.ratings.compare import agreement, on_one_scale
from bgrating.ratings.games import RatingsError
from bgrating.ratings.page import compared, draw, page, read_ratings, summary
from bgrating.ratings.settings import RatingsSettings, settings
from bgrating.ratings.start import Start
from bgrating.ratings.written import read, read_games_table, read_matrix
from bgrating.settings import SettingsError

GAMES = "first,second,first_wins,second_wins\na,b,12,8\nb,a,9,11\na,c,15,5\nc,a,6,14\nb,c,12,8\nc,b,9,11\nb,b,6,4\n"


def test_settings_are_read_as_the_command_line_gives_them(tmp_path: Path) -> None:
    (tmp_path / "my games.log").write_text(GAMES)
    found = settings(
        {
            "games": tmp_path / "my games.log",
            "method": "logistic,elo",
            "fix": "a=b=1500,c=-3.5",
            "fuse": "0,1000",
            "bias": False,
            "subset": "a, b",
            "start": "a=1400:20,b=1200",
            "diluted": "a=0.25",
            "seed": 7,
        }
    )
    assert found.name == "my-games"
    assert found.methods == ("elo", "logistic")
    assert found.fix == {"a=b": 1500.0, "c": -3.5}
    assert found.fuse == (0, 1000)
    assert found.bias is False
    assert found.subset == ("a", "b")
    assert found.start == {"a": Start(1400, 20), "b": Start(1200, 14)}
    assert found.diluted == {"a": 0.25}
    assert found.seed == 7
    assert settings({"bias": "on", "fuse": 1000}).bias is True
    assert settings({}).bias is None


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ({"games": "no.csv"}, "games=no.csv: no such file"),
        ({"resume": "no.csv"}, "resume=no.csv: no such file"),
        ({"method": "elo,glicko"}, "method=glicko: no such method; there are: elo, logistic, eloworld"),
        ({"fix": "a"}, "fix=a: it must be NAME=VALUE"),
        ({"fix": "a=x"}, "'x' is not a number"),
        ({"fix": "a=nan"}, "must be finite"),
        ({"fix": "a=1,a=2"}, "fix: a is named twice"),
        ({"fuse": "1,x"}, "fuse: 'x' is not a whole number"),
        ({"start": "a=1300:x"}, "'x' is not a number"),
    ],
)
def test_wrong_settings_are_one_clear_error(config: dict[str, object], message: str) -> None:
    with pytest.raises(SettingsError, match=message):
        settings(config)


def asked_for(folder: Path, text: str = GAMES, **config: object) -> RatingsSettings:
    (folder / "games.csv").write_text(text)
    return settings({"games": folder / "games.csv", **config})


def test_a_plan_takes_the_methods_that_can_rate_the_games(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    plan = plans.make_plan(asked_for(tmp_path), out)
    assert plan.methods == ("elo", "logistic", "eloworld")
    plans.write_plan(plan, out / "plan.json")
    assert plans.read_plan(out / "plan.json") == plan
    assert read_games_table(out / "games.csv")["count"].sum() == 120
    assert read_games_table(out / "self_play.csv")["count"].sum() == 10
    assert read(out / "flagged.csv")["reason"].tolist() == ["a player against itself: not rated"]
    gap = GAMES.replace("c,b,9,11\n", "")
    some = plans.make_plan(asked_for(tmp_path, gap), out)
    assert some.methods == ("elo", "logistic")
    assert "1 of 6 pairs never met: c first against b" in some.left_out["eloworld"]
    with pytest.raises(RatingsError, match="never met"):
        plans.make_plan(asked_for(tmp_path, gap, method="eloworld"), out)
    assert plans.make_plan(asked_for(tmp_path, gap, method="eloworld", subset="a,b"), out).methods == ("eloworld",)
    with pytest.raises(SettingsError, match=r"no games: \./run ratings --config games=FILE"):
        plans.make_plan(settings({}), out)


@pytest.mark.parametrize("key", ["fix", "subset", "start", "diluted"])
def test_an_unknown_player_in_a_setting_is_one_error(tmp_path: Path, key: str) -> None:
    value = "d" if key == "subset" else "d=1"
    with pytest.raises(RatingsError, match=f"{key}: no games of a player 'd'"):
        plans.make_plan(asked_for(tmp_path, **{key: value}), tmp_path)


def test_everything_is_written_and_the_page_shows_it(tmp_path: Path) -> None:
    asked = asked_for(tmp_path, fix="c=0", diluted="a=0,c=1", seed=3)
    out = tmp_path / "out"
    out.mkdir()
    plan = plans.make_plan(asked, out)
    games, alone = read_games_table(out / "games.csv"), read_games_table(out / "self_play.csv")
    said = tables.write_elo(games, asked, out, plan.facts)
    assert said == ["the games have no order: they were shuffled with seed 3"]
    tables.write_logistic(games, asked, out, plan.facts, seats=True)
    tables.write_elo_world(games, alone, asked, out, plan.facts, threads=1)
    for written in [*out.glob("*.csv"), *out.glob("*.json"), *out.glob("*.png")]:
        if written.suffixes[-2:] != [".provenance", ".json"]:
            assert written.with_name(f"{written.name}.provenance.json").is_file() or written.name == "plan.json", (
                written
            )
    assert read_matrix(out / "pred.csv").shape == (3, 3)
    assert np.isnan(read_matrix(out / "target.csv").loc["a", "a"])
    assert read(out / "diluted.csv").set_index("player").loc["c", "share"] == 1
    found = read_ratings("club <x>", out, plan)
    both = compared(found)
    assert both.groupby("method")["rating"].mean().to_numpy() == pytest.approx(np.zeros(3), abs=1e-9)
    assert (both["ci_low"] < both["ci_high"]).all()
    figures = tmp_path / "figures"
    figures.mkdir()
    names = []
    for name, figure in draw(found, both, ()):
        save(figure, figures, name)
        names.append(name)
    assert names == ["methods", "evolution", "target", "pred"]
    text = page(found, both, [*sorted(figures.glob("*.svg")), out / "outcomes.png"])
    assert "club &lt;x&gt;" in text
    assert text.count("<figure>") == 5
    assert "120 games of 3 players" in text
    assert "a player against itself" in text
    assert "Page: here" in summary(found, both, "here")


def test_ratings_of_two_scales_stand_on_one() -> None:
    elo = pd.DataFrame({"player": ["a", "b", "c"], "rating": [1400.0, 1000.0, 1e4], "ci_low": 0.0, "ci_high": 0.0})
    points = 400 / np.log(10) * np.log(3) / 200
    other = pd.DataFrame({"player": ["a", "b"], "rating": [90.0, -10.0], "ci_low": [80.0, -20.0], "ci_high": 100.0})
    both = on_one_scale({"elo": elo, "logistic": other}, {"logistic": np.log(3) / 200}).set_index(["method", "player"])
    assert both.loc[("elo", "a"), "rating"] == 200
    assert both.loc[("logistic", "a"), "rating"] == pytest.approx(50 * points)
    assert both.loc[("logistic", "a"), "ci_low"] == pytest.approx(40 * points)
    table = agreement(both.reset_index())
    assert table[["method", "other", "n_players"]].to_numpy().tolist() == [["elo", "logistic", 2]]
    assert table["largest_difference"].iloc[0] == pytest.approx(200 - 50 * points)
