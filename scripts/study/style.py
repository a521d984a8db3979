"""One look for all figures, and files that are the same bytes on every run."""

import textwrap
from collections.abc import Iterable
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
SERIES = (SKY, ORANGE, GREEN, VERMILION, PURPLE, BLUE)
MARKERS = ("o", "s", "D", "^", "v", "P")
OURS, PUBLISHED, GREY = "#000000", "#777777", "#555555"

CHARACTERS = 14  # of a note that fit an inch

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
    "text.parse_math": False,  # a name is never mathematics
}


def new_figure(columns: int, width: float = 9.2, height: float = 4.3) -> tuple[Figure, list[Axes]]:
    """Make a figure with axes side by side; sizes in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)
    return figure, list(axes.flat)


def save(figures: Iterable[tuple[str, Figure]], folder: Path) -> list[Path]:
    """Write figures into a folder, which is made, each as `name`.svg; return the files, sorted by name.

    They have no date or version, so that the same data give the same bytes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn = []
    for name, figure in figures:
        drawn.append(folder / f"{name}.svg")
        figure.savefig(drawn[-1], metadata={"Date": None, "Creator": None})
    return sorted(drawn)  # not what lies there: an older version drew other figures


def bars(axes: Axes, x: pd.Series, rows: pd.DataFrame, *, color: str, marker: str, label: str) -> None:
    """Draw rating differences with their intervals; an end that does not exist is an arrow."""
    at = x.to_numpy(dtype=float)
    y, low, high = (rows[name].to_numpy(dtype=float) for name in ("rating_difference", "ci_low", "ci_high"))
    axes.errorbar(
        at,
        y,
        yerr=np.maximum(np.nan_to_num([y - low, high - y]), 0.0),
        fmt=marker,
        markersize=5,
        color=color,
        elinewidth=1.1,
        markeredgecolor="white",
        markeredgewidth=0.5,
        label=label,
        zorder=3,
    )
    look = {"arrowstyle": "<-", "color": color}
    for end, arrow in (("ci_high", 20), ("ci_low", -20)):
        for i in np.flatnonzero(rows[end].isna() & np.isfinite(y)):
            axes.annotate("", xy=(at[i], y[i]), xytext=(0, arrow), textcoords="offset points", arrowprops=look)


def by_length(rows: pd.DataFrame) -> list[tuple[int, pd.DataFrame]]:
    return [(int(n), rows[rows["match_length"] == n]) for n in sorted(rows["match_length"].unique())]


def note(figure: Figure, text: str) -> None:
    figure.supxlabel(
        textwrap.fill(text, int(figure.get_figwidth() * CHARACTERS)), fontsize=8, color=GREY, x=0.01, ha="left"
    )


def absent(rows: pd.DataFrame) -> str:
    """Say which points of a table have no rating difference and so are not drawn."""
    missing = rows[rows["rating_difference"].isna()]
    names = [f"{r.player} at {r.match_length} points ({r.status})" for r in missing.itertuples()]
    return f" Not drawn: {'; '.join(names)}." if names else ""
