"""Write a plan as designs that the studies of this project are played from (config/designs)."""

import pandas as pd
import yaml

from bgrating.formula.mixture import PARTS, Part

ANALYSIS: dict[Part, str] = {"luck": "0-ply", "errors": "0-ply-no-luck", "plain": "none"}
WORDS: dict[Part, str] = {
    "luck": "analysed with luck",
    "errors": "analysed for errors, without luck",
    "plain": "only played",
}
SHARD_MATCHES: dict[Part, int] = {"luck": 200, "errors": 1000, "plain": 2000}  # a minute or less at 5 points


def design_texts(plan: pd.DataFrame, name: str, seed: int) -> dict[str, str]:
    """Give the design of each part of a plan that has matches, as YAML, by the name of its study.

    `plan` has the columns of plan/allocation.py. The studies are called `name`-luck, `name`-errors and `name`-plain and
    have the seeds `seed` and the two that follow.
    """
    return {
        f"{name}-{part}": _text(plan[plan[part] > 0], part, name, seed + i)
        for i, part in enumerate(PARTS)
        if (plan[part] > 0).any()
    }


def _text(rows: pd.DataFrame, part: Part, name: str, seed: int) -> str:
    settings = {
        "title": f"{name}: matches {WORDS[part]}",
        "description": f"One part of the plan {name}; formula/mixture.py puts its parts together.",
        "published": False,
        "seed": seed,
        "analysis": ANALYSIS[part],
        "shard_matches": SHARD_MATCHES[part],
        "points": [
            {
                "players": [str(row["player"])],
                "opponent": str(row["opponent"]),
                "match_lengths": [int(row["match_length"])],
                "matches": int(row[part]),
            }
            for row in rows.to_dict("records")
        ],
    }
    return yaml.safe_dump(settings, sort_keys=False, width=116)
