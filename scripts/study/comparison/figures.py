"""Pictures of the comparison: what moved, cube errors alone, pairs that nothing was fitted to."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import style
from bgrating.rating.formula import RatingFormula
from study.comparison.pairs import PAPER

TERMS = {"a": "a(N): one rate, DEPD", "a2": "a2(N): chequer play", "b": "b(N): cube decisions"}
SHOWN = (
    ("as published", "2003", "fitted as published, close decisions as in 2003", style.VERMILION, "s"),
    ("as published", "today", "fitted as published, today's close decisions", style.SKY, "D"),
    ("recommended", "today", "all lengths at once, today's close decisions", style.BLUE, "o"),
)
CUBE_PANELS = (
    ("epc", "per close decision, today's rule"),
    ("epc_2003", "per close decision, rule of 2003"),
    ("epc_every", "per cube decision"),
)


def figures(tables: Mapping[str, pd.DataFrame], published: RatingFormula) -> Iterator[tuple[str, Figure]]:
    """Draw every figure of the comparison for which there are rows, each with its file name."""
    coefficients = tables["coefficients"]
    if coefficients["match_length"].notna().any():
        yield "moved", moved(coefficients[coefficients["match_length"].notna()])
    if (tables["cube_only"]["source"] != PAPER).any():
        yield "cube-only", cube_only(tables["cube_only"], published)
    if len(tables["out_of_sample"]):
        yield "out-of-sample", out_of_sample(tables["out_of_sample"])


def moved(rows: pd.DataFrame) -> Figure:
    """Draw every coefficient over the published one, length by length, with intervals."""
    terms = [term for term in TERMS if (rows["term"] == term).any()]
    figure, axes = style.new_figure(len(terms), width=3.2 * len(terms) + 2, height=4.3)
    for term, ax in zip(terms, axes, strict=True):
        here = rows[rows["term"] == term]
        lengths = sorted(map(int, here["match_length"].unique()))
        for i, (fit, epc, label, color, marker) in enumerate(SHOWN):
            rows_of_fit = here[(here["fit"] == fit) & (here["epc_definition"] == epc)].sort_values("match_length")
            at = np.array([lengths.index(int(n)) for n in rows_of_fit["match_length"]]) + 0.18 * (i - 1)
            style.spans(ax, at, rows_of_fit, "ratio", "ratio", fmt=marker, color=color, label=label)
        ax.axhline(1, color=style.GREY, linewidth=1, linestyle="dashed")
        ax.set(title=TERMS[term], xlabel="match length N, points", ylim=(0, None))
        ax.set_xticks(range(len(lengths)), [str(n) for n in lengths])
    axes[0].set_ylabel("found / published")
    style.legend(figure, 1, axes[0])
    style.note(
        figure, f"{rows['confidence'].iloc[0]:.0%} intervals of what was found; the paper gives none for its own."
    )
    return figure


def cube_only(rows: pd.DataFrame, published: RatingFormula) -> Figure:
    """Draw rating difference against cube error by three counts, for players who err at the cube alone."""
    ours = rows[rows["source"] != PAPER]
    paper = rows[rows["source"] == PAPER]
    figure, axes = style.new_figure(len(CUBE_PANELS), width=10.4, height=4.5, sharey=True)
    for (rate, words), ax in zip(CUBE_PANELS, axes, strict=True):
        for i, (length, group) in enumerate(ours.groupby("match_length", sort=True)):
            here = group.sort_values(rate)
            color, marker = style.SERIES[i % len(style.SERIES)], style.MARKERS[i % len(style.MARKERS)]
            ax.plot(here[rate] * style.MILLI, here["rating_difference"], color=color, linewidth=0.9, zorder=1)
            style.bars(
                ax,
                here[rate] * style.MILLI,
                here,
                color=color,
                marker=marker,
                label=style.points_word(int(str(length))),
            )
        if rate == "epc_2003":
            style.bars(ax, paper[rate] * style.MILLI, paper, color=style.OURS, marker="X", label="paper, Appendix II")
            end = float(paper[rate].max())
            across = np.array([0.0, end])
            ax.plot(
                across * style.MILLI, [published.rating_difference(5, epm=0.0, epc=float(x))[0] for x in across],
                color=style.PUBLISHED, linestyle="dashed", label="paper, formula at 5 points",
            )  # fmt: skip
        ax.axhline(0, color=style.GREY, linewidth=0.8)
        ax.set(title=words, xlabel="cube error, milli-EMG", xlim=(0, None))
    axes[0].set_ylabel("rating difference, points")
    style.legend(figure, 4, axes[1])
    style.note(figure, "Players whose chequer play is that of their opponent. Points: measured, with 90% intervals.")
    return figure


def out_of_sample(rows: pd.DataFrame) -> Figure:
    """Draw pairs of players that no formula was fitted to: measured, predicted in two ways, and published."""
    figure, (ax,) = style.new_figure(1, width=9.6, height=1.8 + 0.62 * len(rows))
    at = np.arange(len(rows))[::-1].astype(float)
    style.spans(ax, at + 0.16, rows, "rating_difference", across=True, fmt="o", color=style.OURS, label="measured")
    published = ("published_difference", "published")
    style.spans(ax, at - 0.16, rows, *published, across=True, fmt="s", color=style.GREY, label="published 2003")
    for column, label, color, marker in (
        ("predicted", "formula found in Part II", style.BLUE, "D"),
        ("published_formula", "formula of 2003", style.VERMILION, "v"),
    ):
        ax.plot(rows[column], at, marker, color=color, markersize=5, label=label)
    ax.axvline(0, color=style.GREY, linewidth=0.8)
    named = zip(rows["player"], rows["opponent"], rows["match_length"], rows["analysis"], strict=True)
    words = [f"{p}\nagainst {o}, {style.points_word(int(n))}, analysed {level}" for p, o, n, level in named]
    ax.set_yticks(at, words, fontsize=8)
    ax.set(
        xlabel="rating difference, points (above 0: the opponent is the better player)",
        ylim=(-0.6, len(rows) - 0.4),
    )
    style.legend(figure, 5, side="right")
    style.note(figure, "90% intervals. Formulas are given our error rates; they were fitted to 0-ply analysis.")
    return figure
