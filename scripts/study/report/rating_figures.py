"""Rating difference against error rates, one figure per match length: measured, fitted and published."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.pages import style
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import quantile


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

    `predictions` is the table of that name in the model. Lines go through what a formula says at each point's own two
    error rates. So they bend where the other rate varies within a series.
    """
    rows = predictions[predictions["match_length"] == length]
    figure, axes = style.new_figure(2, sharey=True)
    for panel, ax in zip(PANELS, axes, strict=True):
        ends, middle = [], (rows[panel.series].nunique() - 1) / 2
        for i, (noise, group) in enumerate(rows.groupby(panel.series, sort=True)):
            series = group.sort_values(panel.rate)
            color, marker = style.SERIES[i % len(style.SERIES)], style.MARKERS[i % len(style.MARKERS)]
            x = series[panel.rate] * style.MILLI
            ax.plot(x, series["published"], color=color, linestyle=DASHED, linewidth=1.1, zorder=1)
            ax.plot(x, series["predicted"], color=color, zorder=2)
            across = quantile(confidence) * style.MILLI * series[f"{panel.rate}_se"]
            aside = (i - middle) * panel.apart * float(rows[panel.rate].max()) * style.MILLI
            style.bars(ax, x + aside, series, color=color, marker=marker, x_half=across)
            ends.append((float(x.iloc[-1]), float(series["predicted"].iloc[-1]), f"{noise:g}", color))
        ax.axhline(0, color=style.GREY, linewidth=0.8)
        ax.set(title=panel.title, xlabel=AXIS[panel.rate])
        _label(ax, ends, panel.words)
    axes[0].set_ylabel("rating difference, points")
    style.note(
        figure,
        f"{length}-point matches. Points: measured, with {confidence:.0%} intervals. Solid: the formula found. "
        f"Dashed: the formula of 2003 (its own count of close decisions). "
        f"Series of chequer play drawn slightly apart.{style.absent(rows)}",
    )
    return figure


def _label(ax: Axes, ends: list[tuple[float, float, str, str]], words: str) -> None:
    top = max(range(len(ends)), key=lambda i: ends[i][1])
    named = [(x, y, f"{words} {text}" if i == top else text, color) for i, (x, y, text, color) in enumerate(ends)]
    style.label_ends(ax, named)


def linear(predictions: pd.DataFrame, alone: Mapping[str, Any], published: RatingFormula, length: int) -> Figure:
    """Draw the rating difference against DEPD at one match length, the measured points joined in order.

    `alone` is the row of the least-squares line of this length, drawn with its band. Pairs who both err are squares.
    """
    rows = predictions[predictions["match_length"] == length].sort_values("depd")
    both = rows["opponent"] != rows["opponent"].mode().iloc[0]
    figure, (ax,) = style.new_figure(1, width=7.0)
    x = rows["depd"] * style.MILLI
    ax.plot(x, rows["rating_difference"], color=style.SERIES[0], linewidth=0.9, zorder=1)
    _depd_bars(ax, rows[~both], alone["confidence"], style.BLUE, "o")
    _depd_bars(ax, rows[both], alone["confidence"], style.VERMILION, "s")
    end = float(rows["depd"].max()) * 1.05
    slope, low, high = (alone[name] for name in ("estimate", "ci_low", "ci_high"))
    across = np.array([0.0, end])
    ax.fill_between(across * style.MILLI, across * low, across * high, color=style.GREY, alpha=0.15, linewidth=0)
    in_2003 = published.coefficient("a", length)[0]
    ends = [
        _line(ax, slope, end, f"a = {slope:,.0f} ± {(high - low) / 2:,.0f}", color=style.OURS),
        _line(ax, in_2003, end, f"2003: {in_2003:,.0f}", color=style.PUBLISHED, linestyle=DASHED),
    ]
    ax.set(xlabel=AXIS["depd"], ylabel="rating difference, points", title=f"{style.points_word(length)}")
    style.label_ends(ax, ends)
    pairs = "; ".join(f"{row.player} against {row.opponent}" for row in rows[both].itertuples())
    style.note(
        figure,
        f"Points: measured, with {alone['confidence']:.0%} intervals, joined in order. Solid: least squares through 0 "
        f"at this length, with its band. Dashed: the formula of 2003, drawn over today's DEPD."
        f"{f' Square: {pairs}.' if pairs else ''}{style.absent(rows)}",
    )
    return figure


def _depd_bars(ax: Axes, rows: pd.DataFrame, confidence: float, color: str, marker: str) -> None:
    across = quantile(confidence) * style.MILLI * rows["depd_se"]
    style.bars(ax, rows["depd"] * style.MILLI, rows, color=color, marker=marker, x_half=across)


def _line(ax: Axes, slope: float, end: float, text: str, *, color: str, **look: Any) -> tuple[float, float, str, str]:
    """Draw a line through 0 up to a DEPD; return what labels its end."""
    ax.plot([0.0, end * style.MILLI], [0.0, slope * end], color=color, zorder=2, **look)
    return end * style.MILLI, slope * end, text, color


def linear_all(predictions: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> Figure:
    """Draw the rating difference against DEPD for all match lengths in one picture, with both formulas' lines."""
    figure, (ax,) = style.new_figure(1, width=7.4, height=5)
    ends = []
    for i, (length, rows) in enumerate(style.by_length(predictions)):
        color = style.SERIES[i % len(style.SERIES)]
        end = float(rows["depd"].max())
        _line(ax, published.coefficient("a", length)[0], end, "", color=color, linestyle=DASHED)
        ends.append(_line(ax, formula.coefficient("a", length)[0], end, style.points_word(length), color=color))
        _depd_bars(ax, rows, formula.confidence, color, style.MARKERS[i % len(style.MARKERS)])
    ax.set(xlabel=AXIS["depd"], ylabel="rating difference, points")
    style.label_ends(ax, ends)
    style.note(
        figure,
        f"Points: measured, with {formula.confidence:.0%} intervals. Solid: the formula found. "
        f"Dashed: the formula of 2003, drawn over today's DEPD.{style.absent(predictions)}",
    )
    return figure
