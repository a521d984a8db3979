"""The design points that a plan is about, with variances from matches already played and measured costs, and as played.

What a planned study has given stands beside the published design at the same CPU.
"""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.rating.fibs import Floats, rating_difference, rating_difference_se
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.rates import KEY
from bgrating.tables.dictionary import columns
from study.formula.cells import by_key, results_of, with_results
from study.formula.estimators import FLAT, Chance, control_variate, luck_adjusted
from study.formula.mixture import Matches, Part, mixed, moments
from study.plan.allocation import PUBLISHED_MATCHES, PlanError, Point
from study.plan.costs import ERRORS, LUCK, PLAY

PLAYED_COLUMNS = columns("statistics/efficient")
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


def played(
    luck: pd.DataFrame, errors: pd.DataFrame, wins: pd.DataFrame, published: pd.DataFrame, points: list[Point],
) -> pd.DataFrame:  # fmt: skip
    """Return estimates of every design point of a planned study (PLAYED_COLUMNS).

    `luck` and `errors` are match tables of its parts, `wins` counts of the part that was only played, `published` the
    match table of the published design at the same points, `points` what a match costs and varies by there.
    `planned_half_width` is what `points` say of so many matches. `published_half_width` is that of the luck-adjusted
    mean (as published) at as many matches as the same CPU buys, equally many at every point: the one measured, scaled
    by the root of the number of matches; `published_share_half_width` at the PUBLISHED_MATCHES of that design.
    `difference_in_se`: this chance less that of the published design, over the standard error of the difference.
    """
    z = quantile(CONFIDENCE)
    parts = [(table, by_key(table)) for table in (luck, with_results(errors), wins)]
    as_published = by_key(published)
    costs = {(point.match_length, point.player, point.opponent): point for point in points}
    keys = [key for key in costs if any(key in groups for _, groups in parts)]
    rows: list[dict[str, Any]] = []
    for key in keys:
        chance, counts = _estimate(*(groups.get(key, table.head(0)) for table, groups in parts))
        old = luck_adjusted(results_of(as_published[key]))
        se = float(rating_difference_se(chance.p, chance.se, key[0]))
        rows.append(
            dict(zip(KEY, key, strict=True))
            | counts
            | {
                "p_win": chance.p, "p_win_se": chance.se, "half_width": z * se,
                "planned_half_width": z * costs[key].std_error(counts),
                "rating_difference": float(rating_difference(chance.p, key[0])),
                "cpu_seconds": costs[key].cpu(counts),
                "published_matches": len(as_published[key]), "published_p": old.p,
                "published_half_width": z * float(rating_difference_se(old.p, old.se, key[0])),
                "difference_in_se": (chance.p - old.p) / float(np.hypot(chance.se, old.se)),
                "confidence": CONFIDENCE,
            }
        )  # fmt: skip
    table = pd.DataFrame(rows, columns=PLAYED_COLUMNS)
    everywhere = table["cpu_seconds"].sum() / sum(costs[key].costs["luck"] for key in keys)
    table["published_share_half_width"] = table["published_half_width"] * np.sqrt(
        table["published_matches"] / PUBLISHED_MATCHES
    )
    table["published_half_width"] *= np.sqrt(table["published_matches"] / everywhere)
    return table


def _estimate(luck: pd.DataFrame, errors: pd.DataFrame, wins: pd.DataFrame) -> tuple[Chance, dict[Part, int]]:
    won, played = int(wins["won"].sum()), int(wins["matches"].sum())
    matches = Matches(
        luck_result=luck["actual_result"].to_numpy(float),
        luck=luck[["player_luck_mwc", "opponent_luck_mwc"]].to_numpy(float),
        luck_errors=net_errors(luck),
        errors_result=errors["actual_result"].to_numpy(float),
        errors=net_errors(errors),
        plain_result=np.repeat([0.5, -0.5], [won, played - won]),
    )
    return mixed(matches), {"luck": len(luck), "errors": len(errors), "plain": played}
