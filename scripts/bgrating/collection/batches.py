"""Batches: archives of contents for one engine process each. A batch that is written keeps its members for good.

What analysing a roll costs, roughly, parts the work evenly and tells when an engine hangs.
"""

import json
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bgrating.engine.levels import Analysis
from bgrating.tables.provenance import has_provenance, read_provenance, whole

Json = dict[str, Any]

KILLED = "killed from outside"
"""How the problem of a content begins whose engine somebody else has ended: it is analysed again in the next run."""

SUFFIX = ".zip"

# Seconds of CPU a roll, measured for gnubg 1.07.001 on one core of 2 GHz; deeper plies cost about 20 times more each.
_PLAY = (0.0001, 0.003, 0.05, 1.0, 20.0)
_LUCK = (0.001, 0.02, 0.4, 8.0, 160.0)

BATCH_SECONDS = 60.0
LEAST_BATCH_SECONDS = 20.0

_START_SECONDS = 120.0
_ALLOWANCE = 20.0


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


def _seconds_per_roll(level: Analysis) -> float:
    """Return the CPU seconds that analysing a roll takes, within a factor of two or so."""
    play = _PLAY[min(max(level.chequerplay.plies, level.cubedecision.plies), len(_PLAY) - 1)]
    luck = _LUCK[min(level.luckanalysis.plies, len(_LUCK) - 1)] if level.luck else 0.0
    return play + luck


def time_limit(level: Analysis, rolls: int, longest: float) -> float:
    """Return after how many seconds an engine that analyses so many rolls counts as hung; `longest` at most."""
    return min(longest, _START_SECONDS + _ALLOWANCE * rolls * _seconds_per_roll(level))


def batch_rolls(level: Analysis, rolls: int, cores: int) -> float:
    """Return how many rolls a batch should have when so many are to be analysed.

    A batch takes about a minute; where that leaves cores idle less, but not so little that starting processes counts.
    """
    seconds = rolls * _seconds_per_roll(level)
    batches = max(seconds / BATCH_SECONDS, min(cores, seconds / LEAST_BATCH_SECONDS), 1.0)
    return rolls / round(batches)
