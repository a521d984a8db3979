"""The shape of errors: people beside noise that loses as much.

Noise of several levels has been played. The two levels with error rates next to people's are mixed linearly, so that
both lose the same per decision. Intervals are the quantiles of a bootstrap of matches (people) and of groups of matches
(noise).
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from bgrating.engine.error_sizes import COLUMNS, EDGES, LOSS_UNIT
from bgrating.engine.sgf import CUBE_ERRORS
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.tables.dictionary import columns

REPLICATES = 400
SEED = 6
LEAST_MOVES = 2000
"""Unforced moves below which errors have no shape."""
Figures = Mapping[str, Floats]
"""Figures by name, replicates first: the first of them is the whole."""


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
    """Return the rows that have error sizes and a move; none where a shape would rest on too few moves."""
    sized = matches[matches[COLUMNS[0]].notna() & (matches["unforced_moves"].fillna(0) > 0)]
    return sized if sized["unforced_moves"].sum() >= LEAST_MOVES else sized.head(0)


def matches_of(rows: pd.DataFrame) -> int:
    return len(rows[["file", "match"]].drop_duplicates())


def draws(rows: int, rng: np.random.Generator, replicates: int = REPLICATES) -> Floats:
    """Return how often a bootstrap draws each row, replicates by rows; the first is the whole."""
    return np.vstack([np.ones(rows), rng.multinomial(rows, np.full(rows, 1 / rows), replicates)])


def mixed(levels: Sequence[tuple[float, Figures]], rate: float) -> Figures | None:
    """Mix the figures of the two levels whose error rates are next to a rate; None where none is as low or as high."""
    for (low_rate, low), (high_rate, high) in pairwise(sorted(levels, key=lambda level: level[0])):
        if low_rate <= rate <= high_rate and low_rate < high_rate:
            part = (rate - low_rate) / (high_rate - low_rate)
            return {name: (1 - part) * low[name] + part * high[name] for name in low}
    return None


def sizes(people: pd.DataFrame, noise: pd.DataFrame) -> pd.DataFrame:
    """Return how errors spread over the bins of error_sizes.py (people/sizes), for people and for noise.

    `what` is a key of DECISIONS. `share` is the share of decisions in a bin: of unforced moves, or of all evaluated
    cube decisions. `loss_share` is the share of the loss. `error_rate` is EMG per decision, the same for both sources.
    """
    rng = np.random.default_rng(SEED)
    rows: list[dict[str, Any]] = []
    for what, decision in DECISIONS.items() if len(people) else ():
        rate = float(people[decision.errors].sum() / people[decision.number].sum())
        levels = [
            (float(level[decision.errors].sum() / level[decision.number].sum()), _sizes(level, decision, rng))
            for _, level in (noise.groupby(decision.noise) if len(noise) else ())
        ]
        about = {"what": what, "error_rate": rate, "confidence": CONFIDENCE, "n_matches": matches_of(people)}
        for source, figures in (("people", _sizes(people, decision, rng)), ("noise", mixed(levels, rate))):
            rows += [about | {"source": source} | row for row in (_size_rows(figures) if figures else ())]
    return pd.DataFrame(rows, columns=columns("people/sizes"))


def _sizes(rows: pd.DataFrame, decision: Decision, rng: np.random.Generator) -> Figures:
    drawn = draws(len(rows), rng)
    counts, losses = drawn @ sizes_of(rows[decision.sizes]), drawn @ sizes_of(rows[decision.losses]) * LOSS_UNIT
    decisions = np.maximum(counts.sum(axis=1, keepdims=True), 1.0)
    return {"share": counts / decisions, "loss": losses / decisions}


def _size_rows(sizes: Figures) -> Iterator[dict[str, Any]]:
    total = sizes["loss"].sum(axis=1, keepdims=True)
    share, loss = sizes["share"], sizes["loss"] / np.where(total > 0, total, 1.0)
    ends, loss_ends = interval_of_draws(share[1:]), interval_of_draws(loss[1:])
    for place, edge in enumerate(EDGES):
        yield {
            "bin": place, "from_emg": edge, "share": share[0, place], "share_low": ends[0][place],
            "share_high": ends[1][place], "loss_share": loss[0, place], "loss_low": loss_ends[0][place],
            "loss_high": loss_ends[1][place],
        }  # fmt: skip


def kinds(people: pd.DataFrame, noise: pd.DataFrame, equal: pd.DataFrame) -> pd.DataFrame:
    """Return the parts that the loss is made of (people/kinds).

    `cube` is the cube's share of the whole loss. Noise's comes from players with the same noise at both (`equal`,
    Part I's frozen matches), at people's EPM. The others are each class's share of the loss at the cube; noise's at the
    same cube error per cube decision.
    """
    rng = np.random.default_rng(SEED)
    of_people = _shares(people, "", rng) if len(people) else {}
    rows: list[dict[str, Any]] = []
    for by, levels, prefix, kinds_compared in (
        ("epm", equal[equal["opponent"] == "expert"].groupby("player") if len(equal) else (), "player_", ("cube",)),
        ("cube_rate", noise.groupby("cube_noise") if len(noise) else (), "", tuple(CUBE_ERRORS)),
    ):
        if not of_people:
            continue
        rate = float(of_people[by][0])
        shares = [_shares(level, prefix, rng) for _, level in levels]
        of_noise = mixed([(float(level_shares[by][0]), level_shares) for level_shares in shares], rate)
        for kind in kinds_compared:
            for source, figures in (("people", of_people), ("noise", of_noise)):
                if figures:
                    low, high = interval_of_draws(figures[kind][1:])
                    rows.append(
                        {
                            "kind": kind, "source": source, "share": float(figures[kind][0]), "share_low": float(low),
                            "share_high": float(high), "error_rate": rate, "confidence": CONFIDENCE,
                            "n_matches": matches_of(people),
                        }
                    )  # fmt: skip
    return pd.DataFrame(rows, columns=columns("people/kinds"))


def _shares(rows: pd.DataFrame, prefix: str, rng: np.random.Generator) -> dict[str, Floats]:
    """Return shares and rates of resampled rows, an array of replicates each, the first the whole."""
    drawn = draws(len(rows), rng)
    total = {
        name: drawn @ rows[f"{prefix}{name}"].fillna(0).to_numpy(np.float64)
        for name in ("chequer_error_emg", "cube_error_emg", "unforced_moves", "total_cube_decisions")
    }
    cube, loss = total["cube_error_emg"], total["chequer_error_emg"] + total["cube_error_emg"]
    some = np.where(cube > 0, cube, 1.0)
    return {
        **{k: drawn @ rows[f"{prefix}{k}_emg"].fillna(0).to_numpy(np.float64) / some for k in CUBE_ERRORS},
        "cube": cube / np.where(loss > 0, loss, 1.0),
        "epm": total["chequer_error_emg"] / np.maximum(total["unforced_moves"], 1.0),
        "cube_rate": cube / np.maximum(total["total_cube_decisions"], 1.0),
    }
