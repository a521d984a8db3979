"""The common style of all figures; the same data give files with the same bytes."""

import textwrap
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

# Okabe and Ito's palette, told apart with any colour vision (jfly.uni-koeln.de/color).
BLUE = "#0072B2"
VERMILION = "#D55E00"
OURS = "#000000"
PUBLISHED = "#777777"
GREY = "#555555"

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


def new_figure(columns: int, width: float = 9.2, height: float = 4.3) -> tuple[Figure, list[Axes]]:
    """Make a figure with axes side by side; sizes in inches."""
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(1, columns, squeeze=False)
    return figure, list(axes.flat)


def save(figure: Figure, path: Path) -> Path:
    """Write a figure; return its path.

    The file has no date or version, so that the same data give the same bytes.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None})
    return path


def note(figure: Figure, text: str) -> None:
    figure.supxlabel(
        textwrap.fill(text, int(figure.get_figwidth() * CHARACTERS)),
        fontsize=8,
        color=GREY,
        x=0.01,
        ha="left",
    )
