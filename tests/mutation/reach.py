"""Notes which tests call which functions; the marks of `mutants.marked` call it.

The processes that a test starts have its name from their environment.
"""

import os
from contextlib import suppress

SHARED = "REACHED_BY"
"""Variable with the name of a fixture that several tests share, while it is made."""
FILE = "REACHED"
_seen = set[tuple[str, str]]()


def note(function: str) -> None:
    test = os.environ.get("PYTEST_CURRENT_TEST", "").rpartition(" ")[0]
    by = os.environ.get(SHARED, test)
    if (by, function) not in _seen:
        _seen.add((by, function))
        # A test may fill the disk, or be another user.
        with suppress(OSError, KeyError), open(os.environ[FILE], "a") as file:  # noqa: PTH123
            file.write(f"{by}\t{function}\n")
