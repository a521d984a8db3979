"""The figure of a study: its coefficients against match length."""

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.rating.formula import RatingFormula
from study import style
from study.beside_2003 import published_of
from study.formula.catalogue import EPC, EPC_OF_2003, KIND_OF_ONE_LENGTH

WORDS = {
    "a": "N a(N): chequer play and cube together",
    "a2": "N a2(N): chequer play",
    "b": "N b(N): cube decisions",
}

# The fits of single lengths that are drawn: kind, error rates, label, colour, marker and shift to
# the right.
FITS = (
    (KIND_OF_ONE_LENGTH, EPC, "total errors over total decisions", style.BLUE, "o", -0.006),
    ("ols", EPC_OF_2003, "by the method of 2003", style.VERMILION, "s", 0.006),
)


def lines(coefficients: pd.DataFrame, formula: RatingFormula) -> Figure:
    """Draw N times every coefficient against N.

    The points are the fits of single match lengths in the coefficients table. The line with its
    band is `formula`, if that holds at every length.
    """
    by_length = coefficients[
        coefficients["match_length"].notna() & coefficients["estimate"].notna()
    ]
    names = formula.coefficients
    published = published_of(formula)
    figure, axes = style.new_figure(len(names), width=9.2 if len(names) > 1 else 5.6)
    for name, ax in zip(names, axes, strict=True):
        _panel(ax, name, by_length[by_length["term"] == name], formula, published)
    axes[0].set_ylabel("N times the coefficient, points per EMG")
    style.note(
        figure,
        f"Points: each match length fitted by itself, {formula.confidence:.0%} intervals. "
        + ("Line and band: one fit over all lengths. " if formula.every_length else "")
        + "Dashed: published 2003.",
    )
    return figure


def _panel(
    ax: Axes, name: str, rows: pd.DataFrame, formula: RatingFormula, published: RatingFormula
) -> None:
    longest = max((*rows["match_length"].astype(int), *formula.match_lengths))
    n = np.linspace(1, longest * 1.06, 60)
    for kind, definition, label, color, marker, offset in FITS:
        is_shown = rows["model"].str.endswith(f"-{kind}") & (rows["epc_definition"] == definition)
        fits = rows[is_shown].sort_values("match_length")
        length = fits["match_length"].astype(float)
        ax.errorbar(
            length + offset * longest,
            length * fits["estimate"],
            yerr=length * (fits["ci_high"] - fits["estimate"]),
            fmt=marker,
            color=color,
            markersize=5,
            elinewidth=1.2,
            zorder=3,
            label=label,
        )
    if formula.every_length:
        value, error = formula.coefficient(name, n)
        half = formula.half_width(1.0) * error
        ax.fill_between(
            n,
            n * (value - half),
            n * (value + half),
            color=style.BLUE,
            alpha=0.15,
            linewidth=0,
            zorder=0,
        )
        ax.plot(n, n * value, color=style.OURS, zorder=2, label="found")
    in_2003 = n * published.coefficient(name, n)[0]
    ax.plot(n, in_2003, color=style.PUBLISHED, linestyle=(0, (2, 2)), zorder=1, label="published")
    xticks = sorted({*rows["match_length"].astype(int)})
    ax.set(
        title=WORDS[name], xlabel="match length N, points", xlim=(0, longest * 1.08), xticks=xticks
    )
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.legend(loc="upper left", frameon=False, fontsize=8.5)
