"""The workflow as a module of another one, and in a checkout of odd line ends and name."""

import os
import sys
from pathlib import Path

import pytest

from commands import run
from corpus import data_text
from repository_files import PROJECT, tracked

SNAKEFILE = data_text("snakefiles/module.smk")


def test_another_workflow_can_use_this_one(tmp_path: Path, project: Path) -> None:
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(project=project))
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1", "--quiet", "rules"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    planned = run(command, cwd=tmp_path, env=environment)
    assert planned.returncode == 0, planned.stderr
    for rule in ("bgrating_play", "bgrating_analyse", "bgrating_fit", "bgrating_report"):
        assert rule in planned.stdout + planned.stderr


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a checkout as Git makes it with CR LF, in a folder with odd characters."""
    folder = tmp_path_factory.mktemp("checkout") / "a{b} 'c' [d] %e"
    git = ["git", "-c", f"safe.directory={PROJECT}", "-c", "core.autocrlf=true"]
    exported = run([*git, "checkout-index", "--all", f"--prefix={folder}/"], cwd=PROJECT)
    assert exported.returncode == 0, exported.stderr
    return folder


def test_git_never_changes_the_line_ends_of_a_file(checkout: Path) -> None:
    changed = [name for name in tracked() if b"\r\n" in (checkout / name).read_bytes()]
    assert [name for name in changed if b"\r\n" not in (PROJECT / name).read_bytes()] == []


def test_the_workflow_is_planned_whatever_the_name_of_its_folder(checkout: Path) -> None:
    planned = run([sys.executable, "-m", "snakemake", "-n", "quick"], cwd=checkout)
    assert planned.returncode == 0, planned.stdout + planned.stderr
    assert "fit  " in planned.stdout + planned.stderr


def test_another_folder_is_told_why_snakemake_cannot_take_a_path(
    checkout: Path, tmp_path: Path
) -> None:
    words = ["--snakefile", checkout / "Snakefile", "--configfile", checkout / "config/config.yaml"]
    planned = run([sys.executable, "-m", "snakemake", *words, "-n", "quick"], cwd=tmp_path)
    assert planned.returncode == 1
    sentence = f"{checkout}: Snakemake takes braces for wildcards; start it in that folder"
    assert sentence in planned.stdout + planned.stderr


def test_a_job_runs_whatever_the_name_of_its_folder(checkout: Path) -> None:
    made = "results/1.07.001/check-zadeh/matches.parquet"
    done = run(
        [sys.executable, "-m", "snakemake", "--cores", "1", made, "--config", "nets=1.07.001"],
        cwd=checkout,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert (checkout / made).is_file()
