"""Tables of one row a match: pool the shards of a study, freeze them, read them back and refuse what does not fit.

Column names and units: results/README.md. `player` is the left, `opponent` the right column of the .mat files.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bgrating import levels
from bgrating.designs import Design, DesignPoint, shard_table
from bgrating.errors import BgratingError
from bgrating.match_statistics import CUBE_ERRORS
from bgrating.provenance import provenance_path, read_provenance, sha256, write_provenance

_COUNTS = (
    "total_moves",
    "unforced_moves",
    "total_cube_decisions",
    "close_cube_decisions",
    "close_cube_decisions_2003",
    "doubles",
    "takes",
    "passes",
)
_MEASURES = (
    "chequer_error_emg",
    "chequer_error_mwc",
    "cube_error_emg",
    "cube_error_mwc",
    *(f"{name}_{unit}" for unit in ("emg", "mwc") for name, _ in CUBE_ERRORS.values()),
    "luck_emg",
    "luck_mwc",
)
SIDES = ("player", "opponent")

# gnubg computes in single precision, so float32 keeps all it says.
SCHEMA = pa.schema(
    [
        ("match_length", pa.int16()),
        ("player", pa.string()),
        ("opponent", pa.string()),
        ("chequer_noise", pa.float64()),
        ("cube_noise", pa.float64()),
        ("shard", pa.int16()),
        ("match", pa.int16()),
        ("games", pa.int16()),
        ("rolls", pa.int32()),
        ("player_score", pa.int16()),
        ("opponent_score", pa.int16()),
        ("actual_result", pa.float32()),
        ("luck_adjusted_result", pa.float32()),
        *((f"{side}_{name}", pa.int32()) for side in SIDES for name in _COUNTS),
        *((f"{side}_{name}", pa.float32()) for side in SIDES for name in _MEASURES),
    ]
)
# What must be the same in every shard that is pooled.
_SAME = ("engine", "match_equity_table", "noise_mode", "analysis", "study_seed")


class TableError(BgratingError):
    """A table cannot be used; the message names the table and the reason."""


def shard_rows(table: Path, point: DesignPoint, shard: int) -> pd.DataFrame:
    """Return a shard's matches, one row each (columns: SCHEMA), from its table of one row per match and player."""
    both = pd.read_csv(table)
    left, right = (both[both["side"] == side].reset_index(drop=True) for side in ("left", "right"))
    player = levels.player(point.player)
    columns: dict[str, Any] = {
        "match_length": point.match_length,
        "player": point.player,
        "opponent": point.opponent,
        "chequer_noise": player.chequerplay.noise,
        "cube_noise": player.cubedecision.noise,
        "shard": shard,
        **{name: left[name] for name in ("match", "games", "rolls", "actual_result", "luck_adjusted_result")},
        "player_score": left["score"],
        "opponent_score": right["score"],
    }
    for side, rows in zip(SIDES, (left, right), strict=True):
        columns |= {f"{side}_{name}": rows[name] for name in (*_COUNTS, *_MEASURES)}
    return pd.DataFrame(columns, columns=SCHEMA.names)


def pool_shards(
    design: Design, match_length: int, shards: Sequence[tuple[DesignPoint, int, Path]], pooled: Path
) -> None:
    """Pool shards (design point, shard number, table) of one match length into a table with its provenance.

    Shards from processors with other last digits are pooled: gnubg's chances differ by some 0.0001 then. The provenance
    lists every evaluation of the opening position that occurs.

    Raises TableError where shards come from different engines, match-equity tables, noise modes, analyses or seeds.
    """
    parts = [shard_rows(table, point, number) for point, number, table in shards]
    rows = pd.concat(parts, ignore_index=True) if parts else SCHEMA.empty_table().to_pandas()
    facts = {table: _shard_facts(table) for _, _, table in shards}
    write_matches(rows, pooled)
    write_provenance(
        pooled,
        study=design.study,
        match_length=match_length,
        rows=len(rows),
        planned=sum(point.matches for point in design.points_of(match_length)),
        shards=len(shards),
        opening_evaluations=_evaluations(facts),
        **_common_facts(facts),
    )


def freeze_what_is_there(design: Design, results: Path) -> Iterator[str]:
    """Freeze every match length of a study from the shards that are there; yield a line on each length.

    A frozen table that holds more matches than the shards at hand is left alone.
    """
    for length in design.match_lengths():
        shards = [
            (point, shard.number, table)
            for point in design.points_of(length)
            for shard in point.shards()
            if provenance_path(table := shard_table(results, design.study, point, shard.number)).is_file()
        ]
        frozen = results / design.study / "frozen" / f"{length}.parquet"
        held = len(read_checked(frozen)) if frozen.is_file() else -1
        if sum(read_provenance(table.with_suffix(".zip"))["rows"] for _, _, table in shards) > held:
            pool_shards(design, length, shards, frozen)
        facts = read_provenance(frozen)
        yield f"{frozen}: {facts['rows']} of {facts['planned']} matches"


def gather(lengths: Sequence[Path], matches: Path) -> None:
    """Concatenate the tables of match lengths into one table of matches with its provenance.

    Raises TableError where a table's checksum is wrong or tables do not belong together.
    """
    tables = {table: read_checked(table) for table in lengths}
    facts = {table: read_provenance(table) for table in lengths}
    filled = {table: fact for table, fact in facts.items() if fact["rows"]}
    if not filled:
        raise TableError(f"no matches in {', '.join(map(str, lengths))}: play some first (./run study)")
    common = _common_facts(filled)
    rows = pd.concat([tables[table] for table in filled], ignore_index=True)
    write_matches(rows, matches)
    write_provenance(
        matches,
        study=next(iter(filled.values()))["study"],
        rows=len(rows),
        planned=sum(fact["planned"] for fact in facts.values()),
        tables={str(fact["match_length"]): fact["sha256"] for fact in facts.values()},
        opening_evaluations=_evaluations(filled),
        **common,
    )


def read_checked(table: Path) -> pd.DataFrame:
    """Return a table's matches. Raises TableError where its bytes are not those of its provenance."""
    try:
        facts = read_provenance(table)
    except FileNotFoundError as missing:
        raise TableError(f"{table} has no provenance beside it ({missing.filename})") from missing
    if facts["sha256"] != sha256(table):
        raise TableError(f"{table}: its checksum is not the one in its provenance; restore both from the repository")
    return read_matches(table)


def read_matches(table: Path) -> pd.DataFrame:
    """Return a table of matches as a data frame (columns: SCHEMA)."""
    rows: pd.DataFrame = pq.read_table(table, schema=SCHEMA).to_pandas()
    return rows


def write_matches(rows: pd.DataFrame, table: Path) -> None:
    """Write matches so that the same rows give the same bytes."""
    table.parent.mkdir(parents=True, exist_ok=True)
    typed = pa.Table.from_pandas(rows[SCHEMA.names], schema=SCHEMA, preserve_index=False).replace_schema_metadata(None)
    part = table.with_name(table.name + ".part")
    pq.write_table(typed, part, compression="zstd", compression_level=19, use_dictionary=True)
    part.replace(table)


def _shard_facts(table: Path) -> dict[str, Any]:
    """Return the provenance of a shard: of its archive (how it was played) and of its table (how it was analysed)."""
    played, analysed = read_provenance(table.with_suffix(".zip")), read_provenance(table)
    if played["engine"] != analysed["engine"]:
        raise TableError(f"{table}: played and analysed by different engines")
    evaluations = [played["opening_evaluation"], analysed["opening_evaluation"]]
    return {**played, "analysis": analysed["analysis"], "opening_evaluations": evaluations}


def _evaluations(parts: Mapping[Path, dict[str, Any]]) -> list[list[float]]:
    """Return the different evaluations of the opening position that occur in the parts of a table, in order."""
    found = {tuple(one) for facts in parts.values() for one in facts["opening_evaluations"]}
    return [list(one) for one in sorted(found)]


def _common_facts(parts: Mapping[Path, dict[str, Any]]) -> dict[str, Any]:
    """Return the facts that all parts of a table must share. Raises TableError naming the first part that differs."""
    common: dict[str, Any] = {}
    for part, facts in parts.items():
        for name in _SAME:
            if common.setdefault(name, facts[name]) != facts[name]:
                raise TableError(
                    f"{part} differs in {name} ({facts[name]}) from what it should be pooled with ({common[name]})"
                )
    return common
