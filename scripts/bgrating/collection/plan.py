"""The plan of an analysis: which batches hold the contents of a collection, with new ones for what is new."""

import json
import os
from dataclasses import dataclass
from pathlib import Path

from bgrating.collection.batches import write_batches
from bgrating.collection.collection import read_collection
from bgrating.collection.effort import batch_rolls
from bgrating.gnubg.levels import Analysis
from bgrating.provenance import replace
from bgrating.settings import SettingsError


@dataclass(frozen=True)
class Plan:
    """Numbers of files found and read anew, of contents wanted and new, and the batches that hold them all."""

    files: int
    files_read: int
    contents: int
    new_contents: int
    batches: tuple[str, ...]


def make_plan(collection: str, readings: Path, leave_out: Path, level: Analysis, batch_folder: Path) -> Plan:
    """Read a collection, write batches for the contents that are in none yet, and return the plan.

    Raises SettingsError where there is no such collection.
    """
    if not collection:
        raise SettingsError("no collection: ./run human --config collection=DIR")
    with read_collection(Path(collection), readings, leave_out, batch_folder) as reading:
        new = reading.new()
        size = batch_rolls(level, sum(one.rolls for one in new), os.cpu_count() or 1)
        names = write_batches(batch_folder, reading.contents(new), size)
    needed = {reading.known[one.key] for one in reading.wanted if one.key in reading.known}
    return Plan(reading.files, reading.read, len(reading.wanted), len(new), tuple(sorted(needed | set(names))))


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as JSON."""
    replace(path, json.dumps({**vars(plan), "batches": list(plan.batches)}, indent=1) + "\n")


def planned_batches(path: Path) -> list[str]:
    """Return the names of the batches of a plan."""
    return list(json.loads(path.read_text(encoding="utf-8"))["batches"])
