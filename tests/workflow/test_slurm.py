"""A study on a cluster, a Slurm of one node that these tests start and end, gives what this machine gives."""

import json
import re
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
import yaml
from slurm_node import Node, missing_programs, slurm_node

from bgrating.engine.locate import Engine

Start = Callable[..., subprocess.Popen[str]]
SHARD = "smoke/shards/3/advanced+noise-0.1~expert/000"
# Whatever the machine has: Slurm then runs jobs side by side.
CPUS = 4
SECONDS = 900.0
# The same bytes on every machine and every way; a provenance names the commit and so may change meanwhile.
KEPT = ("*.zip", "*.csv", "*.parquet")


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """Start Slurm; skip where it is not installed."""
    missing = missing_programs()
    if missing:
        pytest.skip(f"no Slurm here: {', '.join(missing)} not found (Debian: packages slurm-wlm and munge)")
    with slurm_node(tmp_path_factory.mktemp("slurm"), CPUS) as started:
        yield started


@pytest.fixture
def start(node: Node, project: Path, tmp_path: Path) -> Start:
    """Return a function that starts plain Snakemake with the cluster's profile; it looks after jobs each second."""
    often = ["--slurm-init-seconds-before-status-checks", "1", "--slurm-logdir", str(tmp_path / "slurm")]

    def run(*arguments: str) -> subprocess.Popen[str]:
        target, *rest = arguments
        words = ["-m", "snakemake", target, "--nolock", "--profile", "profiles/slurm", *often, *rest]
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        return subprocess.Popen([sys.executable, *words], cwd=project, env=node.environment, text=True, **streams)

    return run


def finish(run: subprocess.Popen[str]) -> str:
    try:
        return run.communicate(timeout=SECONDS)[0]
    finally:
        run.kill()


def tables(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for kept in KEPT for path in folder.rglob(kept)}


@pytest.mark.nightly
def test_a_study_on_the_cluster_gives_the_same_bytes(start: Start, node: Node, smoke: Path, tmp_path: Path) -> None:
    run = start("smoke", "--config", f"results={tmp_path}")
    text = finish(run)
    assert run.returncode == 0, text
    assert f"Report: {tmp_path}/{smoke.name}/smoke/report.html" in text
    here, there = tables(smoke / "smoke"), tables(tmp_path / smoke.name / "smoke")
    assert len([name for name in here if name.startswith("shards/")]) == 16
    assert here.keys() == there.keys()
    assert [name for name in here if here[name] != there[name]] == []
    jobs = node.say("scontrol", "show", "job").strip().split("\n\n")  # of the last minutes
    shards = [job for job in jobs if "MinMemoryNode=1000M" in job and "TimeLimit=02:00:00" in job]
    (name,) = {re.search(r"JobName=\S+", job)[0] for job in shards}  # type: ignore[index]
    of_run = [job for job in jobs if name in job]
    assert (len(of_run), len(shards)) == (8 + 1, 8), "one job a shard, and one for the statistics"


@pytest.mark.nightly
def test_a_cancelled_job_is_done_again(start: Start, node: Node, old_engine: Engine, tmp_path: Path) -> None:
    """The wrapper hangs instead of playing until its job has been cancelled; then the real engine plays."""
    engine, waits = tmp_path / "gnubg", tmp_path / "gnubg.waits"
    engine.write_text(
        "#!/bin/sh\n"
        '[ -e "$0.mended" ] || [ -z "$BGRATING_JOB" ] || grep -qF \'"matches": []\' "$BGRATING_JOB" ||\n'
        '    { echo $$ >"$0.new"; mv "$0.new" "$0.waits"; exec sleep 600; }\n'
        f'exec {old_engine.program} "$@"\n'
    )
    engine.chmod(0o755)
    table = tmp_path / old_engine.known.nets / f"{SHARD}.csv"
    settings = ["--config", f"results={tmp_path}", f"engine={engine}"]
    run = start(str(table), *settings)
    end = time.monotonic() + SECONDS
    while not waits.exists() and run.poll() is None and time.monotonic() < end:
        time.sleep(0.1)
    assert waits.exists(), finish(run)
    (job,) = node.say("squeue", "--noheader", "--format=%i").split()
    node.say("scancel", job)
    text = finish(run)
    assert run.returncode != 0
    told = [found for found in re.findall(r"^(\S+) ends with:$", text, re.MULTILINE) if found.endswith(f"/{job}.log")]
    assert told, text
    assert Path(told[0]).is_relative_to(tmp_path / "slurm" / "rule_shard")
    assert re.search(rf"\b{job}\b.* CANCELLED", Path(told[0]).read_text())
    assert not psutil.pid_exists(int(waits.read_text())), "the cancelled job's engine goes on"
    assert not table.exists()
    assert not table.with_suffix(".zip").exists()

    (tmp_path / "gnubg.mended").touch()
    again = start(str(table), *settings)
    text = finish(again)
    assert again.returncode == 0, text
    assert table.exists()
    assert table.with_suffix(".zip").exists()


@pytest.mark.nightly
def test_shares_of_a_duel_on_the_cluster_give_one_verdict(node: Node, project: Path, tmp_path: Path) -> None:
    """The recipe of docs/engines.md: an array of jobs plays, and the command without a share has nothing to play."""
    words = "-m bgrating decide --levels expert,beginner --match-length 1 --better 200 --seed 3 --results"
    command = [sys.executable, *words.split(), str(tmp_path / "shared")]
    log, scripts = tmp_path / "array-%a.log", f"--export=ALL,PYTHONPATH={project / 'scripts'}"
    wrapped = f"{shlex.join([*command, '--most', '60'])} --share $SLURM_ARRAY_TASK_ID/2; true"
    node.say("sbatch", "--wait", "--array=1-2", scripts, f"--output={log}", "--wrap", wrapped, seconds=SECONDS)
    shards = list((tmp_path / "shared").rglob("00?.zip"))
    assert len(shards) >= 4, [path.read_text() for path in tmp_path.glob("array-*.log")]
    environment = {**node.environment, "PYTHONPATH": str(project / "scripts")}
    done = subprocess.run([*command, "--json"], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["verdict"] == "stronger"
    assert list((tmp_path / "shared").rglob("00?.zip")) == shards


def test_the_profile_speaks_of_rules_that_exist(project: Path) -> None:
    """Snakemake passes over a group or a limit of a rule that has another name by now."""
    profile = yaml.safe_load((project / "profiles" / "slurm" / "config.yaml").read_text())
    text = "\n".join(file.read_text() for file in sorted(project.glob("rules/*.smk")))
    rules = set(re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE))
    assert {group.split("=")[0] for group in profile["groups"]} <= rules
    assert set(profile["set-resources"]) <= rules
