"""Open regular files only: a pipe would make a reader wait, a device would never end."""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

_LARGEST = 4 * 10**9
"""Largest size in bytes of a file that this program may have made."""


def regular(path: Path, largest: int = _LARGEST, *, through_links: bool = False) -> BinaryIO:
    """Open a regular file without waiting.

    Raises OSError for anything else and for a file that is too large.
    """
    extra = getattr(os, "O_NONBLOCK", 0) | (0 if through_links else getattr(os, "O_NOFOLLOW", 0))
    file: BinaryIO = open(  # noqa: SIM115
        path, "rb", opener=lambda name, flags: os.open(name, flags | extra)
    )
    status = os.fstat(file.fileno())
    is_regular = stat.S_ISREG(status.st_mode)
    if is_regular and status.st_size <= largest:
        return file
    file.close()
    why = f"larger than {largest:,} bytes" if is_regular else "not a regular file"
    raise OSError(errno.EINVAL, why, str(path))
