"""Pairs: matches with the figures of both nets side by side, one row per match, and no names of people.

Also which of them are taken together: sources, lengths, levels; and which are clusters.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from bgrating.engine import levels
from bgrating.play.matches import SIDES
from bgrating.rating.fibs import Floats
from bgrating.tables.tables import read_rows
from study.translation import NETS, PEOPLE, SIMULATED

ABOUT = ("source", "played_by", "player", "opponent", "match_length", "games", "shard", "match", "actual_result")
COUNTS = ("unforced_moves", "close_cube_decisions", "close_cube_decisions_2003")
MEASURES = ("chequer_error_emg", "cube_error_emg", "luck_mwc")
FIGURES = ("luck_adjusted_result", *(f"{side}_{name}" for side in SIDES for name in (*COUNTS, *MEASURES)))
"""What each nets say of a match; in a table of pairs with `_<nets>` behind it. Units: docs/reference/tables.md."""

LENGTHS = ((1, 4), (5, 6), (7, 8), (9, 999))
"""Bins of people's match lengths, points."""
LEVELS = (0.0, 0.005, 0.0075, 0.01, 0.015, 1.0)
"""Ends of the bins of people's EPM, EMG: the mean of both nets over all matches of a player."""

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
    """Yield simulated matches, all people's, and where there are several collections each of them."""
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
        own = {f"{side}_{name}_{nets}": f"{name}_{nets}" for name in (*COUNTS, *MEASURES) for nets in NETS}
        part = numbered[[*ABOUT, "row", "cluster", *own]].rename(columns=own)
        parts.append(part.assign(player=numbered[side]))
    table = pd.concat(parts, ignore_index=True)
    return table.astype(dict.fromkeys([f"{n}_{nets}" for n in (*COUNTS, *MEASURES) for nets in NETS], np.float64))


def groups(rows: pd.DataFrame, source: str) -> Iterator[tuple[str, str, NDArray[np.bool_]]]:
    """Yield the groups of a source's rows (match and player): by what, which, and the rows that belong."""
    yield "all", "all", np.ones(len(rows), dtype=bool)
    length = rows["match_length"].to_numpy(int)
    if source == SIMULATED:
        for nets in sorted(rows["played_by"].unique()):
            yield "played by", str(nets), (rows["played_by"] == nets).to_numpy()
        for points in np.unique(length):
            yield "match length", str(points), length == points
        noise = {name: levels.player(name) for name in rows["player"].unique()}
        for what, of in (("chequer noise", "chequerplay"), ("cube noise", "cubedecision")):
            own = rows["player"].map({name: getattr(player, of).noise for name, player in noise.items()}).to_numpy()
            for value in np.unique(own):
                yield what, f"{value:g}", own == value
        return
    for low, high in LENGTHS:
        words = f"{low} and more" if high == LENGTHS[-1][1] else f"{low} to {high}"
        yield "match length", words, (length >= low) & (length <= high)
    if source == PEOPLE:
        epm = _long_run_epm(rows)
        for least, most in pairwise(LEVELS):
            words = f"{1000 * least:g} to {1000 * most:g}"
            words = f"below {1000 * most:g}" if least == LEVELS[0] else words
            words = f"{1000 * least:g} and more" if most == LEVELS[-1] else words
            yield "EPM, thousandths", words, (epm >= least) & (epm < most)


def _long_run_epm(rows: pd.DataFrame) -> Floats:
    """Return the EPM over all matches of each row's player, the mean of both nets, EMG a move."""
    errors = rows[[f"chequer_error_emg_{nets}" for nets in NETS]].mean(axis=1)
    moves = rows[f"unforced_moves_{NETS[0]}"]
    above, below = (values.groupby(rows["player"]).transform("sum") for values in (errors, moves))
    return np.asarray(above / below, dtype=np.float64)
