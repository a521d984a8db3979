"""The shape of errors: people beside noise that loses as much.

Noise of several levels has been played; between the two whose error rate is next to people's their figures are mixed
linearly, so that both lose the same per decision. Intervals are the quantiles of a bootstrap of matches (people) and of
groups of matches (noise).
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pandas as pd

from bgrating.engine.error_sizes import COLUMNS, EDGES, LOSS_UNIT
from bgrating.engine.sgf import CUBE_ERRORS
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.rating.pairs import Simulated
from bgrating.tables.dictionary import columns
from study.people.sources import EQUAL_NOISE

REPLICATES = 400
SEED = 6
LEAST_MOVES = 2000
"""Unforced moves below which a group has no shape."""
GROUPS = ("everybody", "stronger third", "middle third", "weaker third")
Level = TypeVar("Level")


class Decision(NamedTuple):
    """A kind of decision: the columns of its error sizes and losses, of its total error, its number, noise's level."""

    sizes: str
    losses: str
    errors: str
    number: str
    noise: str


DECISIONS = {
    "chequer play": Decision(COLUMNS[0], COLUMNS[1], "chequer_error_emg", "unforced_moves", "chequer_noise"),
    "cube": Decision(COLUMNS[2], COLUMNS[3], "cube_error_emg", "total_cube_decisions", "cube_noise"),
}


def sizes_of(texts: "pd.Series[str]") -> Floats:
    """Return a column of error sizes as an array, matches by bins; an empty cell is a row of zeros."""
    empty = " ".join("0" for _ in EDGES)
    filled = texts.fillna(empty).replace("", empty)
    return np.array([text.split(" ") for text in filled], dtype=np.float64).reshape(-1, len(EDGES))


def with_sizes(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the rows that have error sizes; what an older version of this project analysed has none."""
    return matches[matches[COLUMNS[0]].notna()] if set(COLUMNS) <= set(matches) else matches.head(0)


def matches_of(rows: pd.DataFrame) -> int:
    """Count the matches that rows of players belong to."""
    return len(rows[["file", "match"]].drop_duplicates())


def _groups(matches: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the rows of everybody and of thirds by strength (a third is a third of all unforced moves), if enough.

    Players are sorted by their EPM over all their rows; a player without a name is in none of the thirds.
    """
    rows = matches[matches["unforced_moves"].fillna(0) > 0]
    groups = {GROUPS[0]: rows}
    named = rows[rows["player"] != ""]
    sums = named.groupby("player", sort=True)[["chequer_error_emg", "unforced_moves"]].sum()
    order = sums.assign(epm=sums["chequer_error_emg"] / sums["unforced_moves"]).sort_values(["epm"], kind="stable")
    before = (order["unforced_moves"].cumsum() - order["unforced_moves"] / 2) / order["unforced_moves"].sum()
    third = (before * 3).astype(int).clip(upper=2)
    groups |= {
        group: named[named["player"].isin(list(third[third == place].index))] for place, group in enumerate(GROUPS[1:])
    }
    for group, own in groups.items():
        if float(own["unforced_moves"].sum()) >= LEAST_MOVES:
            yield group, own


def draws(rows: int, rng: np.random.Generator, replicates: int = REPLICATES) -> Floats:
    """Return how often a bootstrap draws each row, replicates by rows; the first is the whole."""
    return np.vstack([np.ones(rows), rng.multinomial(rows, np.full(rows, 1 / rows), replicates)])


def _next_to(levels: Sequence[tuple[float, Level]], rate: float) -> tuple[float, Level, Level] | None:
    """Return the levels whose error rates are next to a rate, and the part that the upper one takes in the mix.

    None where no level is as low or as high.
    """
    for (low_rate, low), (high_rate, high) in pairwise(sorted(levels, key=lambda level: level[0])):
        if low_rate <= rate <= high_rate and low_rate < high_rate:
            return (rate - low_rate) / (high_rate - low_rate), low, high
    return None


class _Sizes(NamedTuple):
    """Over bins, replicates by bins (the first is the whole): shares of decisions, loss per decision; the decisions."""

    share: Floats
    loss: Floats
    decisions: Floats


def sizes(matches: pd.DataFrame, noise: pd.DataFrame) -> pd.DataFrame:
    """Return how errors spread over the bins of error_sizes.py (people/sizes), for people and for noise.

    `what` is a key of DECISIONS, `share` the share of decisions in a bin (of unforced moves; of all evaluated cube
    decisions), `loss_share` the share of the loss, `error_rate` EMG per decision, the same for both sources where noise
    goes as low and as high.
    """
    rng = np.random.default_rng(SEED)
    rows: list[dict[str, Any]] = []
    for group, own in _groups(matches):
        for what, decision in DECISIONS.items():
            people = _resampled(own, decision, rng)
            rate = float(own[decision.errors].sum() / people.decisions[0])
            about = {"what": what, "group": group, "error_rate": rate, "confidence": CONFIDENCE}
            behind = {"source": "people", "n_matches": matches_of(own), "n_players": own["player"].nunique()}
            rows += [about | behind | row for row in _size_rows(people)]
            mixed = _mixed_sizes(noise, decision, rate, rng)
            if mixed is not None:
                behind = {"n_matches": int(noise["matches"].sum()), "n_players": noise["player"].nunique()}
                rows += [about | behind | {"source": "noise"} | row for row in _size_rows(mixed)]
    return pd.DataFrame(rows, columns=columns("people/sizes"))


def _resampled(own: pd.DataFrame, decision: Decision, rng: np.random.Generator) -> _Sizes:
    drawn = draws(len(own), rng)
    counts, losses = drawn @ sizes_of(own[decision.sizes]), drawn @ sizes_of(own[decision.losses]) * LOSS_UNIT
    decisions = np.maximum(counts.sum(axis=1), 1.0)
    return _Sizes(counts / decisions[:, None], losses / decisions[:, None], decisions)


def _mixed_sizes(noise: pd.DataFrame, decision: Decision, rate: float, rng: np.random.Generator) -> _Sizes | None:
    if noise.empty:
        return None
    levels = [
        (own[decision.errors].sum() / own[decision.number].sum(), own) for _, own in noise.groupby(decision.noise)
    ]
    found = _next_to(levels, rate)
    if found is None:
        return None
    part, low, high = found
    a, b = _resampled(low, decision, rng), _resampled(high, decision, rng)
    return _Sizes((1 - part) * a.share + part * b.share, (1 - part) * a.loss + part * b.loss, a.decisions + b.decisions)


def _size_rows(found: _Sizes) -> Iterator[dict[str, Any]]:
    total = found.loss.sum(axis=1, keepdims=True)
    loss = found.loss / np.where(total > 0, total, 1.0)
    ends, loss_ends = interval_of_draws(found.share[1:]), interval_of_draws(loss[1:])
    for place, edge in enumerate(EDGES):
        yield {
            "bin": place, "from_emg": edge, "share": found.share[0, place], "share_low": ends[0][place],
            "share_high": ends[1][place], "loss_share": loss[0, place], "loss_low": loss_ends[0][place],
            "loss_high": loss_ends[1][place], "n_decisions": int(found.decisions[0]),
        }  # fmt: skip


def kinds(matches: pd.DataFrame, noise: pd.DataFrame, simulated: Simulated) -> pd.DataFrame:
    """Return the parts that the loss is made of (people/kinds).

    `cube` is the cube's share of the whole loss: noise's is that of players with the same noise at both (Part I's
    frozen matches), at people's EPM. The others are each class's share of the loss at the cube; noise's at
    the same cube error per cube decision.
    """
    rng = np.random.default_rng(SEED)
    equal = next((table for length in EQUAL_NOISE if len(table := simulated("part1", length))), pd.DataFrame())
    by_cube = [part for _, part in noise.groupby("cube_noise")] if len(noise) else []
    same = [part for _, part in equal[equal["opponent"] == "expert"].groupby("player")] if len(equal) else []
    rows: list[dict[str, Any]] = []
    for group, own in _groups(matches):
        people = _shares(own, "", rng)
        rate = {kind: float(people["epm" if kind == "cube" else "cube_rate"][0]) for kind in ("cube", *CUBE_ERRORS)}
        mixed = _mixed_shares([_shares(level, "", rng) for level in by_cube], "cube_rate", people)
        both = _mixed_shares([_shares(level, "player_", rng) for level in same], "epm", people)
        count = int(noise["matches"].sum()) if len(noise) else 0
        for source, found, shown, n_matches, n_players in (
            ("people", people, rate, matches_of(own), own["player"].nunique()),
            ("noise", mixed, CUBE_ERRORS, count, 0),
            ("noise", both, ("cube",), sum(map(len, same)), 0),
        ):
            for kind in shown if found else ():
                low, high = interval_of_draws(found[kind][1:])
                rows.append(
                    {
                        "kind": kind, "group": group, "source": source, "share": float(found[kind][0]),
                        "share_low": float(low), "share_high": float(high), "error_rate": rate[kind],
                        "confidence": CONFIDENCE, "n_matches": n_matches, "n_players": n_players,
                    }
                )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/kinds"))


def _shares(own: pd.DataFrame, prefix: str, rng: np.random.Generator) -> dict[str, Floats]:
    """Return shares and rates of resampled rows, an array of replicates each, the first the whole."""
    drawn = draws(len(own), rng)
    total = {
        name: drawn @ own[f"{prefix}{name}"].fillna(0).to_numpy(np.float64)
        for name in ("chequer_error_emg", "cube_error_emg", "unforced_moves", "total_cube_decisions")
    }
    cube, whole = total["cube_error_emg"], total["chequer_error_emg"] + total["cube_error_emg"]
    some = np.where(cube > 0, cube, 1.0)
    return {
        **{k: drawn @ own[f"{prefix}{k}_emg"].fillna(0).to_numpy(np.float64) / some for k in CUBE_ERRORS},
        "cube": cube / np.where(whole > 0, whole, 1.0),
        "epm": total["chequer_error_emg"] / np.maximum(total["unforced_moves"], 1.0),
        "cube_rate": cube / np.maximum(total["total_cube_decisions"], 1.0),
    }


def _mixed_shares(levels: Sequence[dict[str, Floats]], by: str, people: dict[str, Floats]) -> dict[str, Floats]:
    """Mix the shares of the two levels whose rate `by` is next to people's; empty where none is as low or as high."""
    found = _next_to([(float(level[by][0]), level) for level in levels], float(people[by][0]))
    if found is None:
        return {}
    part, low, high = found
    return {name: (1 - part) * low[name] + part * high[name] for name in low}
