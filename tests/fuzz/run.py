"""`./run fuzz --collection DIR`: change files by the thousand, let their readers have them, then
kill runs.

Writes attacks.csv, a row for every kind of file and change, and kills.csv. Ends with status 1 where
a file was misread, fell or lost a row, a file outside the results was changed, or a process took
more than MOST_MEMORY.
"""

import argparse
import multiprocessing
import os
import pickle
import random
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating import BgratingError
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import read_table, write_table
from fuzz import kills
from fuzz.changes import CHANGES
from fuzz.outcomes import OUTCOMES, Outcome, outcome, sources
from text_tokens import DIFFERENCES

SHARES = {
    "text": 0.25,
    "repair": 0.06,
    "xg": 0.1,
    "sgf": 0.02,
    "bgf": 0.02,
    "ogxm": 0.02,
    "gvab": 0.02,
    "zip": 0.12,
    "club": 0.09,
    "evidence": 0.03,
    "xlsx": 0.08,
    "settings": 0.08,
    "state": 0.03,
    "relations": 0.06,
    "serve": 0.02,
    "formula": 0.04,
    "manifest": 0.02,
}
"""Which part of all attacks goes to files of a kind."""
SLOW = {"bits_inside": 0.5, "field_inside": 1.0, "records_inside": 0.5, "bomb": 0.2}
"""Changes that take a hundred times as long to read as others, and how often they are made beside
those."""
MOST_MEMORY = 400.0
"""Megabytes."""
PROJECT = Path(__file__).resolve().parents[2]
COUNTED = ("tried", *OUTCOMES, "lost_rows")


@dataclass(frozen=True)
class Attack:
    """One changed file: its kind, the change, the sound file, and the seed that repeats it."""

    kind: str
    change: str
    file: str
    seed: int


_held: dict[str, dict[str, bytes]] = {}
"""The sound files that a process works with, by kind and name."""


def plan(kind: str, files: list[str], count: int, seed: int) -> list[Attack]:
    """Return so many attacks of a kind. Raises ValueError where they leave a change out."""
    rng = random.Random(f"{kind} {seed}")
    weights = {name: SLOW.get(name, 1.0) for name in CHANGES[kind]}
    counts = {name: int(count * weight / sum(weights.values())) for name, weight in weights.items()}
    if not all(counts.values()):
        raise ValueError(f"{count} attacks leave some of {len(counts)} changes out")
    counts[next(iter(counts))] += count - sum(counts.values())
    return [
        Attack(kind, name, rng.choice(files), rng.getrandbits(32))
        for name in counts
        for _ in range(counts[name])
    ]


def changed(attack: Attack, held: dict[str, bytes]) -> tuple[bytes, list[bytes]]:
    """Return the changed file of an attack, and the one or two files that it was made of."""
    rng = random.Random(attack.seed)
    data, other = held[attack.file], held[rng.choice(sorted(held))]
    made = CHANGES[attack.kind][attack.change](data, other, rng)
    return made, [data, other] if attack.change == "spliced" else [data]


def attempt(attack: Attack) -> tuple[Outcome, float, float]:
    """Make an attack; return its outcome, its seconds, and this process's peak in megabytes."""
    with tempfile.TemporaryDirectory() as place:
        data, sound = changed(attack, _held[attack.kind])
        before = time.perf_counter()
        found = outcome(attack.kind, data, sound, Path(place))
        return found, time.perf_counter() - before, peak()


def peak() -> float:
    status = Path("/proc/self/status")
    found = re.search(r"VmHWM:\s+(\d+) kB", status.read_text()) if status.is_file() else None
    return int(found[1]) / 1024 if found else 0.0


def _begin(kind: str, place: str) -> None:
    os.environ |= {
        "HOME": f"{place}/home",
        "TMPDIR": f"{place}/home",
        "BGRATING_STORE": f"{place}/store.sqlite",
    }
    os.environ |= {"BROWSER": "true", "MPLCONFIGDIR": place, "XDG_CACHE_HOME": place}
    tempfile.tempdir = None
    _held[kind] = pickle.loads(Path(place, "held").read_bytes())


def attack_kind(
    kind: str, held: dict[str, bytes], count: int, seed: int, cores: int
) -> Iterator[tuple[Attack, Outcome, float, float]]:
    """Yield every attack of a kind with outcome, seconds and megabytes, from new processes."""
    spawn = multiprocessing.get_context("spawn")
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        home = Path(place, "home")
        home.mkdir()
        Path(place, "held").write_bytes(pickle.dumps(held))
        with ProcessPoolExecutor(cores, spawn, _begin, (kind, place)) as pool:
            attacks = plan(kind, sorted(held), count, seed)
            at_once = min(
                20, 1 + count // (4 * cores)
            )  # few attacks too are shared by all processes
            for attack, found in zip(
                attacks, pool.map(attempt, attacks, chunksize=at_once), strict=True
            ):
                yield attack, *found
        if left := sorted(home.iterdir()):
            raise BgratingError(
                f"attacks of kind {kind} left files behind: {', '.join(map(str, left[:5]))}"
            )


def state(*folders: Path) -> set[tuple[str, int, int]]:
    """Return every file of folders with size and time, but those of Python and git."""
    found = set()
    for folder in folders:
        for place, inner, names in os.walk(folder):
            inner[:] = [
                name
                for name in inner
                if name not in {"__pycache__", ".git", ".mypy_cache", ".ruff_cache"}
            ]
            for name in names:
                about = os.lstat(os.path.join(place, name))  # noqa: PTH118 - as os.walk gives it
                found.add((os.path.join(place, name), about.st_size, about.st_mtime_ns))  # noqa: PTH118
    return found


def run(
    folder: Path,
    count: int,
    seed: int,
    cores: int,
    table: Path,
    kinds: Sequence[str] = (),
    project: Path = PROJECT,
) -> pd.DataFrame:
    """Attack the readers with changed files of a folder; write and return a table of one row per
    kind and change.

    Columns: fuzz/attacks. The provenance names the attacks that were misread, fell or lost rows:
    they repeat by file, change and seed. With `kinds` only these are attacked, and the table keeps
    its rows of the others. Raises BgratingError for a folder without sound texts or .xg files.
    """
    rows: list[dict[str, Any]] = []
    bad, held = [], {kind: sources(kind, folder, seed) for kind in kinds or SHARES}
    for kind, found in held.items():
        if not found:
            raise BgratingError(
                f"{folder}: no file of kind {kind} to change that is read without a warning"
            )
    numbers = {
        kind: round(count * SHARES[kind] / sum(map(SHARES.__getitem__, held))) for kind in held
    }
    numbers[next(iter(numbers))] += count - sum(numbers.values())
    for kind, number_of_kind in numbers.items():
        counts: dict[str, Counter[str]] = {name: Counter() for name in CHANGES[kind]}
        slowest, most, before = dict.fromkeys(counts, 0.0), 0.0, state(project, folder)
        for attack, found, seconds, megabytes in attack_kind(
            kind, held[kind], number_of_kind, seed, cores
        ):
            told = {f"changed_{found.differs}": 1} if found.differs in DIFFERENCES else {}
            counts[attack.change].update(
                {"tried": 1, found.result: 1, "lost_rows": found.lost, **told}
            )
            slowest[attack.change], most = (
                max(slowest[attack.change], seconds),
                max(most, megabytes),
            )
            if found.lost or found.result in {"misread", "fallen"}:
                bad.append({**asdict(attack), **asdict(found)})
        outside = len(before ^ state(project, folder))
        columns = (*COUNTED, *(f"changed_{name}" for name in DIFFERENCES))
        for name, number in counts.items():
            row = {"kind": kind, "change": name, **{column: number[column] for column in columns}}
            rows.append(
                {
                    **row,
                    "slowest_s": round(slowest[name], 1),
                    "peak_mb": round(most),
                    "files_outside": outside,
                }
            )
    made, facts = (
        pd.DataFrame(rows),
        {"sources": {kind: len(own) for kind, own in held.items()}, "bad": bad},
    )
    if kinds:
        before, about = read_table(table), read_provenance(table)
        made = pd.concat([before[~before["kind"].isin(kinds)], made], ignore_index=True)
        facts["sources"] = about["sources"] | facts["sources"]
        facts["bad"] = [one for one in about["bad"] if one["kind"] not in kinds] + bad
    write_table(made, table, "fuzz/attacks", seed=seed, **facts)
    return made


def is_well(made: pd.DataFrame) -> bool:
    return not made[["misread", "fallen", "lost_rows", "files_outside"]].to_numpy().any() and bool(
        (made["peak_mb"] <= MOST_MEMORY).all()
    )


def as_markdown(made: pd.DataFrame) -> str:
    """Return the table that is printed, as that of docs/reference/attacks.md is."""
    columns = [*COUNTED, "slowest_s", "peak_mb"]
    lines = [f"| kind | change | {' | '.join(name.replace('_', ' ') for name in columns)} |"]
    lines.append(f"|---|---|{'---:|' * len(columns)}")
    for row in made.to_dict("records"):
        figures = " | ".join(f"{row[name]:,}" for name in columns)
        lines.append(f"| {row['kind']} | {row['change'].replace('_', ' ')} | {figures} |")
    total = [made[name].sum() for name in COUNTED] + [
        made["slowest_s"].max(),
        made["peak_mb"].max(),
    ]
    return "\n".join([*lines, f"| **all** | | {' | '.join(f'**{value:,}**' for value in total)} |"])


def main() -> int:
    about = "change files, and see what their readers make of them"
    parser = argparse.ArgumentParser(prog="./run fuzz", description=about)
    parser.add_argument(
        "--collection", type=Path, required=True, help="folder with match texts and .xg files"
    )
    parser.add_argument("--results", type=Path, default=PROJECT / "results")
    parser.add_argument("--attacks", type=int, default=10_000)
    parser.add_argument(
        "--kills", type=int, default=100, help="processes of the smallest study to kill"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    parser.add_argument(
        "--kinds", default="", help="attack only these, with commas between; other rows stay"
    )
    asked = parser.parse_args()
    folder = asked.results / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    kinds = asked.kinds.split(",") if asked.kinds else []
    made = run(
        asked.collection, asked.attacks, asked.seed, asked.cores, folder / "attacks.csv", kinds
    )
    print(as_markdown(made))
    if not asked.kills:
        return 0 if is_well(made) else 1
    (PROJECT / "logs").mkdir(exist_ok=True)
    killed = kills.run(PROJECT, asked.kills, asked.seed, PROJECT / "logs" / "fuzz-kills.log")
    write_table(killed, folder / "kills.csv", "fuzz/kills", seed=asked.seed)
    number, tables, different = (
        int(killed[list(names)].to_numpy().sum())
        for names in (kills.KILLS, ["tables"], ["different"])
    )
    print(f"{number} kills, {tables} tables compared, {different} different")
    return 0 if is_well(made) and not different else 1
