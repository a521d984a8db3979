"""The coefficient figures: N a(N) against match length N, measured length by length, with the lines."""

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.formula.formula import RatingFormula
from bgrating.report.style import BLUE, OURS, PUBLISHED, RC, VERMILION, label_ends, new_figure, note

WORDS = {
    "a": "N a(N): chequer play and cube together",
    "a2": "N a2(N): chequer play",
    "b": "N b(N): cube decisions",
}


def lines(by_length: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> Figure:
    """Draw N times every coefficient against N.

    `by_length` holds rows of the coefficients table, one a match length, term and EPC definition; `formula`
    is the line over them with its band (where it is a formula of N).
    """
    names = formula.coefficients
    figure, axes = new_figure(len(names), width=9.2 if len(names) > 1 else 5.6)
    with mpl.rc_context(RC):
        for name, ax in zip(names, axes, strict=True):
            _panel(ax, name, by_length[by_length["term"] == name], formula, published)
        axes[0].set_ylabel("N times the coefficient, points per EMG")
        note(
            figure,
            f"Points: each match length fitted by itself, {formula.confidence:.0%} intervals. "
            + ("Line and band: one fit over all lengths. " if formula.every_length else "")
            + "Dashed: published 2003.",
        )
    return figure


def _panel(ax: Axes, name: str, rows: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> None:
    longest = max((*rows["match_length"].astype(int), *formula.match_lengths))
    n = np.linspace(1, longest * 1.06, 60)
    ends = []
    shown = [("today", BLUE, "o", -0.006)]
    if name == "b":  # the chequer coefficient hardly knows how cube decisions are counted
        shown.append(("2003", VERMILION, "s", 0.006))
    for definition, color, marker, aside in shown:
        mine = rows[rows["epc_definition"] == definition].sort_values("match_length")
        length = mine["match_length"].to_numpy(dtype=float)
        y = mine["estimate"].to_numpy(dtype=float) * length
        spread = [
            y - mine["ci_low"].to_numpy(dtype=float) * length,
            mine["ci_high"].to_numpy(dtype=float) * length - y,
        ]
        ax.errorbar(
            length + aside * longest, y, yerr=spread, fmt=marker, color=color, markersize=5, elinewidth=1.2, zorder=3,
            label="today's close decisions" if definition == "today" else "close decisions counted as in 2003",
        )  # fmt: skip
    if formula.every_length:
        value, error = formula.coefficient(name, n)
        half = formula.half_width(1.0) * error
        ax.fill_between(n, n * (value - half), n * (value + half), color=BLUE, alpha=0.15, linewidth=0, zorder=0)
        ax.plot(n, n * value, color=OURS, zorder=2)
        ends.append((float(n[-1]), float(n[-1] * value[-1]), "found", OURS))
    theirs = n * published.coefficient(name, n)[0]
    ax.plot(n, theirs, color=PUBLISHED, linestyle=(0, (2, 2)), zorder=1)
    ends.append((float(n[-1]), float(theirs[-1]), "published", PUBLISHED))
    ax.set(
        title=WORDS[name],
        xlabel="match length N, points",
        xlim=(0, longest * 1.08),
        xticks=sorted({*rows["match_length"].astype(int)}),
    )
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    if len(shown) > 1:
        ax.legend(loc="upper left", frameon=False, fontsize=8.5)
    label_ends(ax, ends)
