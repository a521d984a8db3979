"""`./run verify`.

Make every published table again, play a few shards again, and compare with the kept files.

Snakemake makes the tables by its own rules, from copies of the frozen tables, in a temporary
folder.
"""

import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from jinja2 import TemplateError

from bgrating import BgratingError
from bgrating.command.numbers import WholeNumber
from bgrating.engine.errors import EngineError
from bgrating.engine.locate import find_engine
from bgrating.engine.nets import COMMITTED, committed_results, known_nets
from bgrating.engine.process import end_all, ended_by_signals
from bgrating.play import designs
from bgrating.play.matches import SCHEMA, read_checked, shard_rows
from bgrating.play.shards import Limits, play_and_judge
from bgrating.tables.provenance import read_provenance
from study.documents import PROJECT, documents
from study.manifest import chain, listed

# Relative and absolute tolerance of figures by kind of file. Tables have ten digits, and the last
# may differ between processors; a figure below 1e-10 is zero but for rounding. Coordinates in
# pictures are points of 1/72 inch.
BOUNDS = {".csv": (1.01e-9, 1e-10), ".json": (1.01e-9, 1e-10), ".svg": (0.0, 0.01)}
ABSOLUTE = 45 * 5e-7  # tolerance of a match's errors: at most six decimals for each of its games
LONGEST = 7  # points: longer matches take more than a minute
SECONDS = 3600.0
# Lines of a provenance that depend on the last digits of its tables, or on the commit.
UNEQUAL = re.compile(r' *"(?:sha256|code_version)": ')
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class VerifyError(BgratingError):
    """A kept file differs from the one made now; the message names the file and the place in it."""


class FrozenShard(NamedTuple):
    """A shard of a frozen table."""

    table: Path
    player: str
    opponent: str
    number: int


Check = Callable[[], str]
Running = subprocess.Popen[str]


@click.command()
@click.option(
    "--seed",
    type=WholeNumber(0),
    default=lambda: secrets.randbelow(10**6),
    help="which shards are played again",
)
@click.option(
    "--nets",
    type=click.Choice(known_nets()),
    help="nets of the results (default: all; shards: those of the engine)",
)
@click.option(
    "--shards", type=WholeNumber(0), default=3, show_default=True, help="how many are played again"
)
@click.option("--quick", is_flag=True, help="only checksums, and what was made of what, in seconds")
def command(seed: int, nets: str | None, shards: int, quick: bool) -> int:
    """Make every published table again, play a few shards again, and compare with what is kept.

    That takes about four minutes on two cores. Nothing is written but temporary files. Prints one
    line for each folder, shard or document, and the count; the status is 0 where all were
    reproduced.
    """
    versions = [nets] if nets else known_nets()
    cores = os.cpu_count() or 1
    passed = [_report("as recorded", partial(chain, COMMITTED))]
    if quick:
        return 0 if all(passed) else 1
    print(f"Shards are chosen with --seed {seed}.", flush=True)
    replays = list(_replays(nets, seed, shards))
    passed += [_report(name, check) for name, check in _documents()]
    with (
        ended_by_signals(),
        tempfile.TemporaryDirectory(prefix="bgrating-") as place,
        ThreadPoolExecutor(cores) as pool,
        _ended(pool) as running,
    ):
        made = {
            version: pool.submit(
                remake, version, Path(place), max(1, cores // len(versions)), running
            )
            for version in versions
        }
        print("  everything is made again, which takes minutes", flush=True)
        played = [(name, pool.submit(check)) for name, check in replays]
        for version, future in made.items():
            passed.append(_report(f"{version}, made again", future.result))
            folder = Path(place, version, "results", version)
            passed += [
                _report(name, check)
                for name, check in comparisons(folder, committed_results(version))
            ]
        passed += [_report(name, future.result) for name, future in played]
    print(f"reproduced: {sum(passed)} of {len(passed)}")
    return 0 if all(passed) else 1


def _report(name: str, check: Check) -> bool:
    """Print the result of a check; return whether it passed."""
    try:
        print(f"  {name}: {check()}", flush=True)
    except (BgratingError, OSError) as problem:
        print(f"  {name}: NOT REPRODUCED: {problem}", flush=True)
        return False
    return True


@contextmanager
def _ended(pool: ThreadPoolExecutor) -> Iterator[list[Running]]:
    """Yield a list for the processes that are started.

    At the end terminate them and the engines of the pool.
    """
    running: list[Running] = []
    try:
        yield running
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()
        end_all()


def remake(nets: str, place: Path, cores: int, running: list[Running]) -> str:
    """Make every file that the frozen tables of these nets determine, in `place`/nets/results/nets.

    Raises VerifyError.

    The Snakemake process is appended to `running`.
    """
    folder = place / nets
    kept = committed_results(nets)
    new = folder / "results" / nets
    for frozen in kept.rglob("frozen"):
        shutil.copytree(frozen, new / frozen.relative_to(kept))
    words = [
        sys.executable,
        "-m",
        "snakemake",
        "--directory",
        str(folder),
        "--cores",
        str(cores),
        "refit",
    ]
    words += ["--configfile", "config/config.yaml", "--config", f"nets={nets}"]
    process = subprocess.Popen(
        words,
        cwd=PROJECT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    running.append(process)
    messages = process.communicate()[1]
    if process.returncode == 0:
        return "no rule failed"
    logs = [
        path.read_text(encoding="utf-8", errors="replace")
        for path in sorted((new.parent / "logs").rglob("*log"))
    ]
    errors = [line for text in logs for line in text.splitlines() if line.startswith("error: ")]
    raise VerifyError("; ".join(dict.fromkeys(errors)) or " ".join(messages.splitlines()[-3:]))


def comparisons(made: Path, kept: Path) -> Iterator[tuple[str, Check]]:
    """Yield a check of each folder of kept results with files that were made again."""
    folders = defaultdict(list)
    for path in listed(kept.parent):
        if path.is_relative_to(kept) and "frozen" not in path.parts:
            name = path.relative_to(kept)
            if (made / name).is_file():
                folders[name.parent].append(name)
    for folder, names in folders.items():
        yield f"{kept.name}/{folder}".removesuffix("/."), partial(_compare_files, made, kept, names)


def _compare_files(made: Path, kept: Path, names: list[Path]) -> str:
    problems = []
    for name in names:
        try:
            compare(made / name, kept / name)
        except BgratingError as problem:
            problems.append(str(problem))
    if problems:
        raise VerifyError("; ".join(problems))
    return f"{len(names)} files the same, but for a figure's tenth digit"


def compare(made: Path, kept: Path) -> None:
    """Compare two files.

    Raises VerifyError naming the kept file and the first difference beyond the tolerance.
    """
    if not kept.is_file():
        raise VerifyError(f"{kept} is not there")
    if made.read_bytes() == kept.read_bytes():
        return
    if made.suffix in BOUNDS:
        compare_lines(made.read_text(encoding="utf-8"), kept, *BOUNDS[made.suffix])
    else:
        raise VerifyError(f"{kept} has other bytes than are made now")


def compare_lines(made: str, path: Path, rtol: float = 0.0, atol: float = 0.0) -> str:
    """Compare a text made now with the kept file `path`.

    Numbers within the tolerances, all else exactly.

    Raises VerifyError naming the first line that differs.
    """
    kept = path.read_text(encoding="utf-8") if path.is_file() else ""
    for number, (new, old) in enumerate(
        zip_longest(made.splitlines(), kept.splitlines(), fillvalue=""), start=1
    ):
        if new == old or (UNEQUAL.match(new) and UNEQUAL.match(old)):
            continue
        ours, theirs = (np.array(NUMBER.findall(line), dtype=float) for line in (new, old))
        same_words = rtol + atol > 0 and NUMBER.sub("0", new) == NUMBER.sub("0", old)
        if not (same_words and np.allclose(ours, theirs, rtol=rtol, atol=atol)):
            raise VerifyError(f"{path}: line {number} is {old!r}, and {new!r} is made now")
    return "the same"


def _documents() -> Iterator[tuple[str, Check]]:
    try:
        texts = documents()
    except (BgratingError, TemplateError, KeyError, TypeError, ValueError) as problem:
        raise VerifyError(
            f"figures of documents cannot be taken from the tables: {problem}"
        ) from problem
    for path, text in texts.items():
        yield str(path.relative_to(PROJECT)), partial(compare_lines, text, path)


def _replays(nets: str | None, seed: int, number: int) -> Iterator[tuple[str, Check]]:
    try:
        engine = find_engine("", nets or "")
    except EngineError as problem:
        raise VerifyError(f"no shard can be played again: {problem}") from problem
    shards = list(_shards(committed_results(engine.known.nets)))
    for shard in random.Random(seed).sample(shards, min(number, len(shards))):
        name = (
            f"{engine.known.nets}/{shard.table.parts[-3]}, {shard.table.stem} points,"
            f" {shard.player} against "
        )
        yield (
            f"{name}{shard.opponent}, shard {shard.number}, played",
            partial(replay, engine, shard),
        )


def _shards(results: Path) -> Iterator[FrozenShard]:
    for table in sorted(results.glob("*/frozen/*.parquet")):
        facts = read_provenance(table)
        if facts.get("study") not in designs.studies():  # people's losses, and tournaments
            continue
        if facts["analysis"]["chequerplay"]["plies"] == 0 and facts["match_length"] <= LONGEST:
            rows = read_checked(table)[["player", "opponent", "shard"]].drop_duplicates()
            yield from (FrozenShard(table, *row) for row in rows.itertuples(index=False))


def replay(engine: Any, shard: FrozenShard) -> str:
    """Play and analyse a shard again and compare its rows with the frozen ones.

    Raises VerifyError naming a column.

    In at most one match a cube decision may count as close in one table only, since its last
    decimal decides.
    """
    facts = read_provenance(shard.table)
    design = designs.design(facts["study"])
    point = design.point(shard.player, shard.opponent, facts["match_length"])
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        table = Path(place, "shard.csv")
        limits = Limits(SECONDS, Path(place, "engine.log"))
        task = design.task(point, point.shard(shard.number))
        play_and_judge(engine, task, design.analysis_level(), table, limits)
        again = shard_rows(table, table.with_suffix(".zip"), point, shard.number).reset_index(
            drop=True
        )
        evaluation = read_provenance(table)["opening_evaluation"]
    if evaluation not in facts["opening_evaluations"]:
        raise VerifyError("it was played by a program that divides otherwise (docs/gnubg.md, 12)")
    frozen = read_checked(shard.table)
    is_here = (
        frozen[["player", "opponent", "shard"]] == [shard.player, shard.opponent, shard.number]
    ).all(axis=1)
    _compare_rows(again, frozen[is_here].reset_index(drop=True))
    return f"{len(again)} matches the same"


def _compare_rows(again: pd.DataFrame, frozen: pd.DataFrame) -> None:
    if len(again) != len(frozen):
        raise VerifyError(f"{len(again)} matches instead of {len(frozen)}")
    for column in SCHEMA.names:
        if pd.api.types.is_numeric_dtype(frozen[column]):
            off = np.abs(again[column].to_numpy(float) - frozen[column].to_numpy(float))
            most = 1 if "close_cube_decisions" in column and (off > 0).sum() <= 1 else ABSOLUTE
            differs = off > most
        else:
            differs = (again[column] != frozen[column]).to_numpy()
        if differs.any():
            raise VerifyError(f"{column} differs in {differs.sum()} matches")
