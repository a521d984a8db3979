"""Write the output and the errors of a rule's job to its log."""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path

from bgrating import BgratingError


@contextlib.contextmanager
def reporting(log: str) -> Iterator[None]:
    """Log the job's output.

    Log an error that the user can fix as one sentence, any other with its traceback.
    """
    path = Path(log)
    path.unlink(missing_ok=True)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as text, contextlib.redirect_stdout(text):
            yield
    except Exception as problem:
        sentence = _sentence(problem)
        message = f"error: {sentence}" if sentence else traceback.format_exc()
        try:
            with path.open("a", encoding="utf-8") as text:
                print(message, file=text)
        except OSError:  # no room, or no folder, for the log either
            print(message, file=sys.stderr)
        raise SystemExit(1) from None


def _sentence(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.errno is not None:
        return f"{problem}: fix this and run again; finished files are kept"
    return str(problem) if isinstance(problem, BgratingError) else ""
