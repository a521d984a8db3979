"""All figures of a study by name; the coefficients against match length."""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.pages import style
from bgrating.rating.formula import RatingFormula
from study.published import predictions
from study.report import rating_figures as ratings
from study.report.measured_figures import agreement

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
            yield f"rating-{length:02d}", ratings.bilinear(seen, length, formula.confidence)
        elif alone := least_squares_line(coefficients, method, length):
            yield f"rating-{length:02d}", ratings.linear(seen, alone, published, length)
    if form == "linear":
        yield "rating-all", ratings.linear_all(seen, formula, published)
    yield "coefficients", lines(single_lengths(coefficients, form, method), formula, published)
    yield "agreement", agreement(seen, formula.confidence)


def single_lengths(coefficients: pd.DataFrame, form: str, method: str) -> pd.DataFrame:
    """Return the rows of a coefficients table that were fitted length by length to winning chances."""
    chosen = (coefficients["model"] == f"{form}-probability") & (coefficients["method"] == method)
    return coefficients[chosen & coefficients["match_length"].notna() & coefficients["estimate"].notna()]


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
