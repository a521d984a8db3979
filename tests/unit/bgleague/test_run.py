"""A file of results to ratings: which methods rate it, over which games, and what comes of it."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from bgleague.league_page import page, summary
from bgleague.run import League, rate_results, write
from bgleague.settings import PROVENANCE, RatingsError, RatingsSettings
from bgleague.standing import MOST_MATRIX
from bgrating.rating.fibs_formula import win_probability
from bgrating.tables import folder as results_folder
from matrix_files import read_matrix

GAMES = "first,second,first_wins,second_wins\na,b,12,8\nb,a,9,11\na,c,15,5\nc,a,6,14\nb,c,12,8\nc,b,9,11\nb,b,6,4\n"


def rate(folder: Path, text: str = GAMES, **settings: object) -> League:
    (folder / "games.csv").write_text(text, encoding="utf-8")
    return rate_results([folder / "games.csv"], RatingsSettings(**settings))  # type: ignore[arg-type]


def test_every_method_that_can_rate_the_games_does(tmp_path: Path) -> None:
    league = rate(tmp_path)
    assert list(league.by_method) == ["elo", "logistic", "eloworld"]
    assert (league.played, league.n_players) == ("120 games", 3)
    assert league.games.self_play["count"].sum() == 10
    assert league.files["flagged.csv"]["reason"].tolist() == ["one name on both sides: not rated"]


def test_elo_world_needs_games_of_every_pair(tmp_path: Path) -> None:
    gap = GAMES.replace("c,b,9,11\n", "")
    league = rate(tmp_path, gap)
    assert list(league.by_method) == ["elo", "logistic"]
    assert "c first against b never met" in league.left_out["Elo World"]
    for subset, sentence in (((), "never met"), (("a",), "Elo World needs two players at least")):
        with pytest.raises(RatingsError, match=sentence):
            rate(tmp_path, gap, methods=("eloworld",), subset=subset)
    two = rate(tmp_path, gap, methods=("eloworld",), subset=("a", "b"))
    assert list(two.by_method) == ["eloworld"]


def test_a_large_club_is_told_that_its_tables_show_the_busiest(tmp_path: Path) -> None:
    pairs = "".join(f"p{number},p{number + 1}\n" for number in range(MOST_MATRIX))
    league = rate(tmp_path, f"winner,loser\n{pairs}", methods=("elo",))
    assert len(league.files["league.csv"]) == MOST_MATRIX
    note = f"tables show the {MOST_MATRIX} players with most games"
    assert [note in text for text in league.notes] == [True]


@pytest.mark.parametrize("key", ["fix", "subset", "start", "diluted"])
def test_an_unknown_player_in_a_setting_is_refused(tmp_path: Path, key: str) -> None:
    with pytest.raises(RatingsError, match=f"{key}: no games of a player 'd'"):
        rate(tmp_path, **{key: ("d",) if key == "subset" else {"d": 1.0}})


def test_diluted_players_and_notes_reach_the_tables(tmp_path: Path) -> None:
    league = rate(tmp_path, fix={"c": 0.0}, diluted={"a": 0.0, "c": 1.0}, seed=3)
    assert ["shuffled with seed 3" in note for note in league.notes] == [True]
    assert np.isnan(league.files["target.csv"].loc["a", "a"])
    assert league.files["diluted.csv"].set_index("player").loc["c", "share"] == 1


def test_a_period_and_fused_players_leave_games_out(tmp_path: Path) -> None:
    dated = "date,player1,player2,score1,score2\n2026-01-02,a1,b,7,3\n2026-03-01,a2,b,7,3\n2026-03-02,a1,a2,7,3\n"
    league = rate(tmp_path, dated, since="2026-02-01", fuse=(3,))
    assert league.games.games[["first", "second"]].to_numpy().tolist() == [["a3", "b"]]
    assert ["1 game" in note for note in league.notes] == [True]
    for text, settings, message in (
        (dated, {"since": "2027-01-01"}, "no game lies in this period"),
        (dated, {"min_games": 9}, "least=9: no player has so many games"),
        (GAMES, {"since": "2026-01-01"}, "the games have no dates"),
    ):
        with pytest.raises(RatingsError, match=message):
            rate(tmp_path, text, **settings)


def test_what_another_command_writes_while_this_one_waits_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other").mkdir()
    others, league = rate(tmp_path / "other"), rate(tmp_path)
    out, lock = tmp_path / "ratings", results_folder.locked

    @contextmanager
    def waiting(folder: Path) -> Iterator[None]:
        monkeypatch.setattr(results_folder, "locked", lock)
        write(others, out, "")
        with lock(folder):
            yield

    monkeypatch.setattr(results_folder, "locked", waiting)
    (notice,) = write(league, out, "")
    assert f"had the results of {tmp_path / 'other' / 'games.csv'} before" in notice


HOSTILE = ["nan", "=cmd|x", "player", "None", "1", "1.0", "+x", "'q", "<script>alert(1)</script>"]
HOSTILE.append("Jose\u0301")


def a_club(number: int = 200) -> str:
    random = np.random.default_rng(4)
    lines = ["Date;Player 1;Player 2;Score 1;Score 2;Points;Pair"]
    for match in range(number):
        first, second = random.choice(len(HOSTILE), 2, replace=False)
        length = int(random.choice([5, 7, 11]))
        points = [length, 2] if random.random() < 0.5 + 0.03 * (second - first) else [2, length]
        day = f"2026-{1 + match // 25:02d}-{1 + match % 25:02d}"
        cells = [day, HOSTILE[first], HOSTILE[second], *points, length, match // 2]
        lines.append(";".join(map(str, cells)))
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> League:
    league = rate(tmp_path_factory.mktemp("club"), a_club(), since="2026-02-01", min_games=2)
    assert list(league.by_method) == ["elo", "logistic", "fibs", "history"]
    return league


def test_a_club_has_a_league_table_over_its_period(club: League) -> None:
    standing = club.files["league.csv"]
    assert sorted(standing["player"]) == sorted([*HOSTILE[:-1], "Jos\u00e9"])
    assert standing["games"].sum() == 2 * (200 - 25)
    assert standing["history"].is_monotonic_decreasing
    assert standing["first"].min() >= "2026-02-01"
    assert standing["p_first"].sum() == pytest.approx(1)
    for method in ("elo", "logistic", "fibs", "history"):
        assert (standing[f"{method}_ci_low"] < standing[method]).all()
        assert (standing[method] < standing[f"{method}_ci_high"]).all()


def test_head_to_head_counts_every_match_once_and_chances_follow_the_fit(club: League) -> None:
    pairs = club.files["head_to_head.csv"]
    assert len(pairs) == 45
    assert pairs[["p_wins", "q_wins"]].to_numpy().sum() == 175
    history = club.files["history.csv"].groupby("player")["rating"].last()
    table = club.files["league.csv"].set_index("player")["history"]
    assert table.to_dict() == pytest.approx(history[table.index].to_dict())
    length = club.by_method["history"].metadata["match_length"]
    difference = (pairs["player_p"].map(history) - pairs["player_q"].map(history)).to_numpy()
    middle = win_probability(-difference, length)
    # What is open draws a chance to a half.
    assert (np.abs(pairs["chance"] - 0.5) < np.abs(middle - 0.5)).all()
    assert pairs["chance"].to_numpy() == pytest.approx(middle, abs=0.03)
    assert ((pairs["p_better"] > 0.5) == (difference > 0)).all()
    assert (pairs["chance_ci_low"] < pairs["chance"]).all()


def test_harmful_names_are_written_harmlessly_and_read_back(club: League, tmp_path: Path) -> None:
    write(club, tmp_path, text := page(club, "club"))
    lines = (tmp_path / "target.csv").read_text().splitlines()
    assert not any(cell.startswith(("=", "+")) for line in lines for cell in line.split(","))
    assert set(read_matrix(tmp_path / "target.csv").index) == {*HOSTILE[:-1], "Jos\u00e9"}
    assert "<script>alert" not in text
    assert "club &lt;x&gt;" in page(club, "club <x>")


@pytest.mark.slow
def test_suggestions_that_a_killed_run_left_are_not_taken_for_edited(tmp_path: Path) -> None:
    league, out = rate(tmp_path), tmp_path / "out"
    assert write(league, out, "") == []
    (out / PROVENANCE).unlink()
    assert write(league, out, "") == []
    assert "alias_suggestions.csv" in json.loads((out / PROVENANCE).read_text())["written"]


@pytest.mark.slow
def test_tables_of_other_settings_go_and_changed_files_stay(tmp_path: Path) -> None:
    out = tmp_path / "out"
    write(rate(tmp_path), out, "")
    (out / "eloworld.csv").write_text("mine\n")
    (out / "own.txt").write_text("mine\n")
    write(rate(tmp_path, methods=("logistic",), aliases=None, seed=4), out, "")
    assert (out / "logistic.csv").is_file()
    assert {"eloworld.csv", "own.txt"} < {path.name for path in out.iterdir()}
    assert not {"elo.csv", "outcomes.png"} & {path.name for path in out.iterdir()}
    provenance = json.loads((out / PROVENANCE).read_text())
    assert (provenance["settings"]["methods"], provenance["settings"]["seed"]) == (["logistic"], 4)
    assert provenance["code_version"]


def test_a_row_may_count_many_games_and_elo_goes_through_few(tmp_path: Path) -> None:
    table = "first,second,first_wins,second_wins\na,b,250000,1\nb,a,1000000001,4\n"
    league = rate(tmp_path, table)
    assert league.n_games == 250_001
    assert league.files["flagged.csv"]["reason"].tolist() == [
        "the count is more than 1,000,000,000 games"
    ]
    assert "Elo, game by game, takes up to 250,000 games" in league.left_out["Elo, game by game"]
    with pytest.raises(RatingsError, match="takes up to 250,000 games, and these are 250,001"):
        rate(tmp_path, table, methods=("elo",))


def test_names_that_differ_in_capitals_are_joined(tmp_path: Path) -> None:
    club = rate(tmp_path, "player1,player2,winner\nAnn,Bob,Bob\nann,Cid,Cid\nBob,Ann,Bob\n")
    assert sorted(club.files["league.csv"]["player"]) == ["Ann", "Bob", "Cid"]
    assert "count as one player: Ann (ann)" in page(club, "club")
    assert "count as one player: Ann (ann)" in summary(club, "report.html")


LIST = "date,player1,player2,score\n2026-01-02,ann,bob,7-4\n2026-01-02,ann,cy,7-5\n2026-01-09,bob,cy,3-7\n"


@pytest.mark.parametrize(
    ("more", "games", "note"),
    [
        (LIST, 3, "b.csv: 3 rows of a.csv again: counted once"),
        (LIST.replace("2026-01-09,bob,cy", "2026-01-16,bob,cy"), 4, "b.csv: 2 rows of a.csv again"),
        (
            "Datum;Spieler 1;Spieler 2;Punkte 1;Punkte 2\n02.01.2026;bob;ann;4;7\n",
            3,
            "b.csv: 1 row of a.csv again",
        ),
        ("date,winner,loser\n2026-01-02,ann,bob\n", 4, ""),
        ("player1,player2,score\nann,bob,1-0\nann,bob,1-0\n", 5, ""),
    ],
)
def test_a_match_of_two_lists_counts_once(tmp_path: Path, more: str, games: int, note: str) -> None:
    (tmp_path / "a.csv").write_text(LIST)
    (tmp_path / "b.csv").write_text(more)
    league = rate_results([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert league.n_games == games
    assert [note in one for one in league.notes if "counted once" in one] == [True] * bool(note)


def test_games_of_two_logs_are_all_games_unless_one_begins_with_the_other(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    lines = [
        f"{'a b' if seat else 'b a'} {won} {1 - won}\n"
        for seat, won in random.integers(0, 2, (60, 2))
    ]
    later = [
        f"{'a c' if seat else 'c a'} {won} {1 - won}\n"
        for seat, won in random.integers(0, 2, (9, 2))
    ]
    (tmp_path / "a.log").write_text("".join(lines))
    for more in ([*lines, *later], later):
        (tmp_path / "b.log").write_text("".join(more))
        assert rate_results([tmp_path / "a.log", tmp_path / "b.log"]).n_games == 69


def test_a_rating_list_is_carried_over(tmp_path: Path) -> None:
    (tmp_path / "elo.csv").write_text("player,rating,effective_games\nann,1800,50\ngone,1200,50\n")
    (tmp_path / "a.csv").write_text(LIST)
    settings = RatingsSettings(methods=("elo",), start_list=tmp_path / "elo.csv", provisional=3)
    league = rate_results([tmp_path / "a.csv"], settings)
    assert league.files["elo.csv"].set_index("player").loc["ann", "effective_games"] == 52
    assert any("starts 1 player at" in note for note in league.notes)
    assert league.files["league.csv"]["provisional"].all()
    (tmp_path / "elo.csv").write_text("player,rating\nann,1800\n")
    starts = rate_results([tmp_path / "a.csv"], settings).files["elo.csv"].set_index("player")
    assert starts.loc["ann", "effective_games"] == 16
    (tmp_path / "elo.csv").write_text("player,rating\nann,high\n")
    with pytest.raises(RatingsError, match="could not convert string to float: 'high'"):
        rate_results([tmp_path / "a.csv"], settings)


def test_self_play_of_fused_players_is_no_player_of_elo_world(tmp_path: Path) -> None:
    """Games of net1 with itself stay under its old name, and net1 is net2 in all others."""
    rows = ["first,second,first_wins,second_wins", "net1,net1,3,3"]
    rows += ["net1,x,5,4", "x,net1,4,6", "net2,x,6,4", "x,net2,5,5"]
    (tmp_path / "games.csv").write_text("\n".join([*rows, ""]))
    settings = RatingsSettings(methods=("eloworld",), fuse=(2,))
    table = rate_results([tmp_path / "games.csv"], settings).files["eloworld.csv"]
    assert set(table["player"]) == {"net2", "x"}
