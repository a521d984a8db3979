"""The commands for players and clubs use nothing that only Linux has: it is taken away before they run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import bgrating
from bgrating.engine.locate import Engine
from short_match import match

# What the documentation of Python says is not there on Windows; macOS has some of it.
MODULES = [
    "crypt", "curses", "fcntl", "grp", "posix_ipc", "pty", "pwd", "readline", "resource", "spwd", "syslog",
    "termios", "tty",
]  # fmt: skip
FUNCTIONS = [
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "chroot", "ctermid", "fchmod", "fchown",
    "fork", "forkpty", "getegid", "geteuid", "getgid", "getloadavg", "getpgid", "getpgrp", "getpriority", "getuid",
    "initgroups", "killpg", "lchown", "memfd_create", "mkfifo", "mknod", "nice", "openpty", "pipe2",
    "posix_fadvise", "posix_fallocate", "posix_spawn", "pread", "preadv", "pwrite", "sched_getaffinity",
    "sched_setaffinity", "sched_yield", "sendfile", "setpgid", "setpriority", "setsid", "statvfs", "sync",
    "sysconf", "uname", "wait3", "wait4", "waitid",
]  # fmt: skip
SIGNALS = [
    "SIGALRM", "SIGCHLD", "SIGHUP", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2", "alarm",
    "pthread_sigmask", "setitimer", "sigwait",
]  # fmt: skip
# Python's modules and the libraries are there first: on Windows they have parts of their own for what goes. Python
# chooses shutil's part by what os says that it can do with handles of folders, which on Windows is nothing.
CODE = f"""
import os, sys
assert "shutil" not in sys.modules
os.supports_dir_fd.clear(), os.supports_fd.clear()
import asyncio, concurrent.futures, ctypes.util, getpass, multiprocessing.pool, platform, shutil, signal, sqlite3
import subprocess, tarfile, tempfile, uuid, warnings, webbrowser, zipfile
import click, jinja2, jsonschema, matplotlib, numpy, pandas, pyarrow.parquet, scipy.stats, yaml, platformdirs
platform.machine(), platformdirs.user_cache_path("bgrating")
# filelock takes what Windows has by sys.platform alone; here it is left with the lock that needs no system.
warnings.filterwarnings("ignore", "only soft file lock is available")
for name in {MODULES}:
    sys.modules[name] = None
for module, names in ((os, {FUNCTIONS}), (signal, {SIGNALS})):
    for name in names:
        if hasattr(module, name):
            delattr(module, name)
from bgrating.command import main
main()
"""


@pytest.mark.parametrize(
    "words",
    [
        ["calc", "--length", "7", "--pr", "6"],
        ["rate", "ann.mat", "club.zip"],
        ["rate", "ann.mat", "--no-luck", "--no-store", "--cores", "1"],
        ["open"],
        ["cache"],
    ],
)
def test_a_command_runs_without_what_only_linux_has(tmp_path: Path, engine: Engine, words: list[str]) -> None:
    (tmp_path / "ann.mat").write_text(match())
    if words == ["open"]:
        (tmp_path / "bgrating-results").mkdir()
        (tmp_path / "bgrating-results/index.html").touch()
    scripts = Path(bgrating.__file__).parents[1]
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PYTHONPATH": str(scripts), "BROWSER": "true"}
    if "club.zip" in words:
        subprocess.run([sys.executable, "-m", "zipfile", "-c", "club.zip", "ann.mat"], cwd=tmp_path, check=True)
    command = [sys.executable, "-c", CODE, *words]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout
    assert "rejected" not in done.stdout
