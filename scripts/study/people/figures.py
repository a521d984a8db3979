"""Figures of the check on people, in the style of all others; what a collection does not hold is not drawn."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.engine.error_sizes import EDGES
from bgrating.pages import style
from bgrating.pages.prediction import prediction
from bgrating.rating.compared import called
from study.people.conversions import ESTIMATED, RECORDED, XG_GRADES

KIND_WORDS = {
    "cube": "cube's share of\nthe whole loss",
    "missed_double_below_cp": "missed double,\nmarket open",
    "missed_double_above_cp": "missed double,\nmarket lost",
    "wrong_double_below_dp": "double\ntoo early",
    "wrong_double_above_tg": "double\ntoo good",
    "wrong_take": "wrong\ntake",
    "wrong_pass": "wrong\npass",
}


def figures(tables: Mapping[str, pd.DataFrame], names_shown: int = 4) -> Iterator[tuple[str, Figure]]:
    """Draw every figure for which there are rows, each with its file name."""
    if len(tables["lines"]):
        for site in sorted(tables["lines"]["site"].unique()):
            own = tables["appendix"][tables["appendix"]["site"] == site]
            yield f"calibration-{_plain(site)}", calibration(own, tables["lines"], site, names_shown)
    if len(tables["fits"]) and (tables["fits"]["source"] == "people").any():
        yield "coefficients", coefficients(tables["fits"])
    if len(tables["whom"]) and tables["whom"]["ratio"].notna().any():
        yield "whom", whom(tables["whom"])
    if len(tables["sizes"]):
        yield "sizes", sizes(tables["sizes"])
    if len(tables["kinds"]):
        yield "kinds", kinds(tables["kinds"])
    if len(tables["bins"]):
        yield "prediction", prediction(tables["bins"])
    if len(tables["conversion_values"]):
        yield "conversions", conversions(tables["conversion_values"])


def calibration(rows: pd.DataFrame, lines: pd.DataFrame, site: str, names_shown: int) -> Figure:
    """Draw estimates against recorded ratings of one site, as they are and shrunken; areas grow with matches."""
    figure, axes = style.new_figure(2, width=10, height=5.2, sharey=True)
    x = rows["recorded_rating"].to_numpy(float)
    ends = np.array([np.nanmin(x), np.nanmax(x)])
    for ax, kind, words in zip(axes, ("", "shrunk_"), ("estimated", "estimated, shrunken"), strict=True):
        y = rows[f"{kind}estimate"].to_numpy(float)
        look: dict[str, Any] = {"fmt": "none", "ecolor": style.SKY, "elinewidth": 0.8, "capsize": 0, "zorder": 1}
        style.spans(ax, x, rows, f"{kind}estimate", "shrunk" if kind else "ci", **look)
        ax.scatter(
            x, y, s=12 + 4 * np.minimum(rows["matches"].to_numpy(float), 60), color=style.BLUE, alpha=0.7, linewidth=0
        )
        ax.plot(ends, ends, color=style.GREY, linewidth=1, linestyle="dashed", label="alike")
        if not kind:
            _slope(ax, lines, site, rows, ends)
        for row in rows.head(names_shown).to_dict("records"):
            at = (row["recorded_rating"], row[f"{kind}estimate"])
            ax.annotate(
                str(row["player"])[:16], at, xytext=(4, 4), textcoords="offset points", fontsize=7, color=style.GREY
            )
        ax.set(title=words, xlabel="recorded rating, points")
        ax.legend(loc="upper left", frameon=False, fontsize=8)
    axes[0].set_ylabel("estimated rating, points")
    note = f"Players of {site} with a recorded rating; offset fitted; bars: 90 % of the estimate's own error."
    style.note(figure, note)
    return figure


def _slope(ax: Axes, lines: pd.DataFrame, site: str, rows: pd.DataFrame, ends: np.ndarray) -> None:
    mine = lines[(lines["site"] == site) & (lines["players"] == "all") & (lines["line"] == "estimate on recorded")]
    weight = rows["matches"].to_numpy(float)
    centre = np.average(rows["recorded_rating"], weights=weight), np.average(rows["estimate"], weights=weight)
    for row, color, words in zip(
        mine.to_dict("records"),
        (style.ORANGE, style.VERMILION),
        ("as it lies", "noise of recorded ratings taken out"),
        strict=False,
    ):
        line = centre[1] + row["slope"] * (ends - centre[0])
        ax.plot(ends, line, color=color, label=f"slope {row['slope']:.2f}, {words}")


def coefficients(fits: pd.DataFrame) -> Figure:
    """Draw coefficients by match length: people's and simulated single matches, and simulated players."""
    panels = [
        ("epc", "a2", "chequer play, over a2(N)"),
        ("epc", "b", "cube, close decisions, over b(N)"),
        ("epc_games", "b", "cube per game, points"),
    ]
    shown = [
        ("people", "matches", "people, single matches", style.BLUE, "o"),
        ("part2", "matches", "noise, single matches", style.ORANGE, "s"),
        ("part2, as good as people", "matches", "noise as good as people, single matches", style.GREEN, "D"),
        ("part2", "players", "noise, long-run rates (the truth)", style.VERMILION, "^"),
    ]
    figure, axes = style.new_figure(3, width=11, height=4.6)
    lengths = sorted({int(n) for n in fits["match_length"] if n > 0})
    for ax, (cube, term, words) in zip(axes, panels, strict=True):
        for place, (source, fit, label, color, marker) in enumerate(shown):
            own = fits[(fits["source"] == source) & (fits["fit"] == fit) & (fits["cube_rate"] == cube)]
            own = own[(own["term"] == term) & (own["match_length"] > 0)]
            at = np.array([lengths.index(int(n)) for n in own["match_length"]]) + 0.16 * (place - 1.5)
            style.spans(ax, at, own, "estimate", fmt=marker, color=color, markersize=4.5, label=label)
        if cube == "epc":
            ax.axhline(1, color=style.PUBLISHED, linewidth=1, linestyle="dashed")
        ax.axhline(0, color=style.GREY, linewidth=0.6)
        ax.set(title=words, xlabel="match length N, points")
        ax.set_xticks(range(len(lengths)), [str(n) for n in lengths])
    style.legend(figure, 2, axes[0])
    style.note(
        figure,
        "a2(N), b(N): published. 90 % intervals. Like with like: people's circles, noise's single matches.",
    )
    return figure


def whom(table: pd.DataFrame) -> Figure:
    """Draw people's multiplier over the simulated one, group by group, for every formula."""
    groups = [group for group in table["group"].unique() if table.loc[table["group"] == group, "ratio"].notna().any()]
    figure, (ax,) = style.new_figure(1, width=9.2, height=1.6 + 0.34 * len(groups))
    colors = (style.ORANGE, style.SKY, style.BLUE, style.GREEN)
    for place, (formula, color) in enumerate(zip(table["formula"].unique(), colors, strict=False)):
        own = table[(table["formula"] == formula) & table["ratio"].notna()]
        at = np.array([groups.index(group) for group in own["group"]]) + 0.2 * (place - 1)
        style.spans(
            ax, at, own, "ratio", "ratio", across=True, fmt="o", color=color, markersize=4, label=called(formula)
        )
    sizes_of = table.drop_duplicates("group").set_index("group")["n_matches"]
    ax.axvline(1, color=style.GREY, linewidth=1, linestyle="dashed")
    ax.set_yticks(range(len(groups)), [f"{group[:44]} ({sizes_of[group]})" for group in groups])
    ax.invert_yaxis()
    ax.set_xlabel("cost of people's errors over noise's at the same match lengths")
    style.legend(figure, 3)
    style.note(figure, "90 % intervals; in brackets matches. Of ten groups one may miss 1 by chance alone.")
    return figure


def sizes(table: pd.DataFrame) -> Figure:
    """Draw the share of the loss by the size of the error, for chequer play and the cube."""
    figure, axes = style.new_figure(2, width=10, height=4.4, sharey=True)
    edges = [f"{edge * style.MILLI:g}" for edge in EDGES[2:]]
    for ax, what in zip(axes, ("chequer play", "cube"), strict=True):
        here = table[(table["what"] == what) & (table["group"] == "everybody") & (table["bin"] >= 2)]
        for source, color, marker, move in (("people", style.BLUE, "o", -0.08), ("noise", style.ORANGE, "s", 0.08)):
            own = here[here["source"] == source].sort_values("bin")
            at = own["bin"].to_numpy(float) - 2 + move
            style.spans(ax, at, own, "loss_share", "loss", fmt=f"-{marker}", color=color, linewidth=1, label=source)
        ax.set(title=what, xlabel="error from … to the next, milli-EMG")
        ax.set_xticks(range(len(edges)), edges)
    axes[0].set_ylabel("share of the loss")
    axes[0].set_ylim(0, None)
    axes[0].legend(loc="upper left", frameon=False)
    style.note(figure, "Noise of the level that loses as much per decision. 90 % intervals over matches.")
    return figure


def kinds(table: pd.DataFrame) -> Figure:
    """Draw what the loss is made of, people beside noise."""
    figure, (ax,) = style.new_figure(1, width=10, height=4.4)
    for source, color, move in (("people", style.BLUE, -0.2), ("noise", style.ORANGE, 0.2)):
        own = table[(table["group"] == "everybody") & (table["source"] == source)].set_index("kind")
        own = own.reindex([kind for kind in KIND_WORDS if kind in own.index])
        if own.empty:
            continue
        at = np.array([list(KIND_WORDS).index(str(kind)) for kind in own.index]) + move
        ax.bar(at, own["share"].to_numpy(float), width=0.38, color=color, label=source)
        style.spans(ax, at, own, "share", "share", fmt="none", ecolor="black", elinewidth=1)
    ax.axvline(0.5, color=style.GREY, linewidth=0.8)
    ax.set_xticks(range(len(KIND_WORDS)), list(KIND_WORDS.values()), fontsize=8.5)
    ax.set_ylabel("share of the loss")
    ax.grid(visible=False, axis="x")
    ax.legend(loc="upper right", frameon=False)
    style.note(
        figure,
        "Left of the line: cube over cube and chequer play, noise the same at both (Part I), at people's EPM. "
        "Right: shares of the cube's loss, noise that loses as much per cube decision. 90 % intervals.",
    )
    return figure


def conversions(values: pd.DataFrame) -> Figure:
    """Draw estimated and recorded ratings over PR, with XG's grades."""
    figure, (ax,) = style.new_figure(1, width=9.2, height=4.6)
    for measure, color in ((ESTIMATED, style.BLUE), (RECORDED, style.ORANGE)):
        own = values[values["measure"] == measure].sort_values("pr")
        if len(own):
            pr, value = own["pr"].to_numpy(float), own["estimate"].to_numpy(float)
            ax.plot(pr, value, color=color, label=measure)
            ax.fill_between(pr, own["ci_low"].to_numpy(float), own["ci_high"].to_numpy(float), color=color, alpha=0.2)
    ax.plot(list(XG_GRADES), list(XG_GRADES.values()), "D", color=style.GREY, label="XG's grades (2014)")
    ax.set(xlabel="PR", ylabel="rating, points")
    ax.legend(loc="upper right", frameon=False)
    style.note(figure, "Lines through players, 90 % bands by resampling players. Estimated with the given offset.")
    return figure


def _plain(site: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in site) or "unknown"
