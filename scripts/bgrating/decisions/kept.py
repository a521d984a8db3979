"""Decisions as files: a part for each batch, one table for a collection, read part by part to bound memory."""

import heapq
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bgrating.decisions.rows import SCHEMA
from bgrating.tables.provenance import verified, whole, write_provenance

Json = dict[str, Any]

# What a collection's table says instead of `key`; a row group holds whole matches.
_WHOSE = [("file", pa.string()), ("match", pa.int32()), ("player", pa.string()), ("opponent", pa.string())]
COLUMNS = pa.schema([*_WHOSE, *(field for field in SCHEMA if field.name != "key")])
_COMPRESSION: Json = {"compression": "zstd", "compression_level": 9}


def batch_of(key: str, rows: Iterable[Mapping[str, Any]]) -> pa.RecordBatch:
    """Return the decisions of one content as columns, which take a tenth of the room of rows."""
    return pa.RecordBatch.from_pylist([{**row, "key": key} for row in rows], schema=SCHEMA)


def write_part(batches: Sequence[pa.RecordBatch], path: Path) -> None:
    """Write the decisions of a batch of contents."""
    with whole(path) as part:
        pq.write_table(pa.Table.from_batches(batches, schema=SCHEMA), part, **_COMPRESSION)


def write_decisions(parts: Iterable[Path], matches: pd.DataFrame, path: Path, /, **facts: Any) -> int:
    """Write the decisions of the matches that a collection counts, and their provenance; return how many.

    `matches` has two rows a match with `key`, `side`, `file`, `match`, `player` and `opponent`: decisions of contents
    that are not in it (duplicates, rejected ones) are left out.
    """
    whose = matches[["key", "side", *(name for name, _ in _WHOSE)]].set_index("key")
    count = 0
    with whole(path) as new, pq.ParquetWriter(new, COLUMNS, **_COMPRESSION) as writer:
        for part in parts:
            table = pq.read_table(part)
            keys = table.column("key").to_pandas()
            own = whose[whose.index.isin(keys.unique())].reset_index()
            if len(own):
                # The order of play is kept: the keys stand in the order of the batch.
                joined = table.to_pandas().merge(own, on=["key", "side"], how="inner", validate="m:m")
                writer.write_table(pa.Table.from_pandas(joined[COLUMNS.names], schema=COLUMNS, preserve_index=False))
                count += len(joined)
    write_provenance(path, **facts, rows=count)
    return count


def by_part(path: Path) -> Iterator[pd.DataFrame]:
    """Yield the decisions of a collection's table, whole matches at a time. Raises ProvenanceError."""
    verified(path)
    file = pq.ParquetFile(path)
    for number in range(file.num_row_groups):
        yield file.read_row_group(number).to_pandas()


class Costliest:
    """The costliest decisions of every player, kept while the parts go by: so many, of at least so much (EMG)."""

    def __init__(self, most: int, least: float) -> None:
        self._most, self._least = most, least
        self._kept: dict[str, list[tuple[float, int, Json]]] = {}
        self._number = 0

    def add(self, part: pd.DataFrame) -> None:
        """Look at a part."""
        for name, rows in part[part["loss_emg"] >= self._least].groupby("player"):
            heap = self._kept.setdefault(str(name), [])
            for row in rows.nlargest(self._most, "loss_emg").to_dict("records"):
                self._number -= 1  # of equal losses the first is kept
                entry = (float(row["loss_emg"]), self._number, {str(key): value for key, value in row.items()})
                if len(heap) < self._most:
                    heapq.heappush(heap, entry)
                else:
                    heapq.heappushpop(heap, entry)

    def of(self, player: str) -> list[Json]:
        """Return a player's decisions, the costliest first."""
        return [row for _, _, row in sorted(self._kept.get(player, []), key=lambda entry: entry[:2], reverse=True)]
