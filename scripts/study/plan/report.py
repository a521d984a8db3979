"""A plan in full: allocation, what has been played already, the lines that `plan` prints, and designs to play from."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

from bgrating.rating.intervals import CONFIDENCE, anytime_factor, quantile
from bgrating.rating.rates import KEY
from study.formula.mixture import PARTS, Part
from study.formula.points import points
from study.formula.recommended import METHOD
from study.plan.allocation import PlanError, for_budget, for_half_width
from study.plan.points import plan_points

HOUR = 3600.0
ANALYSIS: dict[Part, str] = {"luck": "0-ply", "errors": "0-ply-no-luck", "plain": "none"}
WORDS: dict[Part, str] = {
    "luck": "analysed with luck",
    "errors": "analysed for errors, without luck",
    "plain": "only played",
}
SHARD_MATCHES: dict[Part, int] = {"luck": 200, "errors": 1000, "plain": 2000}  # a minute or less at 5 points


def make_plan(
    matches: pd.DataFrame, costs: pd.DataFrame, half_width: float | None, hours: float | None, lengths: Sequence[int]
) -> pd.DataFrame:
    """Plan for a half-width of every R (points) or for a budget (core-hours), at `lengths` or all that were played.

    Columns of plan/allocation.py and: `played` matches (with luck) so far, `half_width_now` of R from these alone, and
    `half_width_anytime`, which holds however often one has looked (rating/intervals.py). Raises PlanError.
    """
    there = sorted(int(n) for n in matches["match_length"].unique())
    missing = [n for n in lengths if n not in there]
    if missing:
        raise PlanError(
            f"lengths={','.join(map(str, lengths))}: nothing has been played at {', '.join(map(str, missing))} points, "
            f"so variances are not known there; there are {', '.join(map(str, there))}"
        )
    wanted = matches[matches["match_length"].isin(list(lengths) or there)]
    cells = plan_points(wanted, costs)
    plan = for_budget(cells, HOUR * float(hours or 0)) if half_width is None else for_half_width(cells, half_width)
    rows = points(wanted)
    rows = rows[rows["method"] == METHOD]
    z = quantile(CONFIDENCE)
    error = rows["rating_difference_se"].to_numpy(float)
    played = rows[KEY].assign(
        played=rows["n_matches"],
        half_width_now=z * error,
        half_width_anytime=error * anytime_factor(rows["n_matches"].to_numpy(float), CONFIDENCE, 500),
    )
    return plan.merge(played, on=KEY, how="left")


def described(plan: pd.DataFrame, folder: Path) -> str:
    """Write the lines that `plan` prints."""
    cpu, planned, published = plan["cpu_seconds"].sum(), plan["half_width"].mean(), plan["published_half_width"].mean()
    lines = [
        f"Plan for {len(plan)} design points, {cpu / HOUR:.2f} core-hours, {CONFIDENCE:.0%} intervals of R:",
        f"  {'N':>3} {'player':<26}{'luck':>7}{'errors':>8}{'plain':>8}{'+-':>7}{'as published +-':>17}"
        f"{'played':>8}{'+- now':>8}",
    ]
    for row in plan.to_dict("records"):
        now = row["half_width_now"]
        lines.append(
            f"  {row['match_length']:>3} {row['player']:<26}{row['luck']:>7}{row['errors']:>8}{row['plain']:>8}"
            f"{row['half_width']:>7.1f}{row['published_half_width']:>17.1f}{row['played']:>8}"
            f"{now if np.isfinite(now) else float('nan'):>8.1f}"
        )
    lines += [
        f"  {', '.join(f'{int(plan[part].sum()):,} matches {part}' for part in PARTS)}",
        f"  Mean half-width {planned:.1f} points; equally many matches everywhere, all with luck, give {published:.1f} "
        f"for the same CPU ({planned / published:.2f}).",
        "Stopping: play in batches of 100 matches or more and stop a design point when its own half-width is small",
        "enough; whoever stops because of the value of R must go by half_width_anytime (docs/reference/tables.md).",
        f"Plan: {folder / 'plan.csv'}; designs to copy to config/designs beside it.",
    ]
    return "\n".join(lines) + "\n"


def design_texts(plan: pd.DataFrame, name: str, seed: int) -> dict[str, str]:
    """Return the design of each part of a plan that has matches, as YAML, by the name of its study.

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
