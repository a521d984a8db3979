"""`bgrating decide`: it plays with the engine, without Snakemake, and goes on from what was played."""

import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from click.testing import CliRunner

from bgrating.command.decide import command
from bgrating.engine.locate import Engine
from bgrating.settings import SettingsError


def decide(words: str) -> str:
    return CliRunner().invoke(command, words.split(), standalone_mode=False, catch_exceptions=False).output


def test_two_levels_are_told_apart_and_nothing_is_played_twice(engine: Engine, tmp_path: Path) -> None:
    words = f"--levels expert,beginner --match-length 1 --most 100 --better 200 --seed 3 --results {tmp_path}"
    first = decide(words)
    assert "Is expert stronger than beginner, in matches to 1 points? expert is stronger than beginner." in first
    folder = tmp_path / engine.known.nets / "tournament" / "1-points"
    assert f"Table: {folder}/decision.csv\n" in first
    table = pd.read_csv(folder / "decision.csv")
    assert table["matches"].tolist() == [100]
    assert (folder / "decision.csv.provenance.json").is_file()
    played = {path: path.stat().st_mtime_ns for path in (folder / "shards").rglob("*") if path.is_file()}
    assert len([path for path in played if path.suffix == ".zip"]) == 2
    (folder / "decision.csv").unlink()
    assert decide(words) == first
    assert {path: path.stat().st_mtime_ns for path in played} == played
    assert pd.read_csv(folder / "decision.csv").equals(table)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("--levels expert", "levels: a tournament needs two levels at least"),
        ("--levels expert,wizard", "no player level 'wizard'"),
        ("--levels expert,advanced,beginner", "decide: name two levels, the one that may be stronger first"),
    ],
)
def test_what_cannot_be_decided_is_one_sentence(tmp_path: Path, words: str, sentence: str) -> None:
    with pytest.raises(SettingsError, match=sentence):
        decide(f"{words} --results {tmp_path}")
    assert list(tmp_path.iterdir()) == []


def test_a_wrong_level_is_refused_before_anything_slow_is_loaded_and_without_snakemake(tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules.update(snakemake=None, pandas=None); from bgrating.command import main;"
        f"main(['decide', '--levels', 'expert,wizard', '--results', {str(tmp_path)!r}])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("bgrating: no player level 'wizard'")
