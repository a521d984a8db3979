"""The workflow as a module of another workflow, in another folder."""

import os
import sys
from pathlib import Path

from commands import run
from corpus import data_text

SNAKEFILE = data_text("snakefiles/module.smk")


def test_another_workflow_can_use_this_one(tmp_path: Path, project: Path) -> None:
    (tmp_path / "Snakefile").write_text(SNAKEFILE.format(project=project))
    command = [sys.executable, "-m", "snakemake", "-n", "--cores", "1", "--quiet", "rules"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    planned = run(command, cwd=tmp_path, env=environment)
    assert planned.returncode == 0, planned.stderr
    for rule in ("bgrating_play", "bgrating_analyse", "bgrating_fit", "bgrating_report"):
        assert rule in planned.stdout + planned.stderr
