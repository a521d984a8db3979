"""What a collection says of ratings: estimated beside recorded ones, and measures of error beside each other."""

from collections.abc import Iterator

import pandas as pd

from bgrating.formula.formula import MEASURED
from bgrating.people.conversions import ESTIMATED, GNUBG_2003, GNUBG_PER_SNOWIE, RECORDED, SNOWIE
from bgrating.people.tables import Check
from bgrating.people.wording import Finding, count_of, records, said
from bgrating.report.words import number

LINES = {
    ("estimate on recorded", "nothing"): "estimated on recorded ratings, as they lie",
    ("estimate on recorded", "noise of recorded ratings"): "with the noise of the recorded ratings taken out",
    ("recorded on estimate", "nothing"): "recorded on estimated ratings, as they lie",
    ("recorded on estimate", "noise of estimates"): "with the noise of the estimates taken out",
    ("recorded on shrunken estimate", "shrinkage"): "recorded on shrunken estimates",
}
"""The lines of calibration.py in words."""


def recorded(check: Check) -> Iterator[Finding]:
    """Say whether estimated ratings agree with recorded ones."""
    table, lines = check.tables["calibration"], check.tables["lines"]
    if table.empty:
        held = int(check.tables["strengths"]["recorded_rating"].notna().sum()) if len(check.tables["strengths"]) else 0
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
                yield Finding(
                    f"{site}: slope (1 where the scale is right), {words}", said(slope[line], "slope"), behind
                )
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
    ):
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
