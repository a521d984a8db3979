"""Replace the losses of matches whose errors were all judged again: the level `checked`."""

import numpy as np
import pandas as pd

from bgrating.analysis.second_look import SecondLook
from bgrating.decisions.flagged import changes
from bgrating.decisions.thresholds import LEVEL
from bgrating.people.players import error_rates

_LOSSES = ["chequer_error_emg", "chequer_error_mwc", "cube_error_emg", "cube_error_mwc"]


def at_level(matches: pd.DataFrame, look: SecondLook, level: str) -> pd.DataFrame:
    """Return matches (two rows each, with `key`) with the losses of the second look where a match
    is checked.

    The column `level` names the judge of the losses: `level`, the first one, or LEVEL.
    """
    keys = [key for key in dict.fromkeys(matches["key"]) if look.is_checked(key)]
    checked = matches["key"].isin(keys)
    table = matches.assign(level=np.where(checked, LEVEL, level))
    by_side = {
        (key, side, name): loss
        for key in keys
        for (side, name), loss in changes(look.flagged[key], look.verdicts(key)).items()
    }
    if not by_side:
        return table
    change = pd.Series(by_side).unstack().reindex(columns=_LOSSES).fillna(0.0)
    sides = pd.MultiIndex.from_frame(matches[["key", "side"]])
    added = change.reindex(sides, fill_value=0.0).to_numpy()
    # No loss is below zero, but a sum of rounded losses may be.
    table[_LOSSES] = np.maximum(matches[_LOSSES].to_numpy(float) + added, 0.0)
    return table.assign(**error_rates(table))
