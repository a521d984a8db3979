"""A Slurm of one node for a test: its own munge key, settings, state, log files and ports, below
one folder.

Everything runs as the user of the test; nothing of a Slurm or munge of the machine is touched.
"""

import getpass
import os
import secrets
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from corpus import data_text

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "srun")
PROGRAMS += ("squeue",)
# Where Debian keeps daemons; not on every user's PATH.
DAEMONS = os.pathsep.join(["/usr/sbin", "/sbin"])
SECONDS_TO_START = 60
SECONDS_TO_STOP = 20
# Without control groups and accounting, which a test may not set up.
SETTINGS = data_text("slurm.conf")


class SlurmError(Exception):
    """The Slurm of the test does not start."""


def missing_programs() -> list[str]:
    return [name for name in PROGRAMS if _find(name) is None]


def _find(program: str) -> str | None:
    return shutil.which(program) or shutil.which(program, path=DAEMONS)


@dataclass(frozen=True)
class Node:
    """A running Slurm of one node; `environment` makes Slurm's commands use it."""

    environment: dict[str, str]

    def say(self, *command: str, seconds: float = 60) -> str:
        given = {"env": self.environment, "stdin": subprocess.DEVNULL, "timeout": seconds}
        return subprocess.check_output(command, text=True, stderr=subprocess.PIPE, **given)


@contextmanager
def slurm_node(folder: Path, cpus: int) -> Iterator[Node]:
    """Start a Slurm of one node that has `cpus` processors to give away, whatever the machine has;
    end it afterwards.

    Raises SlurmError with the daemons' last words.
    """
    settings = _write_settings(folder, cpus)
    path = os.pathsep.join([str(_write_srun(folder, settings)), os.environ["PATH"]])
    node = Node({**os.environ, "SLURM_CONF": str(settings), "PATH": path})
    daemons = {
        "munged": [*_munged(folder), "--foreground"],
        "slurmctld": ["slurmctld", "-D", "-c", "-f", str(settings)],
        "slurmd": ["slurmd", "-D", "-c", "-f", str(settings), "-N", "node"],
    }
    with ExitStack() as stack:
        stack.callback(_end_steps, str(settings))
        for name, (program, *options) in daemons.items():
            log = stack.enter_context((folder / f"{name}.out").open("wb"))
            streams = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            command = [_find(program) or program, *options]
            stack.callback(_end, subprocess.Popen(command, env=node.environment, **streams))
        try:
            node.say("srun", "--quiet", "true", seconds=SECONDS_TO_START)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as problem:
            words = [str(problem), str(problem.stderr)]
            for log in sorted(folder.glob("*.out")):
                words.append(f"{log.name}: {log.read_text(errors='replace')[-2000:]}")
            raise SlurmError("\n".join(words)) from problem
        yield node
        node.say("scancel", "--user", getpass.getuser())


def _munged(folder: Path) -> list[str]:
    key = folder / "munge.key"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o600)
    files = ("socket", "pid-file", "log-file", "seed-file")
    # The folders above belong to the machine: munged would refuse them where a group may write.
    options = (f"--{name}={folder}/munge.{name.removesuffix('-file')}" for name in files)
    return ["munged", "--force", f"--key-file={key}", *options]


def _write_settings(folder: Path, cpus: int) -> Path:
    for name in ("state", "spool"):
        (folder / name).mkdir()
    controller, worker = _free_ports(2)
    names = {"folder": folder, "user": getpass.getuser(), "host": socket.gethostname()}
    memory = psutil.virtual_memory().total // 2**20
    path = folder / "slurm.conf"
    names |= {"cpus": cpus, "controller": controller, "worker": worker, "memory": memory}
    path.write_text(SETTINGS.format(**names))
    return path


def _write_srun(folder: Path, settings: Path) -> Path:
    """Write an srun that knows its settings: the executor removes SLURM_CONF within a job."""
    srun = folder / "bin" / "srun"
    srun.parent.mkdir()
    srun.write_text(f'#!/bin/sh\nSLURM_CONF="{settings}" exec "{_find("srun")}" "$@"\n')
    srun.chmod(0o755)
    return srun.parent


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _end(daemon: subprocess.Popen[bytes]) -> None:
    daemon.send_signal(signal.SIGTERM)
    try:
        daemon.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        daemon.kill()
        daemon.wait()


def _end_steps(settings: str) -> None:
    """End what the daemons have left behind: all processes, and only those, that know this Slurm's
    settings.

    psutil's `environ` ends at the first empty entry, and slurmstepd writes its title over the first
    ones.
    """
    known = f"SLURM_CONF={settings}".encode()
    left = []
    for process in psutil.process_iter():
        try:
            is_ours = known in Path(f"/proc/{process.pid}/environ").read_bytes().split(b"\0")
            if is_ours and process.pid != os.getpid():
                process.kill()
                left.append(process)
        except (psutil.NoSuchProcess, OSError):
            continue
    psutil.wait_procs(left, SECONDS_TO_STOP)
