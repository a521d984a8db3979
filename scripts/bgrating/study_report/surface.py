"""The linear formula as a surface over match length and DEPD, drawn as a map with contour lines."""

from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bgrating.formula.formula import RatingFormula
from bgrating.report.style import GREY, MILLI, OURS, RC, VERMILION, new_figure, note

LEVELS = (5, 10, 20, 50, 100, 200, 400, 600, 800, 1000)  # rating points at which contour lines are drawn


def surface(predictions: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> Figure:
    """Draw measured rating differences where they were measured, over the contour lines of both formulas.

    Match lengths stand evenly apart. DEPD is drawn to a logarithmic scale: a point where it is not positive is left
    out and named below.
    """
    seen = predictions[predictions["depd"] > 0]
    figure, (ax,) = new_figure(1, width=9.6, height=6.2)
    with mpl.rc_context(RC):
        lengths = np.array(sorted(seen["match_length"].unique()), dtype=float)
        places = np.arange(len(lengths), dtype=float)
        at = np.linspace(0, places[-1], 80)
        n = np.exp(np.interp(at, places, np.log(lengths)))
        depd = np.geomspace(float(seen["depd"].min()) / 1.4, float(seen["depd"].max()) * 1.4, 60)
        for source, color, style in ((published, GREY, "dashed"), (formula, VERMILION, "solid")):
            height = np.outer(depd, source.coefficient("a", n)[0])
            levels = [level for level in LEVELS if height.min() < level < height.max()]
            lines = ax.contour(at, depd * MILLI, height, levels=levels, colors=color, linestyles=style, linewidths=1.2)
            if source is formula:
                ax.clabel(lines, fmt="%g", fontsize=8.5, inline_spacing=3, manual=_label_places(lines, at[-1] - 0.25))
        x, y = (
            np.searchsorted(lengths, seen["match_length"].to_numpy(dtype=float)),
            seen["depd"].to_numpy(dtype=float) * MILLI,
        )
        ax.plot(x, y, "o", color=OURS, markersize=4, zorder=3)
        for row, across, up in zip(seen.to_dict("records"), x, y, strict=True):
            ax.annotate(
                _measured(row), xy=(across, up), xytext=(6, 0), textcoords="offset points", fontsize=8, va="center",
                bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.8}, zorder=4,
            )  # fmt: skip
        ax.set(
            yscale="log", xlabel="match length N, points", xlim=(-0.1, at[-1] + 0.95),
            ylabel="difference in EPD, milli-EMG per decision",
        )  # fmt: skip
        ax.set_xticks(places, [f"{length:g}" for length in lengths])
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("")
        gone = predictions[~(predictions["depd"] > 0)]
        names = ", ".join(f"{row.player} at {row.match_length} points" for row in gone.itertuples())
        note(
            figure,
            f"Numbers at points: measured rating difference, {formula.confidence:.0%} interval in brackets. Contour "
            "lines: rating difference by the formula found (solid, numbered) and by that of 2003 (dashed, the "
            f"same levels).{f' Not drawn, as DEPD is not above 0: {names}.' if names else ''}",
        )
    return figure


def _label_places(lines: QuadContourSet, across: float) -> list[tuple[float, float]]:
    """Find where each contour line passes `across`, left of the last match length, where no number stands."""
    places = []
    for line in lines.allsegs:
        for segment in line:
            if len(segment) and segment[:, 0].min() <= across <= segment[:, 0].max():
                order = np.argsort(segment[:, 0])
                places.append((across, float(np.interp(across, segment[order, 0], segment[order, 1]))))
    return places


def _measured(row: dict[Any, Any]) -> str:
    return f"{row['rating_difference']:.0f} [{row['ci_low']:.0f}, {row['ci_high']:.0f}]"
