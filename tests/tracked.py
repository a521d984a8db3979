"""What the repository holds, for tests."""

import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def tracked(*words: str, folder: Path = PROJECT) -> list[str]:
    git = ["git", "-c", f"safe.directory={PROJECT}", "ls-files", "-z", *words]
    return subprocess.run(git, cwd=folder, check=True, capture_output=True, text=True).stdout.split("\0")[:-1]
