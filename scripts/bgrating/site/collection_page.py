"""The page of a collection, and what all its pages say of how they were made."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import pandas as pd

from bgrating.analysis.second_look import ALL, SHOWN
from bgrating.analysis.statuses import ANALYSED, STATUSES
from bgrating.engine import levels
from bgrating.pages import template
from bgrating.pages.charts import interval
from bgrating.pages.positions import BLUNDER, CHECKED_PLIES, COSTLY, DIFFERENCE
from bgrating.pages.template import records
from bgrating.pages.words import grade, number, short
from bgrating.people.players import LEAST_DECISIONS, OUTSIDE, PLAIN, PROVISIONAL, RATED, SHRUNK
from bgrating.rating.calculator import people_scale
from bgrating.rating.choose import RatingModel
from bgrating.rating.field import Field
from bgrating.rating.intervals import quantile

GRID = 12
"""Players of whom a table shows who beat whom."""
DENSE = 1 / 3
"""Share of their pairs that must have met for that table to tell anything."""
OWNED = 0.9
"""Share of a collection's matches that a player has whose collection it is."""
COMPARED = 500
"""Rated players among whom two can be chosen."""
EXTREMES = 5
"""The luckiest and unluckiest players that are listed."""
FAR = 20.0
"""Points that few matches must move a rating by to be listed."""


@dataclass(frozen=True)
class Collection:
    """A collection's tables, and the formula that rated its players."""

    name: str
    files: pd.DataFrame
    matches: pd.DataFrame
    players: pd.DataFrame
    model: RatingModel
    offset: float
    provenance: Mapping[str, Any]

    @cached_property
    def plies(self) -> int:
        """The depth at which cube decisions were judged."""
        return levels.analysis(self.provenance["analysis"]).cubedecision.plies

    @cached_property
    def method(self) -> dict[str, Any]:
        """What all pages say of how they were made."""
        formula = self.model.formula
        return {
            "name": self.name,
            "formula_words": self.model.words,
            "confidence": f"{100 * formula.confidence:.0f} %",
            "field": (self.provenance.get("field") or {}).get("words", ""),
            "least_decisions": LEAST_DECISIONS,
            "provisional": PROVISIONAL,
            "formula_is_certain": bool(pd.isna(formula.covariance).any()),
            "offset": number(self.offset),
            "scale": people_scale().words,
            "analysis": self.provenance["analysis"],
            "plies": self.plies,
            "is_checked": self.is_checked,
            "check": self.provenance["check"],
            "least": COSTLY,
            "blunder": BLUNDER,
            "difference": DIFFERENCE,
        }

    @property
    def is_checked(self) -> bool:
        """Whether every error was judged at CHECKED_PLIES, at once or in a second look."""
        return self.plies >= CHECKED_PLIES or self.provenance["check"] in {SHOWN, ALL}

    @property
    def field(self) -> Field | None:
        """The field that players were shrunk towards; None where they were too few and none is stored."""
        held = self.provenance.get("field")
        return Field(**{name: held[name] for name in Field.__dataclass_fields__}) if held else None


def collection_page(
    collection: Collection, players: pd.DataFrame, matches: list[dict[str, Any]], trends: dict[str, Any] | None = None
) -> str:
    """Return the page of a collection; players and matches have columns that say where their pages are.

    `trends` are the charts of all players (site.py).
    """
    left_out = collection.files[collection.files["status"] != ANALYSED]
    counts = collection.files["status"].value_counts()
    axis = scale_of(players, collection.offset)
    # The best first. One lucky match must not lead: where ratings are shrunk, those that are decide.
    is_shrunk = bool(players["shrunk_rating"].notna().any())
    names = SHRUNK if is_shrunk else PLAIN
    ends = zip(players[names[1]], players[names[2]], strict=True)
    ranked = players.assign(
        bar=[rating_bar(row, names, axis) for row in records(players)],
        between=["" if math.isnan(low) else f"{number(low)} to {number(high)}" for low, high in ends],
        grade=players["pr"].map(grade),
        remark=[_remark(row) for row in records(players)],
        by_errors=players["rating"],
        **{column: players[name] for column, name in zip(PLAIN, names, strict=True)},
    ).sort_values("rating", ascending=False)
    rated = ranked[ranked["standing"] == RATED].reset_index(drop=True)
    lucky = records(players[players["net_luck_mwc"].notna()].sort_values("net_luck_mwc", ascending=False))
    return render(
        "human.html.j2",
        collection,
        counts=[(status, int(counts[status])) for status in STATUSES if status in counts],
        files=len(collection.files),
        links=[("../../index.html", "Results"), ("#", collection.name)],
        matches=matches,
        remarks=collection.provenance.get("remarks", []),
        unnamed=int((collection.matches["player"] == "").sum()),
        ranked=rated.assign(place=rated.index + 1),
        others=ranked[ranked["standing"] != RATED],
        is_shrunk=is_shrunk,
        moved=_moved(rated) if is_shrunk else "",
        n_players=len(players),
        n_left_out=len(left_out),
        left_out=left_out.assign(file=left_out["file"].map(unquote)),
        trends=trends or {"rating_trend": "", "pr_trend": ""},
        axis=axis,
        lucky=[row for row in lucky[:EXTREMES] if row["net_luck_mwc"] > 0],
        unlucky=[row for row in lucky[: -EXTREMES - 1 : -1] if row["net_luck_mwc"] < 0],
        pairs=_pairs(collection.matches, players),
        owner=_owner(collection, ranked),
        compared=_compared(rated, collection.model.formula.confidence),
    )


def _owner(collection: Collection, ranked: pd.DataFrame) -> dict[str, Any] | None:
    """Return the row of the player whose collection it is: one of three or more who has nearly all of its matches."""
    matches = len(collection.matches) / 2
    own = ranked[ranked["matches"] >= OWNED * matches]
    return records(own)[0] if len(own) == 1 and len(ranked) > 2 and matches > 1 else None


def _compared(rated: pd.DataFrame, confidence: float) -> list[tuple[str, float, float, int]]:
    """Return what report/page.js compares two players by: name, rating, its standard deviation, matches behind it."""
    known = rated[rated["ci_low"].notna()].head(COMPARED)
    spread = (known["ci_high"] - known["ci_low"]) / (2 * quantile(confidence, math.inf))
    columns = known["player"].map(short), known["rating"].round(1), spread.round(1), known["rated_matches"]
    return list(zip(*(column.tolist() for column in columns), strict=True))


def _moved(rated: pd.DataFrame) -> str:
    """Name the players whose ratings are drawn furthest to the usual player, with the points; nobody below FAR."""
    by = rated["rating"] - rated["by_errors"]
    furthest = by[by.abs() >= FAR].abs().sort_values(ascending=False).index[:EXTREMES]
    return ", ".join(f"{rated.loc[at, 'player']} by {by[at]:+.0f}" for at in furthest)


def rating_bar(row: dict[str, Any], names: tuple[str, str, str], axis: tuple[float, float]) -> str:
    """Return the bar of a rating and its interval, by the names of their columns; nothing where there is no rating."""
    value, low, high = (row[name] for name in names)
    between = "" if math.isnan(low) else f", {number(low)} to {number(high)}"
    return "" if math.isnan(value) else interval(value, low, high, axis, f"{number(value)}{between}")


def _remark(row: dict[str, Any]) -> str:
    """Say what makes a rating less than the others: one match, or errors that the formula was not measured for."""
    remarks = (
        "one match" * (row["rated_matches"] == 1),
        "no rating" if math.isnan(row["rating"]) else "outside the formula's range" * (row["domain"] == OUTSIDE),
    )
    return ", ".join(filter(None, remarks))


def _pairs(matches: pd.DataFrame, players: pd.DataFrame) -> dict[str, Any]:
    """Return who beat whom among the players with most matches: names, and rows of wins (None: never met)."""
    names = players["player"].head(GRID).tolist()
    met = matches[matches["player"].isin(names) & matches["opponent"].isin(names) & matches["won"].notna()]
    won: dict[tuple[str, str], float] = {}
    for row in records(met[["player", "opponent", "won"]]):
        pair = (row["player"], row["opponent"])
        won[pair] = won.get(pair, 0.0) + row["won"]
    played = [name for name in names if any(pair[0] == name for pair in won)]
    if len(won) < DENSE * len(played) * (len(played) - 1):
        return {"names": [], "rows": []}
    rows = [
        (name, [None if (name, other) not in won else int(won[name, other]) for other in played]) for name in played
    ]
    return {"names": played, "rows": rows}


def scale_of(players: pd.DataFrame, offset: float) -> tuple[float, float]:
    """Return the ends of the scale on which a collection's ratings are drawn: round ones round nearly all intervals."""
    known = players.loc[players["standing"] == RATED, "ci_low"].dropna()
    known = known if len(known) else players["rating"].dropna()
    low = float(known.quantile(0.05)) if len(known) else offset - 300.0
    return 100.0 * math.floor(min(low, offset - 200.0) / 100.0), offset


def render(name: str, collection: Collection, /, **contents: Any) -> str:
    return template.page(name, **{"provenance": collection.provenance, **collection.method, **contents})
