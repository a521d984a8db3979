"""The design points that a plan is about, with variances from matches already played and measured costs, and as played.

What a planned study has given stands beside the published design at the same CPU.
"""

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats
from study.formula.cells import by_key, results_of
from study.formula.estimators import FLAT, control_variate
from study.formula.mixture import Part, moments
from study.plan.allocation import PlanError, Point
from study.plan.costs import ERRORS, LUCK, PLAY

# What a match of each part is put through.
TASKS: dict[Part, tuple[str, ...]] = {"luck": (PLAY, LUCK), "errors": (PLAY, ERRORS), "plain": (PLAY,)}


def net_errors(matches: pd.DataFrame) -> Floats:
    """Return the player's errors less the opponent's, chequer play and cube (match-winning chance; matches by two)."""
    return np.column_stack(
        [
            matches[f"player_{kind}_error_mwc"].to_numpy(float) - matches[f"opponent_{kind}_error_mwc"].to_numpy(float)
            for kind in ("chequer", "cube")
        ]
    )


def plan_points(matches: pd.DataFrame, costs: pd.DataFrame) -> list[Point]:
    """Return the design points of a match table with luck, costs from the table of `plan.costs`.

    A task costs as much a roll whoever plays (the median over the players measured), so that a match costs what its
    rolls say. Raises PlanError for a match length that was not measured.
    """
    grouped = costs.groupby(["match_length", "task"])["cpu_per_roll"].median()
    per_roll: dict[tuple[int, str], float] = grouped.to_dict()  # type: ignore[assignment]
    measured = sorted(int(n) for n in costs["match_length"].unique())
    points = []
    for (length, player, opponent), rows in by_key(matches).items():
        if length not in measured:
            raise PlanError(
                f"no costs were measured at {length} points, only at {', '.join(map(str, measured))}: "
                f"./run costs --config lengths={length}"
            )
        errors = net_errors(rows)
        results = results_of(rows)
        luck = np.column_stack([results.player_luck, results.opponent_luck])
        rolls = float(rows["rolls"].mean())
        points.append(
            Point(
                match_length=length,
                player=player,
                opponent=opponent,
                # The best known of the unbiased means, and of the same matches as the spread of plain results.
                p=float(np.clip(control_variate(results).p, 0.01, 0.99)),
                moments=moments(results.actual, luck, errors[:, errors.std(axis=0) > FLAT]),
                costs={part: rolls * sum(per_roll[length, task] for task in tasks) for part, tasks in TASKS.items()},
                published_variance=float(results.luck_adjusted.var(ddof=1)),
            )
        )
    return points
