"""Findings: how a figure of a table is written with its interval and what is behind it, and those about ratings."""

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import pandas as pd

from bgrating.pages.words import between, number
from bgrating.rating.formula import MEASURED
from study.people.conversions import ESTIMATED, GNUBG_2003, GNUBG_PER_SNOWIE, RECORDED, SNOWIE, XG
from study.people.tables import Check

LINES = {
    ("estimate on recorded", "nothing"): "estimated on recorded ratings, as they lie",
    ("estimate on recorded", "noise of recorded ratings"): "with the noise of the recorded ratings taken out",
    ("recorded on estimate", "nothing"): "recorded on estimated ratings, as they lie",
    ("recorded on estimate", "noise of estimates"): "with the noise of the estimates taken out",
    ("recorded on shrunken estimate", "shrinkage"): "recorded on shrunken estimates",
}
"""The lines of calibration.py in words."""


class Finding(NamedTuple):
    """One line of an answer: what was found, the figure with its interval, and the matches or players behind it.

    A line that says why a collection cannot answer has no figure.
    """

    what: str
    figure: str = ""
    behind: str = ""


def records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    """Return the rows of a table in which the named columns have the wanted values."""
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def said(row: Mapping[str, Any], value: str = "value", ends: str = "ci", decimals: int = 2, scale: float = 1.0) -> str:
    """Write a figure of a row with its interval."""
    low, high = (None if pd.isna(row[f"{ends}_{end}"]) else scale * row[f"{ends}_{end}"] for end in ("low", "high"))
    return f"{number(scale * row[value], decimals)} {between(low, high, decimals)}"


def verdict(low: float, high: float) -> str:
    """Say what an interval of a ratio says of 1."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return "too few matches to tell"
    if low > 1:
        return "more than noise's"
    if high < 1:
        return "less than noise's"
    return f"no difference shown; differences beyond {max(1 - low, high - 1):.0%} are excluded"


def count_of(row: Mapping[str, Any], *what: str) -> str:
    """Write how many players and matches are behind a row: "30 players, 120 matches"."""
    return ", ".join(f"{number(row[f'n_{name}'])} {name}" for name in what or ("matches",))


def cannot(check: Check, what: str) -> Finding:
    """Say that a collection is too small, and what it would need."""
    return Finding(f"This collection cannot say: {what} (it has {check.decided} decided matches with luck).")


def recorded(check: Check) -> Iterator[Finding]:
    """Say whether estimated ratings agree with recorded ones."""
    table, lines = check.tables["calibration"], check.tables["lines"]
    if table.empty:
        held = int(check.tables["strengths"]["recorded_rating"].notna().sum())
        yield Finding(
            f"This collection cannot say: {held} players have a recorded rating; eight at one site are needed."
        )
        return
    for site in table["site"].unique():
        own = {row["quantity"]: row for row in records(table, site=site, players="all")}
        behind = count_of(own["offset"], "players", "matches")
        what = f"{site}: the offset that makes estimates agree with recorded ratings on average"
        yield Finding(what, said(own["offset"], decimals=0), behind)
        slope = {(row["line"], row["corrected_for"]): row for row in records(lines, site=site, players="all")}
        for line, words in LINES.items():
            if line in slope:
                what = f"{site}: slope (1 where the scale is right), {words}"
                yield Finding(what, said(slope[line], "slope"), behind)
        least = slope["estimate on recorded", "noise of recorded ratings"]["slope"]
        most = 1 / slope["recorded on estimate", "noise of estimates"]["slope"]
        what = (
            f"{site}: points between estimates for 100 between recorded ratings, by whose doing the rest is: the "
            "estimates' or the recorded ratings'"
        )
        yield Finding(what, f"{number(100 * least)} or {number(100 * most)}", behind)
        for quantity, words in (
            ("correlation", "correlation"),
            ("correlation, noise taken out", "correlation, with the noise of both taken out"),
        ):
            if quantity in own:
                yield Finding(f"{site}: {words}", said(own[quantity]), behind)
        what = f"{site}: points by which both differ beyond their known errors, standard deviation"
        yield Finding(what, number(own["scatter"]["value"]), behind)
        for name, row in own.items():
            if name.startswith("coverage"):
                what = f"{site}: % of recorded ratings inside 90 % intervals, {name.removeprefix('coverage, ')}"
                yield Finding(what, said(row, decimals=0, scale=100), behind)
        for players in lines.loc[(lines["site"] == site) & (lines["players"] != "all"), "players"].unique():
            rest = records(lines, site=site, players=players, line="estimate on recorded", corrected_for="nothing")[0]
            yield Finding(f"{site}: slope as they lie, {players} player", said(rest, "slope"), behind)
        yield from _mixed(check.tables["mixed"], site)


def _mixed(table: pd.DataFrame, site: str) -> Iterator[Finding]:
    slopes = {row["model"]: row for row in records(table, site=site, quantity="slope")}
    parts = {row["quantity"]: row["value"] for row in records(table, site=site, model="players and matches")}
    if len(slopes) == 2:
        plain, both = slopes["rows alike"], slopes["players and matches"]
        behind = count_of(both, "players", "matches")
        yield Finding(f"{site}: slope of single matches, every row alike", said(plain), behind)
        yield Finding(f"{site}: the same with a part for each player and each match", said(both), behind)
        what = (
            f"{site}: points by which a match's ratings scatter: between players of the same recorded rating, between "
            "matches (both players share a hard one), besides"
        )
        figures = (number(parts[f"{name} sd"]) for name in ("player", "match", "residual"))
        yield Finding(what, ", ".join(figures), behind)


def conversions(check: Check) -> Iterator[Finding]:
    """Say how the measures of error convert into each other."""
    rows = {row["conversion"]: row for row in records(check.tables["conversions"])}
    if not rows:
        yield Finding(f"This collection cannot say: eight rated players are needed ({check.matches} matches).")
        return
    for name, words in (
        (SNOWIE, "Snowie's error rate per PR"),
        (GNUBG_2003, "gnubg's rate per PR with the close decisions of 2003 (2 by definition with today's)"),
        (GNUBG_PER_SNOWIE, "gnubg's rate over Snowie's; the manual has 1.4, and 2007 nearer 2"),
        (XG, "eXtreme Gammon's own PR over gnubg's, in the matches that it has analysed"),
    ):
        if name in rows:
            yield Finding(words, said(rows[name], "estimate", decimals=3), count_of(rows[name], "players", "matches"))
    for measure in (ESTIMATED, RECORDED):
        if (row := rows.get(f"{measure} per PR")) is not None:
            fall = {"estimate": -row["estimate"], "ci_low": -row["ci_high"], "ci_high": -row["ci_low"]}
            what = f"points by which {measure}s fall per PR; XG's author has 33"
            yield Finding(what, said(fall, "estimate", decimals=1), count_of(row, "players", "matches"))
    for row in records(check.tables["pr_gap"]):
        rest = "" if row["based_on"] == MEASURED else f"; {row['based_on']}"
        what = (
            f"% of {row['match_length']}-point matches won by the side that is 6 PR worse, by the chosen formula (XG's "
            f"author: {number(100 * row['xg_says'])}{rest})"
        )
        yield Finding(what, said(row, "chance", "chance", 0, 100), count_of(rows[SNOWIE], "players", "matches"))
