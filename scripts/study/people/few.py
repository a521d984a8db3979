"""How often intervals of ratings from few matches hold the rating of the player's other matches."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bgrating.collection.players import errors_of, rated
from bgrating.rating.choose import Chosen
from bgrating.rating.fibs import Floats
from bgrating.rating.field import Field, field_of, shrink
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.rating.player import Errors, rating
from bgrating.tables.dictionary import columns

FEW = (1, 2, 5)
REST = 8
"""Other matches that a player must have to be judged by."""
DRAWS = 20
SEED = 11
PLAIN, SHRUNK = "pooled variance", "pooled variance, shrunk to the field"


def few_matches(
    matches: pd.DataFrame, chosen: Chosen, offset: float, truth: tuple[pd.DataFrame, Chosen] | None = None,
    draws: int = DRAWS,
) -> pd.DataFrame:  # fmt: skip
    """Return how often intervals from FEW matches hold the rating of the player's other matches (people/few_matches).

    Every player with REST matches beside the few counts alike, with `draws` sets of matches chosen at random; the field
    is that of the other players. Both ratings are by one formula, so its own errors are left out. `coverage` counts the
    intervals that hold the rating of the other matches with the error of those allowed for, which is what an interval
    promises; its own interval leaves out one player at a time (none with one player). `truth` is another judge's table
    of the same matches, in the same order, with his formula: its ratings of the other matches count then.
    """
    own, chosen = _usable(matches, chosen)
    players = {str(name): errors_of(rows, chosen) for name, rows in own.groupby("player", sort=True)}
    other, judge = _usable(*truth) if truth else (own, chosen)
    judged = {str(name): errors_of(rows, judge) for name, rows in other.groupby("player", sort=True)}
    whole = pd.DataFrame([rated(errors, chosen, offset) for errors in players.values()], index=list(players))
    rng = np.random.default_rng(SEED)
    found: dict[tuple[int, str], list[Floats]] = {}
    for name, errors in players.items():
        if len(errors.match_length) < min(FEW) + REST:
            continue
        field = field_of(whole.drop(index=name))
        for few in FEW:
            if field is not None and len(errors.match_length) >= few + REST:
                drawn = _draws(errors, judged[name], few, field, (chosen, judge), offset, draws, rng)
                for interval, rows in drawn.items():
                    found.setdefault((few, interval), []).append(rows)
    table = [_coverage(few, interval, drawn) for (few, interval), drawn in sorted(found.items())]
    return pd.DataFrame(table, columns=columns("people/few_matches"))


def _usable(matches: pd.DataFrame, chosen: Chosen) -> tuple[pd.DataFrame, Chosen]:
    own = matches[(matches["player"].fillna("") != "") & (matches["unforced_moves"] > 0)]
    sure = replace(chosen.formula, covariance=np.zeros_like(chosen.formula.covariance))
    return own[chosen.formula.holds_at(own["match_length"].to_numpy(float))], replace(chosen, formula=sure)


def _draws(
    own: Errors, judged: Errors, few: int, field: Field, chosen: tuple[Chosen, Chosen], offset: float,
    count: int, rng: np.random.Generator,
) -> dict[str, Floats]:  # fmt: skip
    """Return for every kind of interval the draws of one player: value, low, high, rating of the other matches."""
    draws, rest = [], []
    for _ in range(count):
        taken, left = np.split(rng.permutation(len(own.match_length)), [few])
        draws.append(rated(_some(own, taken), chosen[0], offset))
        others = rating(_some(judged, left), chosen[1].formula, offset)
        rest.append((others.value, quantile(CONFIDENCE) * others.se_matches))
    table, truth = pd.DataFrame(draws), np.array(rest)
    wide = shrink(table, field, offset)
    kinds = {
        PLAIN: (table["rating"].to_numpy(float), wide.low, wide.high),
        SHRUNK: (wide.shrunk, wide.shrunk_low, wide.shrunk_high),
    }
    return {kind: np.column_stack([*ends, truth]) for kind, ends in kinds.items()}


def _some(errors: Errors, places: Any) -> Errors:
    return Errors(*(values[places] for values in vars(errors).values()))


def _coverage(few: int, interval: str, players: list[Floats]) -> dict[str, Any]:
    """Return a row from every player's draws: value, low, high, rating of the other matches, half its interval."""
    value, low, high, truth, error = np.concatenate(players).T
    half, off = (high - low) / 2, value - truth
    wide = np.where(off > 0, np.hypot(value - low, error), np.hypot(high - value, error))
    each = (np.abs(off) <= wide).reshape(len(players), -1).mean(axis=1)
    without = (each.sum() - each) / max(len(each) - 1, 1)
    reach = quantile(CONFIDENCE, len(each) - 1) * delete_one_error(without) if len(each) > 1 else math.nan
    mean = float(each.mean())
    return {
        "matches": few, "interval": interval, "coverage": mean, "coverage_low": mean - reach,
        "coverage_high": mean + reach, "mean_half_width": float(half.mean()),
        "median_half_width": float(np.median(half)), "mean_error": float(off.mean()),
        "rms_error": float(np.sqrt((off**2).mean())), "n_players": len(players), "draws": len(players[0]),
        "confidence": CONFIDENCE,
    }  # fmt: skip
