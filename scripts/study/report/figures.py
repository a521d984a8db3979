"""All figures of a study by name; the coefficients against match length, and the linear formula as a surface."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.contour import QuadContourSet
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bgrating.pages import style
from bgrating.rating.formula import RatingFormula
from bgrating.rating.published import predictions, published_formula
from study.report import rating_figures as ratings
from study.report.measured_figures import agreement, cells

WORDS = {
    "a": "N a(N): chequer play and cube together",
    "a2": "N a2(N): chequer play",
    "b": "N b(N): cube decisions",
}
LEVELS = (5, 10, 20, 50, 100, 200, 400, 600, 800, 1000)  # rating points at which contour lines are drawn


def figures(
    points: pd.DataFrame, coefficients: pd.DataFrame, formula: RatingFormula, published: RatingFormula
) -> Iterator[tuple[str, Figure]]:
    """Draw the figures that a study's formula calls for, each with its file name."""
    method = str(formula.facts["method"])
    seen = predictions(points, formula, published, method)
    form, _, _ = str(formula.facts["model"]).partition("-")
    if form == "bilinear":
        seen = with_linear(seen, coefficients, method)
    for length in sorted(map(int, seen["match_length"].unique())):
        if form == "bilinear":
            yield f"rating-{length:02d}", ratings.bilinear(seen, length, formula.confidence)
            yield f"cells-{length:02d}", cells(seen, length, formula.confidence)
        elif alone := least_squares_line(coefficients, method, length):
            yield f"rating-{length:02d}", ratings.linear(seen, alone, published, length)
    if form == "linear":
        yield "rating-all", ratings.linear_all(seen, formula, published)
        if formula.every_length:
            yield "surface", surface(seen, formula, published)
    yield "coefficients", lines(single_lengths(coefficients, form, method), formula, published)
    yield "agreement", agreement(seen, formula.confidence)


def single_lengths(coefficients: pd.DataFrame, form: str, method: str) -> pd.DataFrame:
    """Return the rows of a coefficients table that were fitted length by length to winning chances."""
    chosen = (coefficients["model"] == f"{form}-probability") & (coefficients["method"] == method)
    return coefficients[chosen & coefficients["match_length"].notna() & coefficients["estimate"].notna()]


def with_linear(seen: pd.DataFrame, coefficients: pd.DataFrame, method: str) -> pd.DataFrame:
    """Add what the linear form says: `linear`, fitted to the same study, and `published_linear`."""
    published = published_formula("linear")
    slopes = {int(row["match_length"]): float(row["estimate"]) for row in _linear_rows(coefficients, method)}
    return seen.assign(
        linear=[slopes.get(n, float("nan")) * x for n, x in zip(seen["match_length"], seen["depd"], strict=True)],
        published_linear=published.rating_difference(
            seen["match_length"].to_numpy(float), depd=seen["depd_2003"].to_numpy(float)
        )[0],
    )


def _linear_rows(coefficients: pd.DataFrame, method: str) -> list[dict[str, Any]]:
    """Return the linear fit to chances at every length: one fit over all lengths, or that of the single length."""
    single = single_lengths(coefficients, "linear", method)
    rows = single[single["epc_definition"] == "today"]
    if len(rows) > 1:
        joint = coefficients[(coefficients["model"] == "linear-joint-probability") & (coefficients["method"] == method)]
        rows = joint[joint["match_length"].notna() & (joint["epc_definition"] == "today")]
    return [{str(k): v for k, v in row.items()} for row in rows.to_dict("records")]


def least_squares_line(coefficients: pd.DataFrame, method: str, length: int) -> RatingFormula | None:
    """Return the least-squares line of one match length as a formula; None where its points determine none."""
    chosen = (coefficients["model"] == "linear-ols") & (coefficients["method"] == method)
    chosen &= (coefficients["match_length"] == length) & (coefficients["epc_definition"] == "today")
    rows = coefficients[chosen & coefficients["estimate"].notna()]
    if rows.empty:
        return None
    row = rows.iloc[0]
    return RatingFormula(
        terms=("a",),
        estimate=np.array([row["estimate"]], dtype=float),
        covariance=np.array([[row["std_error"] ** 2]], dtype=float),
        dof=float(row["dof"]),
        confidence=float(row["confidence"]),
        epc_definition="today",
        match_lengths=(length,),
    )


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
    shown = [("today", style.BLUE, "o", -0.006)]
    if name == "b":  # the chequer coefficient hardly knows how cube decisions are counted
        shown.append(("2003", style.VERMILION, "s", 0.006))
    for definition, color, marker, aside in shown:
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
    if len(shown) > 1:
        ax.legend(loc="upper left", frameon=False, fontsize=8.5)
    style.label_ends(ax, ends)


def surface(predictions: pd.DataFrame, formula: RatingFormula, published: RatingFormula) -> Figure:
    """Draw measured rating differences where they were measured, over the contour lines of both formulas.

    Match lengths stand evenly apart. DEPD is drawn to a logarithmic scale: a point where it is not positive is left
    out and named below.
    """
    seen = predictions[predictions["depd"] > 0]
    figure, (ax,) = style.new_figure(1, width=9.6, height=6.2)
    lengths = np.array(sorted(seen["match_length"].unique()), dtype=float)
    places = np.arange(len(lengths), dtype=float)
    at = np.linspace(0, places[-1], 80)
    n = np.exp(np.interp(at, places, np.log(lengths)))
    depd = np.geomspace(float(seen["depd"].min()) / 1.4, float(seen["depd"].max()) * 1.4, 60)
    for source, color, dashes in ((published, style.GREY, "dashed"), (formula, style.VERMILION, "solid")):
        height = np.outer(depd, source.coefficient("a", n)[0])
        levels = [level for level in LEVELS if height.min() < level < height.max()]
        lines = ax.contour(
            at, depd * style.MILLI, height, levels=levels, colors=color, linestyles=dashes, linewidths=1.2
        )
        if source is formula:
            ax.clabel(lines, fmt="%g", fontsize=8.5, inline_spacing=3, manual=_label_places(lines, at[-1] - 0.25))
    x, y = (
        np.searchsorted(lengths, seen["match_length"].to_numpy(dtype=float)),
        seen["depd"].to_numpy(dtype=float) * style.MILLI,
    )
    ax.plot(x, y, "o", color=style.OURS, markersize=4, zorder=3)
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
    style.note(
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
