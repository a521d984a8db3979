"""Kill processes of the smallest study, and compare its tables with an undisturbed run's."""

import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import BinaryIO

import pandas as pd
import psutil

from bgrating import BgratingError

STEPS = ("play", "analyse", "matches", "fit", "report")
"""Steps during which processes are killed."""

KILLS = (
    "play_engine",
    "analyse_engine",
    *(f"{step}_{victim}" for step in STEPS for victim in ("run", "job")),
)
"""What is killed: the whole run's Snakemake, a step's script, the engine that it has started."""

_RULES = {
    "play_shard": "play",
    "analyse_shard": "analyse",
    "join_shards": "matches",
    "fit_study": "fit",
    "folder_page": "report",
}
"""The rules of a study by their jobs."""
_TABLES = {".csv", ".parquet", ".zip", ".json"}
_LONGEST_WAIT = 1.5  # seconds, from when a job is seen until something is killed


class FaultError(BgratingError):
    """A run that nothing was killed of has failed, or an engine goes on."""


def run(project: Path, kills: int, seed: int, log: Path) -> pd.DataFrame:
    """Run the smallest study whole once, then with kills until there were so many; return one row
    per killed study.

    Columns: fuzz/kills.
    """
    rng, rows = random.Random(seed), list[dict[str, int]]()
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place, log.open("ab") as output:
        whole, killed = Path(place) / "whole", Path(place) / "killed"
        killed_study(project, whole, 0, rng, output)
        while kills > 0:
            count = killed_study(project, killed, kills, rng, output)
            kills -= count.total()
            tables, different = compared(whole, killed)
            row = {name: count[name] for name in KILLS}
            rows.append(row | {"tables": tables, "different": len(different)})
            shutil.rmtree(killed)
    return pd.DataFrame(rows)


def killed_study(
    project: Path, results: Path, kills: int, rng: random.Random, output: BinaryIO, most: int = 5
) -> Counter[str]:
    """Run the smallest study into a folder, start it again after every kill, and return what was
    killed.

    At most `kills` processes are killed, `most` of them during each step. Raises FaultError where
    it fails by itself.
    """
    count: Counter[str] = Counter()
    words = ["smoke", "--nolock", "--results", str(results.absolute())]
    streams = {"stdin": subprocess.DEVNULL, "stdout": output, "stderr": subprocess.STDOUT}
    while True:
        before = count.total()
        command = [sys.executable, "-m", "study", *words]
        with subprocess.Popen(command, cwd=project, **streams) as started:
            while started.poll() is None:
                time.sleep(0.05)
                if count.total() < kills:
                    count.update(_killed(started.pid, _waits(count, most, rng), rng))
        if started.returncode == 0:
            return count
        if count.total() == before:
            problem = "a run that nothing was killed of has failed"
            raise FaultError(f"{problem}; its output is in {output.name}")


def _waits(count: Counter[str], most: int, rng: random.Random) -> dict[str, float]:
    """Return how many seconds a kill waits, by the steps that were not killed often enough.

    The first kill of a step comes at sight: a short step would end during the wait.
    """
    waits = {}
    for step in STEPS:
        killed = _of(count, step)
        if killed < most:
            waits[step] = rng.uniform(0, _LONGEST_WAIT) if killed else 0.0
    return waits


def _killed(root: int, waits: dict[str, float], rng: random.Random) -> list[str]:
    """Kill a process of a run at one of these steps, seconds after it was seen; return which."""
    try:
        run = psutil.Process(root)
        jobs = [(_step(job), job) for job in run.children(recursive=True)]
        jobs = [(step, job) for step, job in jobs if step in waits]
        if not jobs:
            return []
        step, job = rng.choice(jobs)
        time.sleep(waits[step])
        engines = job.children() if step in ("play", "analyse") else []
        there = {"run": [run], "job": [job], "engine": engines}
        victim = rng.choice([name for name, processes in there.items() if processes])
        there[victim][0].kill()
        if victim != "run" and psutil.wait_procs(there["engine"], timeout=600)[1]:
            raise FaultError(f"an engine goes on whose {step}_{victim} was killed")
    except psutil.Error:  # it has ended meanwhile
        return []
    return [f"{step}_{victim}"]


def _step(process: psutil.Process) -> str:
    words = process.cmdline()
    at = next((place for place, word in enumerate(words) if word.endswith("/scripts/job.py")), None)
    is_python = at == 1 and len(words) > 3
    return _RULES.get(words[3], "") if is_python else ""


def compared(whole: Path, killed: Path) -> tuple[int, list[str]]:
    """Return how many tables a study has, and which differ or are missing in another folder."""
    paths = [path for path in sorted(whole.rglob("*")) if path.suffix in _TABLES]
    names = [str(path.relative_to(whole)) for path in paths if "provenance" not in path.name]
    there = {name for name in names if (killed / name).is_file()}
    same = {one for one in there if (whole / one).read_bytes() == (killed / one).read_bytes()}
    return len(names), [name for name in names if name not in same]


def _of(count: Counter[str], step: str) -> int:
    return sum(killed for name, killed in count.items() if name.startswith(step))
