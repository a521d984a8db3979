"""What a rating from few matches, or a chance from them, is worth: judged by the same player's other matches.

The error of the other matches is included. The comparison tests the model of scatter (rating/field.py). Players count
alike, with sets of matches drawn at random.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise, product
from typing import Any

import numpy as np
import pandas as pd
from scipy import special

from bgrating.people.players import errors_of
from bgrating.rating.calculator import LIMITS
from bgrating.rating.choose import RatingModel
from bgrating.rating.fibs import Floats
from bgrating.rating.field import Field, field_of, loss_per_root, roots, shrink, shrunk_root, variances
from bgrating.rating.intervals import CONFIDENCE, delete_one_error, quantile
from bgrating.rating.limits import PR_COLUMNS, pr_of, pr_players
from bgrating.rating.player import losses
from bgrating.tables.dictionary import columns

FEW = (1, 2, 5)
REST, LEAST_REST, ABOVE = 8, 3, 1940.0
"""Other matches that a player must have to be judged by: in all figures, by strength; a strong player's rating."""
DRAWS = 20
SEED = 11
PLAIN, SHRUNK = "pooled variance", "pooled variance, shrunk to the field"
BINS = (0.0, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 1.0)
"""Edges of the chances whose calibration is counted."""


def few_matches(
    judges: Mapping[str, tuple[pd.DataFrame, RatingModel]], offset: float, rest: int = REST, draws: int = DRAWS
) -> pd.DataFrame:
    """Return how wide ratings from FEW matches are and how often they hold (people/few_matches), by level.

    `judges` are tables of the same matches in the same order, each with its formula. The last is the deepest. Its
    rating of the player's other matches (at least `rest`) is taken as the truth. All ratings are by one formula, so its
    own errors are left out. The field is that of the other players. `coverage_low` leaves out one player at a time.
    """
    draws_of: dict[tuple[int, str, str], list[Floats]] = {}
    usable = {level: _usable(*judge) for level, judge in judges.items()}
    places = {level: dict(table.groupby("player", sort=True).indices) for level, (table, _) in usable.items()}
    everybody = {
        level: _rated(table, [*places[level].values()], model).set_axis([*places[level]])
        for level, (table, model) in usable.items()
        if len(table)
    }
    deepest, rng = list(usable)[-1], np.random.default_rng(SEED)
    for name, place in places[deepest].items():
        count = len(place)
        sizes = [few for few in FEW if count >= few + rest]
        others_of = {level: table.drop(index=name) for level, table in everybody.items()} if sizes else {}
        fields = {level: field for level, table in others_of.items() if (field := field_of(table))}
        for few in sizes if len(fields) == len(usable) else ():
            orders = [rng.permutation(count) for _ in range(draws)]
            others = _rated(usable[deepest][0], [place[order[few:]] for order in orders], usable[deepest][1])
            truth = shrink(others, fields[deepest], offset)
            known = (offset - others["loss"].to_numpy(float), (truth.high - truth.low) / 2)
            seen = {
                level: _rated(table, [places[level][name][order[:few]] for order in orders], model)
                for level, (table, model) in usable.items()
            }
            kinds = {level: _kinds(table, fields[level], offset) for level, table in seen.items()}
            for level, intervals in kinds.items():
                for kind, ends in intervals.items():
                    deep = kinds[deepest][kind][0]
                    draws_of.setdefault((few, level, kind), []).append(np.column_stack([*ends, *known, deep]))
    rows = [
        {"matches": few, "level": level, "interval": kind, "draws": draws, **_coverage(drawn)}
        for (few, level, kind), drawn in sorted(draws_of.items())
    ]
    return pd.DataFrame(rows, columns=columns("people/few_matches"))


def _usable(matches: pd.DataFrame, model: RatingModel) -> tuple[pd.DataFrame, RatingModel]:
    usable = matches[(matches["player"].fillna("") != "") & (matches["unforced_moves"] > 0)]
    sure = replace(model.formula, covariance=np.zeros_like(model.formula.covariance))
    return usable[model.formula.holds_at(usable["match_length"].to_numpy(float))], replace(model, formula=sure)


def _kinds(table: pd.DataFrame, field: Field, offset: float) -> dict[str, tuple[Floats, Floats, Floats]]:
    wide = shrink(table, field, offset)
    return {
        PLAIN: (offset - table["loss"].to_numpy(float), wide.low, wide.high),
        SHRUNK: (wide.shrunk, wide.shrunk_low, wide.shrunk_high),
    }


def _coverage(players: Sequence[Floats]) -> dict[str, Any]:
    """Return figures from every player's draws: value, low, high, truth, half its interval, rating by the deepest."""
    value, low, high, truth, error, deep = np.concatenate(players).T
    off = value - truth
    wide = np.where(off > 0, np.hypot(value - low, error), np.hypot(high - value, error))
    mean, reach = _by_player((np.abs(off) <= wide).reshape(len(players), -1).mean(axis=1))
    return {
        "coverage": mean, "coverage_low": mean - reach, "coverage_high": mean + reach,
        "median_half_width": float(np.median((high - low) / 2)), "mean_error": float(off.mean()),
        "rms_error": _rms(off), "rms_from_deepest": _rms(value - deep), "n_players": len(players),
        "confidence": CONFIDENCE,
    }  # fmt: skip


def _by_player(each: Floats) -> tuple[float, float]:
    """Return the mean of players' values and half of its interval (delete-one; NaN with one player)."""
    if len(each) < 2:
        return float(each.mean()), math.nan
    error = delete_one_error((each.sum() - each) / (len(each) - 1))
    return float(each.mean()), quantile(CONFIDENCE, len(each) - 1) * error


def _rms(values: Floats) -> float:
    return float(np.sqrt((values**2).mean()))


def limits(matches: pd.DataFrame) -> pd.DataFrame:
    """Return how often a PR of other matches is below a limit that it is expected to be below so often (people/limits).

    From FEW matches of each player with one more; the chance allows for the scatter of the other matches.
    """
    usable = matches[(matches["player"].fillna("") != "") & (matches["unforced_moves"] > 0)].reset_index(drop=True)
    field = field_of(pr_players(usable))
    parts = list(_chances(usable, field)) if field else []
    if not parts:
        return pd.DataFrame(columns=columns("people/limits"))
    every = pd.concat(parts, ignore_index=True)
    places = np.clip(np.digitize(every["chance"], BINS) - 1, 0, len(BINS) - 2)
    rows = []
    for few, (place, (low, high)) in product(FEW, enumerate(pairwise(BINS))):
        here = every[(every["matches"] == few) & (places == place)]
        if here.empty:
            continue
        players = here.groupby("player")[["chance", "below"]].agg(["sum", "size"])
        weight = players[("below", "size")].to_numpy(float)
        below = players[("below", "sum")].to_numpy(float)
        seen, without = below.sum() / weight.sum(), (below.sum() - below) / np.maximum(weight.sum() - weight, 1e-9)
        half = quantile(CONFIDENCE, len(weight) - 1) * delete_one_error(without) if len(weight) > 1 else math.nan
        rows.append(
            {
                "matches": few, "from_chance": low, "to_chance": high,
                "expected": float(here["chance"].mean()), "seen": seen, "seen_low": max(0.0, seen - half),
                "seen_high": min(1.0, seen + half), "n_players": len(weight), "confidence": CONFIDENCE,
            }
        )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/limits"))


def _chances(usable: pd.DataFrame, field: Field) -> Iterator[pd.DataFrame]:
    """Yield for a number of matches and a limit the chances from drawn sets: `matches, player, chance, below`."""
    rng = np.random.default_rng(SEED)
    errors = (usable["chequer_error_emg"] + usable["cube_error_emg"]).to_numpy(float)
    decisions = (usable["unforced_moves"] + usable["close_cube_decisions"]).to_numpy(float)
    places = [place for place in usable.groupby("player").indices.values() if len(place) > 1]
    for few in FEW:
        several = [(number, place) for number, place in enumerate(places) if len(place) > few]
        orders = [(number, rng.permutation(place)) for number, place in several for _ in range(DRAWS)]
        parts = [(order[:few], order[few:]) for _, order in orders]
        seen, rest = (
            pd.DataFrame([pr_of(errors[drawn[half]], decisions[drawn[half]]) for drawn in parts], columns=PR_COLUMNS)
            for half in (0, 1)
        )
        variance, dof = variances(seen, field.scatter)
        middle, still = shrunk_root(np.maximum(seen["loss"].to_numpy(float), 0.0) ** 0.25, variance, field)
        spread = np.sqrt(still + field.scatter / rest["moves"].to_numpy(float))
        for limit in LIMITS:
            yield pd.DataFrame(
                {
                    "matches": few, "player": [number for number, _ in orders],
                    "chance": special.stdtr(dof, (limit**0.25 - middle) / spread), "below": rest["loss"] < limit,
                }
            )  # fmt: skip


def by_strength(sides: pd.DataFrame, model: RatingModel, stored: Field, offset: float) -> pd.DataFrame:
    """Return how ratings from FEW matches hold by field and strength (people/few_strength).

    `sides` are the matches of one collection's players (people/losses). A player's other matches, at least LEAST_REST,
    are taken as the truth; its error widens the intervals. Thirds are by that truth, and so is ABOVE. Who is strong in
    them was lucky there, so even a rating without bias has one against them. `bias_of_expected` has it against the
    mean of the true rating, given the other matches.
    """
    usable, sure = _usable(sides.assign(player=sides["player"].astype(str)), model)
    places = {name: rows for name, rows in usable.groupby("player").indices.items() if len(rows) > LEAST_REST}
    rng, rows = np.random.default_rng(SEED), list[dict[str, Any]]()
    everybody = _rated(usable, [*usable.groupby("player").indices.values()], sure)
    own = field_of(everybody)
    for few in FEW:
        orders = [(name, rng.permutation(place)) for name, place in places.items() for _ in range(DRAWS)
                  if len(place) >= few + LEAST_REST]  # fmt: skip
        if own is None or not orders:
            continue
        names = np.unique([name for name, _ in orders], return_inverse=True)[1]
        halves = (slice(few), slice(few, None))
        seen, rest = (_rated(usable, [order[half] for _, order in orders], sure) for half in halves)
        truth = shrink(rest, own, offset)
        known, error = offset - rest["loss"].to_numpy(float), (truth.high - truth.low) / 2
        thirds = np.quantile(known, [1 / 3, 2 / 3])
        groups = {
            "all": np.isfinite(known), "weakest third": known < thirds[0], "strongest third": known > thirds[1],
            "middle third": (known >= thirds[0]) & (known <= thirds[1]), f"above {ABOVE:.0f}": known > ABOVE,
        }  # fmt: skip
        plain = shrink(seen, own, offset)
        kinds = {"none": (offset - seen["loss"].to_numpy(float), plain.low, plain.high), **_others(seen, own, offset)}
        for field in (own, stored):
            wide = shrink(seen, field, offset)
            kinds[field.source] = (wide.shrunk, wide.shrunk_low, wide.shrunk_high)
        for (source, (value, low, high)), (group, here) in product(kinds.items(), groups.items()):
            if not here.any():
                continue
            off = (value - known)[here]
            half = np.where(off > 0, np.hypot(value - low, error)[here], np.hypot(high - value, error)[here])
            sd = half / quantile(CONFIDENCE)
            rows.append(
                {
                    "matches": few, "field": source, "strength": group, "bias": off.mean(),
                    "bias_of_expected": (value - truth.shrunk)[here].mean(), "rms_error": _rms(off),
                    "coverage": (np.abs(off) <= half).mean(), "n_players": len(np.unique(names[here])),
                    "log_score": (-np.log(sd) - (off / sd) ** 2 / 2 - math.log(2 * math.pi) / 2).mean(),
                    "confidence": CONFIDENCE,
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/few_strength"))


def _others(seen: pd.DataFrame, field: Field, offset: float) -> dict[str, tuple[Floats, Floats, Floats]]:
    """Return ratings with their intervals by other rules than a normal field, each drawn to the collection's field.

    Heavier tails: Student's t with 4 degrees of freedom and the field's variance. `at most half`: the root moves by at
    most half its standard error (limited translation: Efron and Morris, JASA 67 (1972) 130).
    """
    root, variance = roots(seen), variances(seen, field.scatter)[0]
    steps = np.linspace(-8, 8, 801)
    true = field.mean + field.sd * steps
    heavy = (1 + steps**2 / 2) ** -2.5  # t of 4 degrees of freedom, scaled to the variance 1
    weights = heavy * np.exp(-((root[:, None] - true) ** 2) / (2 * variance[:, None]))
    weights /= weights.sum(axis=1, keepdims=True)
    mean = weights @ true
    tails = mean, (weights * (true - mean[:, None]) ** 2).sum(axis=1)
    full, left = shrunk_root(root, variance, field)
    limited = np.clip(full - root, -np.sqrt(variance) / 2, np.sqrt(variance) / 2)
    rules = {"heavier tails": tails, "at most half": (root + limited, left + (root + limited - full) ** 2)}
    found = {}
    for name, (middle, spread) in rules.items():
        half = quantile(CONFIDENCE) * loss_per_root(middle) * np.sqrt(spread)
        rating = offset - middle**4 - 6 * middle**2 * spread - 3 * spread**2
        found[name] = (rating, rating - half, rating + half)
    return found


def _rated(usable: pd.DataFrame, places: Sequence[Any], model: RatingModel) -> pd.DataFrame:
    """Return `loss, own_se, matches, moves` of players that are these sets of rows."""
    at = np.concatenate(places)
    player = np.repeat(np.arange(len(places)), [len(place) for place in places])
    found = losses(errors_of(usable.iloc[at], model), player, model.formula)
    table = pd.DataFrame({name: found[name] for name in ("loss", "own_se", "matches", "moves")})
    return table.assign(known_se=0.0)
