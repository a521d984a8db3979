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
            rows.append(
                {
                    **{name: count[name] for name in KILLS},
                    "tables": tables,
                    "different": len(different),
                }
            )
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
    command = [
        sys.executable,
        "-m",
        "study",
        "smoke",
        "--nolock",
        "--results",
        str(results.absolute()),
    ]
    while True:
        before = count.total()
        with subprocess.Popen(
            command, cwd=project, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
        ) as started:
            while started.poll() is None:
                time.sleep(0.05)
                if count.total() < kills:
                    # The first kill of a step comes at sight: a short step would end during the
                    # wait.
                    waits = {
                        step: rng.uniform(0, _LONGEST_WAIT) if _of(count, step) else 0.0
                        for step in STEPS
                        if _of(count, step) < most
                    }
                    count.update(_killed(started.pid, waits, rng))
        if started.returncode == 0:
            return count
        if count.total() == before:
            raise FaultError(
                f"a run that nothing was killed of has failed; its output is in {output.name}"
            )


def _killed(root: int, waits: dict[str, float], rng: random.Random) -> list[str]:
    """Kill a process of a run at one of these steps, seconds after it was seen; return which."""
    try:
        run = psutil.Process(root)
        jobs = [
            (step, job) for job in run.children(recursive=True) if (step := _step(job)) in waits
        ]
        if not jobs:
            return []
        step, job = rng.choice(jobs)
        time.sleep(waits[step])
        there = {
            "run": [run],
            "job": [job],
            "engine": job.children() if step in ("play", "analyse") else [],
        }
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
    return {"page": "report"}.get(words[3], words[3]) if is_python else ""


def compared(whole: Path, killed: Path) -> tuple[int, list[str]]:
    """Return how many tables a study has, and which differ or are missing in another folder."""
    tables = [
        path for path in sorted(whole.rglob("*")) if path.suffix in _TABLES and path.is_file()
    ]
    names = [str(path.relative_to(whole)) for path in tables if "provenance" not in path.name]
    return len(names), [name for name in names if not _same(whole / name, killed / name)]


def _same(one: Path, other: Path) -> bool:
    return other.is_file() and one.read_bytes() == other.read_bytes()


def _of(count: Counter[str], step: str) -> int:
    return sum(killed for name, killed in count.items() if name.startswith(step))
