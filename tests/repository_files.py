"""What the repository holds, for tests."""

import shutil
import subprocess
from pathlib import Path

PROJECT = Path(__file__).resolve().parent.parent


def tracked(*words: str, folder: Path = PROJECT) -> list[str]:
    git = ["git", "-c", f"safe.directory={PROJECT}", "ls-files", "-z", *words]
    return subprocess.check_output(git, cwd=folder, text=True).split("\0")[:-1]


def copy_tracked(folder: Path, target: Path) -> None:
    """Copy the tracked files of a folder, without pages and own runs beside them."""
    for name in tracked(folder=folder):
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(folder / name, target / name)
