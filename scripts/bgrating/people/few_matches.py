"""What a rating from few matches is worth: players who have many, the few against their other matches."""

import math
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.collection.players import errors_of
from bgrating.dictionary import columns
from bgrating.formula.choose import Chosen
from bgrating.formula.field import Field, field_of, shrink
from bgrating.formula.intervals import delete_one_error, quantile
from bgrating.formula.player import Errors, rating

Floats = NDArray[np.float64]

CONFIDENCE = 0.9
FEW = (1, 2, 3, 5)
REST = 8
"""Other matches that a player must have to be judged by."""
DRAWS = 20
SEED = 11
COLUMNS = columns("people/few_matches")
STUDENT, PLAIN, SHRUNK = "own matches alone (Student's t)", "pooled variance", "pooled variance, shrunk to the field"


def few_matches(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return how often intervals from 1, 2, 3, 5 matches hold the rating of the player's other matches (COLUMNS).

    Every player with REST matches beside the few counts alike, with DRAWS sets of matches chosen at random; the field
    is that of the other players. `coverage` counts the intervals that hold the rating of the other matches as it is,
    `coverage_fair` those that do with the error of the other matches allowed for, which is what an interval promises;
    their intervals leave out one player at a time.
    """
    rated = matches[(matches["player"].fillna("") != "") & (matches["unforced_moves"] > 0)]
    rated = rated[chosen.formula.holds_at(rated["match_length"].to_numpy(float))]
    players = {str(name): errors_of(own, chosen) for name, own in rated.groupby("player", sort=True)}
    whole = pd.DataFrame([_rated(own, chosen, offset) for own in players.values()], index=list(players))
    rng = np.random.default_rng(SEED)
    found: dict[tuple[int, str], list[Floats]] = {}
    for name, own in players.items():
        field = field_of(whole.drop(index=name))
        if field is None:
            continue
        for few in FEW:
            if len(own.match_length) >= few + REST:
                for interval, rows in _player(own, few, field, chosen, offset, rng).items():
                    found.setdefault((few, interval), []).append(rows)
    return pd.DataFrame([_row(few, kind, rows) for (few, kind), rows in sorted(found.items())], columns=COLUMNS)


def _rated(own: Errors, chosen: Chosen, offset: float) -> dict[str, float]:
    found = rating(own, chosen.formula, offset, CONFIDENCE)
    return {
        "rating": found.value, "loss": offset - found.value, "own_se": found.se_matches, "matches": found.matches,
        "moves": float(own.unforced_moves.sum()), "known_se": found.se_formula, "low": found.low, "high": found.high,
    }  # fmt: skip


def _player(
    own: Errors, few: int, field: Field, chosen: Chosen, offset: float, rng: np.random.Generator
) -> dict[str, Floats]:
    """Return for every kind of interval the draws of one player: value, low, high, rating of the other matches."""
    draws, rest = [], []
    for _ in range(DRAWS):
        order = rng.permutation(len(own.match_length))
        taken, left = (Errors(*(column[places] for column in _parts(own))) for places in (order[:few], order[few:]))
        draws.append(_rated(taken, chosen, offset))
        others = rating(left, chosen.formula, offset)
        rest.append((others.value, quantile(CONFIDENCE) * others.se_matches))
    table, truth = pd.DataFrame(draws), np.array(rest)
    wide = shrink(table, field, offset, CONFIDENCE)
    value = table["rating"].to_numpy(float)
    kinds = {
        PLAIN: (value, wide.low, wide.high),
        SHRUNK: (wide.shrunk, wide.shrunk_low, wide.shrunk_high),
    }
    if few > 1:
        kinds[STUDENT] = (value, table["low"].to_numpy(float), table["high"].to_numpy(float))
    return {kind: np.column_stack([*ends, truth]) for kind, ends in kinds.items()}


def _parts(own: Errors) -> tuple[Floats, ...]:
    return own.match_length, own.chequer_error, own.unforced_moves, own.cube_error, own.close_cube_decisions


def _row(few: int, interval: str, players: list[Floats]) -> dict[str, Any]:
    """Return a row from every player's draws: value, low, high, rating of the other matches, half its interval."""
    value, low, high, truth, error = np.concatenate(players).T
    half, off = (high - low) / 2, value - truth
    row: dict[str, Any] = {"matches": few, "interval": interval}
    wide = np.where(off > 0, np.hypot(value - low, error), np.hypot(high - value, error))
    for name, ends, inside in (
        ("coverage", "coverage", (low <= truth) & (truth <= high)),
        ("coverage_fair", "fair", np.abs(off) <= wide),
    ):
        each = inside.reshape(len(players), -1).mean(axis=1)
        without = (each.sum() - each) / max(len(each) - 1, 1)
        reach = quantile(CONFIDENCE, len(each) - 1) * delete_one_error(without) if len(each) > 1 else math.nan
        mean = float(each.mean())
        row |= {name: mean, f"{ends}_low": mean - reach, f"{ends}_high": mean + reach}
    return row | {
        "mean_half_width": float(half.mean()), "median_half_width": float(np.median(half)),
        "mean_error": float(off.mean()), "rms_error": float(np.sqrt((off**2).mean())), "n_players": len(players),
        "draws": DRAWS, "confidence": CONFIDENCE,
    }  # fmt: skip
