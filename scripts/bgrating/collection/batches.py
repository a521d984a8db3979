"""Batches: archives of contents for one engine process each. A batch that is written keeps its members for good."""

import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bgrating.provenance import has_provenance, read_provenance, whole

Json = dict[str, Any]

KILLED = "killed from outside"
"""How the problem of a content begins whose engine somebody else has ended: it is analysed again in the next run."""

SUFFIX = ".zip"


def known_contents(folder: Path) -> dict[str, str]:
    """Return the contents that are in the batches of a folder: key -> name of the batch.

    Left out are those that were killed from outside, until a later batch has them.
    """
    known: dict[str, str] = {}
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        with zipfile.ZipFile(path) as packed:
            known |= dict.fromkeys(set(packed.namelist()) - _killed(path), path.stem)
    return known


def all_killed(folder: Path) -> list[tuple[str, str]]:
    """Return every content of a folder that was killed from outside, with its batch."""
    return [(path.stem, key) for path in sorted(folder.glob(f"*{SUFFIX}")) for key in sorted(_killed(path))]


def _killed(batch: Path) -> set[str]:
    table = batch.with_suffix(".csv")
    return set(read_provenance(table).get("killed", ())) if has_provenance(table) else set()


def write_batches(folder: Path, contents: Iterable[bytes], rolls_per_batch: float) -> list[str]:
    """Write contents (JSON, as readings.py makes them) into new batches; return their names."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1 + max((int(path.stem) for path in folder.glob(f"*{SUFFIX}")), default=-1)
    names: list[str] = []
    group: list[tuple[str, bytes]] = []
    total = 0.0
    for content in contents:
        about = json.loads(content)
        group.append((about["key"], content))
        total += about["rolls"]
        # Cut where the sum passes a multiple, so that the last batch is not a small rest.
        if total >= rolls_per_batch * (len(names) + 1) - 0.5:
            names.append(_write(folder, number + len(names), group))
            group = []
    if group:
        names.append(_write(folder, number + len(names), group))
    return names


def read_batch(path: Path) -> Iterator[Json]:
    """Return the contents of a batch."""
    with zipfile.ZipFile(path) as packed:
        for name in packed.namelist():
            yield json.loads(packed.read(name))


def _write(folder: Path, number: int, group: list[tuple[str, bytes]]) -> str:
    path = folder / f"{number:05d}{SUFFIX}"
    with whole(path) as part, zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as packed:
        for key, content in group:
            packed.writestr(key, content)
    return path.stem
