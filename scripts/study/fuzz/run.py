"""Run many attacks side by side and write the table of their outcomes."""

import random
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path

import pandas as pd

from bgrating.settings import SettingsError
from bgrating.tables.tables import write_table
from study.fuzz.attack import CHANGES, OUTCOMES, Attack, changed, is_sound, is_sound_xg, lost_rows, outcome, plan
from study.fuzz.mutations import BINARY, INSIDE, TEXT

TEXTS = 300
"""Number of texts that are changed, drawn from those that are read without a finding."""

LARGEST = 7_000
"""Largest text that is changed, in bytes: the reader's time goes with the size, what can go wrong does not."""

SHARE_INSIDE = 8
"""One of so many attacks on .xg files changes records and mends the checksums, which takes a hundred times as long as
what a checksum gives away."""


def run(folder: Path, texts: int, binaries: int, seed: int, cores: int, table: Path) -> dict[str, int]:
    """Attack the match files of a folder and write a table of one row per kind and change; return its totals.

    Columns: fuzz/attacks. The provenance names the attacks that were misread, fell or lost rows: they repeat by file,
    change and seed. Raises SettingsError for a folder without sound texts or .xg files.
    """
    sources = {"text": sound_texts(folder, seed), "xg": sound_xg(folder)}
    for kind, found in sources.items():
        if not found:
            raise SettingsError(f"collection={folder}: no file of kind {kind} to change that is read without a warning")
    inside = binaries // SHARE_INSIDE
    attacks = [
        *plan("text", list(TEXT), sources["text"], texts, seed),
        *plan("xg", list(BINARY), sources["xg"], binaries - inside, seed),
        *plan("xg", list(INSIDE), sources["xg"], inside, seed),
    ]
    counts: dict[tuple[str, str], Counter[str]] = {(one.kind, one.name): Counter() for one in attacks}
    bad = []
    with ProcessPoolExecutor(cores) as pool:
        results = pool.map(partial(attempt, folder, sources), attacks, chunksize=50)
        for attack, (result, what, lost) in zip(attacks, results, strict=True):
            counts[attack.kind, attack.name].update({"tried": 1, result: 1, f"changed_{what}": 1, "lost_rows": lost})
            if lost or result in {"misread", "fallen"}:
                bad.append({**asdict(attack), "outcome": result, "differs": what, "lost_rows": lost})
    columns = ["tried", *OUTCOMES, "lost_rows", *(f"changed_{change}" for change in CHANGES)]
    rows = [(*what, *(count[column] for column in columns)) for what, count in counts.items()]
    facts = {"seed": seed, "sources": {kind: len(found) for kind, found in sources.items()}, "bad": bad}
    write_table(pd.DataFrame(rows, columns=["kind", "change", *columns]), table, "fuzz/attacks", **facts)
    return {column: sum(count[column] for count in counts.values()) for column in columns}


def sound_texts(folder: Path, seed: int) -> list[str]:
    """Return texts of a folder that are read without a finding, drawn at random, in the order of their names."""
    names = _files(folder, {".mat", ".txt"}, LARGEST)
    random.Random(seed).shuffle(names)
    sound = (name for name in names if is_sound((folder / name).read_bytes()))
    return sorted(name for name, _ in zip(sound, range(TEXTS), strict=False))


def sound_xg(folder: Path) -> list[str]:
    """Return the .xg files of a folder that are read without a finding."""
    return [name for name in _files(folder, {".xg"}, 0) if is_sound_xg((folder / name).read_bytes())]


def attempt(folder: Path, sources: dict[str, list[str]], attack: Attack) -> tuple[str, str, int]:
    """Make an attack and return its outcome and the number of rows lost."""
    data, sound = changed(attack, folder, sources[attack.kind])
    return *outcome(attack, data, sound), lost_rows(data) if attack.kind == "text" else 0


def _files(folder: Path, suffixes: set[str], largest: int) -> list[str]:
    found = (path for path in folder.rglob("*") if path.suffix.lower() in suffixes and path.is_file())
    return sorted(str(path.relative_to(folder)) for path in found if not largest or path.stat().st_size <= largest)
