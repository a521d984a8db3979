"""Keep a match of every pair as it was played."""

import zipfile
from collections.abc import Mapping
from pathlib import Path

from bgrating.provenance import replace


def keep_examples(archives: Mapping[str, Path], folder: Path) -> None:
    """Write the first match of each archive as `<name>.mat` into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, archive in archives.items():
        with zipfile.ZipFile(archive) as matches:
            replace(folder / f"{name}.mat", matches.read(min(matches.namelist())))
