"""The page of a collection with its figures, and what all its pages say of how they were made."""

import math
from dataclasses import dataclass
from typing import Any

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from bgrating.collection.accounts import ANALYSED, STATUSES
from bgrating.collection.players import LEAST_DECISIONS, PROVISIONAL, RATED, errors_of
from bgrating.pages import template
from bgrating.pages.style import BLUE, GREEN, ORANGE, PURPLE, SKY, VERMILION, new_figure, spans
from bgrating.pages.svg import drawn
from bgrating.pages.template import records
from bgrating.pages.words import ABSENT, number, short
from bgrating.rating.choose import Chosen
from bgrating.rating.field import Field
from bgrating.rating.player import rating
from bgrating.rating.scale import people_scale

MOST_PLAYERS = 30
WIDEST = 300.0
"""Half-width of the widest interval that is drawn: wider ones would leave no room for the others."""
MOST_BARS = 15
MOST_CURVES = 4
MOST_LETTERS = 32
WINDOW = 20
"""Matches that a point of a rating over time is estimated from."""
MOST_POINTS = 400
"""Points of a rating over time: more of them cannot be told apart, and each costs a fit."""

KINDS = {
    "chequer play": (("chequer_error_emg",), SKY),
    "missed doubles": (("missed_double_below_cp_emg", "missed_double_above_cp_emg"), ORANGE),
    "wrong doubles": (("wrong_double_below_dp_emg", "wrong_double_above_tg_emg"), VERMILION),
    "wrong takes": (("wrong_take_emg",), GREEN),
    "wrong passes": (("wrong_pass_emg",), PURPLE),
}
"""Kinds of errors: the columns that make them up, and a colour."""


@dataclass(frozen=True)
class Collection:
    """A collection's tables as they were written, and the formula that rated its players."""

    name: str
    files: pd.DataFrame
    matches: pd.DataFrame
    players: pd.DataFrame
    chosen: Chosen
    offset: float
    provenance: dict[str, Any]

    @property
    def field(self) -> Field | None:
        """The field that players were shrunk towards; None where they were too few and none is stored."""
        held = self.provenance.get("field")
        return Field(**{name: held[name] for name in Field.__dataclass_fields__}) if held else None


def collection_page(collection: Collection, players: pd.DataFrame, matches: list[dict[str, Any]]) -> str:
    """Return the page of a collection; players and matches have columns that say where their pages are."""
    names = players["player"].tolist()
    left_out = collection.files[collection.files["status"] != ANALYSED]
    counts = collection.files["status"].value_counts()
    pictures = (
        rating_intervals(players[players["standing"] == RATED], collection.chosen.formula.confidence),
        rating_over_time(collection.matches, names, collection.chosen, collection.offset),
        errors_by_kind(collection.matches, names),
    )
    return render(
        "human.html.j2",
        collection,
        counts=[(status, int(counts[status])) for status in STATUSES if status in counts],
        files=len(collection.files),
        links=[("../../index.html", "Results"), ("#", collection.name)],
        matches=matches,
        unnamed=int((collection.matches["player"] == "").sum()),
        ranked=players[players["standing"] == RATED],
        others=players[players["standing"] != RATED],
        n_players=len(players),
        left_out=left_out,
        pictures=[picture for picture in pictures if picture],
    )


def render(name: str, collection: Collection, /, **contents: Any) -> str:
    """Return a page of a collection: a template with what all of them say of how they were made."""
    formula = collection.chosen.formula
    return template.page(
        name,
        **{"provenance": collection.provenance, **contents},
        name=collection.name,
        formula_words=collection.chosen.words,
        confidence=f"{formula.confidence:.0%}",
        field=(collection.provenance.get("field") or {}).get("words", ""),
        least=LEAST_DECISIONS,
        provisional=PROVISIONAL,
        formula_is_certain=bool(pd.isna(formula.covariance).any()),
        offset=number(collection.offset),
        scale=people_scale().words,
        analysis=collection.provenance.get("analysis", ABSENT),
    )


def rating_intervals(players: pd.DataFrame, confidence: float) -> dict[str, str] | None:
    """Draw the ratings of the players with most matches; None where nobody has an interval that says something."""
    narrow = players["ci_high"] - players["rating"] <= WIDEST
    known = players[narrow].head(MOST_PLAYERS).sort_values("rating")
    if not len(known):
        return None
    figure, (axes,) = new_figure(1, height=1.2 + 0.26 * len(known))
    place = np.arange(len(known))
    bars = spans(axes, place, known, "rating", across=True, fmt="o", color=BLUE, markersize=4.5, label="estimated")
    bars[0].set_gid("estimated")
    titles = {
        "estimated": [
            f"{name}: {_rating(rating, low, high)}, {matches:.0f} matches"
            for name, rating, low, high, matches in known[
                ["player", "rating", "ci_low", "ci_high", "matches"]
            ].itertuples(index=False)
        ]
    }
    recorded = known["recorded_rating"].to_numpy(float)
    if np.isfinite(recorded).any():
        axes.plot(recorded, place, "D", color=ORANGE, markersize=4, label="recorded by the site", gid="recorded")
        titles["recorded"] = [
            f"{name}: {value:,.0f} recorded"
            for name, value in zip(known["player"], recorded, strict=True)
            if np.isfinite(value)
        ]
        axes.legend(loc="lower right", fontsize=8)
    axes.set_yticks(place, [short(name, MOST_LETTERS) for name in known["player"]])
    axes.set_ylim(-0.7, len(known) - 0.3)
    axes.set_xlabel("rating")
    title = (
        f"Ratings with {confidence:.0%} intervals: players with most matches, those with more than ±{WIDEST:.0f} "
        "points left to the table"
    )
    return drawn(figure, "ratings", title, titles)


def rating_over_time(matches: pd.DataFrame, names: list[str], chosen: Chosen, offset: float) -> dict[str, str] | None:
    """Draw players' ratings over time, each point from the last matches up to it; None where no match has a date."""
    curves = []
    for name in names[:MOST_CURVES]:
        own = dated(matches[matches["player"] == name])
        if len(own) >= WINDOW:
            curves.append((name, own))
    if not curves:
        return None
    figure, (axes,) = new_figure(1)
    titles: dict[str, list[str]] = {}
    for (name, own), color in zip(curves, (BLUE, VERMILION, GREEN, PURPLE), strict=False):
        gid = f"curve{len(titles)}"
        titles[gid] = _curve(axes, own, chosen, offset, name, color, gid)
    axes.set_ylabel("rating")
    formatter = mdates.ConciseDateFormatter(axes.xaxis.get_major_locator())  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_formatter(formatter)
    axes.legend(loc="lower right", fontsize=8)
    return drawn(figure, "time", f"Rating over time, each point from the last {WINDOW} matches", titles)


def _curve(axes: Axes, own: pd.DataFrame, chosen: Chosen, offset: float, name: str, color: str, gid: str) -> list[str]:
    """Draw a player's curve; return what each of its points says."""
    curve = windows(own, chosen, offset, WINDOW, MOST_POINTS)
    label = f"{short(name, MOST_LETTERS)}, last {WINDOW} matches"
    axes.plot(curve["day"], curve["value"], "-o", color=color, markersize=2.5, label=label, gid=gid)
    axes.fill_between(curve["day"], curve["low"], curve["high"], color=color, alpha=0.15, linewidth=0)
    return [
        f"{name}, {row['day']:%Y-%m-%d}: {_rating(row['value'], row['low'], row['high'])}" for row in records(curve)
    ]


def dated(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the rated matches that have a date, in its order, with the `day`."""
    own = matches[matches["rating"].notna() & matches["date"].fillna("").ne("")]
    days = own.assign(day=pd.to_datetime(own["date"], format="ISO8601", errors="coerce")).dropna(subset="day")
    return days.sort_values(["day", "file", "match"])


def windows(own: pd.DataFrame, chosen: Chosen, offset: float, size: int, most: int) -> pd.DataFrame:
    """Return a player's rating over time: `day`, `value`, `low`, `high`, each from `size` of the `dated` matches."""
    rows = []
    for end in window_ends(len(own), size, most):
        estimate = rating(errors_of(own.iloc[end - size : end], chosen), chosen.formula, offset)
        rows.append((own["day"].iloc[end - 1], estimate.value, estimate.low, estimate.high))
    return pd.DataFrame(rows, columns=["day", "value", "low", "high"])


def window_ends(matches: int, size: int, most: int = MOST_POINTS) -> list[int]:
    """Return where windows of `size` matches end: after every match, or in equal steps back from the last one."""
    step = math.ceil((matches - size + 1) / most)
    return list(range(matches, size - 1, -step))[::-1]


def errors_by_kind(matches: pd.DataFrame, names: list[str]) -> dict[str, str] | None:
    """Draw what kinds of errors make up players' errors per decision, in thousandths of EMG; None without decisions."""
    bars = []
    for name in names[:MOST_BARS]:
        own = matches[matches["player"] == name]
        decisions = float(own["unforced_moves"].sum() + own["close_cube_decisions"].sum())
        if decisions:
            parts = [float(own[list(columns)].sum().sum()) / decisions * 1000.0 for columns, _ in KINDS.values()]
            bars.append((name, parts))
    if not bars:
        return None
    bars.sort(key=lambda bar: -sum(bar[1]))
    figure, (axes,) = new_figure(1, height=1.4 + 0.3 * len(bars))
    left = np.zeros(len(bars))
    titles: dict[str, list[str]] = {}
    for order, (kind, (_, color)) in enumerate(KINDS.items()):
        width = np.array([parts[order] for _, parts in bars])
        drawn_bars = axes.barh(np.arange(len(bars)), width, left=left, color=color, label=kind, height=0.7)
        for place, (bar, (name, _)) in enumerate(zip(drawn_bars, bars, strict=True)):
            bar.set_gid(f"bar{order}-{place}")
            titles[f"bar{order}-{place}"] = [f"{name}, {kind}: {width[place]:.1f}"]
        left += width
    axes.set_yticks(np.arange(len(bars)), [short(name, MOST_LETTERS) for name, _ in bars])
    axes.grid(visible=False, axis="y")
    axes.set_xlabel("error per unforced move and close cube decision, thousandths of EMG")
    figure.legend(loc="outside upper left", ncols=len(KINDS), fontsize=8)
    return drawn(figure, "kinds", "Errors by kind", titles)


def _rating(value: float, low: float, high: float) -> str:
    return f"{value:,.0f} [{low:,.0f}, {high:,.0f}]"
