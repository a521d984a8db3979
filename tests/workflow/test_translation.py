"""The translation through Snakemake: people's matches judged by both engines, simulated ones from the repository."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
from test_human import OPENINGS, match

from bgrating.engine.locate import Engine
from bgrating.tables.provenance import has_provenance
from study.translation.names import NETS, TABLES
from study.translation.pairs import read_pairs

Run = Callable[..., subprocess.CompletedProcess[str]]
Look = Callable[[str, Path], None]


@pytest.fixture(scope="module", name="made")
def _made(snakemake: Run, engine: Engine, old_engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make the pairs anew from two folders, in both of which one match stands; return the folder of the results."""
    place = tmp_path_factory.mktemp("translation")
    assert {engine.known.nets, old_engine.known.nets} == set(NETS)
    for folder, openings in (("club", list(OPENINGS)[:4]), ("league", list(OPENINGS)[3:])):
        (place / folder).mkdir()
        for dice in openings:
            (place / folder / f"{dice}.mat").write_text(match(f"left {dice}", "right", dice))
    folders = ",".join(str(place / folder) for folder in ("club", "league"))
    results = place / "results"
    done = snakemake("translation_pairs", "--config", f"collections={folders}", f"results={results}")
    assert done.returncode == 0, done.stdout
    assert "figures of 1.08 over those of 1.07.001" in done.stdout
    return results / "translation"


def test_pairs_are_made_anew_from_two_folders(made: Path) -> None:
    pairs = read_pairs(made / "pairs.parquet")
    counts = pairs["source"].value_counts().to_dict()
    assert counts.pop("simulated") > 900
    assert counts == {"club": 4, "league": len(OPENINGS) - 4}
    assert "left" not in (made / "pairs.parquet").read_bytes().decode(errors="ignore")
    for name in TABLES:
        assert has_provenance(made / f"{name}.csv")
    assert set(pd.read_csv(made / "ratios.csv")["source"]) == {"simulated", "people", "club", "league"}


def test_the_page_in_a_browser(made: Path, look: Look) -> None:
    look("translation", made / "report.html")


def test_nothing_is_made_anew_unasked(snakemake: Run, tmp_path: Path) -> None:
    done = snakemake("translation", "-n", "--config", f"results={tmp_path}")
    assert done.returncode == 0, done.stdout
    for rule in ("translation_shard", "translation_read", "translation_gather"):
        assert rule not in done.stdout
