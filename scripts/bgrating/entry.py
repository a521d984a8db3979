"""What the thin scripts of the rules share: errors go to the rule's log."""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bgrating.errors import BgratingError


@contextmanager
def reporting(log: str) -> Iterator[None]:
    """End the script with one clear sentence where the user can mend the error; write every error to the rule's log."""
    try:
        yield
    except Exception as problem:
        path = Path(log)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as text:
            traceback.print_exc(file=text)
            if isinstance(problem, BgratingError):
                print(f"error: {problem}", file=text)  # the last word, which is all that a user is shown of the log
        if not isinstance(problem, BgratingError):
            raise
        raise SystemExit(1) from None
