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
from corpus import values
from fuzz import kills
from fuzz.changes import CHANGES
from fuzz.outcomes import OUTCOMES, Outcome, outcome, sources
from fuzz.settings import state
from text_tokens import DIFFERENCES

SHARES: dict[str, float] = values("attacks")["shares"]
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
    names = Counter(counts).elements()
    return [Attack(kind, name, rng.choice(files), rng.getrandbits(32)) for name in names]


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
    os.environ |= dict.fromkeys(("HOME", "TMPDIR"), f"{place}/home")
    os.environ |= {"BGRATING_STORE": f"{place}/store.sqlite", "BROWSER": "true"}
    os.environ |= {"MPLCONFIGDIR": place, "XDG_CACHE_HOME": place}
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
            # Few attacks too are shared by all processes.
            at_once = min(20, 1 + count // (4 * cores))
            outcomes = pool.map(attempt, attacks, chunksize=at_once)
            for attack, found in zip(attacks, outcomes, strict=True):
                yield attack, *found
        if left := ", ".join(str(path) for path in sorted(home.iterdir())[:5]):
            raise BgratingError(f"attacks of kind {kind} left files behind: {left}")


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
            problem = f"no file of kind {kind} to change that is read without a warning"
            raise BgratingError(f"{folder}: {problem}")
    shares = sum(SHARES[kind] for kind in held)
    numbers = {kind: round(count * SHARES[kind] / shares) for kind in held}
    numbers[next(iter(numbers))] += count - sum(numbers.values())
    for kind, number_of_kind in numbers.items():
        counts: dict[str, Counter[str]] = {name: Counter() for name in CHANGES[kind]}
        slowest, most, before = dict.fromkeys(counts, 0.0), 0.0, state(project, folder)
        attacks = attack_kind(kind, held[kind], number_of_kind, seed, cores)
        for attack, found, seconds, megabytes in attacks:
            told = {"tried": 1, found.result: 1, "lost_rows": found.lost}
            if found.differs in DIFFERENCES:
                told[f"changed_{found.differs}"] = 1
            counts[attack.change].update(told)
            slowest[attack.change] = max(slowest[attack.change], seconds)
            most = max(most, megabytes)
            if found.lost or found.result in {"misread", "fallen"}:
                bad.append({**asdict(attack), **asdict(found)})
        outside = len(before ^ state(project, folder))
        columns = (*COUNTED, *(f"changed_{name}" for name in DIFFERENCES))
        for name, number in counts.items():
            row = {"kind": kind, "change": name, **{column: number[column] for column in columns}}
            row |= {"slowest_s": round(slowest[name], 1), "peak_mb": round(most)}
            rows.append(row | {"files_outside": outside})
    made = pd.DataFrame(rows)
    facts = {"sources": {kind: len(own) for kind, own in held.items()}, "bad": bad}
    if kinds:
        before, about = read_table(table), read_provenance(table)
        made = pd.concat([before[~before["kind"].isin(kinds)], made], ignore_index=True)
        facts["sources"] = about["sources"] | facts["sources"]
        facts["bad"] = [one for one in about["bad"] if one["kind"] not in kinds] + bad
    write_table(made, table, "fuzz/attacks", seed=seed, **facts)
    return made


def is_well(made: pd.DataFrame) -> bool:
    faults = made[["misread", "fallen", "lost_rows", "files_outside"]]
    return not faults.to_numpy().any() and bool((made["peak_mb"] <= MOST_MEMORY).all())


def as_markdown(made: pd.DataFrame) -> str:
    """Return the table that is printed, as that of docs/reference/attacks.md is."""
    columns = [*COUNTED, "slowest_s", "peak_mb"]
    lines = [f"| kind | change | {' | '.join(name.replace('_', ' ') for name in columns)} |"]
    lines.append(f"|---|---|{'---:|' * len(columns)}")
    for row in made.to_dict("records"):
        figures = " | ".join(f"{row[name]:,}" for name in columns)
        lines.append(f"| {row['kind']} | {row['change'].replace('_', ' ')} | {figures} |")
    total = [made[name].sum() for name in COUNTED]
    total += [made["slowest_s"].max(), made["peak_mb"].max()]
    return "\n".join([*lines, f"| **all** | | {' | '.join(f'**{value:,}**' for value in total)} |"])


def main() -> int:
    about = "change files, and see what their readers make of them"
    parser = argparse.ArgumentParser(prog="./run fuzz", description=about)
    of_files = "folder with match texts and .xg files"
    parser.add_argument("--collection", type=Path, required=True, help=of_files)
    parser.add_argument("--results", type=Path, default=PROJECT / "results")
    parser.add_argument("--attacks", type=int, default=10_000)
    of_kills = "processes of the smallest study to kill"
    parser.add_argument("--kills", type=int, default=100, help=of_kills)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cores", type=int, default=os.cpu_count())
    of_kinds = "attack only these, with commas between; other rows stay"
    parser.add_argument("--kinds", default="", help=of_kinds)
    asked = parser.parse_args()
    folder = asked.results / "fuzz"
    folder.mkdir(parents=True, exist_ok=True)
    kinds = asked.kinds.split(",") if asked.kinds else []
    how_many = (asked.attacks, asked.seed, asked.cores)
    made = run(asked.collection, *how_many, folder / "attacks.csv", kinds)
    print(as_markdown(made))
    if not asked.kills:
        return 0 if is_well(made) else 1
    (PROJECT / "logs").mkdir(exist_ok=True)
    killed = kills.run(PROJECT, asked.kills, asked.seed, PROJECT / "logs" / "fuzz-kills.log")
    write_table(killed, folder / "kills.csv", "fuzz/kills", seed=asked.seed)
    sums = killed.sum()
    number, tables, different = sums[[*kills.KILLS]].sum(), sums["tables"], sums["different"]
    print(f"{number} kills, {tables} tables compared, {different} different")
    return 0 if is_well(made) and not different else 1
