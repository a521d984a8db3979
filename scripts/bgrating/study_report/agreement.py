"""Measured against predicted: how far a formula and the design points agree."""

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from bgrating.report.style import GREY, MARKERS, RC, SERIES, absent, bars, by_length, new_figure, note, points_word


def agreement(predictions: pd.DataFrame, confidence: float) -> Figure:
    """Draw measured against predicted rating differences, and the deviations in standard errors below that."""
    figure, (ax, off) = new_figure(2)
    with mpl.rc_context(RC):
        for i, (length, rows) in enumerate(by_length(predictions)):
            color, marker = SERIES[i % len(SERIES)], MARKERS[i % len(MARKERS)]
            bars(ax, rows["predicted"], rows, color=color, marker=marker, label=points_word(length))
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
        ax.plot(ends, ends, color=GREY, linewidth=1, zorder=1)
        ax.set(title="Rating difference", xlabel="predicted, points", ylabel="measured, points")
        ax.legend(loc="upper left", frameon=False, title="match length", fontsize=8.5, title_fontsize=8.5)
        off.axhline(0, color=GREY, linewidth=1)
        off.axhspan(-2, 2, color="#EEEEEE", zorder=0, linewidth=0)
        off.set(
            title="Deviation from the formula",
            xlabel="predicted, points",
            ylabel="measured less predicted, standard errors",
        )
        note(
            figure,
            f"{confidence:.0%} intervals. Shaded: two standard errors either way, where about 19 points of 20 "
            f"lie if the formula is right.{absent(predictions)}",
        )
    return figure
