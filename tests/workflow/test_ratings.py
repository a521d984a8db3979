"""A table of games through Snakemake: every table there, the same again for the same seed, errors in one sentence."""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest

from bgrating.tables.provenance import verified

Run = Callable[..., subprocess.CompletedProcess[str]]
Look = Callable[[str, Path], None]

GAMES = """first,second,first_score,count
ann,bob,1,14
ann,bob,0,6
bob,ann,1,11
bob,ann,0,9
ann,cid,1,15
ann,cid,0.5,5
cid,ann,0,16
cid,ann,1,4
bob,cid,1,12
bob,cid,0,8
cid,bob,0,13
cid,bob,1,7
ann,ann,1,3
bob,cid,1.5,1
"""
TABLES = [
    "elo.csv",
    "elo_log.csv",
    "logistic.json",
    "logistic.csv",
    "logistic_fit.json",
    "target.csv",
    "pred.csv",
    "eloworld.csv",
    "outcomes.png",
    "methods.csv",
    "agreement.csv",
    "league.csv",
    "head_to_head.csv",
    "flagged.csv",
]


@pytest.fixture(scope="module")
def place(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rate a small table once and return the folder of its results."""
    folder = tmp_path_factory.mktemp("ratings")
    (folder / "club.csv").write_text(GAMES)
    settings = [f"games={folder / 'club.csv'}", "fix=cid=1000", "seed=5", f"results={folder / 'one'}"]
    done = snakemake("ratings", "--config", *settings, "engine=/no/such/engine", "nets=1.08")
    assert done.returncode == 0, done.stdout
    assert "240 games" not in done.stdout
    assert "120 games, 3 players; 2 rows flagged" in done.stdout
    assert "Page: " in done.stdout
    return folder


def test_every_table_has_its_provenance(place: Path) -> None:
    folder = place / "one" / "ratings" / "club"
    for name in TABLES:
        facts = verified(folder / name)
        assert facts["games_file"] == "club.csv"
    page = (folder / "report.html").read_text()
    assert "ratings from results" in page.lower()
    assert page.count("<figure>") == 5
    assert "the score is outside 0 to 1" in page


def test_the_page_in_a_browser(place: Path, look: Look) -> None:
    look("ratings", place / "one" / "ratings" / "club" / "report.html")


def test_tables_have_the_agreed_columns(place: Path) -> None:
    folder = place / "one" / "ratings" / "club"
    columns = {name: pd.read_csv(folder / f"{name}.csv").columns.tolist() for name in ("elo", "logistic", "eloworld")}
    assert columns["elo"][:3] == ["player", "rating", "games"]
    assert columns["logistic"][:8] == [
        "player", "score", "std_error", "ci_low", "ci_high", "wins", "games", "separated",
    ]  # fmt: skip
    assert columns["eloworld"][:3] == ["player", "elo", "elo_p25"]
    assert {"elo_p75", "p_champion"} <= set(columns["eloworld"])
    scores = json.loads((folder / "logistic.json").read_text())
    assert scores["cid"] == 1000
    assert {"bias", "scale", "cross_entropy", "n_games"} <= set(json.loads((folder / "logistic_fit.json").read_text()))


def test_a_part_of_the_methods_and_the_same_seed_give_the_same_bytes(snakemake: Run, place: Path) -> None:
    settings = [f"games={place / 'club.csv'}", "fix=cid=1000", "seed=5", f"results={place / 'two'}", "name=again"]
    done = snakemake("ratings", "--config", *settings, "method=elo,eloworld")
    assert done.returncode == 0, done.stdout
    first, second = place / "one" / "ratings" / "club", place / "two" / "ratings" / "again"
    for name in ("elo.csv", "elo_log.csv", "elo_runs.csv", "eloworld.csv", "ablation.csv", "outcomes.png"):
        assert (first / name).read_bytes() == (second / name).read_bytes(), name
    assert not (second / "logistic.csv").exists()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (["games=/no/such.csv"], "games=/no/such.csv: no such file"),
        (["games=README.md", "method=glicko"], "method=glicko: no such method"),
        (["games=README.md", "bias=perhaps"], "bias: 'perhaps' is not one of"),
        (["games=README.md", "name=../x"], "name: '../x' does not match"),
        (["games=README.md", "fix=ann"], "fix=ann: it must be NAME=VALUE"),
    ],
)
def test_wrong_settings_are_one_error_before_anything_is_read(
    snakemake: Run, settings: list[str], message: str
) -> None:
    wrong = snakemake("ratings", "-n", "--config", *settings)
    assert wrong.returncode != 0
    assert message in wrong.stdout
    assert "Traceback" not in wrong.stdout


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ([], "error: no games: ./run ratings --config games=FILE"),
        (["games={games}", "fix=cyd=0"], "error: fix: no games of a player 'cyd'; like it: cid"),
        (["games=README.md"], "error: games=README.md: its first line (# bgrating: what are"),
        (["games={damaged}"], "error: games={damaged}: not a Parquet table, or a damaged one"),
        (["games={games}", "results={damaged}"], "results={damaged}: {damaged} cannot be written"),
    ],
)
def test_what_cannot_be_rated_is_one_error(
    snakemake: Run, place: Path, tmp_path: Path, settings: list[str], message: str
) -> None:
    damaged = tmp_path / "damaged.parquet"
    damaged.write_bytes(b"PAR1 and no more")
    names = {"games": place / "club.csv", "damaged": damaged}
    given = [setting.format(**names) for setting in settings]
    wrong = snakemake("ratings", "--config", f"results={tmp_path}", *given)
    assert wrong.returncode != 0
    assert message.format(**names) in wrong.stdout
    assert "Traceback" not in wrong.stdout
