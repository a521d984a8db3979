"""Is luck independent of errors within a match? Simulated matches, where the skill of every player is known."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.tables.dictionary import columns

CELL = ["match_length", "player", "opponent"]


def luck(studies: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return how net luck goes with the errors of the same match, by study (people/luck); matches as frozen tables."""
    rows: list[dict[str, Any]] = []
    for name, table in studies.items():
        rates, lost = (_differences(table, unit) for unit in ("emg", "mwc"))
        net = (table["player_luck_mwc"] - table["opponent_luck_mwc"]).astype(float)
        cell = [table[column] for column in CELL]
        of_worse = np.sign(rates) * net
        rows.append(
            {
                "study": name, "luck": of_worse.mean(), "std_error": of_worse.std() / np.sqrt(len(net)),
                "correlation": _within(rates, net, cell), "correlation_mwc": _within(lost, net, cell),
                "n_matches": len(net),
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/luck"))


def _differences(table: pd.DataFrame, unit: str) -> "pd.Series[float]":
    """Return the player's less the opponent's errors: per decision in EMG (as PR), or their sum in MWC."""

    def of(side: str) -> "pd.Series[float]":
        errors = table[f"{side}_chequer_error_{unit}"] + table[f"{side}_cube_error_{unit}"]
        counted = table[f"{side}_unforced_moves"] + table[f"{side}_close_cube_decisions"]
        return (errors / counted.clip(lower=1) if unit == "emg" else errors).astype(float)

    return of("player") - of("opponent")


def _within(x: "pd.Series[float]", y: "pd.Series[float]", cell: list["pd.Series[Any]"]) -> float:
    """Return the correlation of both about the means of their pairs of levels."""
    return float((x - x.groupby(cell).transform("mean")).corr(y - y.groupby(cell).transform("mean")))
