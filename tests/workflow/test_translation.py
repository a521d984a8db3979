"""The translation through Snakemake: people's matches judged by both engines, simulated ones from the repository."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import pandas as pd
from test_human import OPENINGS, match

from bgrating.gnubg.locate import Engine
from bgrating.translation.names import NETS, TABLES
from bgrating.translation.pairs import read_pairs

Run = Callable[..., subprocess.CompletedProcess[str]]


def test_pairs_are_made_anew_from_two_folders(
    snakemake: Run, engine: Engine, old_engine: Engine, tmp_path: Path
) -> None:
    """One match stands in both folders: it counts once."""
    assert {engine.known.nets, old_engine.known.nets} == set(NETS)
    for folder, openings in (("club", list(OPENINGS)[:4]), ("league", list(OPENINGS)[3:])):
        (tmp_path / folder).mkdir()
        for dice in openings:
            (tmp_path / folder / f"{dice}.mat").write_text(match(f"left {dice}", "right", dice))
    folders = ",".join(str(tmp_path / folder) for folder in ("club", "league"))
    results = tmp_path / "results"
    done = snakemake("translation_pairs", "--config", f"collections={folders}", f"results={results}")
    assert done.returncode == 0, done.stdout
    assert "figures of 1.08 over those of 1.07.001" in done.stdout
    made = results / "translation"
    pairs = read_pairs(made / "pairs.parquet")
    counts = pairs["source"].value_counts().to_dict()
    assert counts.pop("simulated") > 900
    assert counts == {"club": 4, "league": len(OPENINGS) - 4}
    assert "left" not in (made / "pairs.parquet").read_bytes().decode(errors="ignore")
    for name in TABLES:
        assert (made / f"{name}.csv.provenance.json").is_file()
    assert set(pd.read_csv(made / "ratios.csv")["source"]) == {"simulated", "people", "club", "league"}
    assert (made / "report.html").is_file()


def test_nothing_is_made_anew_unasked(snakemake: Run, tmp_path: Path) -> None:
    done = snakemake("translation", "-n", "--config", f"results={tmp_path}")
    assert done.returncode == 0, done.stdout
    for rule in ("translation_shard", "translation_read", "translation_gather"):
        assert rule not in done.stdout
