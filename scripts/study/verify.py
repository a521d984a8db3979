"""`./run verify`: refit the frozen tables, play a few of their shards again, and compare with what is kept."""

import os
import random
import secrets
import tempfile
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.engine.errors import EngineError
from bgrating.engine.locate import find_engine
from bgrating.engine.nets import committed_results, known_nets
from bgrating.play import designs
from bgrating.play.designs import frozen_matches, frozen_table
from bgrating.play.matches import SCHEMA, read_checked, shard_rows
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.rating.formula import NoFormulaError, RatingFormula, read_formula
from bgrating.tables.provenance import has_provenance, read_provenance
from bgrating.tables.tables import read_table
from study.formula.catalogue import coefficients, fit_all, recommended
from study.formula.points import points as reduce

RELATIVE = 1e-6  # of fits: tables have ten digits, and the last ones may differ between processors
ABSOLUTE = 45 * 5e-7  # of a match's errors: six decimals for each of its games at most
LONGEST = 7  # points: what is played again is over in a minute
SHARDS = 3
KEYS = ["model", "method", "match_length", "term", "epc_definition"]
SECONDS = 3600.0


class VerifyError(BgratingError):
    """A kept table cannot be compared; the message has the reason."""


@dataclass(frozen=True)
class FrozenShard:
    """A shard of a frozen table."""

    table: Path
    player: str
    opponent: str
    number: int


@click.command()
@click.option("--seed", type=int, default=lambda: secrets.randbelow(10**6), help="which shards are played again")
@click.option(
    "--nets", type=click.Choice(known_nets()), help="nets of the results (default: all; shards: those of the engine)"
)
@click.option("--shards", type=int, default=SHARDS, show_default=True, help="how many are played again")
def command(seed: int, nets: str | None, shards: int) -> int:
    """Refit the frozen tables, play a few of their shards again, and compare with what is kept.

    Nothing is written but temporary files. Prints one line for each thing and the count; the status is 0 where all were
    reproduced.
    """
    print(f"Shards are chosen with --seed {seed}.", flush=True)
    cores = os.cpu_count() or 1
    with ProcessPoolExecutor(cores) as fits, ThreadPoolExecutor(cores) as plays:
        results = [*_refits(nets, fits), *_replays(nets, seed, shards, plays)]
        done = 0
        for name, result in results:
            try:
                print(f"  {name}: {result.result()}", flush=True)
                done += 1
            except BgratingError as problem:
                print(f"  {name}: NOT REPRODUCED: {problem}", flush=True)
    print(f"reproduced: {done} of {len(results)}")
    return 0 if done == len(results) else 1


def _refits(nets: str | None, pool: Executor) -> Iterator[tuple[str, Any]]:
    for version in [nets] if nets else known_nets():
        for study in designs.studies():
            if (committed_results(version) / study / "points.csv").is_file() and frozen_matches(
                committed_results(version), designs.design(study)
            ):
                yield f"{version}/{study}, fitted", pool.submit(refit, committed_results(version), study)


def refit(results: Path, study: str) -> str:
    """Fit a study's frozen matches and compare points, coefficients and formula with those kept.

    Raises VerifyError naming what differs.
    """
    folder = results / study
    tables = [frozen_table(results, study, length) for length in frozen_matches(results, designs.design(study))]
    rows = pd.concat([read_checked(table) for table in tables], ignore_index=True)
    held = read_provenance(folder / "points.csv")
    if held["matches"] != len(rows):
        raise VerifyError(f"it was fitted to {held['matches']} of {len(rows)} frozen matches: ./run analysis")
    points = reduce(rows)
    kept_points = read_table(folder / "points.csv")
    off = [largest_difference(points.reset_index(drop=True), kept_points, "points.csv")]
    results_again = list(fit_all(kept_points))
    again = coefficients(results_again).set_index(KEYS).sort_index()
    known = read_table(folder / "coefficients.csv").set_index(KEYS).sort_index()
    if set(known.index) != set(again.index):
        raise VerifyError(f"coefficients.csv has other rows than the fits of today ({len(known)}, {len(again)})")
    numbers = ["estimate", "std_error"]
    off.append(largest_difference(again.loc[known.index, numbers], known[numbers], "coefficients.csv"))
    off.append(_formula_difference(folder / "formula.json", results_again, kept_points))
    return f"{len(rows):,} matches, {len(known)} coefficients, largest relative difference {max(off):.0e}"


def _formula_difference(path: Path, results: Any, points: pd.DataFrame) -> float:
    try:
        held = read_formula(path)
    except NoFormulaError:
        return 0.0
    again: RatingFormula = recommended(results, points, {})
    new, old = (pd.DataFrame({"value": [*formula.estimate, *formula.covariance.ravel()]}) for formula in (again, held))
    return largest_difference(new, old, path.name)


def largest_difference(again: pd.DataFrame, held: pd.DataFrame, name: str) -> float:
    """Return the largest relative difference of the numbers of two tables. Raises VerifyError naming a column."""
    if again.shape[0] != held.shape[0] or list(again.columns) != list(held.columns):
        raise VerifyError(f"{name} has other rows or columns than before")
    most = 0.0
    for column in held.columns:
        if not pd.api.types.is_numeric_dtype(held[column]):
            continue
        a, b = (table[column].to_numpy(float, na_value=np.nan) for table in (again, held))
        if (np.isnan(a) != np.isnan(b)).any():
            raise VerifyError(f"{name}: {column} is empty in other rows than before")
        # A number that is zero but for rounding (an error rate of -7e-12) is measured against its column.
        scale = np.maximum(np.abs(b), 1e-6 * np.nanmax(np.abs(b), initial=0.0))
        off = float(np.nanmax(np.divide(np.abs(a - b), scale, out=np.zeros_like(b), where=scale > 0), initial=0.0))
        if off > RELATIVE:
            raise VerifyError(f"{name}: {column} differs by a share of {off:.1e}")
        most = max(most, off)
    return most


def _replays(nets: str | None, seed: int, number: int, pool: Executor) -> Iterator[tuple[str, Any]]:
    try:
        engine = find_engine("", nets or "")
    except EngineError as problem:
        raise VerifyError(f"no shard can be played again: {problem}") from problem
    shards = list(_shards(committed_results(engine.known.nets)))
    for shard in random.Random(seed).sample(shards, min(number, len(shards))):
        name = f"{engine.known.nets}/{shard.table.parts[-3]}, {shard.table.stem} points, {shard.player} against "
        yield f"{name}{shard.opponent}, shard {shard.number}, played", pool.submit(replay, engine, shard)


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
        archive, limits = Path(place, "shard.zip"), Limits(SECONDS, Path(place, "engine.log"))
        planned = next(task for task in point.shards() if task.number == shard.number)
        play_shard(engine, design.task(point, planned), archive, limits)
        analyse_archive(engine, design.analysis_level(), archive, archive.with_suffix(".csv"), limits)
        again = shard_rows(archive.with_suffix(".csv"), point, shard.number).reset_index(drop=True)
        evaluation = read_provenance(archive)["opening_evaluation"]
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
