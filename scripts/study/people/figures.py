"""Figures of the check on people, in the style of all others; what a collection does not hold is not drawn."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.engine.error_sizes import EDGES
from bgrating.pages import style
from bgrating.pages.prediction import prediction
from study.people.scale import ASSUMPTIONS

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
    for site in sorted(tables["appendix"]["site"].unique()):
        site_rows = tables["appendix"][tables["appendix"]["site"] == site]
        yield f"calibration-{_plain(site)}", calibration(site_rows, names_shown)
    if len(tables["scale"]):
        yield "scale", scale(tables["scale"])
    if len(tables["sizes"]):
        yield "sizes", sizes(tables["sizes"])
    if len(tables["kinds"]):
        yield "kinds", kinds(tables["kinds"])
    if len(tables["bins"]):
        yield "prediction", prediction(tables["bins"])


def calibration(rows: pd.DataFrame, names_shown: int) -> Figure:
    """Draw estimates against recorded ratings of one site; areas grow with matches."""
    figure, (ax,) = style.new_figure(1, width=6.5, height=5.2)
    x, y = rows["recorded_rating"].to_numpy(float), rows["estimate"].to_numpy(float)
    ends = np.array([np.nanmin(x), np.nanmax(x)])
    style.spans(ax, x, rows, "estimate", "ci", fmt="none", ecolor=style.SKY, elinewidth=0.8, capsize=0, zorder=1)
    area = 12 + 4 * np.minimum(rows["matches"].to_numpy(float), 60)
    ax.scatter(x, y, s=area, color=style.BLUE, alpha=0.7, linewidth=0)
    ax.plot(ends, ends, color=style.GREY, linewidth=1, linestyle="dashed", label="alike")
    for place in range(min(names_shown, len(rows))):
        name = str(rows["player"].iloc[place])[:16]
        ax.annotate(name, (x[place], y[place]), fontsize=8, xytext=(5, 5), textcoords="offset points")
    ax.set(xlabel="recorded rating", ylabel="estimated rating, with the site's offset")
    style.note(figure, "90 % intervals of the estimates. Names: most matches.")
    return figure


def scale(table: pd.DataFrame) -> Figure:
    """Draw F by collection and estimator, biases removed."""
    groups, estimators = list(table["group"].unique()), list(ASSUMPTIONS)
    figure, (ax,) = style.new_figure(1, width=9.2, height=1.8 + 0.6 * len(groups))
    colors = (style.ORANGE, style.SKY, style.GREEN, style.VERMILION, style.OURS)
    for place, (name, color) in enumerate(zip(estimators, colors, strict=True)):
        estimates = table[table["estimator"] == name]
        half = (estimates["ci_high"] - estimates["ci_low"]) / 2
        estimates = estimates.assign(low=estimates["corrected"] - half, high=estimates["corrected"] + half)
        at = np.array([groups.index(group) for group in estimates["group"]]) + 0.15 * (place - 2)
        look = {"fmt": style.MARKERS[place], "color": color, "markersize": 4, "label": name}
        style.spans(
            ax, at, estimates.rename(columns={"low": "f_low", "high": "f_high"}), "corrected", "f", across=True, **look
        )
    counts = table.drop_duplicates("group").set_index("group")["n_matches"]
    ax.axvline(1, color=style.GREY, linewidth=1, linestyle="dashed")
    ax.set_yticks(range(len(groups)), [f"{group[:44]} ({counts[group]})" for group in groups])
    ax.invert_yaxis()
    ax.set_xlabel("cost of people's errors over the formula's, F")
    style.legend(figure, 5)
    style.note(figure, "Biases found by simulation are removed. 90 % intervals by player; in brackets matches.")
    return figure


def sizes(table: pd.DataFrame) -> Figure:
    """Draw the share of the loss by the size of the error, for chequer play and the cube."""
    figure, axes = style.new_figure(2, width=10, height=4.4, sharey=True)
    edges = [f"{edge * style.MILLI:g}" for edge in EDGES[2:]]
    for ax, what in zip(axes, ("chequer play", "cube"), strict=True):
        here = table[(table["what"] == what) & (table["bin"] >= 2)]
        for source, color, marker, move in (("people", style.BLUE, "o", -0.08), ("noise", style.ORANGE, "s", 0.08)):
            bins = here[here["source"] == source].sort_values("bin")
            at = bins["bin"].to_numpy(float) - 2 + move
            style.spans(ax, at, bins, "loss_share", "loss", fmt=f"-{marker}", color=color, linewidth=1, label=source)
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
        shares = table[(table["source"] == source)].set_index("kind")
        shares = shares.reindex([kind for kind in KIND_WORDS if kind in shares.index])
        if shares.empty:
            continue
        at = np.array([list(KIND_WORDS).index(str(kind)) for kind in shares.index]) + move
        ax.bar(at, shares["share"].to_numpy(float), width=0.38, color=color, label=source)
        style.spans(ax, at, shares, "share", "share", fmt="none", ecolor="black", elinewidth=1)
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


def _plain(site: str) -> str:
    return "".join(letter if letter.isalnum() else "-" for letter in site) or "unknown"
