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
from study.workflow_settings import Part, Settings

# Facts that must be the same in all pooled tables.
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
    Raises CustodyError for a file in the place of another and for rows outside the design,
    TableError for parts that differ in engine, levels or seed, MixedVersionsError for matches of
    other versions, ProvenanceError for a wrong checksum.
    """
    design = settings.design(study)
    frozen = {int(table.stem): table for table in tables if table.suffix == ".parquet"}
    played = next((table.parents[3] for table in tables if table.suffix == ".csv"), None)
    parts = {}
    for length in design.match_lengths():
        if length in frozen:
            parts[str(length)] = thawed(design, length, frozen[length])
        else:
            shards = list(settings.shards(study, length, played))
            parts[str(length)] = pooled(settings, design, length, shards)
    common = _common_metadata({f"{length} points": part.metadata for length, part in parts.items()})
    shared_version({study: common["engine"]}, settings.engine_version)
    write_rows(
        pd.concat([part.rows for part in parts.values()], ignore_index=True),
        SCHEMA,
        out,
        study=study,
        cells=settings.cells(study),
        planned=sum(part.metadata["planned"] for part in parts.values()),
        tables={length: part.metadata["sha256"] for length, part in parts.items()},
        opening_evaluations=_evaluations(part.metadata for part in parts.values()),
        **made_of(
            out,
            {source: digest for part in parts.values() for source, digest in part.sources.items()},
        ),
        **common,
    )


def freeze(settings: Settings, study: str, tables: Sequence[Path]) -> Iterator[str]:
    """Write the frozen table of each match length of some tables of shards; yield a line on each.

    Raises as `gather` does.
    """
    design = settings.design(study)
    folder = tables[0].parents[3]
    for length in sorted({int(table.parts[-3]) for table in tables}):
        rows, metadata, _ = pooled(
            settings, design, length, list(settings.shards(study, length, folder))
        )
        frozen = folder / "frozen" / f"{length}.parquet"
        kept = {key: metadata[key] for key in metadata if key not in ("rows", "sha256")}
        write_rows(rows, SCHEMA, frozen, **kept)
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


def pooled(settings: Settings, design: Design, match_length: int, shards: Sequence[Part]) -> Pooled:
    """Pool shards of one match length. Raises as `gather` does.

    Shards may come from builds of the engine that round divisions otherwise, so that last digits
    differ. The provenance lists every evaluation of the opening position that occurs.
    """
    metadata = {str(part.table): shard_metadata(settings, design.study, part) for part in shards}
    rows = pd.concat(
        [shard_rows(part.table, part.archive, part.point, part.shard.number) for part in shards],
        ignore_index=True,
    )
    about = {
        "study": design.study,
        "match_length": match_length,
        "planned": sum(part.shard.matches for part in shards),
        "rows": len(rows),
        "shards": len(shards),
        "opening_evaluations": _evaluations(metadata.values()),
        "sha256": hashlib.sha256(parquet(rows, SCHEMA)).hexdigest(),
    }
    sources = {part.table: metadata[str(part.table)]["table_sha256"] for part in shards}
    return Pooled(rows, about | _common_metadata(metadata), sources)


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


def shard_metadata(settings: Settings, study: str, part: Part) -> Json:
    """Return the provenance of a shard.

    It joins that of its archive (play) and that of its table (analysis).

    Raises CustodyError if they do not belong to the design as it is now.
    """
    task = settings.task(study, part)
    level = settings.analysis(study)["level"]
    played = verified(part.archive)
    analysed = verified(part.table)
    require_cell(part.archive, played, task)
    require_cell(part.table, analysed.get("cell", {}), task)
    require_made_of(part.table, analysed, part.archive, played["sha256"])
    if analysed["analysis"] != level:
        raise CustodyError(
            f"{part.table} was analysed at another level than its design names: {ANEW}"
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
        raise TableError(f"{part.table}: played and analysed by different engines")
    return {
        **played,
        "analysis": level,
        "opening_evaluations": [played["opening_evaluation"], analysed["opening_evaluation"]],
        "table_sha256": analysed["sha256"],
    }


def _evaluations(parts: Iterable[Json]) -> list[tuple[float, ...]]:
    return sorted(
        {tuple(evaluation) for metadata in parts for evaluation in metadata["opening_evaluations"]}
    )


def _common_metadata(parts: Mapping[str, Json]) -> Json:
    """Return the metadata that all parts of a table share.

    Raises TableError naming the first part that differs.
    """
    common: Json = {}
    sides: Json = {}
    first: dict[str, str] = {}
    for part, metadata in parts.items():
        own = {name: metadata[name] for name in _SAME}
        for found, facts in ((common, own), (sides, metadata.get("sides", {}))):
            for name, value in facts.items():
                other = first.setdefault(name, part)
                if found.setdefault(name, value) != value:
                    raise TableError(
                        f"{other} and {part} differ in {name}: delete what was played for one of"
                        " them and run again, or give another results="
                    )
    return common | ({"sides": sides} if sides else {})
