"""Keep the decisions of a match in the store, and those of a collection in decisions.parquet.

The table is written part by part to bound memory.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bgmatch.records import Json, Record
from bgrating.decisions.decision_rows import DecisionId
from bgrating.tables.dictionary import types
from bgrating.tables.provenance import atomic_path, write_provenance
from bgrating.tables.table_files import arrow_file

_MATCH_COLUMNS = ("file", "match", "player", "opponent")
"""The first columns of a collection's table. A row group holds whole matches."""
COLUMNS = pa.schema(types("human/decisions"))
_VERDICTS = [name for name in COLUMNS.names if name.startswith(("checked_", "confirmed_", "xg_"))]
SCHEMA = pa.schema([field for field in COLUMNS if field.name not in {*_MATCH_COLUMNS, *_VERDICTS}])
"""The columns of a match's decisions in the store."""
CHECKED = [name for name in SCHEMA.names if f"checked_{name}" in _VERDICTS]
"""Columns that the second look finds anew, as `checked_<name>`."""
Verdicts = Callable[[str, int, str], Mapping[DecisionId, Json]]
"""Returns other judges' verdicts (columns) on a match (file, number, key), by game, ply and kind.
"""
ROWS_TOGETHER = 20_000
MATCHES_TOGETHER = 500
_WRITING: Json = {
    "compression": "zstd",
    "compression_level": 3,
    # Values of the other columns seldom repeat.
    "use_dictionary": [
        *_MATCH_COLUMNS,
        "side",
        "kind",
        "theme",
        "cube_owner",
        "dice",
        "played",
        "best",
        "checked_by",
        "confirmed_by",
        "xg_by",
    ],
}


def packed(columns: Record) -> bytes:
    """Return a match's decisions, lists by column (SCHEMA), as the store keeps them."""
    # Compressed as a whole: Arrow's own compression by column takes six times as long to read.
    batch = pa.RecordBatch.from_pydict(
        {name: columns.get(name, []) for name in SCHEMA.names}, SCHEMA
    ).serialize()
    return len(batch).to_bytes(8, "little") + bytes(pa.Codec("zstd", 3).compress(batch))


def unpacked(data: bytes) -> pa.RecordBatch:
    batch = pa.Codec("zstd").decompress(
        data[8:], decompressed_size=int.from_bytes(data[:8], "little")
    )
    return pa.ipc.read_record_batch(batch, SCHEMA)


def write_decisions(
    batches: Iterable[pa.Table], path: Path, /, **metadata: Any
) -> Iterator[pa.Table]:
    """Write parts of `decisions_together` and yield each when it is written.

    Then write the provenance.
    """
    count = 0
    with (
        atomic_path(path) as new,
        arrow_file(new, "wb") as out,
        pq.ParquetWriter(out, COLUMNS, **_WRITING) as writer,
    ):
        for table in batches:
            writer.write_table(table)
            count += len(table)
            yield table
    write_provenance(path, **metadata, rows=count)


def decisions_of(batches: Iterable[pa.Table]) -> pa.Table:
    """Return the decisions of a collection (`decisions_together`) as one table, maybe empty."""
    return pa.concat_tables([COLUMNS.empty_table(), *batches])


def decisions_together(
    matches: pd.DataFrame, decisions: Callable[[str], bytes], verdicts: Verdicts
) -> Iterator[pa.Table]:
    """Yield the decisions of whole matches (columns COLUMNS), about ROWS_TOGETHER rows at a time.

    `matches` has two rows a match, left and right, with `key`, `file`, `match`, `player` and
    `opponent`. `decisions` returns the packed decisions of a key.
    """
    left = matches[matches["side"] == "left"]
    tables: list[pa.Table] = []
    for key, *match_cells in left[["key", *_MATCH_COLUMNS]].itertuples(index=False):
        tables.append(
            _with_match(
                unpacked(decisions(key)), match_cells, verdicts(match_cells[0], match_cells[1], key)
            )
        )
        # An empty table needs as much memory as hundreds of rows.
        if sum(map(len, tables)) >= ROWS_TOGETHER or len(tables) >= MATCHES_TOGETHER:
            yield pa.concat_tables(tables).combine_chunks()
            tables = []
    if tables:
        yield pa.concat_tables(tables).combine_chunks()


def _with_match(
    batch: pa.RecordBatch, match_cells: Sequence[Any], verdicts: Mapping[DecisionId, Json]
) -> pa.Table:
    """Return a match's decisions with all columns of COLUMNS."""
    file, number, left, right = match_cells
    is_left = pc.equal(batch["side"], "left")
    batches = [batch[name].to_pylist() for name in ("game", "ply", "kind")]
    decision_ids = zip(*batches, strict=True)
    rows = [verdicts.get(decision_id, {}) for decision_id in decision_ids]
    columns = {
        "file": [file] * len(batch),
        "match": [number] * len(batch),
        "player": pc.if_else(is_left, left, right),
        "opponent": pc.if_else(is_left, right, left),
        **{name: batch[name] for name in SCHEMA.names},
        **{name: [row.get(name) for row in rows] for name in _VERDICTS},
    }
    return pa.Table.from_pydict(columns, COLUMNS)


def with_second_look(decisions: pd.DataFrame) -> pd.DataFrame:
    """Return decisions of the table with the verdict of the second look where there is one.

    `first_loss_emg` keeps the first judge's loss. `checked_by` is empty for decisions that were not
    judged again, `confirmed_by` for those that no third judge confirmed.
    """
    by = decisions["checked_by"].fillna("")
    checked = {
        name: decisions[f"checked_{name}"].where(by != "", decisions[name]) for name in CHECKED
    }
    return decisions.drop(columns=[f"checked_{name}" for name in CHECKED]).assign(
        **checked,
        checked_by=by,
        confirmed_by=decisions["confirmed_by"].fillna(""),
        first_loss_emg=decisions["loss_emg"],
        xg_by=decisions["xg_by"].fillna(""),
    )
