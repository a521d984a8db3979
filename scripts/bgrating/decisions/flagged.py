"""Which decisions are judged again, by a rule that looks at the decision alone, and what that changes."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bgrating.decisions.thresholds import COSTLY, NO_CONTACT

Json = dict[str, Any]
Place = tuple[int, int, str]
"""A decision of a match: game, ply and kind, as in the table of decisions."""
Same = tuple[str, str, str]
"""What equal positions have in common: position, kind of decision, what was done."""


class Flagged(NamedTuple):
    """A decision that is judged again: its place, its first verdict, and what equal positions have in common."""

    place: Place
    side: str
    loss_emg: float
    loss_mwc: float
    same: Same


def place_of(row: Mapping[str, Any]) -> Place:
    return row["game"], row["ply"], row["kind"]


def flagged(batch: pa.RecordBatch, key: str) -> list[Flagged]:
    """Return the decisions of a match that are judged again: errors, and cube decisions without contact."""
    is_cube = pc.not_equal(batch["kind"], "play")
    is_long = pc.and_(is_cube, pc.is_in(batch["theme"], pa.array(list(NO_CONTACT))))
    is_wanted = pc.and_(pc.or_(pc.greater_equal(batch["loss_emg"], COSTLY), is_long), batch["unforced"])
    chosen = batch.filter(is_wanted)
    names = ("game", "ply", "kind", "side", "loss_emg", "loss_mwc", "xgid", "played", "match_length")
    found = []
    for game, ply, kind, side, loss_emg, loss_mwc, xgid, played, length in zip(
        *(chosen[name].to_pylist() for name in names), strict=True
    ):
        # For money the rules (Jacoby) are no part of a position's name.
        same = (xgid, kind, played) if length else (f"{key} {game} {ply}", kind, played)
        found.append(Flagged((game, ply, kind), side, loss_emg, loss_mwc, same))
    return found


def changes(judged: Sequence[Flagged], verdicts: Mapping[Place, Json]) -> dict[tuple[str, str], float]:
    """Return by how much verdicts change the losses of the sides of a match, added up by side and column."""
    total: dict[tuple[str, str], float] = {}
    for one in judged:
        row = verdicts.get(one.place)
        if row is None:  # nothing that the engine could judge
            continue
        kind = "chequer" if one.place[2] == "play" else "cube"
        for unit, first in (("emg", one.loss_emg), ("mwc", one.loss_mwc)):
            name = one.side, f"{kind}_error_{unit}"
            total[name] = total.get(name, 0.0) + row[f"loss_{unit}"] - first
    return total
