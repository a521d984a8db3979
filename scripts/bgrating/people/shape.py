"""The shape of errors: people beside noise that loses as much.

Noise of several levels has been played; between the two whose error rate is next to people's their figures are mixed
linearly, so that both lose the same per decision. Intervals are the quantiles of a bootstrap of matches (people) and of
groups of matches (noise).
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating.dictionary import columns
from bgrating.gnubg.error_sizes import COLUMNS, EDGES, LOSS_UNIT
from bgrating.gnubg.sgf import CUBE_ERRORS
from bgrating.people.pairs import Simulated
from bgrating.people.sizes import sizes_of
from bgrating.people.sources import EQUAL_NOISE

Floats = NDArray[np.float64]

CONFIDENCE = 0.9
REPLICATES = 400
SEED = 6
LEAST_MOVES = 2000
"""Unforced moves below which a group has no shape."""
KINDS = tuple(CUBE_ERRORS)
GROUPS = ("everybody", "stronger third", "middle third", "weaker third")
SIZE_COLUMNS = columns("people/sizes")
KIND_COLUMNS = columns("people/kinds")


@dataclass(frozen=True)
class Kind:
    """A kind of decision: the columns of its error sizes, of its total error and of the decisions it is over."""

    sizes: str
    losses: str
    errors: str
    decisions: str
    noise: str


DECISIONS = {
    "chequer play": Kind(COLUMNS[0], COLUMNS[1], "chequer_error_emg", "unforced_moves", "chequer_noise"),
    "cube": Kind(COLUMNS[2], COLUMNS[3], "cube_error_emg", "total_cube_decisions", "cube_noise"),
}


def grouped(matches: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of everybody and of thirds by strength; a third is a third of all unforced moves.

    Players are sorted by their EPM over all their rows; who has no name is in none of the thirds.
    """
    rows = matches[matches["unforced_moves"].fillna(0) > 0]
    yield GROUPS[0], rows
    named = rows[rows["player"] != ""]
    sums = named.groupby("player", sort=True)[["chequer_error_emg", "unforced_moves"]].sum()
    order = sums.assign(epm=sums["chequer_error_emg"] / sums["unforced_moves"]).sort_values(["epm"], kind="stable")
    before = (order["unforced_moves"].cumsum() - order["unforced_moves"] / 2) / order["unforced_moves"].sum()
    third = (before * 3).astype(int).clip(upper=2)
    for place, group in enumerate(GROUPS[1:]):
        yield group, named[named["player"].isin(list(third[third == place].index))]


def sizes(matches: pd.DataFrame, noise: pd.DataFrame) -> pd.DataFrame:
    """Return how errors spread over the bins of error_sizes.py (SIZE_COLUMNS), for people and for noise.

    `what` is a key of DECISIONS, `share` the share of decisions in a bin (of unforced moves; of all evaluated cube
    decisions), `loss_share` the share of the loss, `error_rate` EMG per decision, the same for both sources where noise
    goes as low and as high.
    """
    rng = np.random.default_rng(SEED)
    rows: list[dict[str, Any]] = []
    for group, own in grouped(matches):
        if float(own["unforced_moves"].sum()) < LEAST_MOVES:
            continue
        for what, kind in DECISIONS.items():
            people = _resampled(own, kind, rng)
            rate = float(own[kind.errors].sum() / people.decisions[0])
            about = {"what": what, "group": group, "confidence": CONFIDENCE}
            rows += [about | row for row in _size_rows("people", people, rate, own)]
            mixed = _mixed(noise, kind, rate, rng)
            if mixed is not None:
                rows += [about | row for row in _size_rows("noise", mixed, rate, noise)]
    return pd.DataFrame(rows, columns=SIZE_COLUMNS)


@dataclass(frozen=True)
class _Sizes:
    """Shares of decisions and of loss over bins, replicates by bins (the first is the whole), and the decisions."""

    share: Floats
    loss: Floats
    decisions: Floats
    rate: Floats


def _resampled(own: pd.DataFrame, kind: Kind, rng: np.random.Generator) -> _Sizes:
    drawn = np.vstack([np.ones(len(own)), rng.multinomial(len(own), np.full(len(own), 1 / len(own)), REPLICATES)])
    counts, losses = drawn @ sizes_of(own[kind.sizes]), drawn @ sizes_of(own[kind.losses]) * LOSS_UNIT
    decisions = np.maximum(counts.sum(axis=1), 1.0)
    total = losses.sum(axis=1)
    return _Sizes(
        counts / decisions[:, None], losses / np.where(total > 0, total, 1.0)[:, None], decisions, total / decisions
    )


def _mixed(noise: pd.DataFrame, kind: Kind, rate: float, rng: np.random.Generator) -> _Sizes | None:
    """Mix the two noise levels next to an error rate; None where none is as low or as high."""
    if noise.empty:
        return None
    levels = [(own[kind.errors].sum() / own[kind.decisions].sum(), own) for _, own in noise.groupby(kind.noise)]
    levels.sort(key=lambda level: level[0])
    for (low_rate, low), (high_rate, high) in pairwise(levels):
        if low_rate <= rate <= high_rate:
            part = (rate - low_rate) / (high_rate - low_rate)
            a, b = _resampled(low, kind, rng), _resampled(high, kind, rng)
            loss = (1 - part) * a.rate[:, None] * a.loss + part * b.rate[:, None] * b.loss
            return _Sizes(
                (1 - part) * a.share + part * b.share, loss / loss.sum(axis=1, keepdims=True),
                a.decisions + b.decisions, (1 - part) * a.rate + part * b.rate,
            )  # fmt: skip
    return None


def _size_rows(source: str, found: _Sizes, rate: float, own: pd.DataFrame) -> Iterator[dict[str, Any]]:
    ends = [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2]
    share, loss = np.quantile(found.share[1:], ends, axis=0), np.quantile(found.loss[1:], ends, axis=0)
    people = source == "people"
    for place, edge in enumerate(EDGES):
        yield {
            "source": source, "bin": place, "from_emg": edge, "share": found.share[0, place],
            "share_low": share[0, place], "share_high": share[1, place], "loss_share": found.loss[0, place],
            "loss_low": loss[0, place], "loss_high": loss[1, place], "error_rate": rate,
            "n_decisions": int(found.decisions[0]),
            "n_matches": matches_of(own) if people else int(own["matches"].sum()), "n_players": own["player"].nunique(),
        }  # fmt: skip


def matches_of(own: pd.DataFrame) -> int:
    """Count the matches that rows of players belong to."""
    return len(own[["file", "match"]].drop_duplicates())


def kinds(matches: pd.DataFrame, noise: pd.DataFrame, simulated: Simulated) -> pd.DataFrame:
    """Return the parts that the loss is made of (KIND_COLUMNS).

    `cube` is the cube's share of the whole loss: noise's is that of players with the same noise at both (Part I's
    frozen matches), at people's EPM. The others are each class's share of the loss at the cube; noise's at
    the same cube error per cube decision.
    """
    rng = np.random.default_rng(SEED)
    equal = next((table for length in EQUAL_NOISE if len(table := simulated("part1", length))), pd.DataFrame())
    rows: list[dict[str, Any]] = []
    for group, own in grouped(matches):
        if float(own["unforced_moves"].sum()) < LEAST_MOVES:
            continue
        about = {"group": group, "confidence": CONFIDENCE}
        sums = _sums(own, "", rng)
        people = {"source": "people", "n_matches": matches_of(own), "n_players": own["player"].nunique()}
        epm, cube = (float(sums[name][0]) for name in ("epm", "cube_rate"))
        rows += [about | people | row for row in _kind_rows(sums, epm, cube)]
        mixed = _mixed_sums(
            [part for _, part in noise.groupby("cube_noise")] if len(noise) else [], "", "cube_rate", cube, rng
        )
        other = {"source": "noise", "n_matches": int(noise["matches"].sum()) if len(noise) else 0, "n_players": 0}
        if mixed:
            rows += [about | other | row for row in _kind_rows(mixed, epm, cube) if row["kind"] != "cube"]
        same = [part for _, part in equal[equal["opponent"] == "expert"].groupby("player")] if len(equal) else []
        both = _mixed_sums(same, "player_", "epm", epm, rng)
        if both:
            other = {"source": "noise", "n_matches": sum(map(len, same)), "n_players": 0}
            rows += [about | other | row for row in _kind_rows(both, epm, cube) if row["kind"] == "cube"]
    return pd.DataFrame(rows, columns=KIND_COLUMNS)


def _sums(own: pd.DataFrame, prefix: str, rng: np.random.Generator) -> dict[str, Floats]:
    """Return shares and rates of resampled rows, an array of replicates each, the first the whole."""
    drawn = np.vstack([np.ones(len(own)), rng.multinomial(len(own), np.full(len(own), 1 / len(own)), REPLICATES)])
    names = [
        "chequer_error_emg",
        "cube_error_emg",
        "unforced_moves",
        "total_cube_decisions",
        *(f"{k}_emg" for k in KINDS),
    ]
    total = dict(
        zip(names, (drawn @ own[[f"{prefix}{n}" for n in names]].fillna(0).to_numpy(np.float64)).T, strict=True)
    )
    cube = np.where(total["cube_error_emg"] > 0, total["cube_error_emg"], 1.0)
    found = {name: total[f"{name}_emg"] / cube for name in KINDS}
    both = total["chequer_error_emg"] + total["cube_error_emg"]
    found["cube"] = total["cube_error_emg"] / np.where(both > 0, both, 1.0)
    found["epm"] = total["chequer_error_emg"] / np.maximum(total["unforced_moves"], 1.0)
    found["cube_rate"] = total["cube_error_emg"] / np.maximum(total["total_cube_decisions"], 1.0)
    return found


def _mixed_sums(
    levels: list[pd.DataFrame], prefix: str, by: str, rate: float, rng: np.random.Generator
) -> dict[str, Floats]:
    """Mix the shares of the two levels whose rate `by` is next to a rate; empty where none is as low or as high."""
    found = sorted((_sums(level, prefix, rng) for level in levels), key=lambda sums: float(sums[by][0]))
    for low, high in pairwise(found):
        ends = float(low[by][0]), float(high[by][0])
        if ends[0] <= rate <= ends[1] and ends[0] < ends[1]:
            part = (rate - ends[0]) / (ends[1] - ends[0])
            return {name: (1 - part) * low[name] + part * high[name] for name in low}
    return {}


def _kind_rows(sums: dict[str, Floats], epm: float, cube: float) -> Iterator[dict[str, Any]]:
    for kind in ("cube", *KINDS):
        low, high = np.quantile(sums[kind][1:], [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        yield {
            "kind": kind, "share": float(sums[kind][0]), "share_low": float(low), "share_high": float(high),
            "error_rate": epm if kind == "cube" else cube,
        }  # fmt: skip


def tail_shares(table: pd.DataFrame, what: str, group: str, from_emg: float) -> dict[str, tuple[float, float]]:
    """Return, by source, the shares of decisions and of loss in errors of at least `from_emg`."""
    own = table[(table["what"] == what) & (table["group"] == group) & (table["from_emg"] >= from_emg - 1e-12)]
    found = own.groupby("source")[["share", "loss_share"]].sum()
    return {str(source): (float(row["share"]), float(row["loss_share"])) for source, row in found.iterrows()}


def none_share(table: pd.DataFrame, what: str, group: str) -> dict[str, float]:
    """Return, by source, the share of decisions without an error."""
    own = table[(table["what"] == what) & (table["group"] == group) & (table["bin"] == 0)]
    return {str(row["source"]): float(row["share"]) for row in own.to_dict("records") if math.isfinite(row["share"])}
