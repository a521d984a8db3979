"""Estimated ratings of players at one site, with errors that a player of one match has too, and shrunk ones."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.collection.players import errors_of
from bgrating.dictionary import columns
from bgrating.formula.choose import Chosen
from bgrating.formula.field import pooled_scatter, random_effects, roots, variances
from bgrating.formula.player import rating

Floats = NDArray[np.float64]

STRENGTH_COLUMNS = columns("people/strengths")


def strengths(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return one row per named player and site (the dialect of the text) with an estimated rating (STRENGTH_COLUMNS).

    `rating`, `ci_low`, `ci_high` are those of formula/player.py, over the matches at this site. `rating_se`,
    `shrunk_rating` and `shrunk_se` are those of formula/field.py, the site's players the field. NaN where a site has
    too few players or matches for it.
    """
    rated = matches[(matches["player"] != "") & (matches["match_length"] > 0) & (matches["unforced_moves"] > 0)]
    tables = []
    for site, here in rated.groupby("dialect", sort=True):
        rows = [_player(str(player), own, chosen, offset) for player, own in here.groupby("player", sort=True)]
        table = pd.DataFrame([row for row in rows if math.isfinite(row["rating"])])
        if len(table):
            tables.append(_with_errors(table, offset).assign(site=str(site)))
    if not tables:
        return pd.DataFrame(columns=STRENGTH_COLUMNS)
    return pd.concat(tables, ignore_index=True)[STRENGTH_COLUMNS]


def _player(name: str, own: pd.DataFrame, chosen: Chosen, offset: float) -> dict[str, Any]:
    found = rating(errors_of(own, chosen), chosen.formula, offset)
    recorded = own["recorded_rating"].dropna().to_numpy(np.float64)
    return {
        "player": name,
        "matches": found.matches,
        "decisions": float(own["unforced_moves"].sum() + own[chosen.decisions].sum()),
        "moves": float(own["unforced_moves"].sum()),
        "rating": found.value,
        "ci_low": found.low,
        "ci_high": found.high,
        "jackknife": found.se_matches,
        "recorded_rating": float(recorded.mean()) if len(recorded) else math.nan,
        "recorded_matches": len(recorded),
        "recorded_sd": float(recorded.std(ddof=1)) if len(recorded) > 1 else math.nan,
    }


def _with_errors(table: pd.DataFrame, offset: float) -> pd.DataFrame:
    players = table.assign(own_se=table["jackknife"], loss=offset - table["rating"])
    root, (variance, _) = roots(players), variances(players, pooled_scatter(players))
    mean, _, between = random_effects(root, variance)
    share = between / (between + variance) if math.isfinite(between) else np.full(len(root), math.nan)
    drawn, left = mean + share * (root - mean), share * variance
    return table.assign(
        rating_se=2 * np.maximum(root, 1.0) * np.sqrt(variance),
        shrunk_rating=offset - drawn**2 - left,
        shrunk_se=2 * np.maximum(drawn, 1.0) * np.sqrt(left),
    )
