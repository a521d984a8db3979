"""A collection through Snakemake and the engine: files accounted for, nothing done twice."""

import re
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from planned import jobs

from bgrating import BgratingError
from bgrating.engine.locate import Engine
from bgrating.rating.formula_of_2003 import published_formula
from bgrating.tables.provenance import read_provenance
from commands import Done, Run, bgrating
from short_match import match
from study.jobs.human import run
from study.workflow_settings import Settings

NOISE = bytes(range(256)) * 40
FILES = {
    "club/one.mat": (match().encode(), "analysed with warnings"),  # its copy names other players
    "two.txt": (match("Zoë", "ann", "43").encode("latin-1"), "analysed"),
    "copy.mat": (match("other", "names").encode(), "duplicate"),
    "cut.mat": (match(dice="21", points=1).encode(), "incomplete"),
    "money.mat": (match(dice="61").replace(" 3 point match", " 0 point match").encode(), "money"),
    "cmd.mat": (match('"; quit', "=1+1", "54").encode(), "analysed"),
    "empty.mat": (b"", "rejected"),
    "noise.xg": (NOISE, "rejected"),
    "noise.sgf": (NOISE, "rejected"),
}
"""Files by name, and the status of each."""


@pytest.fixture(scope="module", name="place")
def _place(snakemake: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run a collection of good and bad files once; return the folder of it and its results."""
    place = tmp_path_factory.mktemp("human")
    collection = place / "games"
    (collection / "club" / "x.mat").mkdir(parents=True)
    for name, (data, _) in FILES.items():
        (collection / name).write_bytes(data)
    (collection / "loop").symlink_to(collection)
    with zipfile.ZipFile(collection / "more.zip", "w") as packed:
        packed.writestr("../three.mat", match(dice="52"))
    human(snakemake, place)
    return place


def human(snakemake: Run, place: Path, *settings: str, options: tuple[str, ...] = ()) -> Done:
    """Run the target human on the collection of a place."""
    folders = (f"collection={place / 'games'}", f"results={place / 'results'}")
    done = snakemake("human", *options, "--config", *folders, *settings)
    assert done.returncode == 0, done.stdout
    return done


def table(place: Path, name: str) -> pd.DataFrame:
    return pd.read_csv(
        place / "results" / "human" / "games" / f"{name}.csv", keep_default_na=False, na_values=[""]
    )


def test_every_file_has_one_status(place: Path) -> None:
    files = table(place, "files")
    expected = {name: status for name, (_, status) in FILES.items()}
    others = {"loop": "rejected", "more.zip/../three.mat": "analysed"}
    assert dict(zip(files["file"], files["status"], strict=True)) == expected | others
    assert files.loc[~files["status"].isin(["analysed"]), "reason"].str.len().min() > 5


def test_tables_hold_what_the_contract_names(place: Path) -> None:
    matches, players = table(place, "matches"), table(place, "players")
    assert matches.columns[:2].tolist() == ["file", "match"]
    assert len(matches) == 2 * 6
    decided = matches["luck_adjusted_result"].notna()
    assert set(matches.loc[~decided, "file"]) == {"cut.mat", "money.mat"}
    assert (
        matches.loc[matches["file"] == "money.mat", ["rating", "error_based_rating"]]
        .isna()
        .all()
        .all()
    )
    assert "'=1+1" in players["player"].tolist()
    assert players.loc[players["player"] == "ann", "matches"].tolist() == [5]
    for name in ("files", "matches", "players"):
        facts = read_provenance(place / "results" / "human" / "games" / f"{name}.csv")
        assert facts["rows"] == len(table(place, name))
        assert facts["engine"]["checksums"]["gnubg.wd"]


def test_the_job_judges_errors_again(place: Path) -> None:
    log = (place / "results" / "logs" / "human" / "games.log").read_text()
    assert re.search(r"Checked [1-9]\d* errors at 2-ply", log)
    assert "Not checked" not in log


def test_rate_makes_the_same_tables(place: Path, tmp_path: Path) -> None:
    """Both judge everything: `rate` begins with an empty store."""
    results, store = place / "rated", tmp_path / "store"
    done = bgrating("rate", place / "games", "--results", results, cwd=place, BGRATING_STORE=store)
    assert done.returncode == 0, done.stderr
    csv = [f"{name}.csv" for name in ("files", "matches", "players", "alias_suggestions")]
    for name in (*csv, "decisions.parquet", "summary.txt"):
        ours, theirs = (
            folder / "human" / "games" / name for folder in (place / "results", results)
        )
        assert ours.read_bytes() == theirs.read_bytes(), name


@pytest.mark.slow
def test_a_second_run_does_nothing_and_a_new_file_is_added(snakemake: Run, place: Path) -> None:
    assert jobs(human(snakemake, place, options=("-n",))) == {}
    before = table(place, "files")
    (place / "games" / "new.mat").write_text(match(dice="32"))
    assert jobs(human(snakemake, place)) == {"human": 1}
    assert set(table(place, "files")["file"]) - set(before["file"]) == {"new.mat"}
    (place / "games" / "new.mat").unlink()
    human(snakemake, place)
    assert table(place, "files").equals(before)


def test_names_and_coefficients_are_those_of_the_settings(
    snakemake: Run, place: Path, tmp_path: Path
) -> None:
    (tmp_path / "games").symlink_to(place / "games")
    aliases = tmp_path / "aliases.csv"
    aliases.write_text("alias,name\nann,Ann Lee\nZoë,Ann Lee\n")
    published = published_formula("bilinear")
    formula = replace(
        published, covariance=1e4 * np.eye(4), dof=20.0, metadata=published.metadata | {"tau": 0.02}
    )
    formula.write(tmp_path / "formula.json")
    human(
        snakemake,
        tmp_path,
        f"aliases={aliases}",
        f"formula={tmp_path / 'formula.json'}",
        "offset=2000",
    )
    players = table(tmp_path, "players").set_index("player")
    assert "ann" not in players.index
    assert players.loc["Ann Lee", "matches"] == 4  # not the one of ann against Zoë
    assert table(tmp_path, "matches")["rating"].max() <= 2000


def test_a_collection_that_is_gone_is_refused_before_anything_is_read(
    engine: Engine, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    settings = Settings({"collection": str(gone), "nets": engine.known.version})
    gone.rmdir()
    with pytest.raises(BgratingError, match=f"there is no file or folder {gone}"):
        run(settings, "1", str(tmp_path / "results/human/gone/files.csv"))
    assert not any(tmp_path.iterdir())
