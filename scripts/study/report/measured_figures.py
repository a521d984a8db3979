"""Measured beside predicted: how far a formula and the design points agree, cell by cell, and the paper's pairs."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bgrating.pages import style


class _Formula(NamedTuple):
    """How a formula's predictions are drawn; those of 2003 are hollow."""

    column: str
    label: str
    color: str
    marker: str
    hollow: bool
    aside: float


FORMULAS = (
    _Formula("linear", "linear, found (DEPD)", style.VERMILION, "^", False, -0.26),
    _Formula("published_linear", "linear, 2003", style.VERMILION, "^", True, -0.13),
    _Formula("predicted", "bilinear, found (EPM, EPC)", style.BLUE, "D", False, 0.13),
    _Formula("published", "bilinear, 2003", style.BLUE, "D", True, 0.26),
)
GAP = 0.8  # between cells of different chequer noise, in cells


def agreement(predictions: pd.DataFrame, confidence: float) -> Figure:
    """Draw measured against predicted rating differences, and the deviations in standard errors below that."""
    figure, (ax, off) = style.new_figure(2)
    for i, (length, rows) in enumerate(style.by_length(predictions)):
        color, marker = style.SERIES[i % len(style.SERIES)], style.MARKERS[i % len(style.MARKERS)]
        style.bars(ax, rows["predicted"], rows, color=color, marker=marker, label=style.points_word(length))
        # In rating terms a chance below the predicted one is a difference above it.
        off.plot(
            rows["predicted"],
            -rows["deviation"],
            marker,
            color=color,
            markersize=5,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    ends = [0.0, float(predictions["predicted"].max()) * 1.03]
    ax.plot(ends, ends, color=style.GREY, linewidth=1, zorder=1)
    ax.set(title="Rating difference", xlabel="predicted, points", ylabel="measured, points")
    ax.legend(loc="upper left", frameon=False, title="match length", fontsize=8.5, title_fontsize=8.5)
    off.axhline(0, color=style.GREY, linewidth=1)
    off.axhspan(-2, 2, color="#EEEEEE", zorder=0, linewidth=0)
    off.set(
        title="Deviation from the formula",
        xlabel="predicted, points",
        ylabel="measured less predicted, standard errors",
    )
    style.note(
        figure,
        f"{confidence:.0%} intervals. Shaded: two standard errors either way, where about 19 points of 20 "
        f"lie if the formula is right.{style.absent(predictions)}",
    )
    return figure


def cells(predictions: pd.DataFrame, length: int, confidence: float) -> Figure:
    """Draw every cell of one match length: measured with its interval, and four predictions; deviations below.

    `predictions` has the columns of the model's predictions and, likewise for the linear form, `linear` and
    `published_linear` (rating points).
    """
    rows = predictions[predictions["match_length"] == length].sort_values(["chequer_noise", "cube_noise", "player"])
    figure = Figure(figsize=(9.2, 6.4), layout="constrained")
    top, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    at = _places(rows)
    measured = rows["rating_difference"].to_numpy(dtype=float)
    style.bars(top, at, rows, color=style.OURS, marker="o", label="measured")
    low, high = rows["ci_low"].to_numpy(dtype=float), rows["ci_high"].to_numpy(dtype=float)
    known = np.isfinite(measured)
    style.bars(below, at[known], rows.loc[known].assign(
        rating_difference=0.0, ci_low=(low - measured)[known], ci_high=(high - measured)[known]
    ), color=style.OURS, marker="o")  # fmt: skip
    for one in FORMULAS:
        predicted = rows[one.column].to_numpy(dtype=float)
        for ax, y in ((top, predicted), (below, predicted - measured)):
            ax.plot(
                at + one.aside, y, one.marker, color=one.color, markersize=5, zorder=4, label=one.label,
                markerfacecolor="white" if one.hollow else one.color,
            )  # fmt: skip
    for ax in (top, below):
        ax.axhline(0, color=style.GREY, linewidth=0.8, zorder=1)
        ax.grid(visible=False, axis="x")
    top.set(title=f"{style.points_word(length)}: every cell", ylabel="rating difference, points")
    below.set(ylabel="predicted less measured, points")
    _name(below, at, rows)
    top.legend(loc="upper left", frameon=False, fontsize=8.5)
    style.note(
        figure,
        f"Measured with {confidence:.0%} intervals, which stand round 0 below. Each formula is given EPC or DEPD "
        f"by its own count of close cube decisions.{style.absent(rows)}",
    )
    return figure


def _places(rows: pd.DataFrame) -> "pd.Series[float]":
    """Return every row its place across: one apart, and more between rows of different chequer noise."""
    steps: NDArray[np.float64] = np.where(rows["chequer_noise"].diff().fillna(0.0) != 0, 1 + GAP, 1.0)
    return pd.Series(np.cumsum(steps) - steps[0], index=rows.index)


def _name(ax: Axes, at: "pd.Series[float]", rows: pd.DataFrame) -> None:
    """Write the cube noise of every cell below it, and the chequer noise of a group of cells below that."""
    ax.set_xticks(at.to_list(), [f"{noise:g}" for noise in rows["cube_noise"]])
    ax.set_xlabel("cube noise; chequer noise below", labelpad=18, fontsize=8.5)
    for noise, group in rows.groupby("chequer_noise", sort=True):
        ax.annotate(
            f"chequer noise {noise:g}",
            xy=(float(at[group.index].mean()), 0),
            xycoords=("data", "axes fraction"),
            xytext=(0, -26),
            textcoords="offset points",
            ha="center",
            fontsize=8.5,
        )


def comparison(rows: pd.DataFrame, confidence: float) -> Figure:
    """Draw our rating differences with intervals and, where there are any, those of the paper; one row per point.

    `rows` is that of `beside_published` (rating/published.py).
    """
    figure, (ax,) = style.new_figure(1, width=8.2, height=1.6 + 0.55 * len(rows))
    at = np.arange(len(rows))[::-1].astype(float)
    for shift, color, marker, middle, ends, label in (
        (0.12, style.BLUE, "o", "rating_difference", "ci", "measured here"),
        (-0.12, style.VERMILION, "s", "published_difference", "published", "published 2003"),
    ):
        style.spans(ax, at + shift, rows, middle, ends, across=True, fmt=marker, color=color, label=label)
    formula = rows["published_formula"].to_numpy(dtype=float)
    ax.plot(formula, at, "|", color=style.GREY, markersize=14, label="published formula, our error rates")
    ax.axvline(0, color=style.GREY, linewidth=0.8)
    named = zip(rows["player"], rows["opponent"], rows["match_length"], strict=True)
    names = [f"{player}\nagainst {opponent}, {style.points_word(int(n))}" for player, opponent, n in named]
    ax.set_yticks(at, names)
    ax.set(
        xlabel="rating difference, points (above 0: the opponent is the better player)",
        ylim=(-0.6, len(rows) - 0.4),
    )
    style.legend(figure, 3, side="right")
    style.note(figure, f"{confidence:.0%} intervals.{style.absent(rows)}")
    return figure
