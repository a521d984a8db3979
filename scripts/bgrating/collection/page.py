"""The page of a collection, and what all its pages say of how they were made."""

import difflib
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.collection import figures
from bgrating.collection.accounts import ANALYSED, STATUSES
from bgrating.csv_safety import shown, without_mark
from bgrating.formula.choose import Chosen
from bgrating.report import template
from bgrating.report.words import ABSENT, number
from bgrating.settings import SettingsError


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


def known_player(collection: Collection, player: str) -> str:
    """Return a player's name as the tables have it, given as in the files or as in the tables.

    Raises SettingsError naming similar names where there is no such player.
    """
    known = collection.players["player"]
    for name in (player, shown(player), without_mark(player)):
        if (known == name).any():
            return name
    near = difflib.get_close_matches(player, known, n=5, cutoff=0.4)
    raise SettingsError(f"player={player}: no such player in the collection; like it: {', '.join(near) or 'none'}")


def collection_page(collection: Collection, players: pd.DataFrame, matches: list[dict[str, Any]]) -> str:
    """Return the page of a collection; players and matches have columns that say where their pages are."""
    names = players["player"].tolist()
    left_out = collection.files[collection.files["status"] != ANALYSED]
    counts = collection.files["status"].value_counts()
    pictures = (
        figures.rating_intervals(players, collection.chosen.formula.confidence),
        figures.rating_over_time(collection.matches, names, collection.chosen, collection.offset),
        figures.errors_by_kind(collection.matches, names),
    )
    return render(
        "human.html.j2",
        collection,
        counts=[(status, int(counts[status])) for status in STATUSES if status in counts],
        files=len(collection.files),
        links=[("../../index.html", "Results"), ("#", collection.name)],
        matches=matches,
        unnamed=int((collection.matches["player"] == "").sum()),
        players=players,
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
        formula_is_certain=bool(pd.isna(formula.covariance).any()),
        offset=number(collection.offset),
        analysis=collection.provenance.get("analysis", ABSENT),
    )
