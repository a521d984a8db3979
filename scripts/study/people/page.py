"""The page of the check on people: answers in sentences with figures from the tables, then the tables."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from bgrating.pages import template
from bgrating.pages.template import records
from bgrating.pages.words import number
from study.pages import interval
from study.people.few import PLAIN
from study.people.scale import ALL, LEAST
from study.people.tables import Check


def in_short(check: Check) -> list[str]:
    """Answer every question from the tables in a sentence or two, or name what the collection lacks."""
    held = f"it has {number(check.decided)} decided matches with luck"
    answers = []
    for subject, answer, needed in (
        ("What errors cost", _cost, f"{LEAST} decided matches with a luck analysis"),
        ("Ratings from few matches", _few, "a player with ten matches"),
    ):
        sentences = list(answer(check.tables))
        answers += sentences or [f"{subject}: this collection is too small; {needed} are needed ({held})."]
    return answers


def _cost(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    scale = tables["scale"]
    for row in records(scale[scale["group"] == ALL]):
        verdict = "So ratings take the formula as it is, and intervals of differences include this uncertainty."
        if row["ci_low"] > 1:
            verdict = "That is more than noise's errors cost."
        if row["ci_high"] < 1:
            verdict = "That is less than noise's errors cost."
        yield (
            f"The errors of {number(row['n_players'])} people in {number(row['n_matches'])} matches cost "
            f"{interval(row, 'estimate', 2, 'ci')} times what the formula gives. {verdict}"
        )


def _few(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    few = tables["few_matches"]
    for row in records(few[(few["interval"] == PLAIN) & (few["matches"] == 2)]):
        yield (
            f"A rating from two matches has a half-width of {number(row['median_half_width'])} points, and its 90 % "
            f"interval holds the rating of the player's other matches in {row['coverage']:.0%} ({row['n_players']} "
            "players)."
        )


def people_page(name: str, check: Check, facts: Mapping[str, Any]) -> str:
    """Write the page of the check on a collection; `facts` are its tables' provenance."""
    return template.page(
        "people.html.j2", name=name, held=check, in_short=in_short(check), provenance=facts, **check.tables
    )


def summary(check: Check, page: str) -> str:
    return "\n".join([*in_short(check), f"Page: {page}", ""])
