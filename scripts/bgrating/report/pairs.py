"""What the report says of a study that determines no formula: its pairs of players, one by one."""

from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.figures.style import points_word
from bgrating.report import words


@dataclass(frozen=True)
class Pairs:
    """A study of pairs of players; `rows` is the table of the model's comparison module, `reason` why no formula."""

    name: str
    rows: pd.DataFrame
    reason: str
    provenance: dict[str, Any]


def table(rows: pd.DataFrame) -> list[dict[str, str]]:
    """Give every pair: error rates, chance, our rating difference, the published one, and whether they agree."""
    return [
        {
            "player": str(row["player"]),
            "opponent": str(row["opponent"]),
            "length": points_word(int(row["match_length"])),
            "matches": words.number(row["n_matches"]),
            "epm": words.milli(row["epm"]),
            "epc": words.milli(row["epc"]),
            "epc_2003": words.milli(row["epc_2003"]),
            "chance": words.number(100 * row["p_win"], 1),
            "measured": f"{words.number(row['rating_difference'])} {words.between(row['ci_low'], row['ci_high'])}",
            "published": published(row),
            "formula": words.number(row["published_formula"]),
            "verdict": verdict(row),
            "status": "" if row["status"] == "ok" else str(row["status"]),
        }
        for row in rows.to_dict("records")
    ]


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
