"""The only reader and writer of tables, each with its provenance.

Tables are CSV by the data dictionary, Parquet or JSON.
"""

import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bgmatch.records import Record
from bgrating.tables.csv_safety import without_mark
from bgrating.tables.dictionary import columns, ordered, texts
from bgrating.tables.folder import locked
from bgrating.tables.lines import FLOATS, cell_text, csv
from bgrating.tables.provenance import (
    ProvenanceError,
    atomic_path,
    verified,
    write_atomic,
    write_provenance,
)

ROWS_TOGETHER = 2_000
_TEXTS = texts()


def write_table(table: pd.DataFrame, path: Path, kind: str, /, **metadata: Any) -> None:
    """Write a table as CSV, harmless in a spreadsheet, and its provenance.

    The provenance has `metadata` and the number of rows. `kind` is the table's name in the data
    dictionary, `subject/table`; a frame without columns is a table without rows. Raises
    ColumnsError if the columns are not those of the dictionary.
    """
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as out:
        out.writelines(_texts(table, kind))
    write_provenance(path, **metadata, rows=len(table))


def _texts(table: pd.DataFrame, kind: str) -> Iterator[str]:
    """Yield the text of ROWS_TOGETHER rows at a time.

    The text of a large table would fill the memory.
    """
    names = ordered(kind, table.columns) if len(table.columns) else columns(kind)
    yield csv([names])
    for start in range(0, len(table), ROWS_TOGETHER):
        rows = table.iloc[start : start + ROWS_TOGETHER]
        yield csv(zip(*(_column_cells(rows[name]) for name in names), strict=True))


def _column_cells(column: "pd.Series[Any]") -> Iterable[str]:
    if column.dtype.kind == "f":
        return list(map(cell_text, column.tolist()))
    return map(cell_text, column.astype(object).where(column.notna(), None))


def write_all(
    tables: Mapping[str, pd.DataFrame], folder: Path, subject: str, /, **metadata: Any
) -> None:
    for name, table in tables.items():
        write_table(table, folder / f"{name}.csv", f"{subject}/{name}", **metadata)


def arrow_file(path: Path, mode: str = "rb") -> pa.OSFile:
    """Open a file for Arrow, which expands `~` in names given as text and rejects names that are
    not UTF-8.
    """
    return pa.OSFile(os.fsencode(path.absolute()), mode)


def write_text(text: str | bytes, path: Path, /, **metadata: Any) -> None:
    write_atomic(path, text)
    write_provenance(path, **metadata)


def read_table(path: Path) -> pd.DataFrame:
    """Return a table that `write_table` wrote.

    Raises ProvenanceError if it differs from its provenance.

    Missing texts are empty; match lengths are integers even if some are missing.
    """
    verified(path)
    return read_csv(path)


def read_settled(path: Path) -> pd.DataFrame:
    """Return a table as `read_table` does, after another command that is writing it now."""
    try:
        return read_table(path)
    except ProvenanceError:
        with locked(path.parent):
            return read_table(path)


def read_csv(path: Path) -> pd.DataFrame:
    """Return a table as `read_table` does, without a look at its provenance."""
    table = pd.read_csv(
        path.absolute(),  # pandas expands `~`
        dtype=dict.fromkeys(_TEXTS, str),
        keep_default_na=False,
        na_values=[""],
        low_memory=False,
    )
    for name in table.columns:
        if name in _TEXTS:
            table[name] = table[name].fillna("")
        if not pd.api.types.is_numeric_dtype(table[name]):
            table[name] = table[name].map(_without_mark)
    if "match_length" in table and table["match_length"].isna().any():
        table = table.astype({"match_length": "Int64"})
    return table


def _without_mark(value: Any) -> Any:
    return without_mark(value) if isinstance(value, str) else value


def write_rows(table: pd.DataFrame, schema: pa.Schema, path: Path, /, **metadata: Any) -> None:
    """Write a table as Parquet, and its provenance."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(parquet(table, schema), path, **metadata, rows=len(table))


def parquet(table: pd.DataFrame, schema: pa.Schema) -> bytes:
    """Return the bytes of a Parquet file: equal rows give equal bytes."""
    typed = pa.Table.from_pandas(table[schema.names], schema=schema, preserve_index=False)
    file = io.BytesIO()
    pq.write_table(
        typed.replace_schema_metadata(None), file, compression="zstd", compression_level=19
    )
    return file.getvalue()


def read_rows(path: Path, schema: pa.Schema) -> pd.DataFrame:
    """Return a table that `write_rows` wrote. Raises ProvenanceError as `read_table` does."""
    verified(path)
    rows: pd.DataFrame = pq.read_table(arrow_file(path), schema=schema).to_pandas()
    return rows


def _rounded(figure: str) -> float:
    return float(FLOATS % float(figure))


def write_json(content: Record, path: Path, /, **metadata: Any) -> None:
    """Write JSON, with figures rounded as in tables, and its provenance.

    Raises ValueError for a figure that is not finite.
    """
    rounded = json.loads(json.dumps(content), parse_float=_rounded)
    write_text(json.dumps(rounded, indent=2, allow_nan=False) + "\n", path, **metadata)


def read_json(path: Path) -> Any:
    """Return the content that `write_json` wrote. Raises ProvenanceError as `read_table` does."""
    verified(path)
    return json.loads(path.read_bytes())


def write_matrix(matrix: pd.DataFrame, path: Path, /, **metadata: Any) -> None:
    """Write a matrix by players and its provenance; missing values are `nan`."""
    lines = [["player", *map(cell_text, matrix.columns)]]
    for name, row in zip(matrix.index, matrix.to_numpy(float).tolist(), strict=True):
        lines.append([cell_text(name), *(FLOATS % value for value in row)])
    write_text(csv(lines), path, **metadata, rows=len(matrix))
