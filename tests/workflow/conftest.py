"""Fixtures of the workflow tests: Snakemake, the smallest study, run once for all of them, and a sandbox for ./run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from setup_sandbox import Sandbox

from bgrating.engine.locate import Engine

Run = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="session")
def snakemake(project: Path) -> Run:
    """Return a function that runs plain Snakemake in the project's folder."""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "snakemake", "--nolock", *arguments]
        return subprocess.run(
            command,
            cwd=project,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )

    return run


@pytest.fixture(scope="session")
def smoke(snakemake: Run, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Run the smallest study once and return the folder of its engine's nets in the results."""
    results = tmp_path_factory.mktemp("results")
    done = snakemake("smoke", "--config", f"results={results}")
    assert done.returncode == 0, done.stdout
    assert "report.html" in done.stdout
    return results / engine.known.nets


@pytest.fixture
def sandbox(tmp_path: Path, project: Path) -> Sandbox:
    """Return a machine for ./run, on which nothing has been set up."""
    return Sandbox(tmp_path, project)
