"""`./run verify`: make every published table again, play a few shards again, and compare with what is kept.

Snakemake makes the tables by its own rules, from copies of the frozen tables, in a temporary folder.
"""

import csv
import json
import math
import os
import random
import re
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
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
from bgrating.engine.errors import EngineError
from bgrating.engine.locate import find_engine
from bgrating.engine.nets import committed_results, known_nets
from bgrating.play import designs
from bgrating.play.matches import SCHEMA, read_checked, shard_rows
from bgrating.play.shards import Limits, play_and_judge
from bgrating.tables.provenance import has_provenance, read_provenance, verified
from study.documents import PROJECT, documents
from study.people.judge import SCALE_NETS, write_others, write_scale
from study.people.judge import write_tables as write_judges

RELATIVE = 1.01e-9  # of figures: tables have ten digits, and the last one may differ between processors
ZERO = 1e-12  # of the largest figure of a column: what is zero but for rounding
DRAWN = 0.01  # of coordinates in figures, points of 1/72 inch
ABSOLUTE = 45 * 5e-7  # of a match's errors: six decimals for each of its games at most
LONGEST = 7  # points: what is played again is over in a minute
SHARDS = 3
SECONDS = 3600.0
PASSING = ("matches.parquet", "report.html", "summary.txt", ".")
"""How the names begin of what runs make and the repository does not keep."""
OF_USERS = {"human", "shards"}
UNEQUAL = {"sha256", "code_version"}
"""Facts of a provenance that follow from the last digits of its tables, or from the commit."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")


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


@click.command()
@click.option("--seed", type=int, default=lambda: secrets.randbelow(10**6), help="which shards are played again")
@click.option(
    "--nets", type=click.Choice(known_nets()), help="nets of the results (default: all; shards: those of the engine)"
)
@click.option("--shards", type=int, default=SHARDS, show_default=True, help="how many are played again")
def command(seed: int, nets: str | None, shards: int) -> int:
    """Make every published table again, play a few shards again, and compare with what is kept.

    That takes about four minutes on two cores. Nothing is written but temporary files. Prints one line for each folder,
    shard or document, and the count; the status is 0 where all were reproduced.
    """
    print(f"Shards are chosen with --seed {seed}.", flush=True)
    versions, cores = [nets] if nets else known_nets(), os.cpu_count() or 1
    replays = list(_replays(nets, seed, shards))
    count = [_tell(name, check) for name, check in _documents()]
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place, ThreadPoolExecutor(cores) as pool:
        made = [pool.submit(remake, version, Path(place), max(1, cores // len(versions))) for version in versions]
        print(f"  everything of {' and '.join(versions)} is made again, which takes minutes", flush=True)
        played = [(name, pool.submit(check)) for name, check in replays]
        for version, future in zip(versions, made, strict=True):
            problem = future.result()
            folder = Path(place, version, "results", version)
            count += [_tell(name, check) for name, check in comparisons(folder, committed_results(version))]
            if problem:
                count.append(_tell(f"{version}, made again", partial(_fail, problem)))
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


def _fail(problem: str) -> str:
    raise VerifyError(problem)


def remake(nets: str, place: Path, cores: int) -> str:
    """Make all that frozen tables of these nets determine, in `place`/nets/results/nets; return what went wrong."""
    folder, kept = place / nets, committed_results(nets)
    new = folder / "results" / nets
    for frozen in sorted(path for path in kept.rglob("frozen") if path.is_dir()):
        shutil.copytree(frozen, new / frozen.relative_to(kept))
    words = [sys.executable, "-m", "snakemake", "--directory", str(folder), "--cores", str(cores), "refit"]
    words += ["--configfile", "config/config.yaml", "--config", f"nets={nets}"]
    done = subprocess.run(
        words, cwd=PROJECT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", check=False,
    )  # fmt: skip
    try:
        if (new / "people-depth").is_dir():
            write_judges(new / "people-depth")
        if nets == SCALE_NETS:
            (new / "people").mkdir()
            write_scale(new / "people")
            write_others(new / "people")
    except BgratingError as problem:
        return str(problem)
    if done.returncode == 0:
        return ""
    logs = [path.read_text(encoding="utf-8", errors="replace") for path in sorted(folder.glob("logs/**/log"))]
    errors = [line for text in logs for line in text.splitlines() if line.startswith("error: ")]
    return "; ".join(dict.fromkeys(errors)) or " ".join(done.stdout.splitlines()[-3:]) or f"status {done.returncode}"


def comparisons(made: Path, kept: Path) -> Iterator[tuple[str, Check]]:
    """Yield a check of each folder of results that was made again, and one of the checksums of all other tables."""
    shown = "".join(page.read_text(encoding="utf-8") for page in sorted(PROJECT.glob("docs/**/*.md")))
    again: dict[Path, list[Path]] = {}
    for path in sorted(path for path in made.rglob("*") if path.is_file()):
        name = path.relative_to(made)
        is_figure = name.parent.name == "figures"
        if (is_figure and f"results/{made.name}/{name}" not in shown) or path.name.startswith(PASSING):
            continue
        if "frozen" not in name.parts:
            again.setdefault(name.parent.parent if is_figure else name.parent, []).append(name)
    for folder, names in again.items():
        yield f"{kept.name}/{folder}".removesuffix("/."), partial(_same_files, made, kept, names)
    compared = {kept / name for names in again.values() for name in names}
    others = [path for path in sorted(kept.rglob("*")) if path not in compared and OF_USERS.isdisjoint(path.parts)]
    yield f"{kept.name}, what needs other inputs", partial(_checksums, [path for path in others if path.is_file()])


def _same_files(made: Path, kept: Path, names: list[Path]) -> str:
    most, problems = 0.0, []
    for name in names:
        try:
            most = max(most, compare(made / name, kept / name))
        except BgratingError as problem:
            problems.append(str(problem))
    if problems:
        raise VerifyError("; ".join(problems))
    return f"{len(names)} files, largest relative difference {most:.0e}"


def _checksums(files: list[Path]) -> str:
    count = 0
    for file in files:
        try:
            is_table = has_provenance(file)
        except ValueError as damaged:
            raise VerifyError(f"a provenance beside {file} is damaged: {damaged}") from damaged
        if is_table:
            verified(file)
            count += 1
    return f"{count} files have the checksums of their provenance"


def compare(made: Path, kept: Path) -> float:
    """Return the largest relative difference of the figures of two files.

    Raises VerifyError naming the kept file and the row and column, or the place, of the first difference that matters.
    """
    if not kept.is_file():
        raise VerifyError(f"{kept} is not there")
    if made.read_bytes() == kept.read_bytes():
        most = 0.0
    elif made.suffix == ".csv":
        most = _compare_tables(made, kept)
    elif made.suffix == ".json":
        most = _compare_json(json.loads(made.read_text(encoding="utf-8")), _json(kept), str(kept))
    elif made.suffix == ".svg":
        most = _compare_figures(made.read_text(encoding="utf-8"), kept.read_text(encoding="utf-8"), kept)
    else:
        raise VerifyError(f"{kept} has other bytes than are made now")
    if has_provenance(kept):
        verified(kept)
    return most


def _compare_tables(made: Path, kept: Path) -> float:
    new, old = (_cells(path) for path in (made, kept))
    if new[0] != old[0] or len(new) != len(old):
        raise VerifyError(f"{kept} has {len(old) - 1} rows of {old[0]}, not {len(new) - 1} of {new[0]}")
    largest = [
        max((abs(_figure(cell)) for cell in column if _is_finite(cell)), default=0.0)
        for column in zip(*new, strict=True)
    ]
    most = 0.0
    for number, (ours, theirs) in enumerate(zip(new[1:], old[1:], strict=True), start=1):
        for name, a, b, scale in zip_longest(new[0], ours, theirs, largest, fillvalue=""):
            off = _difference(a, b, float(scale or 0))
            if off > RELATIVE:
                raise VerifyError(
                    f"{kept}: row {number}, column {name}: {b or 'nothing'} is kept, {a or 'nothing'} is made now"
                )
            most = max(most, off)
    return most


def _cells(path: Path) -> list[list[str]]:
    return list(csv.reader(path.read_text(encoding="utf-8", errors="replace").splitlines())) or [[]]


def _figure(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return math.nan


def _is_finite(cell: str) -> bool:
    return math.isfinite(_figure(cell))


def _difference(a: str, b: str, scale: float) -> float:
    """Return the relative difference of two cells: infinite for unlike texts, none for both zero but for rounding."""
    if a == b:
        return 0.0
    if not (_is_finite(a) and _is_finite(b)):
        return math.inf
    off = abs(_figure(a) - _figure(b))
    return 0.0 if off <= ZERO * scale else off / max(abs(_figure(a)), abs(_figure(b)))


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except ValueError as damaged:
        raise VerifyError(f"{path} is not JSON: {damaged}") from damaged


def _compare_json(made: Any, kept: Any, place: str) -> float:
    """Compare what two JSON files hold; `place` is the file and the keys on the way."""
    if isinstance(made, dict) and isinstance(kept, dict):
        names = [name for name in {**made, **kept} if name not in UNEQUAL]
        unlike = [name for name in names if (name in made) != (name in kept)]
        if unlike:
            raise VerifyError(f"{place}: {unlike[0]} is {'missing' if unlike[0] in made else 'kept, and not made now'}")
        return max((_compare_json(made[name], kept[name], f"{place}: {name}") for name in names), default=0.0)
    if isinstance(made, list) and isinstance(kept, list) and len(made) == len(kept):
        parts = (_compare_json(*both, f"{place}: {n}") for n, both in enumerate(zip(made, kept, strict=True), start=1))
        return max(parts, default=0.0)
    is_figure = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (made, kept))
    if is_figure:
        off = _difference(repr(made), repr(kept), 0.0)
    else:
        off = 0.0 if type(made) is type(kept) and made == kept else math.inf
    if off > RELATIVE:
        raise VerifyError(f"{place}: {kept!r} is kept, {made!r} is made now")
    return off


def _compare_figures(made: str, kept: str, path: Path) -> float:
    for number, (a, b) in enumerate(zip_longest(made.splitlines(), kept.splitlines(), fillvalue=""), start=1):
        figures = [list(map(float, _NUMBER.findall(line))) for line in (a, b)]
        is_near = len(figures[0]) == len(figures[1]) and np.allclose(figures[0], figures[1], rtol=0, atol=DRAWN)
        if not is_near or _NUMBER.sub("", a) != _NUMBER.sub("", b):
            raise VerifyError(f"{path}: line {number} is drawn otherwise now")
    return 0.0


def _documents() -> Iterator[tuple[str, Check]]:
    try:
        texts: Mapping[Path, str] = documents()
    except (BgratingError, TemplateError, KeyError, TypeError, ValueError) as problem:
        yield "documents", partial(_fail, f"their figures cannot be taken from the tables: {problem}")
        return
    for path, text in texts.items():
        yield str(path.relative_to(PROJECT)), partial(same_text, path, text)


def same_text(path: Path, text: str) -> str:
    """Compare a document with what its template gives now. Raises VerifyError naming the first line that differs."""
    kept = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    for number, (new, old) in enumerate(zip_longest(text.splitlines(), kept, fillvalue=""), start=1):
        if new != old:
            raise VerifyError(f"{path}: line {number} is {old!r}, and {new!r} by the tables")
    return f"{len(kept)} lines"


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
    design, length = designs.design(facts["study"]), facts["match_length"]
    point = design.point(shard.player, shard.opponent, length)
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        table, limits = Path(place, "shard.csv"), Limits(SECONDS, Path(place, "engine.log"))
        planned = next(task for task in point.shards() if task.number == shard.number)
        play_and_judge(engine, design.task(point, planned), design.analysis_level(), table, limits)
        again = shard_rows(table, point, shard.number).reset_index(drop=True)
        evaluation = read_provenance(table)["opening_evaluation"]
    frozen = read_checked(shard.table)
    same_shard = (frozen[["player", "opponent", "shard"]] == [shard.player, shard.opponent, shard.number]).all(axis=1)
    frozen = frozen[same_shard].reset_index(drop=True)
    if evaluation not in facts["opening_evaluations"]:
        raise VerifyError("it was played by a program that divides otherwise (docs/gnubg.md, 12)")
    return f"{len(frozen)} matches the same, largest difference {_rows_difference(again, frozen):.0e}"


def _rows_difference(again: pd.DataFrame, frozen: pd.DataFrame) -> float:
    if len(again) != len(frozen):
        raise VerifyError(f"{len(again)} matches instead of {len(frozen)}")
    most = 0.0
    for column in SCHEMA.names:
        if not pd.api.types.is_numeric_dtype(frozen[column]):
            if list(again[column]) != list(frozen[column]):
                raise VerifyError(f"{column} differs")
            continue
        off = np.abs(again[column].to_numpy(float) - frozen[column].to_numpy(float))
        if "close_cube_decisions" in column and (off > 0).sum() <= 1 and off.max() <= 1:
            continue
        if off.max() > ABSOLUTE:
            raise VerifyError(f"{column} differs by {off.max():.1e} in {(off > ABSOLUTE).sum()} matches")
        most = max(most, float(off.max()))
    return most
