"""Runs of the command in a project: each has a record and a temporary folder; what killed runs left is cleared away."""

import fcntl
import json
import os
import shutil
import socket
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

RECORDS = Path(".snakemake", "runs")
LOCKS = Path(".snakemake", "locks")
"""Where Snakemake keeps its locks, without saying whose they are."""
PREFIX = "bgrating-run-"


@contextmanager
def recorded_run(project: Path) -> Iterator[list[str]]:
    """Record this run of a project and give it a temporary folder of its own (TMPDIR), which goes when it ends.

    First clears away what killed runs of the project on this machine left, and yields one sentence about each. A record
    holds the machine and the temporary folder; its file is locked for as long as the run lives, however it ends.
    """
    records = project / RECORDS
    records.mkdir(parents=True, exist_ok=True)
    cleared = clear_dead_runs(project)
    before = os.environ.get("TMPDIR")
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    record = records / folder.name
    with record.open("w", encoding="utf-8") as text:
        fcntl.flock(text, fcntl.LOCK_EX)
        json.dump({"machine": socket.gethostname(), "folder": str(folder)}, text)
        text.flush()
        os.environ["TMPDIR"] = tempfile.tempdir = str(folder)
        try:
            yield cleared
        finally:
            tempfile.tempdir = None
            os.environ.pop("TMPDIR")
            os.environ |= {"TMPDIR": before} if before else {}
            record.unlink(missing_ok=True)
            shutil.rmtree(folder, ignore_errors=True)


def clear_dead_runs(project: Path) -> list[str]:
    """End the processes of killed runs, remove their temporary folders and locks; return one sentence for each run.

    Snakemake's locks go only when the record of a killed run was found and nobody else is at work in the project.
    """
    sentences = []
    for record in sorted((project / RECORDS).glob(f"{PREFIX}*")):
        folder = _folder_of_dead(record)
        if folder is None:
            continue
        ended = end_processes(folder)
        shutil.rmtree(folder, ignore_errors=True)
        record.unlink(missing_ok=True)
        left = f"; ended {ended} of its processes" if ended else ""
        sentences.append(f"an earlier run was killed: going on where it stopped{left}")
    if sentences and not list((project / RECORDS).iterdir()) and not _others_at_work(project):
        shutil.rmtree(project / LOCKS, ignore_errors=True)
    return sentences


def end_processes(folder: Path) -> int:
    """Kill every process whose temporary or home folder is this one or below it; return how many there were."""
    ended = 0
    while left := [process for process in psutil.process_iter() if _lives_in(process, folder)]:
        for process in left:
            process.kill()
        psutil.wait_procs(left, timeout=10)
        ended += len(left)
    return ended


def from_the_future(files: Iterable[Path], ours: Sequence[Path]) -> list[Path]:
    """Give today's time to files in folders of ours whose time lies in the future; return the files of others.

    A clock that was wrong once leaves such files, and Snakemake refuses every output that is older than its input.
    """
    now = time.time()
    late = sorted(file.absolute() for file in files if file.exists() and file.stat().st_mtime > now)
    own = [file for file in late if any(file.is_relative_to(folder) for folder in ours)]
    for file in own:
        os.utime(file)
    return [file for file in late if file not in own]


def _folder_of_dead(record: Path) -> Path | None:
    """Return the temporary folder of a run of this machine that ended without clearing up; None for a living one."""
    try:
        with record.open(encoding="utf-8") as text:
            fcntl.flock(text, fcntl.LOCK_SH | fcntl.LOCK_NB)
            about = json.load(text)
    except (OSError, ValueError):  # it lives, has just gone, or has not written its record yet
        return None
    folder = Path(about["folder"])
    return folder if about["machine"] == socket.gethostname() and folder.name == record.name else None


def _lives_in(process: psutil.Process, folder: Path) -> bool:
    try:
        if process.pid == os.getpid() or process.status() == psutil.STATUS_ZOMBIE:
            return False
        environment = process.environ()
    except psutil.Error:  # another user's, or just gone
        return False
    # An engine has an environment of its own, with its HOME below the run's folder.
    return any(Path(environment.get(name, "/")).is_relative_to(folder) for name in ("TMPDIR", "HOME"))


def _others_at_work(project: Path) -> bool:
    """Whether another process runs Snakemake in the project's folder."""
    ours = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    for process in psutil.process_iter():
        try:
            runs = process.pid not in ours and any("snakemake" in word for word in process.cmdline())
            if runs and Path(process.cwd()) == project:
                return True
        except psutil.Error:
            continue
    return False
