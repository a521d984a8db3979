"""What the report says of a study that determines no formula: its pairs of players, one by one."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.report import words


@dataclass(frozen=True)
class Pairs:
    """A study of pairs of players; `rows` is the table of the model's comparison module, `reason` why no formula."""

    name: str
    rows: pd.DataFrame
    reason: str
    provenance: dict[str, Any]


def published(row: Any) -> str:
    """Write the published rating difference with its interval; a dash where the paper has no such pair."""
    if pd.isna(row["published_difference"]):
        return words.ABSENT
    interval = words.between(row["published_low"], row["published_high"])
    return f"{words.number(row['published_difference'])} {interval}"


def verdict(row: Any) -> str:
    """Say where our rating difference lies beside the published interval."""
    if pd.isna(row["distance"]):
        return "nothing to compare"
    if row["distance"] == 0:
        return "inside the published interval"
    overlap = row["ci_low"] <= row["published_high"] and row["published_low"] <= row["ci_high"]
    return f"{words.number(row['distance'])} outside the published interval" + (
        ", intervals overlap" if overlap else ""
    )
