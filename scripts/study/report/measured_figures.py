"""Measured beside predicted: how far a formula and the design points agree, cell by cell, and the paper's pairs."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import style


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


def comparison(rows: pd.DataFrame, confidence: float) -> Figure:
    """Draw our rating differences with intervals and, where there are any, those of the paper; one row per point.

    `rows` is that of `beside_published` (study/published.py).
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
