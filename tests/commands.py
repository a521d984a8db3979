"""Commands as processes of their own, which run to their end; what they print is kept."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parent.parent
SCRIPTS = {"PYTHONPATH": str(PROJECT / "scripts")}
Done = subprocess.CompletedProcess[str]
Run = Callable[..., Done]


def run(command: list[Any], **given: Any) -> Done:
    usual = {"stdin": subprocess.DEVNULL, "capture_output": True, "text": True}
    return subprocess.run([*map(str, command)], check=False, **usual | given)


def bgrating(*words: object, cwd: Path, module: str = "bgrating", **variables: object) -> Done:
    """Run `python -m bgrating WORDS` in a folder, with more environment variables."""
    environment = os.environ | SCRIPTS | {name: str(value) for name, value in variables.items()}
    return run([sys.executable, "-m", module, *words], cwd=cwd, env=environment)


def begun(*words: object, module: str = "bgrating", **given: Any) -> "subprocess.Popen[str]":
    """Begin `python -m bgrating WORDS`, whose standard output is a pipe."""
    given["env"] = given.get("env", os.environ) | SCRIPTS
    command = [sys.executable, "-m", module, *map(str, words)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, **given)


def of_user(home: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a user who has set nothing: the store is in the home."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "BROWSER": "true"} | SCRIPTS | variables
