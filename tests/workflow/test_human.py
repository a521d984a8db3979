"""A collection through Snakemake with the real engine: every file accounted for, nothing done twice."""

import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from planned import jobs

from bgrating import BgratingError
from bgrating.collection.shards import asked_of
from bgrating.engine.locate import Engine
from bgrating.rating.published import published_formula
from bgrating.settings import load_yaml
from bgrating.tables.provenance import read_provenance
from short_match import match

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def snakemake(snakemake: Run) -> Run:
    """Return a function that runs the target human in the project's folder."""

    def run(*settings: str, options: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
        return snakemake("human", *options, "--config", *settings)

    return run


@pytest.fixture(scope="module", name="place")
def _place(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a collection of good and bad files, run it once and return the folder that holds it and its results."""
    place = tmp_path_factory.mktemp("human")
    collection = place / "games"
    (collection / "club" / "x.mat").mkdir(parents=True)
    (collection / "club" / "one.mat").write_text(match())
    (collection / "two.txt").write_bytes(match("Zoë", "ann", "43").encode("latin-1"))
    (collection / "copy.mat").write_text(match("other", "names"))
    (collection / "cut.mat").write_text(match(dice="21", points=1))
    (collection / "money.mat").write_text(match(dice="61").replace(" 3 point match", " 0 point match"))
    (collection / "cmd.mat").write_text(match('"; quit', "=1+1", "54"))
    (collection / "empty.mat").write_text("")
    (collection / "noise.xg").write_bytes(bytes(range(256)) * 40)
    (collection / "noise.sgf").write_bytes(bytes(range(256)) * 40)
    (collection / "loop").symlink_to(collection)
    with zipfile.ZipFile(collection / "more.zip", "w") as packed:
        packed.writestr("../three.mat", match(dice="52"))
    done = snakemake(*settings_of(place))
    assert done.returncode == 0, done.stdout
    return place


def settings_of(place: Path) -> list[str]:
    return [f"collection={place / 'games'}", f"results={place / 'results'}"]


def table(place: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(place / "results" / "human" / "games" / f"{name}.csv", keep_default_na=False, na_values=[""])


def test_every_file_has_one_status(place: Path) -> None:
    files = table(place, "files")
    assert dict(zip(files["file"], files["status"], strict=True)) == {
        "club/one.mat": "analysed with warnings",  # its copy names other players
        "club/x.mat": "rejected",
        "cmd.mat": "analysed",
        "copy.mat": "duplicate",
        "cut.mat": "incomplete",
        "empty.mat": "rejected",
        "loop": "rejected",
        "money.mat": "money",
        "more.zip/../three.mat": "analysed",
        "noise.sgf": "rejected",
        "noise.xg": "rejected",
        "two.txt": "analysed",
    }
    assert files.loc[~files["status"].isin(["analysed"]), "reason"].str.len().min() > 5


def test_tables_hold_what_the_contract_names(place: Path) -> None:
    matches, players = table(place, "matches"), table(place, "players")
    assert matches.columns[:2].tolist() == ["file", "match"]
    assert len(matches) == 2 * 6
    decided = matches["luck_adjusted_result"].notna()
    assert set(matches.loc[~decided, "file"]) == {"cut.mat", "money.mat"}
    assert matches.loc[matches["file"] == "money.mat", ["rating", "error_based_rating"]].isna().all().all()
    assert "'=1+1" in players["player"].tolist()
    assert players.loc[players["player"] == "ann", "matches"].tolist() == [5]
    for name in ("files", "matches", "players"):
        facts = read_provenance(place / "results" / "human" / "games" / f"{name}.csv")
        assert facts["rows"] == len(table(place, name))
        assert facts["engine"]["checksums"]["gnubg.wd"]


def test_parts_judge_their_errors_again_and_leave_nothing_to_the_last_job(place: Path) -> None:
    logs = place / "results" / "logs"
    parts = [log.read_text() for log in (logs / "human_part" / "games").iterdir()]
    assert any(re.search(r"Checked at 2-ply: [1-9]", text) for text in parts)
    assert not any("not judged" in text for text in parts)
    assert "Checked at" not in (logs / "human" / "games.log").read_text()


def test_rate_makes_the_same_tables(place: Path, tmp_path: Path) -> None:
    """Both judge everything: `rate` begins with an empty store."""
    results, store = place / "rated", tmp_path / "store"
    command = [sys.executable, "-m", "bgrating", "rate", place / "games", "--results", results]
    subprocess.run(command, check=True, capture_output=True, env=os.environ | {"BGRATING_STORE": str(store)})
    for name in (
        "files.csv",
        "matches.csv",
        "players.csv",
        "alias_suggestions.csv",
        "decisions.parquet",
        "summary.txt",
    ):
        ours, theirs = (folder / "human" / "games" / name for folder in (place / "results", results))
        assert ours.read_bytes() == theirs.read_bytes(), name


def test_a_second_run_does_nothing_and_a_new_file_costs_one_analysis(snakemake: Run, place: Path) -> None:
    again = snakemake(*settings_of(place), options=("-n",))
    assert again.returncode == 0, again.stdout
    assert jobs(again) == {}
    before = table(place, "files")
    (place / "games" / "new.mat").write_text(match(dice="32"))
    more = snakemake(*settings_of(place))
    assert more.returncode == 0, more.stdout
    assert jobs(more)["human_part"] == 2  # that of the file, and that of the link `loop`, since its folder changed
    (place / "games" / "new.mat").unlink()
    fewer = snakemake(*settings_of(place))
    assert fewer.returncode == 0, fewer.stdout
    assert table(place, "files").equals(before)


def test_aliases_and_coefficients_need_no_analysis(snakemake: Run, place: Path) -> None:
    aliases = place / "aliases.csv"
    aliases.write_text("alias,name\nann,Ann Lee\nZoë,Ann Lee\n")
    published = published_formula("bilinear")
    formula = replace(published, covariance=1e4 * np.eye(4), dof=20.0, facts=published.facts | {"tau": 0.02})
    formula.write(place / "formula.json")
    done = snakemake(*settings_of(place), f"aliases={aliases}", f"coefficients={place / 'formula.json'}", "offset=2000")
    assert done.returncode == 0, done.stdout
    assert "rule human_part:" not in done.stdout
    players = table(place, "players").set_index("player")
    assert "ann" not in players.index
    assert players.loc["Ann Lee", "matches"] == 4  # not the one of ann against Zoë
    assert table(place, "matches")["rating"].max() <= 2000


def test_wrong_settings_are_refused_before_anything_is_read(project: Path, engine: Engine) -> None:
    config = load_yaml(project / "config" / "config.yaml") | {"nets": engine.known.nets}
    with pytest.raises(BgratingError, match="there is no file or folder /no/such/folder"):
        asked_of(config | {"collection": "/no/such/folder"})
