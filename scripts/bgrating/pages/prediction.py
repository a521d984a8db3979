"""What pages show of predictors of results: a figure of favourites, and tables with the intervals in their cells."""

import math
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import style

PREDICTIONS = {
    "scores": (
        "Scores of predictions",
        "predictor measure results value gain gain_low behind behind_low n_matches",
    ),
    "slopes": ("Found over predicted differences", "predictor results slope ci_low spread n_matches"),
    "bins": (
        "Favourites by predicted chance",
        "predictor bin predicted won won_low luck_adjusted luck_adjusted_low n_matches",
    ),
}
"""The tables of predictions: title and columns. A column `…_low` stands for the interval of the one before it."""
_CALLED = {"fitted": "our formula", "published": "the published formula"}
_COUNTS = {"n_matches", "n_players", "matches", "bin"}


def prediction(bins: pd.DataFrame) -> Figure:
    """Draw what became of favourites by the chance that each predictor gives them, a panel for each."""
    predictors = list(bins["predictor"].unique())
    columns = min(len(predictors), 3 if len(predictors) <= 6 else 4)
    rows = math.ceil(len(predictors) / columns)
    figure, axes = style.new_figure(columns, width=11, height=1.2 + 2.7 * rows, rows=rows)
    end = max(0.6, float(bins[["predicted", "luck_adjusted_high"]].max().max()) + 0.02)
    for ax in axes[len(predictors) :]:
        ax.set_axis_off()
    for ax, predictor in zip(axes, predictors, strict=False):
        fifths = bins[bins["predictor"] == predictor]
        x = fifths["predicted"].to_numpy(float)
        for name, color, marker, words in (
            ("won", style.ORANGE, "s", "matches won"), ("luck_adjusted", style.BLUE, "o", "luck-adjusted results")
        ):  # fmt: skip
            style.spans(ax, x, fifths, name, name, fmt=marker, color=color, markersize=4, label=words)
        ax.plot([0.5, end], [0.5, end], color=style.GREY, linewidth=1, linestyle="dashed", label="as predicted")
        ax.set(title=_CALLED.get(predictor, predictor), xlim=(0.49, end), xlabel="predicted chance of the favourite")
        ax.title.set_fontsize(9)
    axes[0].set_ylabel("found")
    style.legend(figure, 3, axes[0])
    style.note(figure, "Error rates of the players' other matches; fifths of the matches; 90 % intervals.")
    return figure


def listed(name: str, about: tuple[str, str], table: pd.DataFrame) -> dict[str, Any]:
    """Return a table with its columns as the macro takes them; a column `…_low` is the interval of the one before.

    `about` is its title and columns.
    """
    title, names = about
    columns: list[tuple[Any, ...]] = []
    for column in names.split():
        if column.endswith("_low"):
            columns[-1] += (column.removesuffix("low"),)
        else:
            columns.append((column.replace("_", " "), column, _format(column, table)))
    for column in {"formula", "predictor"} & set(table):
        table = table.assign(**{column: table[column].map(lambda name: _CALLED.get(name, name))})
    if "match_length" in table:
        table = table.assign(match_length=table["match_length"].replace(0, "all"))
    return {"file": f"{name}.csv", "name": name, "title": title, "columns": columns, "rows": table}


def _format(column: str, table: pd.DataFrame) -> int | str | None:
    if column == "match_length" or not pd.api.types.is_numeric_dtype(table[column]):
        return None
    return 0 if column in _COUNTS else "size"
