"""The frozen losses of people in matches.

They are of four collections without names and files, judged at several depths.
"""

import pandas as pd
import pyarrow as pa

from bgrating.rating.result_files import results_of
from bgrating.tables.table_files import read_rows

SCHEMA = pa.schema(
    [
        ("level", pa.string()),
        ("match", pa.int32()),
        ("side", pa.string()),
        ("player", pa.string()),
        ("match_length", pa.int16()),
        ("luck_adjusted_result", pa.float32()),
        ("unforced_moves", pa.int32()),
        ("close_cube_decisions", pa.int32()),
        ("chequer_error_emg", pa.float32()),
        ("cube_error_emg", pa.float32()),
        ("loss_mwc", pa.float32()),
    ]
)
# The folders of the frozen losses.
COLLECTIONS = {
    "one man and his opponents": ("1.07.001", "people-depth"),
    "strong players": ("1.08", "people-depth"),
    "players of one server": ("1.08", "people-gridgammon"),
    "title matches": ("1.08", "people-title"),
}


def frozen_losses(engine_version: str) -> pd.DataFrame:
    """Return the players' sides of all matches that an engine has judged at 0-ply."""
    return losses_at(engine_version, "0-ply")


def losses_at(engine_version: str, level: str) -> pd.DataFrame:
    """Return the players' sides of all matches that an engine has judged at a level, with the name
    of their `group`.

    Columns are some of those of a collection's matches.csv. Players have numbers instead of names;
    `file` is the group.
    """
    tables = []
    for group, (folder, name) in COLLECTIONS.items():
        table = read_rows(results_of(folder) / name / "frozen" / "losses.parquet", SCHEMA)
        sides = table[table["level"] == f"{engine_version} {level}"]
        tables.append(sides.assign(group=group, file=group, player=group + " " + sides["player"]))
    return pd.concat(tables, ignore_index=True)
