"""Pool the matches of a study into one table, and refuse matches that do not belong together."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from bgmatch.records import Json
from bgrating.engine.known_engines import shared_version
from bgrating.play.designs import Design
from bgrating.play.match_tables import SCHEMA, TableError, read_checked, shard_rows
from bgrating.tables.provenance import read_provenance, verified
from bgrating.tables.table_files import parquet, write_rows
from study.custody import ANEW, CustodyError, made_of, require_cell, require_made_of, require_seed
from study.workflow_settings import PlannedShard, Settings

# Metadata that must be the same in all pooled tables.
_SAME = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed")
_CELL = ["player", "opponent", "match_length"]


class Pooled(NamedTuple):
    """Matches of one match length, one row each, their provenance, and the SHA-256 of their source
    files.
    """

    rows: pd.DataFrame
    metadata: Json
    sources: dict[Path, str]


def gather(settings: Settings, study: str, tables: Sequence[Path], out: Path) -> None:
    """Write the matches of a study, one row each in the order of its design, with their provenance.

    `tables` are the frozen table of a match length, else those of its shards (`match_tables`).
    Raises CustodyError for a file in the place of another and for rows outside the design. Raises
    TableError for tables that differ in engine, levels or seed, and MixedVersionsError for matches
    of other versions. Raises ProvenanceError for a wrong checksum.
    """
    design = settings.design(study)
    frozen = {int(table.stem): table for table in tables if table.suffix == ".parquet"}
    folder = next((table.parents[3] for table in tables if table.suffix == ".csv"), None)
    rows = []
    metadata = {}
    sources: dict[Path, str] = {}
    for length in design.match_lengths():
        if length in frozen:
            matches = thawed(design, length, frozen[length])
        else:
            matches = pooled(settings, study, length, folder)
        rows.append(matches.rows)
        metadata[length] = matches.metadata
        sources |= matches.sources
    common = _common_metadata({f"{length} points": metadata[length] for length in metadata})
    shared_version({study: common["engine"]}, settings.engine_version)
    write_rows(
        pd.concat(rows, ignore_index=True),
        SCHEMA,
        out,
        study=study,
        cells=settings.cells(study),
        planned=sum(of_length["planned"] for of_length in metadata.values()),
        tables={str(length): metadata[length]["sha256"] for length in metadata},
        opening_evaluations=_evaluations(metadata.values()),
        **made_of(out, sources),
        **common,
    )


def freeze(settings: Settings, study: str, tables: Sequence[Path]) -> Iterator[str]:
    """Write the frozen table of each match length of some tables of shards; yield a line on each.

    Raises as `gather` does.
    """
    folder = tables[0].parents[3]
    for length in sorted({int(table.parts[-3]) for table in tables}):
        rows, metadata, _ = pooled(settings, study, length, folder)
        frozen = folder / "frozen" / f"{length}.parquet"
        del metadata["sha256"]  # write_rows adds it
        write_rows(rows, SCHEMA, frozen, **metadata)
        yield f"{frozen}: {len(rows)} of {metadata['planned']} matches"


def require_matches(settings: Settings, matches: Path) -> str:
    """Return the study of a table of matches.

    Raises CustodyError if they belong to another design.
    """
    metadata = verified(matches)
    study = str(metadata["study"])
    require_seed(matches, metadata, settings.design(study).seed)
    if metadata.get("cells") != settings.cells(study):
        raise CustodyError(
            f"{matches} holds matches of another design: delete it and run again, or give another"
            " results="
        )
    return study


def pooled(settings: Settings, study: str, match_length: int, folder: Path | None) -> Pooled:
    """Pool the shards of one match length in the folder of a study. Raises as `gather` does.

    Shards may come from builds of the engine that round divisions otherwise, so that last digits
    differ. The provenance lists every evaluation of the opening position that occurs.
    """
    rows = []
    metadata = {}
    sources = {}
    planned = 0
    for planned_shard in settings.shards(study, match_length, folder):
        point, shard, _ = planned_shard
        table = planned_shard.table
        metadata[str(table)] = shard_metadata(settings, study, planned_shard)
        sources[table] = metadata[str(table)]["table_sha256"]
        rows.append(shard_rows(table, planned_shard.archive, point, shard.number))
        planned += shard.matches
    matches = pd.concat(rows, ignore_index=True)
    identity = {
        "study": study,
        "match_length": match_length,
        "planned": planned,
        "shards": len(rows),
        "opening_evaluations": _evaluations(metadata.values()),
        "sha256": hashlib.sha256(parquet(matches, SCHEMA)).hexdigest(),
    }
    return Pooled(matches, identity | _common_metadata(metadata), sources)


def thawed(design: Design, match_length: int, table: Path) -> Pooled:
    """Return a frozen table. Raises CustodyError if its matches are not those of the design.

    A table that was frozen before all matches were played says so in its provenance; it may lack
    matches.
    """
    rows = read_checked(table)
    metadata = read_provenance(table)
    if metadata["study"] != design.study or metadata["match_length"] != match_length:
        raise CustodyError(
            f"{table} holds {metadata['study']} to {metadata['match_length']} points: restore both"
            " tables from the repository"
        )
    require_seed(table, metadata, design.seed)
    planned = {
        (point.player, point.opponent, match_length): point.matches
        for point in design.points_of(match_length)
    }
    counts: dict[Any, int] = rows.groupby(_CELL).size().to_dict()
    is_complete = len(rows) == metadata["planned"]
    for cell in {**planned, **counts}:
        count = counts.get(cell, 0)
        expected = planned.get(cell, 0)
        if count > expected or (is_complete and count < expected):
            raise CustodyError(
                f"{table} holds {count} matches of {cell[0]} against {cell[1]}, and the design asks"
                f" for {expected}: restore the design, or give results= another folder, where all"
                " is played"
            )
    return Pooled(rows, metadata, {table: metadata["sha256"]})


def shard_metadata(settings: Settings, study: str, shard: PlannedShard) -> Json:
    """Return the provenance of a shard: that of its archive (play) and of its table (analysis).

    Raises CustodyError if they do not belong to the design as it is now.
    """
    task = settings.task(study, shard)
    level = settings.analysis(study)["level"]
    played = verified(shard.archive)
    analysed = verified(shard.table)
    require_cell(shard.archive, played, task)
    require_cell(shard.table, analysed.get("cell", {}), task)
    require_made_of(shard.table, analysed, shard.archive, played["sha256"])
    if analysed["analysis"] != level:
        raise CustodyError(
            f"{shard.table} was analysed at another level than its design names: {ANEW}"
        )
    # Of matches between programs, the analysing engine counts as the engine that played them.
    if "sides" in played:
        played |= {
            "engine": analysed["engine"],
            "opening_evaluation": analysed["opening_evaluation"],
            "match_equity_table": level["match_equity_table"],
            "noise_mode": "of the programs",
        }
    if played["engine"] != analysed["engine"]:
        raise TableError(f"{shard.table}: played and analysed by different engines")
    return {
        **played,
        "analysis": level,
        "opening_evaluations": [played["opening_evaluation"], analysed["opening_evaluation"]],
        "table_sha256": analysed["sha256"],
    }


def _evaluations(every_metadata: Iterable[Json]) -> list[tuple[float, ...]]:
    return sorted(
        {tuple(one) for metadata in every_metadata for one in metadata["opening_evaluations"]}
    )


def _common_metadata(metadata_of: Mapping[str, Json]) -> Json:
    """Return the metadata that all tables share, from that of each by name.

    Raises TableError naming the first table that differs.
    """
    common: Json = {}
    sides: Json = {}
    first: dict[str, str] = {}
    for table, metadata in metadata_of.items():
        shared = {name: metadata[name] for name in _SAME}
        for known, values in ((common, shared), (sides, metadata.get("sides", {}))):
            for name, value in values.items():
                earlier = first.setdefault(name, table)
                if known.setdefault(name, value) != value:
                    raise TableError(
                        f"{earlier} and {table} differ in {name}: delete what was played for one of"
                        " them and run again, or give another results="
                    )
    return common | ({"sides": sides} if sides else {})
