"""A run that is killed, twice, ends with the same bytes when it is started again."""

import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bgrating.gnubg.locate import Engine

Run = Callable[..., subprocess.CompletedProcess[str]]
STEPS = ("*/*/*/*/*/*.zip", "*/*/matches.parquet")
"""The file at whose appearance the run is killed: while matches are played, and while they are fitted."""


def kill_at(project: Path, results: Path, file: str) -> None:
    """Start the smallest study and kill Snakemake when the first such file appears."""
    command = [sys.executable, "-m", "snakemake", "--nolock", "smoke", "--config", f"results={results}"]
    with subprocess.Popen(command, cwd=project, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as run:
        while not any(results.glob(file)):
            assert run.poll() is None, f"ended before there was {file}"
            time.sleep(0.05)
        run.kill()


def test_a_run_that_is_killed_twice_ends_with_the_same_bytes(
    project: Path, snakemake: Run, smoke: Path, engine: Engine, tmp_path: Path
) -> None:
    for step in STEPS:
        kill_at(project, tmp_path, step)
    done = snakemake("smoke", "--config", f"results={tmp_path}")
    assert done.returncode == 0, done.stdout
    tables = [path.relative_to(smoke) for path in smoke.rglob("*") if path.suffix in {".csv", ".parquet", ".zip"}]
    assert len(tables) > 5
    again = tmp_path / engine.known.nets
    assert [name for name in tables if (smoke / name).read_bytes() != (again / name).read_bytes()] == []
