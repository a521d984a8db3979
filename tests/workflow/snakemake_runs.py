"""Runs of Snakemake after one import of it, which takes longer than most plans: each run is a fork
of one process.

As a program it reads requests from its standard input and answers each with the exit status of its
run.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

# What the rules of the project import at every start.
IMPORTED = ("snakemake.cli", "snakemake.workflow", "snakemake.dag", "snakemake.report", "yaml")


class Runs:
    """Runs of Snakemake in one folder, one after the other."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([sys.executable, __file__], cwd=folder, **pipes)

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Snakemake to its end; what it prints is its stdout."""
        assert self.process.stdin
        assert self.process.stdout
        with tempfile.NamedTemporaryFile("r", encoding="utf-8") as printed:
            request = {"arguments": ["--nolock", *arguments], "printed": printed.name}
            print(json.dumps(request), file=self.process.stdin, flush=True)
            status = int(self.process.stdout.readline())
            return subprocess.CompletedProcess(arguments, status, printed.read())

    def end(self) -> None:
        self.process.communicate()


def answer() -> None:
    for module in IMPORTED:
        __import__(module)
    for line in sys.stdin:
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            _become_snakemake(request["arguments"], request["printed"])
        status = os.waitpid(child, 0)[1]
        print(os.waitstatus_to_exitcode(status), flush=True)


def _become_snakemake(arguments: list[str], printed: str) -> NoReturn:
    """Run Snakemake in this process, with the streams and words of a process of its own."""
    from snakemake.cli import main

    nothing, output = os.open(os.devnull, os.O_RDONLY), os.open(printed, os.O_WRONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    sys.argv = ["snakemake", *arguments]
    main(arguments)
    sys.exit("Snakemake's main returned instead of ending the process")


if __name__ == "__main__":
    answer()
