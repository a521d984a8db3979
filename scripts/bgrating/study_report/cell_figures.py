"""Part II cell by cell: measured rating differences beside what the linear and the bilinear formula say."""

from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bgrating.report.style import BLUE, GREY, OURS, RC, VERMILION, absent, bars, note, points_word


class _Formula(NamedTuple):
    """How a formula's predictions are drawn; those of 2003 are hollow."""

    column: str
    label: str
    color: str
    marker: str
    hollow: bool
    aside: float


FORMULAS = (
    _Formula("linear", "linear, found (DEPD)", VERMILION, "^", False, -0.26),
    _Formula("published_linear", "linear, 2003", VERMILION, "^", True, -0.13),
    _Formula("predicted", "bilinear, found (EPM, EPC)", BLUE, "D", False, 0.13),
    _Formula("published", "bilinear, 2003", BLUE, "D", True, 0.26),
)
GAP = 0.8  # between cells of different chequer noise, in cells


def cells(predictions: pd.DataFrame, length: int, confidence: float) -> Figure:
    """Draw every cell of one match length: measured with its interval, and four predictions; deviations below.

    `predictions` has the columns of the model's predictions and, likewise for the linear form, `linear` and
    `published_linear` (rating points).
    """
    rows = predictions[predictions["match_length"] == length].sort_values(["chequer_noise", "cube_noise", "player"])
    with mpl.rc_context(RC):
        figure = Figure(figsize=(9.2, 6.4), layout="constrained")
        top, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
        at = _places(rows)
        measured = rows["rating_difference"].to_numpy(dtype=float)
        bars(top, at, rows, color=OURS, marker="o", label="measured")
        low, high = rows["ci_low"].to_numpy(dtype=float), rows["ci_high"].to_numpy(dtype=float)
        known = np.isfinite(measured)
        bars(below, at[known], rows.loc[known].assign(
            rating_difference=0.0, ci_low=(low - measured)[known], ci_high=(high - measured)[known]
        ), color=OURS, marker="o")  # fmt: skip
        for one in FORMULAS:
            said = rows[one.column].to_numpy(dtype=float)
            for ax, y in ((top, said), (below, said - measured)):
                ax.plot(
                    at + one.aside, y, one.marker, color=one.color, markersize=5, zorder=4, label=one.label,
                    markerfacecolor="white" if one.hollow else one.color,
                )  # fmt: skip
        for ax in (top, below):
            ax.axhline(0, color=GREY, linewidth=0.8, zorder=1)
            ax.grid(visible=False, axis="x")
        top.set(title=f"{points_word(length)}: every cell", ylabel="rating difference, points")
        below.set(ylabel="predicted less measured, points")
        _name(below, at, rows)
        top.legend(loc="upper left", frameon=False, fontsize=8.5)
        note(
            figure,
            f"Measured with {confidence:.0%} intervals, which stand round 0 below. Each formula is given EPC or DEPD "
            f"by its own count of close cube decisions.{absent(rows)}",
        )
    return figure


def _places(rows: pd.DataFrame) -> "pd.Series[float]":
    """Give every row its place across: one apart, and more between rows of different chequer noise."""
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
