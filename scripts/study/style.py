"""One look for all figures, and files that are the same bytes on every run."""

import textwrap
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.container import ErrorbarContainer
from matplotlib.figure import Figure
from numpy.typing import NDArray

# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
BLUE, ORANGE, GREEN, PURPLE, SKY, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00"
SERIES = (SKY, ORANGE, GREEN, VERMILION, PURPLE, BLUE)
MARKERS = ("o", "s", "D", "^", "v", "P")
OURS, PUBLISHED, GREY = "#000000", "#777777", "#555555"

CHARACTERS = 14  # of a note that fit an inch
GAP = 0.055  # least distance of two labels, as a share of the axes' height
MILLI = 1000.0  # error rates are drawn in thousandths of EMG a decision

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


def bars(axes: Axes, x: pd.Series, rows: pd.DataFrame, *, color: str, marker: str, label: str | None = None) -> None:
    """Draw rating differences with their intervals; an end that does not exist is an arrow."""
    at, y = x.to_numpy(dtype=float), rows["rating_difference"].to_numpy(dtype=float)
    spans(
        axes, at, rows, "rating_difference", "ci", fmt=marker, color=color, ecolor=color, elinewidth=1.1,
        markeredgecolor="white", markeredgewidth=0.5, label=label, zorder=3,
    )  # fmt: skip
    look = {"arrowstyle": "<-", "color": color}
    for end, arrow in (("ci_high", 20), ("ci_low", -20)):
        for i in np.flatnonzero(rows[end].isna() & np.isfinite(y)):
            axes.annotate("", xy=(at[i], y[i]), xytext=(0, arrow), textcoords="offset points", arrowprops=look)


def spans(
    axes: Axes, at: Any, rows: pd.DataFrame, figure: str, ends: str = "ci", *, across: bool = False, **look: Any
) -> ErrorbarContainer:
    """Draw a column of figures with their intervals (`<ends>_low` to `<ends>_high`) at places, across or upwards.

    An end that is absent, or on the wrong side of its figure, has no line. Returns what was drawn, the figures first.
    """
    middle, low, high = (rows[name].to_numpy(dtype=float) for name in (figure, f"{ends}_low", f"{ends}_high"))
    reach = np.maximum(np.nan_to_num([middle - low, high - middle]), 0.0)
    place = {"x": middle, "y": at, "xerr": reach} if across else {"x": at, "y": middle, "yerr": reach}
    return axes.errorbar(**place, **({"markersize": 5, "elinewidth": 1.2} | look))


def legend(figure: Figure, columns: int, panel: Axes | None = None, side: str = "left") -> None:
    """Write the legend above the axes: of all of them, or of what one panel shows where all show the same."""
    handles: Any = panel.get_legend_handles_labels() if panel else ()
    figure.legend(*handles, loc=f"outside upper {side}", ncols=columns, frameon=False, fontsize=8.5)  # type: ignore[call-overload]


def label_ends(axes: Axes, labels: list[tuple[float, float, str, str]]) -> None:
    """Write labels (x, y, text, colour) right of line ends, moved apart where they would touch."""
    low, high = axes.get_ylim()
    placed = _spread(np.array([(y - low) / (high - low) for _, y, _, _ in labels]), GAP)
    for (x, y, text, color), place in zip(labels, placed, strict=True):
        axes.annotate(
            text,
            xy=(x, y),
            xytext=(1.02, place),
            textcoords="axes fraction",
            color=color,
            va="center",
            fontsize=8.5,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.6, "shrinkA": 1, "shrinkB": 3},
        )


def _spread(wanted: NDArray[np.float64], gap: float) -> NDArray[np.float64]:
    """Move places apart to at least `gap`, keeping their order, as near as that allows to where they were."""
    order = np.argsort(wanted, kind="stable")
    placed = wanted[order].copy()
    for i in range(1, len(placed)):
        placed[i] = max(placed[i], placed[i - 1] + gap)
    shift = np.mean(placed - wanted[order])
    placed -= min(shift, placed.min())
    answer = np.empty_like(placed)
    answer[order] = placed
    return answer


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
