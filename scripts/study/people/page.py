"""The figures and the page of the check on people: answers in sentences with figures from the tables, then the tables.

What a collection does not hold is not drawn.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.engine.error_sizes import EDGES
from bgrating.pages import style, template
from bgrating.pages.prediction import PREDICTIONS, listed, prediction
from bgrating.pages.words import number
from bgrating.rating.files import FITTED
from study.pages import interval
from study.people.conversions import ESTIMATED
from study.people.few import PLAIN
from study.people.scale import ALL, ASSUMPTIONS, TOGETHER
from study.people.tables import Check

KIND_WORDS = {
    "cube": "cube's share of\nthe whole loss",
    "missed_double_below_cp": "missed double,\nmarket open",
    "missed_double_above_cp": "missed double,\nmarket lost",
    "wrong_double_below_dp": "double\ntoo early",
    "wrong_double_above_tg": "double\ntoo good",
    "wrong_take": "wrong\ntake",
    "wrong_pass": "wrong\npass",
}


def figures(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, Figure]]:
    """Draw every figure for which there are rows, each with its file name."""
    for site in sorted(tables["appendix"]["site"].unique()):
        site_rows = tables["appendix"][tables["appendix"]["site"] == site]
        name = re.sub(r"[\W_]", "-", site) or "unknown"
        yield f"calibration-{name}", calibration(site_rows)
    if len(tables["scale"]):
        yield "scale", scale(tables["scale"])
    if len(tables["sizes"]):
        yield "sizes", sizes(tables["sizes"])
    if len(tables["kinds"]):
        yield "kinds", kinds(tables["kinds"])
    if len(tables["bins"]):
        yield "prediction", prediction(tables["bins"])


def calibration(rows: pd.DataFrame) -> Figure:
    """Draw estimates against recorded ratings of one site; areas grow with matches."""
    figure, (ax,) = style.new_figure(1, width=6.5, height=5.2)
    x, y = rows["recorded_rating"].to_numpy(float), rows["estimate"].to_numpy(float)
    ends = np.array([np.nanmin(x), np.nanmax(x)])
    style.spans(ax, x, rows, "estimate", "ci", fmt="none", ecolor=style.SKY, elinewidth=0.8, capsize=0, zorder=1)
    area = 12 + 4 * np.minimum(rows["matches"].to_numpy(float), 60)
    ax.scatter(x, y, s=area, color=style.BLUE, alpha=0.7, linewidth=0)
    ax.plot(ends, ends, color=style.GREY, linewidth=1, linestyle="dashed", label="alike")
    for place in range(min(4, len(rows))):
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


BLUNDER = 0.128
"""An error (EMG) that counts as large here: an edge of the bins."""


def in_short(check: Check) -> list[str]:
    """Answer every question from the tables in a sentence or two, or name what the collection lacks."""
    held = f"it has {number(check.decided)} decided matches with luck"
    answers = []
    for subject, answer, needed in (
        ("What errors cost", _cost, "30 decided matches with a luck analysis"),
        ("Recorded ratings", _recorded, "eight players of one site with recorded ratings"),
        ("The next match", _prediction, "50 decided matches with a luck analysis"),
        ("Shape of errors", _shape, "2,000 unforced moves"),
        ("Ratings from few matches", _few, "a player with ten matches"),
        ("PR", _conversions, "eight rated players"),
    ):
        sentences = list(answer(check.tables))
        answers += sentences or [f"{subject}: this collection is too small; {needed} are needed ({held})."]
    return answers


def _records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _cost(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["scale"], group=ALL, estimator=TOGETHER):
        verdict = "So ratings take the formula as it is, and intervals of differences include this uncertainty."
        if row["ci_low"] > 1:
            verdict = "That is more than noise's errors cost."
        if row["ci_high"] < 1:
            verdict = "That is less than noise's errors cost."
        yield (
            f"The errors of {number(row['n_players'])} people in {number(row['n_matches'])} matches cost "
            f"{interval(row, 'estimate', 2, 'ci')} times what the formula gives. {verdict}"
        )


def _recorded(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    sites = sorted(_records(tables["calibration"], quantity="scatter"), key=lambda row: -row["n_players"])
    for row in sites[:1]:
        yield (
            f"A rating from errors and a rating recorded by {row['site']} differ by {number(row['value'])} points "
            f"(standard deviation) beyond the known errors of both ({number(row['n_players'])} players)."
        )


def _prediction(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    rows = _records(tables["slopes"], predictor=FITTED, results="luck-adjusted")
    for row in rows[:1]:
        yield (
            f"Differences predicted from other matches come out {interval(row, 'slope', 2, 'ci')} times as large "
            f"({number(row['n_matches'])} matches). Such predictions are shrunk, so 1 is right."
        )


def _shape(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    sizes = tables["sizes"]
    large_errors = sizes[(sizes["what"] == "chequer play") & (sizes["from_emg"] >= BLUNDER - 1e-12)]
    tail = large_errors.groupby("source")["loss_share"].sum()
    if {"people", "noise"} <= set(tail.index):
        yield (
            f"People do not err like noise. Errors of {BLUNDER * 1000:.0f} milli-EMG and more are {tail['people']:.0%} "
            f"of their loss in chequer play. For noise that loses as much they are {tail['noise']:.0%} "
            f"({number(large_errors['n_matches'].max())} matches)."
        )


def _few(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["few_matches"], interval=PLAIN, matches=2):
        yield (
            f"A rating from two matches has a half-width of {number(row['median_half_width'])} points, and its 90 % "
            f"interval holds the rating of the player's other matches in {row['coverage']:.0%} ({row['n_players']} "
            "players)."
        )


def _conversions(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["conversions"], conversion=ESTIMATED):
        cost = {"points": -row["estimate"], "ci_low": -row["ci_high"], "ci_high": -row["ci_low"]}
        yield (
            f"A point of PR costs {interval(cost, 'points', 1, 'ci')} rating points ({number(row['n_players'])} "
            "players). XG's rule is 33."
        )


TITLES = {
    "calibration": "Estimated against recorded ratings",
    "scale": "What people's errors cost, by estimator and collection",
    "sizes": "Sizes of errors: people, and noise that loses as much",
    "kinds": "Kinds of errors: people, and noise that loses as much",
    "prediction": "Predicted and found chances of the favourite",
}
TABLES = {
    "scale": (
        "F by collection and estimator. Coverage is of intervals by each standard error alone",
        "group estimator estimate ci_low bias corrected se_by_match se_by_player coverage_by_match coverage_by_player "
        "noise n_matches n_players",
    ),
    "appendix": (
        "Recorded ratings and estimates, players with most matches first",
        "site player matches offset recorded_rating estimate ci_low difference",
    ),
    "calibration": ("Calibration in figures", "site quantity value ci_low n_players n_matches"),
    "sizes": ("Sizes of errors", "what source from_emg share share_low loss_share loss_low n_matches"),
    "kinds": ("Kinds of errors", "kind source share share_low n_matches"),
    **PREDICTIONS,
    "conversions": ("Conversions: factors on PR", "conversion estimate ci_low rule n_players n_matches"),
    "pr_gap": (
        "A gap of 6 PR: the weaker side's chance",
        "match_length points_per_pr points_low chance chance_low xg_says xg_points_say n_matches",
    ),
    "few_matches": (
        "Ratings from few matches against those of the player's other matches",
        "matches interval coverage coverage_low median_half_width mean_error rms_error n_players",
    ),
    "limits": (
        "Chances that a true PR is below a limit (2.5, 4, 6.5, 10), and how often other matches were",
        "matches from_chance to_chance expected seen seen_low n_players",
    ),
}
"""The tables on the page: title and columns. A column `…_low` stands for the interval of the one before it."""
SECTIONS = (
    ("What errors cost", ("scale",), ("scale",)),
    ("Appendix I, renewed", ("calibration",), ("appendix", "calibration")),
    ("Shape", ("sizes", "kinds"), ("sizes", "kinds")),
    ("Prediction", ("prediction",), ("scores", "slopes", "bins")),
    ("Conversions", (), ("conversions", "pr_gap")),
    ("Few matches", (), ("few_matches", "limits")),
)


def people_page(name: str, check: Check, figures: list[Path], facts: Mapping[str, Any]) -> str:
    """Write the page of the check on a collection with its figures (SVG files); `facts` are its tables' provenance."""
    titles = {
        svg.stem: ", ".join(filter(None, (TITLES[kind], site)))
        for svg in figures
        for kind, _, site in [svg.stem.partition("-")]
    }
    pictures = template.pictures(sorted(figures), titles)
    sections = [
        {
            "title": heading,
            "pictures": [picture for key, picture in pictures.items() if key.partition("-")[0] in figures_shown],
            "tables": [
                listed(key, TABLES[key], check.tables[key], 0 if key == "appendix" else "size") for key in names
            ],
        }
        for heading, figures_shown, names in SECTIONS
    ]
    return template.page(
        "people.html.j2",
        name=name,
        held=check,
        in_short=in_short(check),
        assumptions=ASSUMPTIONS,
        sections=sections,
        provenance=facts,
    )


def summary(check: Check, page: str) -> str:
    return "\n".join([*in_short(check), f"Page: {page}", ""])
