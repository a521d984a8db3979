"""Have every match judged by the engines of both nets, simulated ones and people's, and gather the pairs."""

import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.rate import RateRequest, RateResult, rate
from bgrating.engine import levels
from bgrating.engine.locate import Engine
from bgrating.engine.nets import one_nets
from bgrating.play.designs import Design, DesignPoint, Shard
from bgrating.play.matches import SIDES, TableError
from bgrating.play.shards import Limits, analyse_archive, play_shard
from bgrating.settings import SettingsError
from bgrating.tables.provenance import distinct, read_provenance, verified
from bgrating.tables.tables import write_rows
from study.translation.names import FROZEN, LEVEL, NETS, SIMULATED, analysed_by
from study.translation.pairs import SCHEMA, collection_pairs, empty, read_pairs, simulated_pairs

PLAYED = ("study_seed", "match_equity_table", "noise_mode")
"""Facts of simulated matches."""
Shards = Sequence[tuple[str, DesignPoint, int, Path]]


def play_for_both(
    design: Design,
    point: DesignPoint,
    shard: Shard,
    played_by: str,
    engines: Mapping[str, Engine],
    archive: Path,
    limits: Limits,
) -> None:
    """Play a shard with the engine of the nets `played_by` into an archive, and analyse it with each engine.

    `engines`: by nets. The tables stand beside the archive (`analysed_by`).
    """
    play_shard(engines[played_by], design.task(point, shard), archive, limits)
    for nets, engine in engines.items():
        analyse_archive(engine, design.analysis_level(), archive, analysed_by(archive, nets), limits)


def judged(collections: Sequence[Path], folder: Path, nets: str, store: Path, cores: int) -> RateResult:
    """Have folders of match files judged by the engine of these nets, as one collection: a match in two counts once.

    `folder` takes links to them (by their names, which the pairs keep as their source), `store` what was analysed.
    Raises SettingsError where a folder is missing or two have the same name.
    """
    names = [collection.resolve().name for collection in collections]
    for number, collection in enumerate(collections):
        if not collection.is_dir():
            raise SettingsError(f"collections={collection}: no such folder (paths start at the project's folder)")
        if names[number] in names[:number]:
            raise SettingsError(f"collections: two folders are named {names[number]}; pairs go by the folder's name")
    key = hashlib.sha256("\0".join(str(collection.resolve()) for collection in collections).encode()).hexdigest()[:16]
    links = folder / key  # which is made once: nothing is ever removed from it
    links.mkdir(parents=True, exist_ok=True)
    for name, collection in zip(names, collections, strict=True):
        with suppress(FileExistsError):
            (links / name).symlink_to(collection.resolve())
    return rate(RateRequest((links,), level=LEVEL, formula="published", nets=nets, store=store, cores=cores))


@dataclass
class Pairs:
    """Pairs, and by nets the engines behind them and their chances of the opening; `facts`: what else is known."""

    rows: pd.DataFrame
    engines: dict[str, list[Any]]
    opening_evaluations: dict[str, list[Any]]
    facts: dict[str, Any] = field(default_factory=dict)


def simulated(shards: Shards) -> Pairs:
    """Return the pairs of simulated shards.

    Raises NetsError or TableError where tables do not belong together, ProvenanceError where one was changed.
    """
    tables = {nets: [analysed_by(archive, nets) for *_, archive in shards] for nets in NETS}
    played = [verified(archive) for *_, archive in shards]
    one = {name: _one(played, name) for name in PLAYED}
    for nets in NETS:
        own = {str(archive): read_provenance(archive)["engine"] for by, _, _, archive in shards if by == nets}
        one_nets(own, nets)
    return Pairs(simulated_pairs(shards), *_engines(tables), facts=one | _analysis(tables))


def collections(results: Mapping[str, RateResult]) -> Pairs:
    """Return the pairs of people's matches, judged by both nets."""
    facts = {nets: result.facts for nets, result in results.items()}
    for nets, own in facts.items():
        one_nets({nets: own["engine"]}, nets)
    return Pairs(
        collection_pairs({nets: result.matches for nets, result in results.items()}),
        {nets: [own["engine"]] for nets, own in facts.items()},
        {nets: [own["opening_evaluation"]] for nets, own in facts.items()},
        facts={"analysis": asdict(levels.analysis(LEVEL))},
    )


def frozen(source: str) -> Pairs:
    """Return the pairs of the repository that are simulated, or all others (source `people`)."""
    facts, rows = read_provenance(FROZEN), read_pairs(FROZEN)
    kept = rows[(rows["source"] == SIMULATED) == (source == SIMULATED)].reset_index(drop=True)
    own = ("analysis", *PLAYED) if source == SIMULATED else ("analysis",)
    taken = {f"{source}_from": {"sha256": facts["sha256"], "rows": len(kept)}}
    about = {name: facts[name] for name in own if name in facts}
    return Pairs(kept, facts["engines"], facts["opening_evaluations"], facts=about | taken)


def write(parts: Sequence[Pairs], table: Path) -> None:
    """Write several pairs as one table with its provenance. Raises TableError where they were analysed differently."""
    rows = pd.concat([part.rows for part in parts if len(part.rows)] or [empty()], ignore_index=True)
    facts: dict[str, Any] = {}
    for part in parts:
        for name, value in part.facts.items():
            if facts.setdefault(name, value) != value:
                raise TableError(f"pairs differ in {name}: {value} and {facts[name]}; they cannot stand in one table")
    people = rows[rows["source"] != SIMULATED]
    write_rows(
        rows,
        SCHEMA,
        table,
        **facts,
        engines={nets: distinct(one for part in parts for one in part.engines[nets]) for nets in NETS},
        opening_evaluations={
            nets: distinct(one for part in parts for one in part.opening_evaluations[nets]) for nets in NETS
        },
        matches={str(source): int(count) for source, count in rows["source"].value_counts(sort=False).items()},
        people=pd.concat([people[side] for side in SIDES]).nunique(),
    )


def _engines(tables: Mapping[str, Sequence[Path]]) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    engines, evaluations = {}, {}
    for nets, paths in tables.items():
        facts = {str(path): verified(path) for path in paths}
        one_nets({name: one["engine"] for name, one in facts.items()}, nets)
        engines[nets] = distinct(one["engine"] for one in facts.values())
        evaluations[nets] = distinct(one["opening_evaluation"] for one in facts.values())
    return engines, evaluations


def _analysis(tables: Mapping[str, Sequence[Path]]) -> dict[str, Any]:
    facts = [read_provenance(path) for paths in tables.values() for path in paths]
    return {"analysis": _one(facts, "analysis")}


def _one(facts: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return a fact that all share. Raises TableError where they differ."""
    values = distinct(one[name] for one in facts)
    if len(values) != 1:
        raise TableError(f"matches to be paired differ in {name}: {values}")
    return values[0]
