"""The points of a study that determines no formula, beside the published ones."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.report.style import BLUE, GREY, RC, VERMILION, absent, legend, new_figure, note, points_word, spans


def comparison(rows: pd.DataFrame, confidence: float) -> Figure:
    """Draw our rating differences with intervals and, where there are any, those of the paper; one row a point.

    `rows` is the table of the model's comparison module.
    """
    figure, (ax,) = new_figure(1, width=8.2, height=1.6 + 0.55 * len(rows))
    at = np.arange(len(rows))[::-1].astype(float)
    with mpl.rc_context(RC):
        for shift, color, marker, middle, ends, label in (
            (0.12, BLUE, "o", "rating_difference", "ci", "measured here"),
            (-0.12, VERMILION, "s", "published_difference", "published", "published 2003"),
        ):
            spans(ax, at + shift, rows, middle, ends, across=True, fmt=marker, color=color, label=label)
        formula = rows["published_formula"].to_numpy(dtype=float)
        ax.plot(formula, at, "|", color=GREY, markersize=14, label="published formula, our error rates")
        ax.axvline(0, color=GREY, linewidth=0.8)
        named = zip(rows["player"], rows["opponent"], rows["match_length"], strict=True)
        names = [f"{player}\nagainst {opponent}, {points_word(int(n))}" for player, opponent, n in named]
        ax.set_yticks(at, names)
        ax.set(
            xlabel="rating difference, points (above 0: the opponent is the better player)",
            ylim=(-0.6, len(rows) - 0.4),
        )
        legend(figure, 3, side="right")
        note(figure, f"{confidence:.0%} intervals.{absent(rows)}")
    return figure
