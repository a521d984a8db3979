"""Settings of the target ratings, the plan of a run, methods on one scale, the page."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bgrating.league import plan as plans
from bgrating.league import tables
from bgrating.league.compare import agreement, on_one_scale
from bgrating.league.games import read_games_table
from bgrating.league.page import Ratings, compared, draw, league_table, page, read_ratings, summary
from bgrating.league.settings import RatingsError, RatingsSettings, Start, settings
from bgrating.pages.style import save
from bgrating.settings import SettingsError
from bgrating.tables.tables import read_matrix, read_table, write_matrix

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
        ({"method": "elo,glicko"}, "method=glicko: no such method; there are: elo, logistic, eloworld, fibs, history"),
        ({"fix": "a"}, "fix=a: it must be NAME=VALUE"),
        ({"fix": "a=x"}, "'x' is not a number"),
        ({"fix": "a=nan"}, "must be finite"),
        ({"fix": "a=1,a=2"}, "fix: a is named twice"),
        ({"fuse": "1,x"}, "fuse: 'x' is not a whole number"),
        ({"start": "a=1300:x"}, "'x' is not a number"),
        ({"since": "14.3.2026"}, "since=14.3.2026: not a date; write it as 2026-03-14"),
        ({"since": "2026-03-14", "through": "2026-03-13"}, "since=2026-03-14 lies after through=2026-03-13"),
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
    assert read_table(out / "flagged.csv")["reason"].tolist() == ["a player against itself: not rated"]
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
    said = {method: tables.write_method(method, asked, out, plan) for method in plan.methods}
    assert said.pop("elo") == ["the games have no order: they were shuffled with seed 3"]
    assert said == {"logistic": [], "eloworld": []}
    for written in [*out.glob("*.csv"), *out.glob("*.json"), *out.glob("*.png")]:
        if written.suffixes[-2:] != [".provenance", ".json"]:
            assert written.with_name(f"{written.name}.provenance.json").is_file() or written.name == "plan.json", (
                written
            )
    assert read_matrix(out / "pred.csv").shape == (3, 3)
    assert np.isnan(read_matrix(out / "target.csv").loc["a", "a"])
    assert read_table(out / "diluted.csv").set_index("player").loc["c", "share"] == 1
    found = read_ratings("club <x>", out, plan)
    both = compared(found)
    assert both.groupby("method")["rating"].mean().to_numpy() == pytest.approx(np.zeros(3), abs=1e-9)
    assert (both["ci_low"] < both["ci_high"]).all()
    drawn = save(draw(found, both, ()), tmp_path / "figures")
    assert [path.stem for path in drawn] == ["evolution", "methods", "pred", "target"]
    text = page(found, both, league_table(found), [*drawn, out / "outcomes.png"])
    assert "club &lt;x&gt;" in text
    assert text.count("<figure>") == 5
    assert "120 games of 3 players" in text
    assert "a player against itself" in text
    assert "Page: here" in summary(found, both, "here")


HOSTILE = ["nan", "=cmd|x", "player", "None", "1", "1.0", "+x", "'q", "<script>alert(1)</script>", "Jose\u0301"]


def a_club(number: int = 200) -> str:
    """Return a list of dated results of players whose names are traps, two matches a pair."""
    random = np.random.default_rng(4)
    lines = ["Date;Player 1;Player 2;Score 1;Score 2;Points;Pair"]
    for match in range(number):
        first, second = random.choice(len(HOSTILE), 2, replace=False)
        length = int(random.choice([5, 7, 11]))
        points = [length, 2] if random.random() < 0.5 + 0.03 * (second - first) else [2, length]
        day = f"2026-{1 + match // 25:02d}-{1 + match % 25:02d}"
        lines.append(f"{day};{HOSTILE[first]};{HOSTILE[second]};{points[0]};{points[1]};{length};{match // 2}")
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Ratings:
    """Rate a club by all methods that its list allows."""
    folder = tmp_path_factory.mktemp("club")
    asked = asked_for(folder, a_club(), since="2026-02-01", least=2)
    plan = plans.make_plan(asked, folder)
    assert plan.methods == ("elo", "logistic", "fibs", "history")
    for method in plan.methods:
        tables.write_method(method, asked, folder, plan)
    return read_ratings("club", folder, plan)


def test_a_club_has_a_league_table_over_its_period(club: Ratings) -> None:
    standing = league_table(club)
    assert sorted(standing["player"]) == sorted([*HOSTILE[:-1], "Jos\u00e9"])
    assert club.plan.n_outside == 25
    assert standing["games"].sum() == 2 * (200 - 25)
    assert standing["logistic"].is_monotonic_decreasing
    assert standing["first"].min() >= "2026-02-01"
    for method in ("elo", "logistic", "fibs", "history"):
        assert (standing[f"{method}_ci_low"] < standing[method]).all()
        assert (standing[method] < standing[f"{method}_ci_high"]).all()


def test_head_to_head_counts_every_match_once_and_chances_follow_the_fit(club: Ratings) -> None:
    pairs = club.tables["head_to_head"]
    assert len(pairs) == 45
    assert pairs[["p_wins", "q_wins"]].to_numpy().sum() == 175
    scores = club.tables["logistic"].set_index("player")["score"]
    apart = (pairs["player_p"].map(scores) - pairs["player_q"].map(scores)).to_numpy()
    assert pairs["chance"].to_numpy() == pytest.approx(1 / (1 + 3 ** (-apart / 200)), abs=1e-7)
    assert (pairs["chance_ci_low"] < pairs["chance"]).all()
    fibs, rated = club.tables["fibs_chances"], club.tables["fibs"].set_index("player")["rating"]
    apart = (fibs["player_p"].map(rated) - fibs["player_q"].map(rated)).to_numpy()
    length = club.provenance["fibs"]["match_length"]
    assert fibs["chance"].to_numpy() == pytest.approx(1 / (1 + 10 ** (-apart * length**0.5 / 2000)), abs=1e-7)


def test_names_that_are_traps_come_back_as_they_are_and_do_no_harm(club: Ratings, tmp_path: Path) -> None:
    assert set(club.tables["target"].index) == {*HOSTILE[:-1], "Jos\u00e9"}
    write_matrix(club.tables["target"], tmp_path / "target.csv")
    lines = (tmp_path / "target.csv").read_text().splitlines()
    assert not any(cell.startswith(("=", "+")) for line in lines for cell in line.split(","))
    assert read_matrix(tmp_path / "target.csv").equals(club.tables["target"])
    both = compared(club)
    text = page(club, both, league_table(club), [])
    assert "<script>alert" not in text
    assert "league table" in text.lower()


def test_the_page_of_a_club_in_a_browser(club: Ratings, tmp_path: Path, look: Callable[[str, Path], None]) -> None:
    (tmp_path / "report.html").write_text(page(club, compared(club), league_table(club), []), encoding="utf-8")
    look("club", tmp_path / "report.html")


def test_what_would_take_hours_is_left_out_with_the_reason(tmp_path: Path) -> None:
    huge = "first,second,first_wins,second_wins\na,b,1000000000,999999999\nb,a,5,1000000000\n"
    asked = asked_for(tmp_path, huge)
    plan = plans.make_plan(asked, tmp_path)
    assert plan.methods == ("logistic",)
    assert "about 8.3 hours" in plan.left_out["elo"]
    assert "about 7.0 hours" in plan.left_out["eloworld"]
    tables.write_method("logistic", asked, tmp_path, plan)
    with pytest.raises(RatingsError, match="Elo rates game by game"):
        plans.make_plan(asked_for(tmp_path, huge, method="elo"), tmp_path)


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
