"""Pairs: matches with the figures of both nets side by side, one row per match, and no names of people.

Also which of them are taken together, and which are clusters.
"""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bgrating.play.matches import SIDES
from bgrating.tables.tables import read_rows
from study.translation import NETS, PEOPLE, SIMULATED

ABOUT = ("source", "played_by", "player", "opponent", "match_length", "games", "shard", "match", "actual_result")
COUNTS = ("unforced_moves", "close_cube_decisions", "close_cube_decisions_2003")
MEASURES = ("chequer_error_emg", "cube_error_emg", "luck_mwc")
FIGURES = ("luck_adjusted_result", *(f"{side}_{name}" for side in SIDES for name in (*COUNTS, *MEASURES)))
"""What each nets say of a match; in a table of pairs with `_<nets>` behind it. Units: docs/reference/tables.md."""

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


def read_pairs(table: Path) -> pd.DataFrame:
    """Return a table of pairs. Raises ProvenanceError where its bytes are not those of its provenance."""
    return read_rows(table, SCHEMA)


def clusters(pairs: pd.DataFrame) -> NDArray[np.intp]:
    """Return the cluster of each match, numbers from 0.

    Matches of the same two people belong together; of simulated ones, whose players have no memory, each stands alone.
    """
    both = np.sort(pairs[list(SIDES)].to_numpy(str), axis=1)
    alone = (pairs["source"] == SIMULATED).to_numpy()
    keys = np.where(alone, np.arange(len(pairs)).astype(str), np.char.add(np.char.add(both[:, 0], " "), both[:, 1]))
    return np.unique(keys, return_inverse=True)[1].astype(np.intp)


def sources(pairs: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield simulated matches, all people's, and each collection if there are several."""
    simulated = (pairs["source"] == SIMULATED).to_numpy()
    if simulated.any():
        yield SIMULATED, simulated
    if not simulated.all():
        yield PEOPLE, ~simulated
    names = sorted(pairs.loc[~simulated, "source"].unique())
    if len(names) > 1:
        for name in names:
            yield name, (pairs["source"] == name).to_numpy()


def without_busiest(pairs: pd.DataFrame) -> NDArray[np.bool_] | None:
    """Return the matches without the player of most of them; None where that player is in no more than a quarter."""
    counts = pd.concat([pairs[side] for side in SIDES]).value_counts()
    if counts.empty or counts.iloc[0] <= len(pairs) / 4:
        return None
    return np.asarray(~(pairs[list(SIDES)] == counts.index[0]).any(axis=1))


def sides(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return one row per match and player: the match's `row` and `cluster`, and the player's figures by both nets.

    The player stands under `player`; the rows of all left columns come first.
    """
    numbered = pairs.assign(cluster=clusters(pairs), row=np.arange(len(pairs)))
    parts = []
    for side in SIDES:
        names = {f"{side}_{name}_{nets}": f"{name}_{nets}" for name in (*COUNTS, *MEASURES) for nets in NETS}
        part = numbered[[*ABOUT, "row", "cluster", *names]].rename(columns=names)
        parts.append(part.assign(player=numbered[side]))
    table = pd.concat(parts, ignore_index=True)
    return table.astype(dict.fromkeys([f"{n}_{nets}" for n in (*COUNTS, *MEASURES) for nets in NETS], np.float64))
