"""Whether a run of the workflow is alive in a folder: each holds a lock that the kernel releases, however it ends.

Snakemake's own locks name the files of a run and stay behind when it is killed.
"""

import os
from contextlib import suppress
from pathlib import Path

STATE = Path(".snakemake")
"""Where Snakemake keeps what it knows of a folder, as seen from there."""
_held: list[int] = []


def hold() -> None:
    """Hold this folder's lock until this process ends; if nobody else holds it, remove Snakemake's locks first.

    A system or file system without such locks keeps Snakemake's as they are.
    """
    with suppress(ImportError, OSError):
        import fcntl  # noqa: PLC0415 - not everywhere

        STATE.mkdir(exist_ok=True)
        handle = os.open(STATE / "bgrating.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
        _held.append(handle)
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            for left in (STATE / "locks").glob("*.lock"):
                left.unlink()
        fcntl.flock(handle, fcntl.LOCK_SH)
