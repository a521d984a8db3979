"""The figures of a study by name: ratings against error rates, coefficients against match length, pairs of players."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.pages import style
from bgrating.pages.template import records
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import quantile
from study.published import predictions

WORDS = {
    "a": "N a(N): chequer play and cube together",
    "a2": "N a2(N): chequer play",
    "b": "N b(N): cube decisions",
}


def figures(
    points: pd.DataFrame, coefficients: pd.DataFrame, formula: RatingFormula, published: RatingFormula
) -> Iterator[tuple[str, Figure]]:
    """Draw the figures that a study's formula calls for, each with its file name."""
    method = str(formula.facts["method"])
    seen = predictions(points, formula, published, method)
    form, _, _ = str(formula.facts["model"]).partition("-")
    for length in sorted(map(int, seen["match_length"].unique())):
        if form == "bilinear":
            yield f"rating-{length:02d}", bilinear(seen, length, formula.confidence)
        elif alone := least_squares_line(coefficients, method, length):
            yield f"rating-{length:02d}", linear(seen, alone, published, length)
    if form == "linear":
        yield "rating-all", linear_all(seen, formula, published)
    yield "coefficients", lines(single_lengths(coefficients, form, method), formula, published)
    yield "agreement", agreement(seen, formula.confidence)


def single_lengths(coefficients: pd.DataFrame, form: str, method: str) -> pd.DataFrame:
    """Return the rows of a coefficients table that were fitted length by length to winning chances."""
    chosen = (coefficients["model"] == f"{form}-probability") & (coefficients["method"] == method)
    return coefficients[chosen & coefficients["match_length"].notna() & coefficients["estimate"].notna()]


def least_squares_line(coefficients: pd.DataFrame, method: str, length: int) -> dict[str, Any] | None:
    """Return the row of the least-squares line of one match length; None where its points determine none."""
    chosen = (coefficients["model"] == "linear-ols") & (coefficients["method"] == method)
    chosen &= (coefficients["match_length"] == length) & (coefficients["epc_definition"] == "today")
    return next(iter(records(coefficients[chosen & coefficients["estimate"].notna()])), None)


def lines(by_length: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> Figure:
    """Draw N times every coefficient against N.

    `by_length` holds rows of the coefficients table, one per match length, term and EPC definition; `formula`
    is the line over them with its band (where it is a formula of N).
    """
    names = formula.coefficients
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


def _panel(ax: Axes, name: str, rows: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> None:
    longest = max((*rows["match_length"].astype(int), *formula.match_lengths))
    n = np.linspace(1, longest * 1.06, 60)
    ends = []
    counts = [("today", style.BLUE, "o", -0.006)]
    if name == "b":  # the chequer coefficient hardly knows how cube decisions are counted
        counts.append(("2003", style.VERMILION, "s", 0.006))
    for definition, color, marker, aside in counts:
        counted = rows[rows["epc_definition"] == definition].sort_values("match_length")
        length = counted["match_length"].to_numpy(dtype=float)
        y = counted["estimate"].to_numpy(dtype=float) * length
        spread = [
            y - counted["ci_low"].to_numpy(dtype=float) * length,
            counted["ci_high"].to_numpy(dtype=float) * length - y,
        ]
        ax.errorbar(
            length + aside * longest, y, yerr=spread, fmt=marker, color=color, markersize=5, elinewidth=1.2, zorder=3,
            label="today's close decisions" if definition == "today" else "close decisions counted as in 2003",
        )  # fmt: skip
    if formula.every_length:
        value, error = formula.coefficient(name, n)
        half = formula.half_width(1.0) * error
        ax.fill_between(n, n * (value - half), n * (value + half), color=style.BLUE, alpha=0.15, linewidth=0, zorder=0)
        ax.plot(n, n * value, color=style.OURS, zorder=2)
        ends.append((float(n[-1]), float(n[-1] * value[-1]), "found", style.OURS))
    in_2003 = n * published.coefficient(name, n)[0]
    ax.plot(n, in_2003, color=style.PUBLISHED, linestyle=(0, (2, 2)), zorder=1)
    ends.append((float(n[-1]), float(in_2003[-1]), "published", style.PUBLISHED))
    ax.set(
        title=WORDS[name],
        xlabel="match length N, points",
        xlim=(0, longest * 1.08),
        xticks=sorted({*rows["match_length"].astype(int)}),
    )
    ax.set_ylim(bottom=min(0.0, ax.get_ylim()[0]))
    ax.yaxis.set_major_formatter("{x:,.0f}")
    if len(counts) > 1:
        ax.legend(loc="upper left", frameon=False, fontsize=8.5)
    style.label_ends(ax, ends)


def agreement(predictions: pd.DataFrame, confidence: float) -> Figure:
    """Draw measured against predicted rating differences, and the deviations in standard errors below that."""
    figure, (ax, off) = style.new_figure(2)
    for i, (length, rows) in enumerate(style.by_length(predictions)):
        color, marker = style.SERIES[i % len(style.SERIES)], style.MARKERS[i % len(style.MARKERS)]
        style.bars(ax, rows["predicted"], rows, color=color, marker=marker, label=style.points_word(length))
        # In rating terms a chance below the predicted one is a difference above it.
        off.plot(
            rows["predicted"],
            -rows["deviation"],
            marker,
            color=color,
            markersize=5,
            markeredgecolor="white",
            markeredgewidth=0.5,
        )
    ends = [0.0, float(predictions["predicted"].max()) * 1.03]
    ax.plot(ends, ends, color=style.GREY, linewidth=1, zorder=1)
    ax.set(title="Rating difference", xlabel="predicted, points", ylabel="measured, points")
    ax.legend(loc="upper left", frameon=False, title="match length", fontsize=8.5, title_fontsize=8.5)
    off.axhline(0, color=style.GREY, linewidth=1)
    off.axhspan(-2, 2, color="#EEEEEE", zorder=0, linewidth=0)
    off.set(
        title="Deviation from the formula",
        xlabel="predicted, points",
        ylabel="measured less predicted, standard errors",
    )
    style.note(
        figure,
        f"{confidence:.0%} intervals. Shaded: two standard errors either way, where about 19 points of 20 "
        f"lie if the formula is right.{style.absent(predictions)}",
    )
    return figure


def pairs(rows: pd.DataFrame, confidence: float) -> Figure:
    """Draw pairs of players: measured, published where the paper has them, and what formulas give; one row per point.

    `rows` is that of `beside_published` (study/published.py), or of the table comparison/out_of_sample.
    """
    figure, (ax,) = style.new_figure(1, width=9.6, height=1.8 + 0.6 * len(rows))
    at = np.arange(len(rows))[::-1].astype(float)
    style.spans(ax, at + 0.16, rows, "rating_difference", across=True, fmt="o", color=style.OURS, label="measured")
    published = ("published_difference", "published")
    style.spans(ax, at - 0.16, rows, *published, across=True, fmt="s", color=style.GREY, label="published 2003")
    for column, label, color, marker in (
        ("predicted", "formula found in Part II", style.BLUE, "D"),
        ("published_formula", "formula of 2003, our error rates", style.VERMILION, "v"),
    ):
        if column in rows:
            ax.plot(rows[column], at, marker, color=color, markersize=5, label=label)
    ax.axvline(0, color=style.GREY, linewidth=0.8)
    names = rows["player"] + "\nagainst " + rows["opponent"] + ", " + rows["match_length"].map(style.points_word)
    ax.set_yticks(at, names + ", analysed " + rows["analysis"] if "analysis" in rows else names, fontsize=8)
    ax.set(
        xlabel="rating difference, points (above 0: the opponent is the better player)",
        ylim=(-0.6, len(rows) - 0.4),
    )
    style.legend(figure, 4, side="right")
    style.note(figure, f"{confidence:.0%} intervals.{style.absent(rows)}")
    return figure


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
