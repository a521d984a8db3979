"""Select the decisions to judge again, each for itself, and add up the changes of the losses."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from bgmatch.records import Json, Record
from bgrating.decisions.decision_rows import DecisionId
from bgrating.decisions.thresholds import COSTLY, NO_CONTACT


class Flagged(NamedTuple):
    """A decision to judge again: its id, its side, and its first verdict."""

    id: DecisionId
    side: str
    loss_emg: float
    loss_mwc: float


def decision_id_of(row: Record) -> DecisionId:
    return row["game"], row["ply"], row["kind"]


def flagged(batch: pa.RecordBatch) -> list[Flagged]:
    """Return a match's decisions to judge again: errors, and cube decisions without contact."""
    is_cube = pc.not_equal(batch["kind"], "play")
    is_long = pc.and_(is_cube, pc.is_in(batch["theme"], pa.array(list(NO_CONTACT))))
    is_selected = pc.and_(
        pc.or_(pc.greater_equal(batch["loss_emg"], COSTLY), is_long), batch["unforced"]
    )
    rows = batch.select(["game", "ply", "kind", *Flagged._fields[1:]]).filter(is_selected)
    return [
        Flagged(decision_id_of(row), row["side"], row["loss_emg"], row["loss_mwc"])
        for row in rows.to_pylist()
    ]


def changes(
    decisions: Sequence[Flagged], verdicts: Mapping[DecisionId, Json]
) -> dict[tuple[str, str], float]:
    """Return the changes of a match's losses by verdicts, added up by side and column."""
    total: dict[tuple[str, str], float] = {}
    for decision in decisions:
        row = verdicts.get(decision.id)
        if row is None:  # the engine could not judge it
            continue
        kind = "chequer" if decision.id[2] == "play" else "cube"
        for unit, first in (("emg", decision.loss_emg), ("mwc", decision.loss_mwc)):
            name = decision.side, f"{kind}_error_{unit}"
            total[name] = total.get(name, 0.0) + row[f"loss_{unit}"] - first
    return total
