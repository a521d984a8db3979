"""Jobs of rules: what they are told by the run that starts them."""

import os
import sys
from pathlib import Path

import pytest

import job
from study.jobs import human
from study.workflow_settings import RUNS_IN, SETTINGS, Settings


def test_a_job_has_the_settings_of_its_run_whatever_another_run_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dry run with other settings was enough: later jobs of a run that was at work took those."""
    monkeypatch.chdir(tmp_path)
    for name in (RUNS_IN, SETTINGS):
        monkeypatch.setenv(name, "")
    file = Settings({"results": "r", "level": "2-ply"}).write()
    own = {name: os.environ[name] for name in (RUNS_IN, SETTINGS)}
    Settings({"results": "r", "level": "1-ply"}).write()
    levels: list[str] = []
    monkeypatch.setattr(human, "run", lambda settings: levels.append(settings.config["level"]))
    monkeypatch.setattr(sys, "argv", ["job.py", str(file), "human", str(tmp_path / "log")])
    for environment in (own, dict.fromkeys(own, "")):  # the second one is that of a pasted command
        os.environ.update(environment)
        job.main()
    assert levels == ["2-ply", "1-ply"]
