"""Tables of one row a match: made from a shard's, written, and read back where their checksum is right.

Column names and units: results/README.md. `player` is the left, `opponent` the right column of the .mat files.
"""

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from bgrating.errors import BgratingError
from bgrating.gnubg import levels
from bgrating.gnubg.sgf import CUBE_ERRORS
from bgrating.provenance import verified, whole
from bgrating.study.designs import DesignPoint

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
    *(f"{name}_{unit}" for unit in ("emg", "mwc") for name in CUBE_ERRORS),
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


def read_checked(table: Path) -> pd.DataFrame:
    """Return a table's matches. Raises ProvenanceError where its bytes are not those of its provenance."""
    verified(table)
    return read_matches(table)


def read_matches(table: Path) -> pd.DataFrame:
    """Return a table of matches as a data frame (columns: SCHEMA)."""
    rows: pd.DataFrame = pq.read_table(table, schema=SCHEMA).to_pandas()
    return rows


def write_matches(rows: pd.DataFrame, table: Path) -> None:
    """Write matches so that the same rows give the same bytes."""
    table.parent.mkdir(parents=True, exist_ok=True)
    typed = pa.Table.from_pandas(rows[SCHEMA.names], schema=SCHEMA, preserve_index=False).replace_schema_metadata(None)
    with whole(table) as part:
        pq.write_table(typed, part, compression="zstd", compression_level=19, use_dictionary=True)
