"""Pairs: matches with the figures of both nets side by side, one row per match, and no names of people."""

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa

from bgrating.people.pairs import pairs as people_pairs
from bgrating.study.designs import DesignPoint
from bgrating.study.matches import SIDES, shard_rows
from bgrating.tables import read_rows
from bgrating.translation.names import NETS, SIMULATED
from bgrating.translation.production import analysed_by

ABOUT = ("source", "played_by", "player", "opponent", "match_length", "games", "shard", "match", "actual_result")
COUNTS = ("unforced_moves", "close_cube_decisions", "close_cube_decisions_2003")
MEASURES = ("chequer_error_emg", "cube_error_emg", "luck_mwc")
FIGURES = ("luck_adjusted_result", *(f"{side}_{name}" for side in SIDES for name in (*COUNTS, *MEASURES)))
"""What each nets say of a match; in a table of pairs with `_<nets>` behind it. Units: results/README.md."""

# gnubg computes in single precision, so float32 keeps all it says.
SCHEMA = pa.schema(
    [
        *((name, pa.string()) for name in ABOUT[:4]),
        *((name, pa.int16()) for name in ABOUT[4:8]),
        ("actual_result", pa.float32()),
        *(
            (f"{name}_{nets}", pa.int32() if name.endswith(COUNTS) else pa.float32())
            for nets in NETS
            for name in FIGURES
        ),
    ]
)


def side_by_side(about: pd.DataFrame, figures: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return pairs (SCHEMA) from what is the same for both nets and the figures of each, rows in the same order."""
    own = {f"{name}_{nets}": table[name].to_numpy() for nets, table in figures.items() for name in FIGURES}
    table = pd.concat([about.reset_index(drop=True), pd.DataFrame(own)], axis=1)[SCHEMA.names]
    typed = pa.Table.from_pandas(table, schema=SCHEMA, preserve_index=False, safe=False)
    rows: pd.DataFrame = typed.to_pandas()
    return rows


def simulated_pairs(shards: Iterable[tuple[str, DesignPoint, int, Path]]) -> pd.DataFrame:
    """Return the pairs of simulated shards: the nets that played, the design point, the shard's number, its archive."""
    parts = []
    for played_by, point, number, archive in shards:
        tables = {nets: shard_rows(analysed_by(archive, nets), point, number) for nets in NETS}
        about = next(iter(tables.values())).assign(source=SIMULATED, played_by=played_by)
        parts.append(side_by_side(about[list(ABOUT)], tables))
    return pd.concat(parts, ignore_index=True) if parts else empty()


def collection_pairs(matches: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the pairs of collections from their tables of matches by nets (collection/accounts.py).

    The source is the first folder of a file's name. Decided matches with luck alone (people/pairs.py). Players have
    numbers in the order in which they appear; who has no name is a player of that match alone.
    """
    tables = {nets: people_pairs(table).set_index(["file", "match"]) for nets, table in matches.items()}
    first, *others = tables.values()
    common = first.index
    for other in others:
        common = common.intersection(other.index, sort=False)
    tables = {nets: table.loc[common].reset_index() for nets, table in tables.items()}
    about = next(iter(tables.values()))
    source = about["file"].str.partition("/")[0]
    numbers = _numbers(about[list(SIDES)].fillna("").to_numpy(object))
    about = about.assign(source=source, played_by="", shard=None, **numbers)
    about["match"] = about.groupby("source").cumcount()
    return side_by_side(about[list(ABOUT)], tables)


def _numbers(names: np.ndarray) -> dict[str, list[str]]:
    known: dict[str, str] = {}
    numbered = [
        [known.setdefault(name or f"\0{row}/{seat}", f"p{len(known):04d}") for seat, name in enumerate(both)]
        for row, both in enumerate(names)
    ]
    return {side: [both[seat] for both in numbered] for seat, side in enumerate(SIDES)}


def seen_by(pairs: pd.DataFrame, nets: str) -> pd.DataFrame:
    """Return the matches as these nets see them, with the columns that a table of simulated matches has."""
    about = {name: pairs[name] for name in ABOUT}
    numbers = {name: pairs[name].to_numpy(np.float64) for name in ("match_length", "games", "actual_result")}
    return pd.DataFrame(about | numbers | {name: pairs[f"{name}_{nets}"].to_numpy(np.float64) for name in FIGURES})


def empty() -> pd.DataFrame:
    """Return a table of pairs without rows."""
    rows: pd.DataFrame = SCHEMA.empty_table().to_pandas()
    return rows


def read_pairs(table: Path) -> pd.DataFrame:
    """Return a table of pairs. Raises ProvenanceError where its bytes are not those of its provenance."""
    return read_rows(table, SCHEMA)
