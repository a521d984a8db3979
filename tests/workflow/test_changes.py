"""What each change of a played study costs: the jobs that a dry run plans, in a checkout of its own."""

import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from planned import jobs
from snakemake_runs import Runs

from bgrating.engine.locate import Engine
from corpus import cases, data_text
from repository_files import PROJECT, copy_tracked

SETTINGS = ("results=mine/results", "designs=mine/changed.yaml", "levels=mine/my-noise.yaml")


class Study:
    """A played study in a checkout."""

    def __init__(self, checkout: Path, engine_version: str) -> None:
        self.checkout = checkout
        self.folder = checkout / "mine" / "results" / engine_version / "changed"
        self.settings = ["--config", *SETTINGS, f"nets={engine_version}", "part=changed"]
        self.runs = Runs(checkout)

    def path(self, name: str) -> Path:
        place = {"S": self.folder, "M": self.checkout / "mine"}
        first, _, rest = name.partition("/")
        return place[first] / rest if first in place else self.checkout / name

    def planned(self, *settings: str) -> dict[str, int]:
        done = self.runs.run("-n", "study", *self.settings, *settings)
        assert done.returncode == 0, done.stdout
        found = jobs(done)
        assert found.pop("study") == 1
        return found


@pytest.fixture(name="study", scope="module")
def _study(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Study]:
    checkout = tmp_path_factory.mktemp("changes") / "checkout"
    folders = ("config", "gnubg_configs", "profiles", "report", "results/published", "rules")
    for name in (*folders, "scripts"):
        copy_tracked(PROJECT / name, checkout / name)
    shutil.copy(PROJECT / "Snakefile", checkout)
    (checkout / "mine").mkdir()
    (checkout / "mine" / "changed.yaml").write_text(data_text("designs/changed.yaml"))
    (checkout / "mine" / "my-noise.yaml").write_text(data_text("designs/my-noise.yaml"))
    study = Study(checkout, engine.known.version)
    done = study.runs.run("study", "--cores", "2", *study.settings)
    assert done.returncode == 0, done.stdout
    yield study
    study.runs.end()


@pytest.mark.slow
@pytest.mark.parametrize("change", cases("changes.change"), ids=lambda change: change["about"])
def test_a_change_plans_these_jobs(study: Study, change: dict[str, Any], tmp_path: Path) -> None:
    if "touch" in change:
        path = study.path(change["touch"])
        before = path.stat()
        later = time.time() + 60
        os.utime(path, (later, later))
        found = study.planned()
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    elif "remove" in change:
        path = study.path(change["remove"])
        shutil.move(path, tmp_path / "removed")
        found = study.planned()
        shutil.move(tmp_path / "removed", path)
    elif "append" in change or "edit" in change:
        name, old, new = change.get("edit", [change.get("append"), "", ""])
        path = study.path(name)
        before = path.stat()
        kept = path.read_bytes()
        assert old.encode() in kept
        path.write_bytes(kept.replace(old.encode(), new.encode()) if old else kept + b"\n")
        found = study.planned()
        path.write_bytes(kept)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    else:
        found = study.planned(*change.get("settings", "").split())
    assert found == change["jobs"]
