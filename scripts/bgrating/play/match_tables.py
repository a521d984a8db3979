"""Make tables of one row per match from the tables of shards.

Column names and units: docs/reference/tables.md. `player` is the left, `opponent` the right column
of the .mat files.
"""

import math
from pathlib import Path

import pandas as pd
import pyarrow as pa

from bgmatch.records import Json
from bgrating import BgratingError
from bgrating.play.designs import DesignPoint
from bgrating.tables.dictionary import types
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import read_rows, read_table

SIDES = ("player", "opponent")
SCHEMA = pa.schema(types("study/matches"))
_FIGURES = [name.removeprefix("player_") for name in SCHEMA.names if name.startswith("player_")]
"""Columns of each side."""


class TableError(BgratingError):
    """A table cannot be used; the message names the table and the reason."""


def shard_rows(table: Path, archive: Path, point: DesignPoint, shard: int) -> pd.DataFrame:
    """Return a shard's matches, one row each, from its table of one row per match and player.

    SCHEMA has the columns. The provenance of the `archive` names the players; the noise of programs
    is unknown. A match that was forfeited before its first roll has no row. Raises TableError if a
    match or a player is missing, or if there is one too many.
    """
    both = read_table(table)
    left, right = (both[both["side"] == side].reset_index(drop=True) for side in ("left", "right"))
    metadata = read_provenance(archive)
    is_of_programs = "sides" in metadata
    expected = metadata["texts" if is_of_programs else "rows"]
    numbers = left["match"]
    if len(left) != expected or not (numbers.is_unique and numbers.equals(right["match"])):
        raise TableError(
            f"{table} has {len(left)} matches, not the {expected} that {archive} holds: delete it"
        )
    chequer_noise = cube_noise = math.nan
    if not is_of_programs:
        player = metadata["players"][0]
        chequer_noise = player["chequerplay"]["noise"]
        cube_noise = player["cubedecision"]["noise"]
    columns: Json = {
        "match_length": point.match_length,
        "player": point.player,
        "opponent": point.opponent,
        "shard": shard,
        "chequer_noise": chequer_noise,
        "cube_noise": cube_noise,
        **{name: left[name] for name in ("match", "games", "rolls")},
        **_results(left, right, metadata.get("forfeits", [])),
    }
    for side, rows in zip(SIDES, (left, right), strict=True):
        columns |= {f"{side}_{name}": rows[name] for name in _FIGURES}
    return pd.DataFrame(columns, columns=SCHEMA.names)


def _results(left: pd.DataFrame, right: pd.DataFrame, forfeits: list[Json]) -> Json:
    """Return the results of the left side; a forfeit is a loss, with the luck of the moves."""
    won = left["actual_result"].astype(float)
    adjusted = left["luck_adjusted_result"].astype(float)
    for forfeit in forfeits:
        is_here = left["match"] == forfeit["match"]
        won = won.mask(is_here, 0.5 if forfeit["side"] == "right" else -0.5)
        adjusted = adjusted.mask(is_here, won - (left["luck_mwc"] - right["luck_mwc"]))
    return {"actual_result": won, "luck_adjusted_result": adjusted}


def read_checked(table: Path) -> pd.DataFrame:
    """Return a table's matches (SCHEMA).

    Raises ProvenanceError if it differs from its provenance.
    """
    return read_rows(table, SCHEMA)
