"""The page of the check on people: answers in sentences with figures from the tables, then the tables."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from bgrating.pages import template
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


def _records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _cost(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["scale"], group=ALL):
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
    for row in _records(tables["few_matches"], interval=PLAIN, matches=2):
        yield (
            f"A rating from two matches has a half-width of {number(row['median_half_width'])} points, and its 90 % "
            f"interval holds the rating of the player's other matches in {row['coverage']:.0%} ({row['n_players']} "
            "players)."
        )


TABLES = {
    "scale": (
        "F by collection and strength; W is what errors are worth within a match",
        "group estimate ci_low std_error within scatter n_matches n_deeper n_players",
    ),
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
SECTIONS = (("What errors cost", ("scale",)), ("PR", ("pr_gap",)), ("Few matches", ("few_matches", "limits")))


def listed(name: str, table: pd.DataFrame) -> dict[str, Any]:
    """Return a table of TABLES with its columns as the macro takes them."""
    title, names = TABLES[name]
    columns: list[tuple[Any, ...]] = []
    for column in names.split():
        if column.endswith("_low"):
            columns[-1] += (column.removesuffix("low"),)
        else:
            columns.append((column.replace("_", " "), column, _format(column, table)))
    return {"file": f"{name}.csv", "name": name, "title": title, "columns": columns, "rows": table}


def _format(column: str, table: pd.DataFrame) -> int | str | None:
    if column == "match_length" or not pd.api.types.is_numeric_dtype(table[column]):
        return None
    return 0 if column in {"n_matches", "n_players", "matches"} else "size"


def people_page(name: str, check: Check, facts: Mapping[str, Any]) -> str:
    """Write the page of the check on a collection; `facts` are its tables' provenance."""
    sections = [
        {
            "title": heading,
            "tables": [listed(name, check.tables[name]) for name in names],
        }
        for heading, names in SECTIONS
    ]
    return template.page(
        "people.html.j2",
        name=name,
        held=check,
        in_short=in_short(check),
        sections=sections,
        provenance=facts,
    )


def summary(check: Check, page: str) -> str:
    return "\n".join([*in_short(check), f"Page: {page}", ""])
