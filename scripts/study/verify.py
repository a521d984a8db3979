"""Make every published table again, play a few shards again, and compare with the kept files.

Snakemake makes the tables by its own rules, from copies of the frozen tables, in a temporary
folder.
"""

import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.engine.known_engines import engine_versions
from bgrating.engine.locate import Engine, find_engine
from bgrating.play import designs
from bgrating.play.archive import ArchiveAnalyst, Limits
from bgrating.play.match_tables import read_checked, shard_rows
from bgrating.play.shards import play_and_analyse
from bgrating.rating.result_files import COMMITTED, results_of
from bgrating.tables.provenance import read_provenance
from study.documents import PROJECT, documents
from study.manifest import chain, listed

# Relative and absolute tolerance of figures by kind of file. Tables have ten digits, and the last
# may differ between processors; a figure below 1e-10 is zero but for rounding. Coordinates in
# pictures are points of 1/72 inch.
BOUNDS = {".csv": (1.01e-9, 1e-10), ".json": (1.01e-9, 1e-10), ".svg": (0.0, 0.01)}
ABSOLUTE = 45 * 5e-7  # tolerance of a match's errors: at most six decimals for each of its games
LONGEST = 7  # points: longer matches take more than a minute
REPLAYED = 3  # shards
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


def verify(seed: int, cores: int) -> None:
    """Print a line for each check. Raises VerifyError if one fails.

    `seed` determines which shards are played again.
    """
    print(f"Shards are chosen with seed={seed}.", flush=True)
    with tempfile.TemporaryDirectory(prefix="bgrating-") as folder:
        results = [_report(name, check) for name, check in checks(Path(folder), seed, cores)]
    print(f"reproduced: {sum(results)} of {len(results)}")
    if not all(results):
        raise VerifyError("not everything was reproduced; the lines above name what differs")


def checks(folder: Path, seed: int, cores: int) -> Iterator[tuple[str, Check]]:
    """Yield all checks by name; new files go into a folder."""
    yield "checksums", partial(chain, COMMITTED)
    for path, text in documents().items():
        yield str(path.relative_to(PROJECT)), partial(compare_lines, text, path)
    for version in engine_versions():
        yield f"{version}, made again", partial(remake, version, folder / version, cores)
        remade = folder / version / "results" / version
        yield f"{version}, compared", partial(compare_all, remade, results_of(version))
    engine = find_engine()
    shards = list(frozen_shards(results_of(engine.known.version)))
    for shard in random.Random(seed).sample(shards, REPLAYED):
        name = "{}, {} against {}, shard {}, played".format(*shard)
        yield name, partial(replay, engine, shard)


def _report(name: str, check: Check) -> bool:
    """Print the result of a check; return whether it passed."""
    try:
        print(f"  {name}: {check()}", flush=True)
    except (BgratingError, OSError) as problem:
        print(f"  {name}: NOT REPRODUCED: {problem}", flush=True)
        return False
    return True


def remake(engine_version: str, folder: Path, cores: int) -> str:
    """Make every file that the frozen tables of a version determine, below `folder`/results.

    Raises VerifyError.
    """
    published = results_of(engine_version)
    results = folder / "results"
    for frozen in published.rglob("frozen"):
        shutil.copytree(frozen, results / engine_version / frozen.relative_to(published))
    command = [sys.executable, "-m", "snakemake", "--directory", str(folder), f"--cores={cores}"]
    command += ["refit", "--configfile", "config/config.yaml", "--config", f"nets={engine_version}"]
    # Its jobs end with it (scripts/job.py), so an interrupted run may be killed.
    run = subprocess.run(
        command, cwd=PROJECT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if run.returncode == 0:
        return "no rule failed"
    logs = [path.read_text("utf-8", "replace") for path in sorted(results.rglob("logs/**/*log"))]
    errors = [line for text in logs for line in text.splitlines() if line.startswith("error: ")]
    raise VerifyError("; ".join(dict.fromkeys(errors)) or " ".join(run.stderr.splitlines()[-3:]))


def compare_all(remade: Path, published: Path) -> str:
    """Compare every kept file that was made again. Raises VerifyError naming all that differ."""
    compared = 0
    problems = []
    for path in listed(published.parent):
        new = remade.parent / path.relative_to(published.parent)
        if "frozen" not in path.parts and new.is_file():
            compared += 1
            try:
                compare(new, path)
            except VerifyError as problem:
                problems.append(str(problem))
    if problems or not compared:
        raise VerifyError("; ".join(problems) or f"no file of {published} was made again")
    return f"{compared} files the same, but for a figure's tenth digit"


def compare(remade: Path, published: Path) -> None:
    """Compare two files.

    Raises VerifyError naming the kept file and the first difference beyond the tolerance.
    """
    if not published.is_file():
        raise VerifyError(f"{published} is not there")
    if remade.read_bytes() == published.read_bytes():
        return
    if remade.suffix not in BOUNDS:
        raise VerifyError(f"{published} has other bytes than are made now")
    compare_lines(remade.read_text(encoding="utf-8"), published, *BOUNDS[remade.suffix])


def compare_lines(remade: str, path: Path, rtol: float = 0.0, atol: float = 0.0) -> str:
    """Compare a text made now with the kept file `path`.

    Numbers may differ within the tolerances, and nothing else may.

    Raises VerifyError naming the first line that differs.
    """
    published = path.read_text(encoding="utf-8") if path.is_file() else ""
    lines = zip_longest(remade.splitlines(), published.splitlines(), fillvalue="")
    for number, (new, old) in enumerate(lines, start=1):
        if new == old or (UNEQUAL.match(new) and UNEQUAL.match(old)):
            continue
        values, kept = (np.array(NUMBER.findall(line), dtype=float) for line in (new, old))
        same_words = rtol + atol > 0 and NUMBER.sub("0", new) == NUMBER.sub("0", old)
        if not (same_words and np.allclose(values, kept, rtol=rtol, atol=atol)):
            raise VerifyError(f"{path}: line {number} is {old!r}, and {new!r} is made now")
    return "the same"


def frozen_shards(results: Path) -> Iterator[FrozenShard]:
    """Yield the shards of frozen tables that are played again within a minute."""
    for table in sorted(results.glob("*/frozen/*.parquet")):
        provenance = read_provenance(table)
        if provenance.get("study") not in designs.studies():  # people's losses, and tournaments
            continue
        if (
            provenance["analysis"]["chequerplay"]["plies"] == 0
            and provenance["match_length"] <= LONGEST
        ):
            rows = read_checked(table)[["player", "opponent", "shard"]].drop_duplicates()
            yield from (FrozenShard(table, *row) for row in rows.itertuples(index=False))


def replay(engine: Engine, shard: FrozenShard) -> str:
    """Play and analyse a shard again and compare its rows with the frozen ones.

    Raises VerifyError naming a column.

    In at most one match a cube decision may count as close in one table only, since its last
    decimal decides.
    """
    provenance = read_provenance(shard.table)
    design = designs.design(provenance["study"])
    point = design.point(shard.player, shard.opponent, provenance["match_length"])
    with tempfile.TemporaryDirectory(prefix="bgrating-") as folder:
        table = Path(folder, "shard.csv")
        limits = Limits(SECONDS, Path(folder, "engine.log"))
        task = design.task(point, point.shard(shard.number))
        play_and_analyse(ArchiveAnalyst(engine, design.analysis_level(), limits), task, table)
        again = shard_rows(table, table.with_suffix(".zip"), point, shard.number)
        evaluation = read_provenance(table)["opening_evaluation"]
    if evaluation not in provenance["opening_evaluations"]:
        raise VerifyError("it was played by a program that divides otherwise (docs/gnubg.md, 12)")
    frozen = read_checked(shard.table)
    is_here = (frozen[["player", "opponent", "shard"]] == list(shard[1:])).all(axis=1)
    _compare_rows(again.reset_index(drop=True), frozen[is_here].reset_index(drop=True))
    return f"{len(again)} matches the same"


def _compare_rows(again: pd.DataFrame, frozen: pd.DataFrame) -> None:
    if len(again) != len(frozen):
        raise VerifyError(f"{len(again)} matches instead of {len(frozen)}")
    differs = again.ne(frozen)
    numbers = frozen.select_dtypes("number").columns
    off = (again[numbers].astype(float) - frozen[numbers].astype(float)).abs()
    close = off.filter(like="close_cube_decisions")
    differs[numbers] = off > ABSOLUTE
    differs[close.columns] = (close > 1) | ((close > 0) & ((close > 0).sum() > 1))
    if differs.any(axis=None):
        column = differs.any().idxmax()
        raise VerifyError(f"{column} differs in {differs[column].sum()} matches")
