"""Decisions as files: of a match in the store, of a collection in one table, read part by part to bound memory."""

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bgrating.tables.provenance import ProvenanceError, atomic_path, sha256, write_provenance
from bgrating.tables.tables import arrow_file

Json = dict[str, Any]

SCHEMA = pa.schema(
    [
        ("game", pa.int16()), ("ply", pa.int16()), ("side", pa.string()),
        ("kind", pa.string()), ("theme", pa.string()), ("unforced", pa.bool_()), ("position_id", pa.string()),
        ("match_id", pa.string()), ("xgid", pa.string()), ("match_length", pa.int16()), ("score", pa.int16()),
        ("opponent_score", pa.int16()), ("cube", pa.int32()), ("cube_owner", pa.string()), ("dice", pa.string()),
        ("played", pa.string()), ("best", pa.string()), ("loss_emg", pa.float64()), ("loss_mwc", pa.float64()),
        ("luck_emg", pa.float64()), ("luck_mwc", pa.float64()), ("no_double", pa.float32()),
        ("double_take", pa.float32()), ("chance", pa.float32()), ("candidates", pa.string()),
        ("chances", pa.string()),
    ]
)  # fmt: skip

# The first columns of a collection's table; a row group holds whole matches.
_ABOUT = [("file", pa.string()), ("match", pa.int32()), ("player", pa.string()), ("opponent", pa.string())]
CHECKED = ("loss_emg", "loss_mwc", "best", "no_double", "double_take", "candidates", "chances")
"""What a second look finds: `checked_` and these names are columns too."""
_BESIDE = pa.schema(
    [
        *((f"checked_{name}", SCHEMA.field(name).type) for name in CHECKED), ("checked_by", pa.string()),
        ("xg_loss_emg", pa.float64()), ("xg_by", pa.string()),
    ]
)  # fmt: skip
COLUMNS = pa.schema([*_ABOUT, *SCHEMA, *_BESIDE])
Beside = Callable[[str, int, str], Mapping[tuple[int, int, str], Json]]
"""What further judges say of the match of a file, a number and a key, by game, ply and kind: columns of the table."""
ROWS_TOGETHER = 20_000
MATCHES_TOGETHER = 500
_WRITING: Json = {
    "compression": "zstd",
    "compression_level": 3,
    # Values of the other columns hardly repeat.
    "use_dictionary": [
        *(name for name, _ in _ABOUT),
        "side",
        "kind",
        "theme",
        "cube_owner",
        "dice",
        "played",
        "best",
        "checked_by",
        "xg_by",
    ],
}


def no_other(_file: str, _number: int, _key: str) -> Mapping[tuple[int, int, str], Json]:
    return {}


def packed(columns: Mapping[str, Any]) -> bytes:
    """Return a match's decisions, lists by column (SCHEMA), as the store keeps them."""
    # Compressed as a whole: Arrow's own compression, column by column, takes six times as long to read.
    batch = pa.RecordBatch.from_pydict({name: columns.get(name, []) for name in SCHEMA.names}, SCHEMA).serialize()
    packed_batch: bytes = pa.Codec("zstd", 3).compress(batch).to_pybytes()
    return len(batch).to_bytes(8, "little") + packed_batch


def unpacked(data: bytes) -> pa.RecordBatch:
    batch = pa.Codec("zstd").decompress(data[8:], decompressed_size=int.from_bytes(data[:8], "little"))
    return pa.ipc.read_record_batch(batch, SCHEMA)


def write_decisions(
    matches: pd.DataFrame, decisions: Callable[[str], bytes], path: Path, beside: Beside = no_other, /, **facts: Any
) -> int:
    """Write the decisions of the matches that a collection counts, and their provenance; return their number.

    `matches`, `decisions` and `beside` as for `decisions_of`.
    """
    count = 0
    with atomic_path(path) as new, arrow_file(new, "wb") as out, pq.ParquetWriter(out, COLUMNS, **_WRITING) as writer:
        for table in _together(matches, decisions, beside):
            writer.write_table(table)
            count += len(table)
    write_provenance(path, **facts, rows=count)
    return count


def decisions_of(matches: pd.DataFrame, decisions: Callable[[str], bytes], beside: Beside = no_other) -> pa.Table:
    """Return the decisions of the matches that a collection counts, columns COLUMNS.

    `matches` has two rows a match, left and right, with `key`, `file`, `match`, `player` and `opponent`; `decisions`
    gives those of a key, packed.
    """
    return pa.concat_tables([COLUMNS.empty_table(), *_together(matches, decisions, beside)])


def _together(matches: pd.DataFrame, decisions: Callable[[str], bytes], beside: Beside) -> Iterator[pa.Table]:
    """Yield the decisions of whole matches, about ROWS_TOGETHER rows at a time."""
    left = matches[matches["side"] == "left"]
    batches: list[pa.RecordBatch] = []
    besides: list[pa.RecordBatch] = []
    matches_of_batches: list[tuple[Any, ...]] = []
    rows = 0
    for key, *about in left[["key", *(name for name, _ in _ABOUT)]].itertuples(index=False):
        batches.append(unpacked(decisions(key)))
        besides.append(_beside(batches[-1], beside(about[0], about[1], key)))
        matches_of_batches.append(tuple(about))
        rows += len(batches[-1])
        # An empty batch needs as much memory as hundreds of rows.
        if rows >= ROWS_TOGETHER or len(batches) >= MATCHES_TOGETHER:
            yield _joined(batches, besides, matches_of_batches)
            batches, besides, matches_of_batches, rows = [], [], [], 0
    if batches:
        yield _joined(batches, besides, matches_of_batches)


def _beside(batch: pa.RecordBatch, found: Mapping[tuple[int, int, str], Json]) -> pa.RecordBatch:
    if not found:
        return pa.RecordBatch.from_arrays([pa.nulls(len(batch), field.type) for field in _BESIDE], schema=_BESIDE)
    places = zip(*(batch[name].to_pylist() for name in ("game", "ply", "kind")), strict=True)
    rows = [found.get(place, {}) for place in places]
    return pa.RecordBatch.from_pydict({name: [row.get(name) for row in rows] for name in _BESIDE.names}, _BESIDE)


def _joined(
    batches: Sequence[pa.RecordBatch], besides: Sequence[pa.RecordBatch], matches: Sequence[tuple[Any, ...]]
) -> pa.Table:
    table = pa.Table.from_batches(batches).combine_chunks()
    match_of_row = np.repeat(np.arange(len(batches)), [len(batch) for batch in batches])
    files, numbers, left, right = zip(*matches, strict=True)
    is_left = np.asarray(pc.equal(table["side"], "left"))
    names = pa.array([*left, *right])
    on_left, on_right = match_of_row, match_of_row + len(batches)
    columns = [
        pa.array(files).take(pa.array(match_of_row)),
        pa.array(numbers, pa.int32()).take(pa.array(match_of_row)),
        names.take(pa.array(np.where(is_left, on_left, on_right))),
        names.take(pa.array(np.where(is_left, on_right, on_left))),
    ]
    beside = pa.Table.from_batches(besides).combine_chunks()
    return pa.table([*columns, *table.columns, *beside.columns], schema=COLUMNS)


def opened(path: Path, checksum: str) -> pq.ParquetFile:
    """Open a collection's table of decisions. Raises ProvenanceError where it has another checksum."""
    if sha256(path) != checksum:
        raise ProvenanceError(f"{path} was changed by another program while it was used: run the same command again")
    return pq.ParquetFile(arrow_file(path))


def by_part(path: Path, checksum: str) -> Iterator[pd.DataFrame]:
    """Yield the decisions of a collection's table, whole matches at a time. Raises ProvenanceError."""
    file = opened(path, checksum)
    for number in range(file.num_row_groups):
        yield file.read_row_group(number).to_pandas()


def judged(part: pd.DataFrame) -> pd.DataFrame:
    """Return decisions of the table with the verdict of the second look where there is one.

    `first_loss_emg` keeps the first judge's loss; `checked_by` is empty where nobody looked again.
    """
    by = part["checked_by"].fillna("")
    better = {name: part[f"checked_{name}"].where(by != "", part[name]) for name in CHECKED}
    return part.assign(**better, checked_by=by, first_loss_emg=part["loss_emg"], xg_by=part["xg_by"].fillna(""))


class Costliest:
    """The costliest decisions of every player, at most `limit` of each, from parts of the table.

    Those of a second look go before the others, whose loss may be none.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: dict[str, list[tuple[bool, float, int, Json]]] = {}
        self._number = 0

    def add(self, rows: Iterable[Json]) -> None:
        for row in rows:
            heap = self._kept.setdefault(row["player"], [])
            self._number -= 1  # of equal losses the first is kept
            entry = (bool(row.get("checked_by")), row["loss_emg"], self._number, row)
            if len(heap) < self._limit:
                heapq.heappush(heap, entry)
            else:
                heapq.heappushpop(heap, entry)

    def of(self, player: str) -> list[Json]:
        return [row for *_, row in sorted(self._kept.get(player, []), key=lambda entry: entry[:3], reverse=True)]
