"""Pool the shards of a study into tables of one row per match, freeze them, refuse what does not belong together."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bgrating.engine.nets import one_nets
from bgrating.play.designs import Design, DesignPoint, frozen_matches, frozen_table, shard_table
from bgrating.play.matches import SCHEMA, TableError, read_checked, shard_rows
from bgrating.tables.provenance import provenance_path, read_provenance, verified
from bgrating.tables.tables import parquet, write_rows

# What must be the same in every shard that is pooled.
_SAME = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed")
_SHARD = ["player", "opponent", "shard"]


class Pooled(NamedTuple):
    """Matches of one match length, one row each, and their provenance."""

    rows: pd.DataFrame
    facts: dict[str, Any]


def pool_shards(
    design: Design, match_length: int, shards: Sequence[tuple[DesignPoint, int, Path]], held: Pooled | None = None
) -> Pooled:
    """Pool shards (design point, shard number, table) of one match length, in the order of the design.

    `held` is what a frozen table has already, of other shards; it stays.

    Shards of builds that divide otherwise are pooled: gnubg's chances differ by some 0.0001 then. The provenance
    lists every evaluation of the opening position that occurs.

    Raises TableError if shards differ in engine, match-equity table, noise mode, analysis or seed. Raises
    ProvenanceError if a shard is not the one that its provenance describes.
    """
    facts = {table: _shard_facts(table) for _, _, table in shards}  # checks the tables before they are read
    parts = [shard_rows(table, point, number) for point, number, table in shards]
    if held is not None:
        parts.append(held.rows)
        facts[Path("the frozen table")] = held.facts
    rows = pd.concat(parts, ignore_index=True) if parts else SCHEMA.empty_table().to_pandas()
    rows = _in_order(rows, design, match_length)
    about = {
        "study": design.study, "match_length": match_length,
        "planned": sum(point.matches for point in design.points_of(match_length)),
        "shards": int(rows.groupby(_SHARD).ngroups), "opening_evaluations": _evaluations(facts),
    }  # fmt: skip
    return Pooled(rows, about | _common_facts(facts))


def _in_order(rows: pd.DataFrame, design: Design, match_length: int) -> pd.DataFrame:
    """Sort rows as the design has its points and shards, so that the order of freezing leaves no trace."""
    places = {(point.player, point.opponent): place for place, point in enumerate(design.points_of(match_length))}
    pairs = zip(rows["player"], rows["opponent"], strict=True)
    place = pd.Series([places[pair] for pair in pairs], index=rows.index, dtype="int64")
    order = rows.assign(place=place).sort_values(["place", "shard", "match"], kind="stable").index
    return rows.loc[order].reset_index(drop=True)


def gather_shards(design: Design, tables: Sequence[Path], matches: Path, nets: str) -> None:
    """Pool the tables of all shards of a study, in the order of its design, into one table of matches.

    Raises as `pool_shards` and `gather` do.
    """
    places = [
        (point, shard.number)
        for length in design.match_lengths()
        for point in design.points_of(length)
        for shard in point.shards()
    ]
    shards = [(point, number, table) for (point, number), table in zip(places, tables, strict=True)]
    lengths = {}
    for length in design.match_lengths():
        rows, facts = pool_shards(design, length, [shard for shard in shards if shard[0].match_length == length])
        frozen = hashlib.sha256(parquet(rows, SCHEMA)).hexdigest()  # what the frozen table of these matches has
        lengths[f"{length} points"] = Pooled(rows, {**facts, "rows": len(rows), "sha256": frozen})
    _gather(lengths, matches, nets)


def freeze_what_is_there(design: Design, results: Path) -> Iterator[str]:
    """Freeze every match length of a study from the shards that are there; yield a line on each length.

    What a frozen table holds of shards that are not at hand stays in it. Raises as `pool_shards` does where the shards
    and the table do not belong together.
    """
    for length in design.match_lengths():
        frozen = frozen_table(results, design.study, length)
        held = Pooled(read_checked(frozen), read_provenance(frozen)) if frozen.is_file() else None
        kept = set(held.rows.groupby(_SHARD).groups) if held else set()
        shards = [
            (point, shard.number, table)
            for point in design.points_of(length)
            for shard in point.shards()
            if (point.player, point.opponent, shard.number) not in kept
            and provenance_path(table := shard_table(results, design.study, point, shard.number)).is_file()
        ]
        if shards:
            rows, facts = pool_shards(design, length, shards, held)
            write_rows(rows, SCHEMA, frozen, **facts)
        if not frozen.is_file():
            yield f"{frozen}: nothing played yet"
            continue
        facts = read_provenance(frozen)
        yield f"{frozen}: {facts['rows']} of {facts['planned']} matches"


def frozen_shards(results: Path, design: Design) -> set[tuple[int, str, str, int]]:
    """Return the shards that the frozen tables of a study hold: match length, player, opponent and number of each."""
    tables = {length: frozen_table(results, design.study, length) for length in frozen_matches(results, design)}
    held = {length: read_checked(table)[_SHARD].drop_duplicates() for length, table in tables.items()}
    return {
        (length, str(player), str(opponent), int(shard))
        for length, rows in held.items()
        for player, opponent, shard in rows.itertuples(index=False)
    }


def gather(lengths: Sequence[Path], matches: Path, nets: str) -> None:
    """Concatenate the tables of match lengths into one table of matches with its provenance.

    Raises TableError if a checksum is wrong or tables do not belong together. Raises NetsError if other nets played
    them.
    """
    _gather({str(table): Pooled(read_checked(table), read_provenance(table)) for table in lengths}, matches, nets)


def _gather(lengths: Mapping[str, Pooled], matches: Path, nets: str) -> None:
    facts = {name: pooled.facts for name, pooled in lengths.items()}
    filled = {name: fact for name, fact in facts.items() if fact["rows"]}
    if not filled:
        raise TableError(f"no matches in {', '.join(facts)}: play some first (./run study)")
    one_nets({name: fact["engine"] for name, fact in filled.items()}, nets)
    common = _common_facts(filled)
    rows = pd.concat([lengths[name].rows for name in filled], ignore_index=True)
    write_rows(
        rows,
        SCHEMA,
        matches,
        study=next(iter(filled.values()))["study"],
        planned=sum(fact["planned"] for fact in facts.values()),
        tables={str(fact["match_length"]): fact["sha256"] for fact in facts.values()},
        opening_evaluations=_evaluations(filled),
        **common,
    )


def _shard_facts(table: Path) -> dict[str, Any]:
    """Return the provenance of a shard: of its archive (how it was played) and of its table (how it was analysed)."""
    played, analysed = verified(table.with_suffix(".zip")), verified(table)
    if "sides" in played:  # programs, that no engine of ours played: the judge is the engine of their matches
        judge = {name: analysed[name] for name in ("engine", "opening_evaluation")}
        met = analysed["analysis"]["match_equity_table"]
        played = {**played, **judge, "match_equity_table": met, "noise_mode": "of the programs"}
    if played["engine"] != analysed["engine"]:
        raise TableError(f"{table}: played and analysed by different engines")
    evaluations = [played["opening_evaluation"], analysed["opening_evaluation"]]
    return {**played, "analysis": analysed["analysis"], "opening_evaluations": evaluations}


def _evaluations(parts: Mapping[Any, dict[str, Any]]) -> list[list[float]]:
    evaluations = {tuple(evaluation) for facts in parts.values() for evaluation in facts["opening_evaluations"]}
    return [list(evaluation) for evaluation in sorted(evaluations)]


def _common_facts(parts: Mapping[Any, dict[str, Any]]) -> dict[str, Any]:
    """Return the facts that all parts of a table must share. Raises TableError naming the first part that differs."""
    common: dict[str, Any] = {}
    for part, facts in parts.items():
        for name in _SAME:
            if common.setdefault(name, facts[name]) != facts[name]:
                raise TableError(f"{part} differs in {name} ({facts[name]}) from the other tables ({common[name]})")
        for name, side in facts.get("sides", {}).items():
            if common.setdefault("sides", {}).setdefault(name, side) != side:
                raise TableError(f"{part} was played by another {name} than the other tables")
    return common
