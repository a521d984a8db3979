"""Fixtures of the workflow tests: Snakemake, the smallest study, a sandbox for ./run."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from setup_sandbox import Sandbox
from snakemake_runs import Runs

from bgrating.engine.locate import Engine
from commands import Run
from repository_files import tracked


@pytest.fixture(scope="session")
def snakemake(project: Path) -> Iterator[Run]:
    """Return a function that runs Snakemake in the project's folder; stdout has all output."""
    runs = Runs(project)
    yield runs.run
    runs.end()


@pytest.fixture(scope="session")
def smoke(snakemake: Run, engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that holds the smallest study, run whole."""
    results = tmp_path_factory.mktemp("results")
    done = snakemake("smoke", "--config", f"results={results}")
    assert done.returncode == 0, done.stdout
    assert "report.html" in done.stdout
    return results / engine.known.version


@pytest.fixture
def sandbox(tmp_path: Path, project: Path) -> Sandbox:
    return Sandbox(tmp_path, project)


@pytest.fixture(scope="session")
def source(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of what the package is made from: pip builds in the folder it is given."""
    source = tmp_path_factory.mktemp("source")
    for name in tracked("--cached", "--others", "--exclude-standard"):
        if (project / name).is_file() and not name.endswith((".parquet", ".zip")):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(project / name, source / name)
    return source


@pytest.fixture(scope="session")
def installed(project: Path, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder where README.md's words install both packages, without dependencies."""
    site = tmp_path_factory.mktemp("site")
    readme = (project / "README.md").read_text(encoding="utf-8")
    (words,) = re.findall(r"`pip install ([^`]+\[rate\]')`", readme)
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(site)]
    command = [sys.executable, "-m", "pip", "install", *options, *shlex.split(words)]
    subprocess.run(command, check=True, cwd=source, env=os.environ | {"PYTHONPATH": ""})
    return site
