"""Store the files that a user drops on the page of `serve`, under safe names."""

import itertools
import re
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import IO

Upload = tuple[str, str, IO[bytes]]
"""Stem, suffix and bytes of a dropped file."""
_LETTERS = re.compile(r"[^\w-]+")


def all_stored(folder: Path, uploads: Sequence[Upload]) -> list[Path]:
    """Write uploads into a folder under names without odd characters; return their paths."""
    paths = []
    for stem, suffix, stream in uploads:
        letters = _LETTERS.sub("-", stem).encode()[:120].decode("utf-8", "ignore").strip("-")
        paths.append(free(folder, Path(f"{letters or 'file'}{suffix}")))
        with paths[-1].open("wb") as file:
            shutil.copyfileobj(stream, file)
    return paths


def free(folder: Path, like: Path) -> Path:
    """Return a path in a folder that is free, with a number behind a name that is taken."""
    path = folder / like.name
    numbers = itertools.count(2)
    while path.exists():
        path = folder / f"{like.stem}-{next(numbers)}{like.suffix}"
    return path
