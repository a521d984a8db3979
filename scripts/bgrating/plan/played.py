"""What a planned study has given: half-widths of R beside those of the published design at the same CPU."""

from typing import Any

import numpy as np
import pandas as pd

from bgrating.dictionary import columns
from bgrating.formula.cells import by_key, with_results
from bgrating.formula.estimators import Chance, Results, luck_adjusted
from bgrating.formula.fibs import rating_difference, rating_difference_se
from bgrating.formula.intervals import quantile
from bgrating.formula.mixture import Matches, Part, mixed
from bgrating.formula.rates import KEY
from bgrating.plan.allocation import PUBLISHED_MATCHES, Point
from bgrating.plan.points import net_errors

COLUMNS = columns("statistics/efficient")


def played(
    luck: pd.DataFrame, errors: pd.DataFrame, wins: pd.DataFrame, published: pd.DataFrame, points: list[Point],
    confidence: float,
) -> pd.DataFrame:  # fmt: skip
    """Estimate every design point of a planned study (COLUMNS).

    `luck` and `errors` are match tables of its parts, `wins` counts of the part that was only played, `published` the
    match table of the published design at the same points, `points` what a match costs and varies by there.
    `planned_half_width` is what `points` say of so many matches. `published_half_width` is that of the luck-adjusted
    mean (as published) at as many matches as the same CPU buys, equally many at every point: the one measured, scaled
    by the root of the number of matches; `published_share_half_width` at the PUBLISHED_MATCHES of that design.
    `difference_in_se`: this chance less that of the published design, over the standard error of the difference.
    """
    z = quantile(confidence)
    parts = {name: by_key(table) for name, table in (("luck", luck), ("errors", with_results(errors)), ("wins", wins))}
    theirs = by_key(published)
    costs = {(point.match_length, point.player, point.opponent): point for point in points}
    keys = [key for key in costs if any(key in groups for groups in parts.values())]
    rows: list[dict[str, Any]] = []
    for key in keys:
        chance, counts = _estimate(*(parts[name].get(key) for name in ("luck", "errors", "wins")))
        old = _luck_adjusted(theirs[key])
        se = float(rating_difference_se(chance.p, chance.se, key[0]))
        rows.append(
            dict(zip(KEY, key, strict=True))
            | counts
            | {
                "p_win": chance.p, "p_win_se": chance.se, "half_width": z * se,
                "planned_half_width": z * costs[key].std_error(counts),
                "rating_difference": float(rating_difference(chance.p, key[0])),
                "cpu_seconds": costs[key].cpu(counts), "published_matches": len(theirs[key]), "published_p": old.p,
                "published_half_width": z * float(rating_difference_se(old.p, old.se, key[0])),
                "difference_in_se": (chance.p - old.p) / float(np.hypot(chance.se, old.se)),
                "confidence": confidence,
            }
        )  # fmt: skip
    table = pd.DataFrame(rows, columns=COLUMNS)
    everywhere = table["cpu_seconds"].sum() / sum(costs[key].costs["luck"] for key in keys)
    table["published_share_half_width"] = table["published_half_width"] * np.sqrt(
        table["published_matches"] / PUBLISHED_MATCHES
    )
    table["published_half_width"] *= np.sqrt(table["published_matches"] / everywhere)
    return table


def _estimate(
    luck: pd.DataFrame | None, errors: pd.DataFrame | None, wins: pd.DataFrame | None
) -> tuple[Chance, dict[Part, int]]:
    none = np.empty(0)
    plain = none
    if wins is not None:
        won, lost = int(wins["won"].sum()), int((wins["matches"] - wins["won"]).sum())
        plain = np.repeat([0.5, -0.5], [won, lost])
    matches = Matches(
        luck_result=none if luck is None else luck["actual_result"].to_numpy(float),
        luck=np.empty((0, 2)) if luck is None else luck[["player_luck_mwc", "opponent_luck_mwc"]].to_numpy(float),
        luck_errors=np.empty((0, 2)) if luck is None else net_errors(luck),
        errors_result=none if errors is None else errors["actual_result"].to_numpy(float),
        errors=np.empty((0, 2)) if errors is None else net_errors(errors),
        plain_result=plain,
    )
    counts: dict[Part, int] = {
        "luck": len(matches.luck_result),
        "errors": len(matches.errors_result),
        "plain": len(plain),
    }
    return mixed(matches), counts


def _luck_adjusted(rows: pd.DataFrame) -> Chance:
    columns = ("actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc")
    return luck_adjusted(Results(*(rows[name].to_numpy(float) for name in columns)))
