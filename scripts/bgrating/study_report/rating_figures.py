"""Rating difference against error rates, one figure a match length: measured, fitted and published."""

from typing import NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.formula.formula import RatingFormula
from bgrating.report.style import (
    BLUE,
    GREY,
    MARKERS,
    MILLI,
    OURS,
    PUBLISHED,
    RC,
    SERIES,
    VERMILION,
    absent,
    bars,
    by_length,
    half_width,
    label_ends,
    new_figure,
    note,
    points_word,
)  # fmt: skip


class _Panel(NamedTuple):
    """What a panel shows: its title, the rate across, the noise that makes its series and its name.

    Markers of series that share their error rates stand `apart`, as a share of the axis.
    """

    title: str
    rate: str
    series: str
    words: str
    apart: float


PANELS = (
    _Panel("Chequer play", "epm", "cube_noise", "cube noise", 0.012),
    _Panel("Cube decisions", "epc", "chequer_noise", "chequer noise", 0.0),
)
DASHED = (0, (2, 2))
AXIS = {
    "epm": "difference in EPM, milli-EMG per unforced move",
    "epc": "difference in EPC, milli-EMG per close cube decision",
    "depd": "difference in EPD, milli-EMG per decision",
}


def bilinear(predictions: pd.DataFrame, length: int, confidence: float) -> Figure:
    """Draw the rating difference against EPM and against EPC, as series of equal noise in the other part.

    `predictions` is the table of that name in the model; lines go through what a formula says at each
    point's own two error rates, so they bend where the other rate varies within a series.
    """
    rows = predictions[predictions["match_length"] == length]
    figure, axes = new_figure(2, sharey=True)
    with mpl.rc_context(RC):
        for panel, ax in zip(PANELS, axes, strict=True):
            ends = []
            for i, (noise, group) in enumerate(rows.groupby(panel.series, sort=True)):
                series = group.sort_values(panel.rate)
                color, x = SERIES[i % len(SERIES)], series[panel.rate] * MILLI
                ax.plot(x, series["published"], color=color, linestyle=DASHED, linewidth=1.1, zorder=1)
                ax.plot(x, series["predicted"], color=color, zorder=2)
                across = half_width(series[f"{panel.rate}_se"] * MILLI, confidence)
                aside = (
                    (i - (rows[panel.series].nunique() - 1) / 2) * panel.apart * float(rows[panel.rate].max()) * MILLI
                )
                bars(ax, x + aside, series, color=color, marker=MARKERS[i % len(MARKERS)], x_half=across)
                ends.append((float(x.iloc[-1]), float(series["predicted"].iloc[-1]), f"{noise:g}", color))
            ax.axhline(0, color=GREY, linewidth=0.8)
            ax.set(title=panel.title, xlabel=AXIS[panel.rate])
            _label(ax, ends, panel.words)
        axes[0].set_ylabel("rating difference, points")
        note(
            figure,
            f"{length}-point matches. Points: measured, with {confidence:.0%} intervals. Solid: the formula found. "
            f"Dashed: the formula of 2003 (its own count of close decisions). "
            f"Series of chequer play drawn slightly apart.{absent(rows)}",
        )
    return figure


def _label(ax: Axes, ends: list[tuple[float, float, str, str]], words: str) -> None:
    top = max(range(len(ends)), key=lambda i: ends[i][1])
    named = [(x, y, f"{words} {text}" if i == top else text, color) for i, (x, y, text, color) in enumerate(ends)]
    label_ends(ax, named)


def linear(predictions: pd.DataFrame, alone: RatingFormula, published: RatingFormula, length: int) -> Figure:
    """Draw the rating difference against DEPD at one match length, the measured points joined in order.

    `alone` is the least-squares line of this length, drawn with its band. Pairs who both err are squares.
    """
    rows = predictions[predictions["match_length"] == length].sort_values("depd")
    both = rows["opponent"] != rows["opponent"].mode().iloc[0]
    figure, (ax,) = new_figure(1, width=7.0)
    with mpl.rc_context(RC):
        x = rows["depd"] * MILLI
        ax.plot(x, rows["rating_difference"], color=SERIES[0], linewidth=0.9, zorder=1)
        _depd_bars(ax, rows[~both], alone.confidence, BLUE, "o")
        _depd_bars(ax, rows[both], alone.confidence, VERMILION, "s")
        end = float(rows["depd"].max()) * 1.05
        slope, error = alone.coefficient("a", length)
        half = alone.half_width(error)
        across = np.array([0.0, end])
        ax.fill_between(
            across * MILLI, across * (slope - half), across * (slope + half), color=GREY, alpha=0.15, linewidth=0
        )
        ends = [
            _line(ax, alone, length, end, f"a = {slope:,.0f} ± {half:,.0f}", OURS, "-"),
            _line(ax, published, length, end, f"2003: {published.coefficient('a', length)[0]:,.0f}", PUBLISHED, DASHED),
        ]
        ax.set(xlabel=AXIS["depd"], ylabel="rating difference, points", title=f"{points_word(length)}")
        label_ends(ax, ends)
        pairs = "; ".join(f"{row.player} against {row.opponent}" for row in rows[both].itertuples())
        note(
            figure,
            f"Points: measured, with {alone.confidence:.0%} intervals, joined in order. Solid: least squares through 0 "
            f"at this length, with its band. Dashed: the formula of 2003, drawn over today's DEPD."
            f"{f' Square: {pairs}.' if pairs else ''}{absent(rows)}",
        )
    return figure


def _depd_bars(ax: Axes, rows: pd.DataFrame, confidence: float, color: str, marker: str) -> None:
    across = half_width(rows["depd_se"] * MILLI, confidence)
    bars(ax, rows["depd"] * MILLI, rows, color=color, marker=marker, x_half=across)


def _line(
    ax: Axes,
    formula: RatingFormula,
    length: int,
    end: float,
    text: str,
    color: str,
    style: str | tuple[int, tuple[int, int]],
) -> tuple[float, float, str, str]:
    across = np.linspace(0, end, 2)
    up = formula.rating_difference(length, depd=across)[0]
    ax.plot(across * MILLI, up, color=color, linestyle=style, zorder=2)
    return float(across[-1] * MILLI), float(up[-1]), text, color


def linear_all(predictions: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> Figure:
    """Draw the rating difference against DEPD for all match lengths in one picture, with both formulas' lines."""
    figure, (ax,) = new_figure(1, width=7.4, height=5)
    with mpl.rc_context(RC):
        ends = []
        for i, (length, rows) in enumerate(by_length(predictions)):
            color = SERIES[i % len(SERIES)]
            end = float(rows["depd"].max())
            _line(ax, published, length, end, "", color, DASHED)
            ends.append(_line(ax, formula, length, end, points_word(length), color, "-"))
            _depd_bars(ax, rows, formula.confidence, color, MARKERS[i % len(MARKERS)])
        ax.set(xlabel=AXIS["depd"], ylabel="rating difference, points")
        label_ends(ax, ends)
        note(
            figure,
            f"Points: measured, with {formula.confidence:.0%} intervals. Solid: the formula found. "
            f"Dashed: the formula of 2003, drawn over today's DEPD.{absent(predictions)}",
        )
    return figure
