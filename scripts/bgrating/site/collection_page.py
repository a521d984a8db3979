"""The page of a collection, and the variables of the method that all its pages share."""

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from urllib.parse import unquote

import numpy as np
import pandas as pd

from bgmatch.records import Json, Record
from bgrating.analysis.statuses import ANALYSED, STATUSES
from bgrating.decisions.thresholds import BLUNDER, COSTLY, LEVEL, QUIZ_LOSS
from bgrating.engine import levels
from bgrating.pages import template
from bgrating.pages.charts import interval
from bgrating.pages.formatting import counted, grade, number, short, span
from bgrating.pages.positions import SURE
from bgrating.pages.template import records
from bgrating.people.players import LEAST_DECISIONS, OUTSIDE, PROVISIONAL, RATED, RATING
from bgrating.rating.calculator import NOTE
from bgrating.rating.choose import RatingModel
from bgrating.rating.intervals import quantile
from bgrating.rating.limits import BelowLimit, chances_below
from bgrating.site.addresses import player_pages

COMPARED = 500
"""Most players in the comparison of two players."""


@dataclass(frozen=True)
class Collection:
    """The tables of a collection (`collection.rated_tables.Tables`), and the formula that rated its
    players.

    The pages speak to the `reader`, a player of the collection; nobody if it is empty.
    """

    name: str
    files: pd.DataFrame
    matches: pd.DataFrame
    of_players: pd.DataFrame
    rated_by: pd.DataFrame
    players: pd.DataFrame
    model: RatingModel
    offset: float
    provenance: Record
    reader: str = ""
    suggestions: pd.DataFrame = field(default_factory=pd.DataFrame)

    @cached_property
    def below(self) -> dict[str, list[BelowLimit]]:
        """The probabilities that a player's true PR is below the limits of the titles, by
        player.
        """
        return chances_below(self.of_players)

    @cached_property
    def plies(self) -> int:
        """The depth of the first look, in plies."""
        return levels.analysis(self.provenance["analysis"]).cubedecision.plies

    @cached_property
    def method(self) -> Json:
        """The variables of the section "How it was made", which all pages have."""
        formula = self.model.formula
        return {
            "name": self.name,
            "owner": self.reader,
            "formula_description": self.model.description,
            "confidence": f"{100 * formula.confidence:.0f} %",
            "field": (self.provenance.get("field") or {}).get("words", ""),
            "least_decisions": LEAST_DECISIONS,
            "provisional": PROVISIONAL,
            "formula_is_certain": bool(pd.isna(formula.covariance).any()),
            "offset": number(self.offset),
            "note": NOTE,
            "analysis": self.provenance["analysis"],
            "plies": self.plies,
            "check": self.provenance["check"],
            "checked": self.checked,
            "least": COSTLY,
            "least_asked": QUIZ_LOSS,
            "sure": SURE,
            "blunder": BLUNDER,
        }

    @property
    def checked(self) -> str:
        """The progress of the second look in a sentence; empty without a second look."""
        total = len(self.matches) // 2
        if self.provenance["check"] == "none" or not total:
            return ""
        done = int((self.matches["level"] == LEVEL).sum()) // 2
        return f"Checked: {done:,} of {counted(total, 'matches')}."

    @cached_property
    def axis(self) -> tuple[float, float]:
        """The range of the rating bars: from a multiple of 100 below nearly all intervals to the
        offset.
        """
        lower_ends = self.players.loc[self.players["standing"] == RATED, "own_low"].dropna()
        if lower_ends.empty:
            lower_ends = self.players["own_rating"].fillna(self.offset - 300.0)
        low = np.fmin(lower_ends.quantile(0.05), self.offset - 200.0)
        return 100.0 * math.floor(low / 100.0), self.offset


def collection_page(collection: Collection, matches: list[Json]) -> str:
    """Return the page of a collection; `matches` have columns with the addresses of pages."""
    players = collection.players
    left_out = collection.files[collection.files["status"] != ANALYSED]
    counts = collection.files["status"].value_counts()
    rows = records(players)
    ranked = players.assign(
        page=players["player"].map(player_pages(players["player"])).fillna(""),
        bar=[rating_bar(row, collection.axis) for row in rows],
        between=[span(row["ci_low"], row["ci_high"]) for row in rows],
        grade=[grade(collection.below.get(row["player"], [])) for row in rows],
        remark=[_remark(row) for row in rows],
    ).sort_values("rating", ascending=False)
    rated = ranked[ranked["standing"] == RATED].reset_index(drop=True)
    readers = records(ranked[ranked["player"] == collection.reader])
    return render(
        "human.html.j2",
        collection,
        collection=collection,
        counts=[(status, int(counts[status])) for status in STATUSES if status in counts],
        links=[("../../index.html", "Results"), ("#", collection.name)],
        matches=matches,
        provenance=collection.provenance,
        unnamed=int((collection.matches["player"] == "").sum()),
        ranked=rated.assign(rank=rated.index + 1),
        others=ranked[ranked["standing"] != RATED],
        left_out=left_out.assign(file=left_out["file"].map(unquote)),
        has_luck=bool(players["net_luck_mwc"].notna().any()),
        reader=readers[0] if readers else None,
        compared=_compared(ranked, bool(readers), collection.model.formula.confidence),
    )


def _compared(ranked: pd.DataFrame, has_reader: bool, confidence: float) -> list[list[Any]]:
    """Return name, rating, its standard deviation and rated matches of players, for report/duel.js.

    For a reader those with most matches come first: the reader, then the usual opponents.
    """
    certain = ranked[ranked["ci_low"].notna()]
    if has_reader:
        certain = certain.sort_values("matches", ascending=False, kind="stable")
    certain = certain.head(COMPARED)
    spread = (certain["ci_high"] - certain["ci_low"]) / (2 * quantile(confidence))
    shown = certain.assign(player=certain["player"].map(short), spread=spread)
    columns = ["player", "rating", "spread", "rated_matches"]
    return shown[columns].round(1).astype(object).to_numpy().tolist()


def rating_bar(row: Json, axis: tuple[float, float]) -> str:
    """Return the bar of a rating and its interval; empty without a rating."""
    value, low, high = (row[name] for name in RATING)
    return interval(value, low, high, axis)


def _remark(row: Json) -> str:
    """Say why a rating is missing or less certain than others."""
    if math.isnan(row["rating"]):
        return "no rating"
    if row["domain"] == OUTSIDE:
        return "outside the formula's range"
    return "one match" if row["rated_matches"] == 1 else ""


def render(name: str, collection: Collection, /, **variables: Any) -> str:
    return template.page(name, **{**collection.method, **variables})
