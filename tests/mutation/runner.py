"""Runs tests again and again: this process loads what takes long, and each run is a copy of
it.

A line of standard input is a list of test files in JSON; the line that answers says whether they
pass. What the last run prints is in the file of the first argument.
"""

import importlib
import json
import os
import signal
import sys

import pytest

# study comes first: it selects the code of numpy and OpenBLAS.
LOADED = (
    "study",
    "numpy",
    "pandas",
    "pyarrow.parquet",
    "scipy.optimize",
    "scipy.stats",
    "matplotlib",
)
SECONDS = 900
"""A mutant that runs without end is ended after this time, and fails its tests."""
WORDS = ("-q", "-x", "-p", "no:cacheprovider", "--all")
PASSED = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


def passes(tests: list[str]) -> bool:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        said = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for stream in (1, 2):
            os.dup2(said, stream)
        signal.alarm(SECONDS)
        os._exit(pytest.main([*WORDS, *tests]))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) in PASSED


if __name__ == "__main__":
    for name in LOADED:
        importlib.import_module(name)
    for line in sys.stdin:
        print(json.dumps(passes(json.loads(line))), flush=True)
