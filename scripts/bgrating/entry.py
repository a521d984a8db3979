"""What the thin scripts of the rules share: settings to objects, and errors to the rule's log."""

import sys
import traceback
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bgrating.engine.locate import Engine, find_engine
from bgrating.errors import BgratingError
from bgrating.shards import Limits


def engine_of(config: Mapping[str, Any]) -> Engine:
    """Return the engine that the settings name. Raises EngineError."""
    return find_engine(config["engine_version"], config["engine"] or None)


def limits_of(config: Mapping[str, Any], log: str) -> Limits:
    """Return the bounds of an engine process."""
    return Limits(seconds=60.0 * float(config["time_limit_minutes"]), log=Path(log))


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
        print(f"error: {problem}", file=sys.stderr)
        raise SystemExit(1) from None
