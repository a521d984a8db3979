"""Pool the matches of a study into one table, and refuse what does not belong together."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bgrating.engine.nets import one_nets
from bgrating.play.designs import Design
from bgrating.play.matches import SCHEMA, TableError, read_checked, shard_rows
from bgrating.tables.provenance import read_provenance, verified
from bgrating.tables.tables import parquet, write_rows
from study.asked import Asked, Part
from study.custody import ANEW, CustodyError, made_of, require_cell, require_made_of, require_seed

# What must be the same in everything that is pooled.
_SAME = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed")
_CELL = ["player", "opponent", "match_length"]


class Pooled(NamedTuple):
    """Matches of one match length, one row each, their provenance, and the SHA-256 of the files they come from."""

    rows: pd.DataFrame
    facts: dict[str, Any]
    sources: dict[Path, str]


def gather(asked: Asked, study: str, out: Path) -> None:
    """Write the matches of a study, one row each in the order of its design, with their provenance.

    Of each match length they come from the frozen table if there is one, else from the analyses of all shards. Raises
    CustodyError for a file in another one's place and for rows that are not those of the design, TableError for parts
    that differ in engine, levels or seed, NetsError for matches of other nets, ProvenanceError for a wrong checksum.
    """
    design, frozen = asked.design(study), asked.frozen(study)
    lengths = [
        thawed(design, length, frozen[length])
        if length in frozen
        else pooled(asked, design, length, list(asked.shards(study, length)))
        for length in design.match_lengths()
    ]
    common = _common_facts({f"{one.facts['match_length']} points": one.facts for one in lengths})
    one_nets({study: common["engine"]}, asked.nets)
    write_rows(
        pd.concat([one.rows for one in lengths], ignore_index=True),
        SCHEMA,
        out,
        study=study,
        cells=asked.cells(study),
        planned=sum(one.facts["planned"] for one in lengths),
        tables={str(one.facts["match_length"]): one.facts["sha256"] for one in lengths},
        opening_evaluations=_evaluations(one.facts for one in lengths),
        **made_of(out, {source: digest for one in lengths for source, digest in one.sources.items()}),
        **common,
    )


def pooled(asked: Asked, design: Design, match_length: int, shards: Sequence[Part]) -> Pooled:
    """Pool shards of one match length. Shards of builds that divide otherwise are pooled: the last digits differ then.

    The provenance lists every evaluation of the opening position that occurs. Raises as `gather` does.
    """
    facts = {str(part.table): shard_facts(asked, design.study, part) for part in shards}
    rows = pd.concat(
        [shard_rows(part.table, part.archive, part.point, part.shard.number) for part in shards], ignore_index=True
    )
    about = {
        "study": design.study,
        "match_length": match_length,
        "planned": sum(part.shard.matches for part in shards),
        "rows": len(rows),
        "shards": len(shards),
        "opening_evaluations": _evaluations(facts.values()),
        "sha256": hashlib.sha256(parquet(rows, SCHEMA)).hexdigest(),
    }
    sources = {part.table: facts[str(part.table)]["table_sha256"] for part in shards}
    return Pooled(rows, about | _common_facts(facts), sources)


def thawed(design: Design, match_length: int, table: Path) -> Pooled:
    """Return a frozen table. Raises CustodyError where it does not hold what the design asks for.

    A table that was frozen before all was played says so in its provenance; what it holds must be of the design.
    """
    rows, facts = read_checked(table), read_provenance(table)
    if facts["study"] != design.study or facts["match_length"] != match_length:
        raise CustodyError(
            f"{table} holds {facts['study']} to {facts['match_length']} points: restore both tables from the repository"
        )
    require_seed(table, facts, design.seed)
    planned = {(point.player, point.opponent, match_length): point.matches for point in design.points_of(match_length)}
    counted = rows.groupby(_CELL, as_index=False).size()
    held = {tuple(cell): int(count) for *cell, count in counted.itertuples(index=False)}
    is_whole = len(rows) == facts["planned"]
    for cell in {**planned, **held}:
        count, asked_for = held.get(cell, 0), planned.get(cell, 0)
        if count > asked_for or (is_whole and count < asked_for):
            raise CustodyError(
                f"{table} holds {count} matches of {cell[0]} against {cell[1]}, and the design asks for {asked_for}: "
                "restore the design, or give results= another folder, where all is played"
            )
    return Pooled(rows, facts, {table: facts["sha256"]})


def shard_facts(asked: Asked, study: str, part: Part) -> dict[str, Any]:
    """Return the provenance of a shard: of its archive (how it was played) and of its table (how it was analysed).

    Raises CustodyError where they are not those of the design as it is now.
    """
    task, level = asked.task(study, part), asked.analysis(study)["level"]
    played, analysed = verified(part.archive), verified(part.table)
    require_cell(part.archive, played, task)
    require_cell(part.table, analysed.get("cell", {}), task)
    require_made_of(part.table, analysed, part.archive, played["sha256"])
    if analysed["analysis"] != level:
        raise CustodyError(f"{part.table} was analysed at another level than its design names: {ANEW}")
    if "sides" in played:  # programs, that no engine of ours played: the judge is the engine of their matches
        judge = {name: analysed[name] for name in ("engine", "opening_evaluation")}
        met = analysed["analysis"]["match_equity_table"]
        played = {**played, **judge, "match_equity_table": met, "noise_mode": "of the programs"}
    if played["engine"] != analysed["engine"]:
        raise TableError(f"{part.table}: played and analysed by different engines")
    evaluations = [played["opening_evaluation"], analysed["opening_evaluation"]]
    about = {"analysis": analysed["analysis"], "opening_evaluations": evaluations}
    return {**played, **about, "table_sha256": analysed["sha256"]}


def _evaluations(parts: Iterable[dict[str, Any]]) -> list[list[float]]:
    evaluations = {tuple(evaluation) for facts in parts for evaluation in facts["opening_evaluations"]}
    return [list(evaluation) for evaluation in sorted(evaluations)]


def _common_facts(parts: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
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
