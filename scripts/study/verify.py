"""`./run verify`: make every published table again, play a few shards again, and compare with what is kept.

Snakemake makes the tables by its own rules, from copies of the frozen tables, in a temporary folder.
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
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

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
from bgrating.tables.provenance import has_provenance, read_provenance
from study.custody import chain, listed
from study.documents import PROJECT, documents

RELATIVE = 1.01e-9  # of figures: tables have ten digits, and the last one may differ between processors
ZERO = 1e-10  # what is zero but for rounding
DRAWN = 0.01  # of coordinates in figures, points of 1/72 inch
BOUNDS = {".csv": (RELATIVE, ZERO), ".json": (RELATIVE, ZERO), ".svg": (0.0, DRAWN)}
"""How far figures may differ, relatively and absolutely, by the kind of file."""
ABSOLUTE = 45 * 5e-7  # of a match's errors: six decimals for each of its games at most
LONGEST = 7  # points: what is played again is over in a minute
SHARDS = 3
SECONDS = 3600.0
UNEQUAL = re.compile(r' *"(?:sha256|code_version)": ')
"""Lines of a provenance that follow from the last digits of its tables, or from the commit."""
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


class VerifyError(BgratingError):
    """A kept file differs from what it was made from; the message names the file and the place in it."""


@dataclass(frozen=True)
class FrozenShard:
    """A shard of a frozen table."""

    table: Path
    player: str
    opponent: str
    number: int


Check = Callable[[], str]
Running = subprocess.Popen[str]


@click.command()
@click.option(
    "--seed", type=WholeNumber(0), default=lambda: secrets.randbelow(10**6), help="which shards are played again"
)
@click.option(
    "--nets", type=click.Choice(known_nets()), help="nets of the results (default: all; shards: those of the engine)"
)
@click.option("--shards", type=WholeNumber(0), default=SHARDS, show_default=True, help="how many are played again")
@click.option("--quick", is_flag=True, help="only checksums, and what was made of what, in seconds")
def command(seed: int, nets: str | None, shards: int, quick: bool) -> int:
    """Make every published table again, play a few shards again, and compare with what is kept.

    That takes about four minutes on two cores. Nothing is written but temporary files. Prints one line for each folder,
    shard or document, and the count; the status is 0 where all were reproduced.
    """
    versions, cores = [nets] if nets else known_nets(), os.cpu_count() or 1
    count = [_tell("as recorded", partial(chain, COMMITTED))]
    if quick:
        return 0 if all(count) else 1
    print(f"Shards are chosen with --seed {seed}.", flush=True)
    replays = list(_replays(nets, seed, shards))
    count += [_tell(name, check) for name, check in _documents()]
    with (
        ended_by_signals(),
        tempfile.TemporaryDirectory(prefix="bgrating-") as place,
        ThreadPoolExecutor(cores) as pool,
        _ended(pool) as running,
    ):
        shares = max(1, cores // len(versions))
        made = [pool.submit(remake, version, Path(place), shares, running) for version in versions]
        print("  everything is made again, which takes minutes", flush=True)
        played = [(name, pool.submit(check)) for name, check in replays]
        for version, future in zip(versions, made, strict=True):
            count.append(_tell(f"{version}, made again", future.result))
            folder = Path(place, version, "results", version)
            count += [_tell(name, check) for name, check in comparisons(folder, committed_results(version))]
        count += [_tell(name, future.result) for name, future in played]
    print(f"reproduced: {sum(count)} of {len(count)}")
    return 0 if all(count) else 1


def _tell(name: str, check: Check) -> bool:
    try:
        print(f"  {name}: {check()}", flush=True)
    except BgratingError as problem:
        print(f"  {name}: NOT REPRODUCED: {problem}", flush=True)
        return False
    return True


@contextmanager
def _ended(pool: ThreadPoolExecutor) -> Iterator[list[Running]]:
    """Yield a list of what is started; where this run is ended, end these processes and the engines of the pool."""
    running: list[Running] = []
    try:
        yield running
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()
        end_all()


def remake(nets: str, place: Path, cores: int, running: list[Running]) -> str:
    """Make all that frozen tables of these nets determine, in `place`/nets/results/nets. Raises VerifyError.

    The Snakemake that makes them is added to what is `running`.
    """
    folder, kept = place / nets, committed_results(nets)
    new = folder / "results" / nets
    for frozen in kept.rglob("frozen"):
        shutil.copytree(frozen, new / frozen.relative_to(kept))
    words = [sys.executable, "-m", "snakemake", "--directory", str(folder), "--cores", str(cores), "refit"]
    words += ["--configfile", "config/config.yaml", "--config", f"nets={nets}"]
    process = subprocess.Popen(
        words, cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
    )
    running.append(process)
    said = process.communicate()[1]
    if process.returncode == 0:
        return "no rule failed"
    logs = [path.read_text(encoding="utf-8", errors="replace") for path in sorted((new.parent / "logs").rglob("*log"))]
    errors = [line for text in logs for line in text.splitlines() if line.startswith("error: ")]
    raise VerifyError("; ".join(dict.fromkeys(errors)) or " ".join(said.splitlines()[-3:]))


def comparisons(made: Path, kept: Path) -> Iterator[tuple[str, Check]]:
    """Yield a check of each folder of kept results of which files were made again."""
    again = defaultdict(list)
    for path in listed(kept.parent):
        if path.is_relative_to(kept) and "frozen" not in path.parts:
            name = path.relative_to(kept)
            if (made / name).is_file():
                again[name.parent].append(name)
    for folder, names in again.items():
        yield f"{kept.name}/{folder}".removesuffix("/."), partial(_same_files, made, kept, names)


def _same_files(made: Path, kept: Path, names: list[Path]) -> str:
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
    """Compare two files. Raises VerifyError naming the kept file and the place of the first difference that matters."""
    if not kept.is_file():
        raise VerifyError(f"{kept} is not there")
    if made.read_bytes() == kept.read_bytes():
        return
    if made.suffix in BOUNDS:
        compare_lines(made.read_text(encoding="utf-8"), kept, *BOUNDS[made.suffix])
    else:
        raise VerifyError(f"{kept} has other bytes than are made now")


def compare_lines(made: str, path: Path, rtol: float = 0.0, atol: float = 0.0) -> str:
    """Compare a kept text with one that is made now: figures within bounds, all else to the letter.

    Raises VerifyError naming the first line that differs.
    """
    kept = path.read_text(encoding="utf-8") if path.is_file() else ""
    for number, (new, old) in enumerate(zip_longest(made.splitlines(), kept.splitlines(), fillvalue=""), start=1):
        if new == old or (UNEQUAL.match(new) and UNEQUAL.match(old)):
            continue
        ours, theirs = (np.array(NUMBER.findall(line), dtype=float) for line in (new, old))
        is_bounded = rtol + atol > 0 and NUMBER.sub("0", new) == NUMBER.sub("0", old)
        if not (is_bounded and np.allclose(ours, theirs, rtol=rtol, atol=atol)):
            raise VerifyError(f"{path}: line {number} is {old!r}, and {new!r} is made now")
    return "the same"


def _documents() -> Iterator[tuple[str, Check]]:
    try:
        texts = documents()
    except (BgratingError, TemplateError, KeyError, TypeError, ValueError) as problem:
        raise VerifyError(f"figures of documents cannot be taken from the tables: {problem}") from problem
    for path, text in texts.items():
        yield str(path.relative_to(PROJECT)), partial(compare_lines, text, path)


def _replays(nets: str | None, seed: int, number: int) -> Iterator[tuple[str, Check]]:
    try:
        engine = find_engine("", nets or "")
    except EngineError as problem:
        raise VerifyError(f"no shard can be played again: {problem}") from problem
    shards = list(_shards(committed_results(engine.known.nets)))
    for shard in random.Random(seed).sample(shards, min(number, len(shards))):
        name = f"{engine.known.nets}/{shard.table.parts[-3]}, {shard.table.stem} points, {shard.player} against "
        yield f"{name}{shard.opponent}, shard {shard.number}, played", partial(replay, engine, shard)


def _shards(results: Path) -> Iterator[FrozenShard]:
    for table in sorted(results.glob("*/frozen/*.parquet")):
        facts = read_provenance(table) if has_provenance(table) else {}
        shallow = facts.get("analysis", {}).get("chequerplay", {}).get("plies") == 0
        if shallow and facts["match_length"] <= LONGEST and facts["study"] in designs.studies():
            rows = read_checked(table)[["player", "opponent", "shard"]].drop_duplicates()
            yield from (FrozenShard(table, *row) for row in rows.itertuples(index=False))


def replay(engine: Any, shard: FrozenShard) -> str:
    """Play and analyse a shard again and compare its rows with the frozen ones. Raises VerifyError naming a column.

    A close cube decision may count otherwise where its last decimal decides, in one match at most.
    """
    facts = read_provenance(shard.table)
    design = designs.design(facts["study"])
    point = design.point(shard.player, shard.opponent, facts["match_length"])
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        table, limits = Path(place, "shard.csv"), Limits(SECONDS, Path(place, "engine.log"))
        task = design.task(point, point.shard(shard.number))
        play_and_judge(engine, task, design.analysis_level(), table, limits)
        again = shard_rows(table, table.with_suffix(".zip"), point, shard.number).reset_index(drop=True)
        evaluation = read_provenance(table)["opening_evaluation"]
    if evaluation not in facts["opening_evaluations"]:
        raise VerifyError("it was played by a program that divides otherwise (docs/gnubg.md, 12)")
    frozen = read_checked(shard.table)
    is_here = (frozen[["player", "opponent", "shard"]] == [shard.player, shard.opponent, shard.number]).all(axis=1)
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
