"""Pictures of the statistics: variances by estimator, efficiency, contest of formulas, plan, coverage."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator

from bgrating.pages import style
from study.evidence.coverage import OWN

ESTIMATORS = (
    ("actual", "plain result", style.GREY, "x"),
    ("luck_adjusted", "luck-adjusted result, as published", style.VERMILION, "s"),
    ("control_variate", "luck with fitted coefficients", style.BLUE, "o"),
    ("with_errors", "luck and errors together", style.GREEN, "^"),
)
WAYS = (
    ("left_out_point", "a cell at one length left out", style.BLUE, "o"),
    ("left_out_player", "a cell at every length left out", style.GREEN, "s"),
    ("left_out_length", "a whole length left out", style.VERMILION, "D"),
    ("other_studies", "other studies", style.PURPLE, "^"),
)


def figures(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, Figure]]:
    """Draw every figure of the statistics for which there are rows, each with its file name."""
    yield "variances", variances(tables["estimators"])
    if len(tables["efficiency"]):
        yield "efficiency", efficiency(tables["efficiency"])
    if tables["contest"]["points"].notna().any():
        yield "contest", contest(tables["contest"])
    yield "plan", plan(tables["plan_cells"], "planned")
    if len(tables["efficient"]):
        yield "efficient", plan(tables["efficient"], "played")
    if len(tables.get("coverage", ())):
        yield "coverage", coverage(tables["coverage"])


def variances(table: pd.DataFrame) -> Figure:
    """Draw the variance that each estimator leaves a match, against the chance, length by length."""
    groups = style.by_length(table)
    figure, axes = style.new_figure(len(groups), width=2.4 * len(groups) + 1.4, height=4.2, sharey=True)
    for (length, rows), ax in zip(groups, axes, strict=True):
        for name, label, color, marker in ESTIMATORS:
            ax.plot(
                rows["control_variate_p"],
                rows[f"{name}_variance"],
                marker,
                color=color,
                markersize=4.5,
                label=label,
            )
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        ax.yaxis.set_major_formatter("{x:g}")
        ax.yaxis.set_minor_formatter("")
        ax.set(title=style.points_word(length), xlabel="the player's chance", xlim=(0, 0.55))
    axes[0].set_ylabel("variance of one match")
    style.legend(figure, 4, axes[0])
    style.note(
        figure, "A match for half the variance counts as two. “Luck and errors together” is what a mixture leaves."
    )
    return figure


def efficiency(table: pd.DataFrame) -> Figure:
    """Draw relative standard errors over those of the published method, with the bounds that are asked for."""
    rows = table[table["match_length"].notna() & table["term"].notna()]
    figure, axes = style.new_figure(2, width=9.2, height=4.6, sharey=True)
    lengths = sorted(int(n) for n in rows["match_length"].unique())
    shown = 0.0
    looks = {
        ("bilinear", "today"): ("close decisions, today's rule", style.BLUE, "o"),
        ("bilinear", "every"): ("every cube decision", style.GREEN, "s"),
        ("bilinear", "moves"): ("unforced moves", style.VERMILION, "^"),
        ("even", "moves"): ("unforced moves", style.VERMILION, "^"),
        ("mismatch", "moves"): ("unforced moves, with the product", style.PURPLE, "D"),
    }
    joint = rows["model"].str.contains("joint")
    for ax, (here, words, column) in zip(
        axes,
        (
            (rows[~joint], "one length alone", "ratio"),
            (rows[joint], "all lengths at once, misfit counted in", "ratio_with_misfit"),
        ),
        strict=True,
    ):
        shown = max(shown, float(here[column].max()))
        for i, term in enumerate(("a2", "b")):
            for j, ((form, definition), (label, color, marker)) in enumerate(looks.items()):
                own = here["model"].str.startswith(f"{form}-") & (here["epc_definition"] == definition)
                chosen = here[(here["term"] == term) & own]
                if chosen.empty:
                    continue
                at = [lengths.index(int(n)) + 0.42 * i + 0.09 * min(j, 3) - 0.33 for n in chosen["match_length"]]
                filled = "full" if term == "a2" else "none"
                ax.plot(at, chosen[column], marker, color=color, fillstyle=filled, label=f"{term}, {label}")
        if len(here):
            ax.axhline(float(here["bound"].iloc[0]), color=style.GREY, linestyle="dashed", linewidth=1)
        ax.set_xticks(range(len(lengths)), [str(n) for n in lengths])
        ax.set(title=words, xlabel="match length N, points")
    axes[0].set_ylim(0, 1.08 * shown)
    axes[0].set_ylabel("standard error, published method = 1")
    shown_as = {label: handle for ax in axes for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    order = sorted(shown_as)
    figure.legend(
        [shown_as[label] for label in order], order, loc="outside upper left", ncols=2, frameon=False, fontsize=8.5
    )
    style.note(
        figure,
        "Match bootstrap. Dashed: wanted on average. All lengths at once: of unforced moves b is the same at each.",
    )
    return figure


def contest(table: pd.DataFrame) -> Figure:
    """Draw the error of every rival in rating points at what it was not fitted to, best at the top."""
    reference = table["reference"].iloc[0]
    rows = table[table["reference"] == reference]
    order = rows[rows["way"] == "left_out_player"].sort_values("points", ascending=False)["rival"].tolist()
    words = rows.drop_duplicates("rival").set_index("rival")
    figure, axes = style.new_figure(2, width=11.4, height=1.8 + 0.34 * len(order), sharey=True)
    for way, label, color, marker in WAYS:
        in_order = rows[rows["way"] == way].set_index("rival").reindex(order)
        axes[0].plot(in_order["points"], np.arange(len(order)), marker, color=color, markersize=5.5, label=label)
    for way, _, color, marker in (WAYS[1], WAYS[3]):
        in_order = rows[rows["way"] == way].set_index("rival").reindex(order)
        at = np.arange(len(order)) + (0.15 if way == "left_out_player" else -0.15)
        style.spans(axes[1], at, in_order, "points_difference", "points", across=True, fmt=marker, color=color)
    axes[1].axvline(0, color=style.GREY, linewidth=1, linestyle="dashed")
    axes[0].set_yticks(
        range(len(order)), [f"{words.loc[name, 'words']} ({words.loc[name, 'parameters']})" for name in order]
    )
    axes[0].set(title="Error", xlabel="root mean square, rating points", xlim=(0, None))
    axes[1].set(title="Beside the published shape", xlabel="difference, rating points (left: better)")
    style.legend(figure, 3, side="right")
    style.note(figure, "In brackets: number of coefficients. Right: what was left out, paired 90% intervals.")
    return figure


def plan(table: pd.DataFrame, verb: str) -> Figure:
    """Draw the half-width of R at every design point: the plan's, and the published design's for the same CPU."""
    groups = style.by_length(table)
    figure, axes = style.new_figure(len(groups), width=2.2 * len(groups) + 3.4, height=4.6, sharey=True)
    names = sorted(table["player"].unique())
    for (length, rows), ax in zip(groups, axes, strict=True):
        by_name = rows.set_index("player").reindex(names)
        at = np.arange(len(names))
        ax.hlines(at, by_name["half_width"], by_name["published_half_width"], color=style.SKY, linewidth=1)
        ax.plot(by_name["published_half_width"], at, "s", color=style.VERMILION, markersize=4.5, label="as published")
        ax.plot(by_name["half_width"], at, "o", color=style.OURS, markersize=4.5, label=verb)
        ratio = rows["half_width"].mean() / rows["published_half_width"].mean()
        ax.set(title=f"{style.points_word(length)}: {ratio:.2f}", xlabel="half-width of R, points", xlim=(0, None))
        ax.set_yticks(at, names, fontsize=7.5)
    style.legend(figure, 2, axes[0])
    style.note(
        figure, "90% intervals for the same CPU in all. Above each panel: mean half-width over the published one's."
    )
    return figure


def coverage(table: pd.DataFrame) -> Figure:
    """Draw how often intervals of the coefficients held the truth, fit by fit, with what is asked of a default."""
    rows = table[(table["quantity"] == "coefficient") & table["match_length"].notna()]
    rows = rows.assign(fit=rows["kind"] + ", " + rows["method"] + rows["formula"].map({OWN: " (EPC)"}).fillna(""))
    names = list(dict.fromkeys(rows["fit"]))[::-1]
    figure, axes = style.new_figure(2, width=9.6, height=1.9 + 0.36 * len(names), sharey=True)
    looks = {"a2": (style.BLUE, "o", 0.12), "b": (style.PURPLE, "s", -0.12)}
    for world, ax in zip(("exact", "misfit"), axes, strict=True):
        here = rows[rows["world"] == world]
        ax.axvspan(100 * float(rows["wanted_low"].iloc[0]), 100 * float(rows["wanted_high"].iloc[0]), color="#EEEEEE")
        for term, (color, marker, aside) in looks.items():
            of_term = here[here["term"] == term]
            at = [names.index(name) + aside for name in of_term["fit"]]
            ax.plot(100 * of_term["coverage"], at, marker, color=color, markersize=4.5, label=term)
        ax.axvline(90, color=style.GREY, linewidth=1, linestyle="dashed")
        ax.set_yticks(range(len(names)), names, fontsize=8)
        ax.set(
            title="the formula holds" if world == "exact" else "players scatter round it",
            xlabel="90% intervals that hold the truth, %",
        )
    style.legend(figure, 2, axes[0])
    style.note(figure, f"{int(rows['studies'].max()):,} simulated studies; each point one match length. Band: wanted.")
    return figure
