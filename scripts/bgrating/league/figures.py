"""Figures of the ratings: methods compared, ratings over the games, matrices of results and predictions."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.pages import style
from bgrating.pages.words import short

MOST_PLAYERS = 40
"""Players that a figure of ratings has room for."""
MOST_CURVES = 10
MOST_LETTERS = 28
MOST_LABELS = 60
"""Players whose names a matrix has room for."""
MOST_POINTS = 1500
"""Points of a curve that a picture can show."""
COLOURS = {"elo": style.BLUE, "logistic": style.VERMILION, "eloworld": style.GREEN}
WORDS = {
    "elo": "Elo, game by game",
    "logistic": "logistic",
    "eloworld": "Elo World",
    "fibs": "FIBS formula, by match length",
    "history": "whole history",
}


def methods(compared: pd.DataFrame) -> Figure:
    """Draw the ratings of every method with their intervals, players from best to worst.

    Of more than 40 players those at both ends are drawn, and as many between.
    """
    names = compared.groupby("player")["rating"].mean().sort_values().index.to_numpy()
    if len(names) > MOST_PLAYERS:
        names = names[np.linspace(0, len(names) - 1, MOST_PLAYERS).round().astype(int)]
    asked = list(dict.fromkeys(compared["method"]))
    figure, (axes,) = style.new_figure(1, height=1.6 + 0.32 * len(names))
    for place, method in enumerate(asked):
        own = compared[compared["method"] == method].set_index("player").reindex(names)
        at = np.arange(len(names)) + 0.22 * (place - (len(asked) - 1) / 2) * -1
        color, label = COLOURS.get(method, style.PURPLE), WORDS.get(method, method)
        style.spans(
            axes, at, own, "rating", across=True, fmt=style.MARKERS[place], markersize=4.5, color=color, label=label
        )
    axes.set_yticks(np.arange(len(names)), [short(name, MOST_LETTERS) for name in names])
    axes.set_ylim(-0.7, len(names) - 0.3)
    axes.set_xlabel("Elo points above the mean of the players whom every method rates")
    style.legend(figure, len(asked))
    style.note(
        figure,
        "90 % intervals. Elo: games drawn anew. Logistic: of the distance from the mean, normal. Elo World: a "
        "fifth of the players dropped at random.",
    )
    return figure


def evolution(log: pd.DataFrame, players: Sequence[str]) -> Figure:
    """Draw the ratings of some players over the games of a log, a step a game."""
    figure, (axes,) = style.new_figure(1)
    curves = []
    for name in players:
        seats = [
            log.loc[log[seat] == name, ["game", f"{seat}_after"]].set_axis(["game", "rating"], axis=1)
            for seat in ("first", "second")
        ]
        own = _thinned(pd.concat(seats).sort_values("game"))
        if len(own):
            x = np.append(own["game"].to_numpy(float) + 1, len(log))
            curves.append((name, x, own["rating"].to_numpy(float)[[*range(len(own)), -1]]))
    _draw_curves(axes, curves, drawstyle="steps-post", linewidth=1.2)
    axes.set(xlabel="games", ylabel="rating", xlim=(0, max(len(log), 1)))
    return figure


def history(table: pd.DataFrame, players: Sequence[str]) -> Figure:
    """Draw the ratings of some players over time, with their intervals as bands."""
    figure, (axes,) = style.new_figure(1)
    curves = []
    for number, name in enumerate(players):
        own = _thinned(table[table["player"] == name])
        at, color = pd.to_datetime(own["date"]).to_numpy(), style.SERIES[number % len(style.SERIES)]
        axes.fill_between(at, own["ci_low"], own["ci_high"], color=color, alpha=0.12, linewidth=0)
        curves.append((name, at, own["rating"].to_numpy(float)))
    _draw_curves(axes, curves)
    axes.set_ylabel("rating, Elo points")
    return figure


def _thinned(rows: pd.DataFrame) -> pd.DataFrame:
    """Return as many rows as the eye can tell apart, the first and the last always."""
    return rows.iloc[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round().astype(int))]


def _draw_curves(axes: Axes, curves: Sequence[tuple[str, Any, Any]], **look: Any) -> None:
    """Draw curves of players (name, x, y), each with the name at its end."""
    labels = []
    for number, (name, x, y) in enumerate(curves):
        color, dashed = style.SERIES[number % len(style.SERIES)], "solid" if number < len(style.SERIES) else "dashed"
        axes.plot(x, y, color=color, linestyle=dashed, **look)
        labels.append((x[-1], float(y[-1]), short(name, MOST_LETTERS), color))
    style.label_ends(axes, labels)


def matrix(table: pd.DataFrame, title: str) -> Figure:
    """Draw a matrix of mean scores or chances of the row's player against the column's; what is absent stays grey."""
    size = len(table)
    side = min(9.2, 2.6 + 0.34 * size)
    figure, (axes,) = style.new_figure(1, width=min(9.2, side + 1.2), height=side)
    axes.set_facecolor("#BBBBBB")
    image = axes.imshow(table.to_numpy(float), vmin=0, vmax=1, cmap="cividis", interpolation="nearest")
    axes.grid(visible=False)
    axes.set_title(title)
    if size <= MOST_LABELS:
        names = [short(name, MOST_LETTERS) for name in table.index]
        axes.set_yticks(range(size), names, fontsize=8 if size <= 30 else 6)
        axes.set_xticks(range(size), names, rotation=90, fontsize=8 if size <= 30 else 6)
    else:
        axes.set_ylabel(f"{size} players, best first")
        axes.set_xticks([])
        axes.set_yticks([])
    figure.colorbar(image, ax=axes, shrink=0.7, label="score of the row against the column")
    if size <= 12:
        for (i, j), value in np.ndenumerate(table.to_numpy(float)):
            if np.isfinite(value):
                color = "white" if value < 0.55 else "black"
                axes.text(j, i, f"{value:.2f}", ha="center", va="center", fontsize=8, color=color)
    return figure
