"""What the thin scripts of the rules share: errors go to the rule's log."""

import errno
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bgrating import BgratingError

_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO}


@contextmanager
def reporting(log: str) -> Iterator[None]:
    """End the script with one clear sentence where the user can mend the error; write every error to the rule's log."""
    try:
        yield
    except Exception as problem:
        sentence = _sentence(problem)
        path = Path(log)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as text:
            traceback.print_exc(file=text)
            if sentence:
                print(f"error: {sentence}", file=text)  # the last word, which is all that a user is shown of the log
        if not sentence:
            raise
        raise SystemExit(1) from None


def _sentence(problem: Exception) -> str:
    """Return what the user is told of an error; empty for one that is ours to mend."""
    if isinstance(problem, OSError) and problem.errno in _DISK:
        return f"{problem}: mend that, then run again; what is whole is kept"
    return str(problem) if isinstance(problem, BgratingError) else ""
