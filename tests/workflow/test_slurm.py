"""A study on a Slurm of one node, which tests start, gives what this machine gives."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import yaml
from slurm_node import Node, missing_programs, slurm_node

from bgrating.engine.locate import Engine
from commands import begun
from wrapped_engine import faulty

Start = Callable[..., subprocess.Popen[str]]
CELL = "3/advanced+noise-0.1~expert"
# Whatever the machine has: Slurm then runs jobs side by side.
CPUS = 4
SECONDS = 900.0
# The same bytes on every machine and every way; a provenance names the commit and so may change
# meanwhile.
KEPT = ("*.zip", "*.csv", "*.parquet")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Start Slurm; skip where it is not installed."""
    if missing := ", ".join(missing_programs()):
        pytest.skip(f"no Slurm here: {missing} not found (Debian: packages slurm-wlm and munge)")
    with slurm_node(tmp_path_factory.mktemp("slurm"), CPUS) as started:
        yield started


@pytest.fixture
def start(node: Node, project: Path, tmp_path: Path) -> Start:
    """Return a function that starts Snakemake with the cluster's profile, polling each second."""
    words = ["--nolock", "--profile", "profiles/slurm", "--logger", "bgrating"]
    words += ["--slurm-init-seconds-before-status-checks", "1"]
    words += ["--slurm-logdir", str(tmp_path / "slurm")]
    streams = {"stdin": subprocess.DEVNULL, "stderr": subprocess.STDOUT}

    def run(*arguments: str) -> "subprocess.Popen[str]":
        own = [*words, *arguments]
        return begun(*own, module="snakemake", cwd=project, env=node.environment, **streams)

    return run


def finish(run: subprocess.Popen[str]) -> str:
    try:
        return run.communicate(timeout=SECONDS)[0]
    finally:
        run.kill()


def tables(folder: Path) -> dict[str, bytes]:
    found = [path for kept in KEPT for path in folder.rglob(kept)]
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.mark.nightly
def test_a_study_on_the_cluster_gives_the_same_bytes(
    start: Start, node: Node, smoke: Path, tmp_path: Path
) -> None:
    run = start("smoke", "--config", f"results={tmp_path}")
    text = finish(run)
    assert run.returncode == 0, text
    assert f"Report: {tmp_path}/{smoke.name}/smoke/report.html" in text
    here, there = tables(smoke / "smoke"), tables(tmp_path / smoke.name / "smoke")
    for kind in ("shards/", "analyses/"):
        assert sum(name.startswith(kind) for name in here) == 8
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
    jobs = node.say("scontrol", "show", "job").strip().split("\n\n")  # of the last minutes
    shards = [job for job in jobs if "MinMemoryNode=1000M" in job and "TimeLimit=02:00:00" in job]
    (name,) = {re.search(r"JobName=\S+", job)[0] for job in shards}  # type: ignore[index]
    of_run = [job for job in jobs if name in job]
    assert (len(of_run), len(shards)) == (8 + 1, 8), "one job a shard, and one for the statistics"


@pytest.mark.nightly
def test_a_cancelled_job_is_done_again(
    start: Start, node: Node, old_engine: Engine, tmp_path: Path
) -> None:
    """The wrapper hangs until its job has been cancelled; then the real engine plays."""
    engine, waits = tmp_path / "gnubg", tmp_path / "gnubg.waits"
    hang = '{ echo $$ >"$0.new"; mv "$0.new" "$0.waits"; exec sleep 600; }'
    faulty(old_engine, engine, f'[[ $setup != *"set player"* || -e $0.mended ]] || {hang}')
    engine_version = old_engine.known.version
    study = tmp_path / engine_version / "smoke"
    table, archive = study / "analyses" / CELL / "000.csv", study / "shards" / CELL / "000.zip"
    settings = ["--config", f"results={tmp_path}", f"engine={engine}", f"nets={engine_version}"]
    run = start(str(table), *settings)
    end = time.monotonic() + SECONDS
    while not waits.exists() and run.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    assert waits.exists(), finish(run)
    (job,) = node.say("squeue", "--noheader", "--format=%i").split()
    node.say("scancel", job)
    text = finish(run)
    assert run.returncode != 0
    told = re.search(rf"^(\S+/{job}\.log) ends with:$", text, re.MULTILINE)
    assert told, text
    log = Path(told[1])
    assert log.parent.parent == tmp_path / "slurm"
    assert log.parent.name.startswith("group_shard")
    assert re.search(rf"\b{job}\b.* CANCELLED", log.read_text())
    assert not psutil.pid_exists(int(waits.read_text())), "the cancelled job's engine goes on"
    assert not table.exists()
    assert not archive.exists()

    (tmp_path / "gnubg.mended").touch()
    again = start(str(table), *settings)
    text = finish(again)
    assert again.returncode == 0, text
    assert table.exists()
    assert archive.exists()


def test_the_profile_speaks_of_rules_that_exist(project: Path) -> None:
    """Snakemake passes over a group or a limit of a rule that has another name by now."""
    profile = yaml.safe_load((project / "profiles" / "slurm" / "config.yaml").read_text())
    text = "\n".join(file.read_text() for file in sorted(project.glob("rules/*.smk")))
    rules = set(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE))
    assert {group.split("=")[0] for group in profile["groups"]} <= rules
    assert set(profile["set-resources"]) <= rules
