"""The figure of a study: its coefficients against match length.

The same data give the same bytes.
"""

import textwrap
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.rating.formula import RatingFormula
from study.beside_2003 import published_of
from study.formula.catalogue import EPC, EPC_OF_2003, KIND_OF_ONE_LENGTH

# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
BLUE = "#0072B2"
VERMILION = "#D55E00"

LABELS = {
    "a": "N a(N): chequer play and cube together",
    "a2": "N a2(N): chequer play",
    "b": "N b(N): cube decisions",
}

# The fits of single lengths that are drawn: kind, error rates, label, colour, marker and shift to
# the right.
FITS = (
    (KIND_OF_ONE_LENGTH, EPC, "total errors over total decisions", BLUE, "o", -0.006),
    ("ols", EPC_OF_2003, "by the method of 2003", VERMILION, "s", 0.006),
)

CHARACTERS = 14  # of a note, per inch

mpl.rcParams |= {
    "svg.hashsalt": "bgrating",
    "svg.fonttype": "path",
    "font.size": 9.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.titlesize": 10.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "grid.color": "#E5E5E5",
    "grid.linewidth": 0.7,
    "lines.linewidth": 1.5,
    "errorbar.capsize": 2,
    "text.parse_math": False,  # a player's name may contain a dollar sign
}


def lines(coefficients: pd.DataFrame, formula: RatingFormula) -> Figure:
    """Draw N times every coefficient against N.

    The points are the fits of single match lengths in the coefficients table. The line with its
    band is `formula`, if that holds at every length.
    """
    by_length = coefficients.dropna(subset=["match_length", "estimate"])
    by_length = by_length.astype({"match_length": int})
    names = formula.coefficients
    published = published_of(formula)
    width = 9.2 if len(names) > 1 else 5.6
    figure = Figure(figsize=(width, 4.3), layout="constrained")
    axes = figure.subplots(1, len(names), squeeze=False)[0]
    for name, ax in zip(names, axes, strict=True):
        _panel(ax, name, by_length[by_length["term"] == name], formula, published)
    axes[0].set_ylabel("N times the coefficient, points per EMG")
    band = "Line and band: one fit over all lengths. " if formula.every_length else ""
    note = (
        f"Points: each match length fitted by itself, {formula.confidence:.0%} intervals. {band}"
        "Dashed: published 2003."
    )
    lines_of_note = textwrap.fill(note, int(width * CHARACTERS))
    figure.supxlabel(lines_of_note, fontsize=8, color="#555555", x=0.01, ha="left")
    return figure


def _panel(
    ax: Axes, name: str, rows: pd.DataFrame, formula: RatingFormula, published: RatingFormula
) -> None:
    longest = max((*rows["match_length"], *formula.match_lengths))
    n = np.linspace(1, longest * 1.06, 60)
    for kind, definition, label, color, marker, offset in FITS:
        is_shown = rows["model"].str.endswith(f"-{kind}") & (rows["epc_definition"] == definition)
        fits = rows[is_shown].sort_values("match_length")
        length = fits["match_length"]
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
            color=BLUE,
            alpha=0.15,
            linewidth=0,
            zorder=0,
        )
        ax.plot(n, n * value, color="#000000", zorder=2, label="found")
    in_2003 = n * published.coefficient(name, n)[0]
    ax.plot(n, in_2003, color="#777777", linestyle=(0, (2, 2)), zorder=1, label="published")
    xticks = sorted({*rows["match_length"]})
    ax.set(
        title=LABELS[name], xlabel="match length N, points", xlim=(0, longest * 1.08), xticks=xticks
    )
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    ax.legend(loc="upper left", frameon=False, fontsize=8.5)


def save(figure: Figure, path: Path) -> Path:
    """Write a figure; return its path.

    The file has no date or version, so that the same data give the same bytes.
    """
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    return path
