"""What a collection says of ratings: estimated beside recorded ones, and measures of error beside each other."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from bgrating.formula.formula import MEASURED
from bgrating.people.conversions import ESTIMATED, GNUBG_2003, GNUBG_PER_SNOWIE, RECORDED, SNOWIE
from bgrating.people.tables import Check
from bgrating.people.wording import records, said
from bgrating.report.words import between, number

LINES = {
    ("estimate on recorded", "nothing"): "estimated on recorded ratings, as they lie",
    ("estimate on recorded", "noise of recorded ratings"): "with the noise of the recorded ratings taken out",
    ("recorded on estimate", "nothing"): "recorded on estimated ratings, as they lie",
    ("recorded on estimate", "noise of estimates"): "with the noise of the estimates taken out",
    ("recorded on shrunken estimate", "shrinkage"): "recorded on shrunken estimates",
}
"""The lines of calibration.py in words."""


def recorded(check: Check) -> Iterator[str]:
    """Say whether estimated ratings agree with recorded ones, in sentences."""
    table, lines = check.tables["calibration"], check.tables["lines"]
    if table.empty:
        held = int(check.tables["strengths"]["recorded_rating"].notna().sum()) if len(check.tables["strengths"]) else 0
        yield f"This collection cannot say: {held} players have a recorded rating; eight at one site are needed."
        return
    for site in table["site"].unique():
        own = {row["quantity"]: row for row in records(table, site=site, players="all")}
        offset, count = own["offset"], own["offset"]["n_players"]
        yield (
            f"{site}: the offset that makes estimates agree with recorded ratings on average is "
            f"{number(offset['value'])} {between(offset['ci_low'], offset['ci_high'])}, from {count} players in "
            f"{offset['n_matches']} matches of theirs."
        )
        slope = {(row["line"], row["corrected_for"]): row for row in records(lines, site=site, players="all")}
        slopes = ", ".join(f"{words} {said(slope[line], 'slope')}" for line, words in LINES.items() if line in slope)
        yield f"Slopes, 1 where the formula's scale is right: {slopes} ({count} players)."
        least = slope["estimate on recorded", "noise of recorded ratings"]["slope"]
        most = 1 / slope["recorded on estimate", "noise of estimates"]["slope"]
        yield (
            f"So 100 points between recorded ratings are {number(100 * least)} points between estimates if what the "
            f"known errors leave over is the estimates' doing, and {number(100 * most)} if it is the recorded "
            f"ratings' ({count} players; the intervals are those of the two slopes)."
        )
        correlation = own["correlation"]
        text = f"Correlation {said(correlation)}"
        if (clean := own.get("correlation, noise taken out")) is not None:
            text += f", with the noise of both taken out {said(clean)}"
        yield (
            f"{text}. Beyond the known errors of both, recorded and estimated ratings differ with a standard deviation "
            f"of {number(own['scatter']['value'])} points ({count} players)."
        )
        yield "; ".join(
            f"{name.removeprefix('coverage, ')}: {said(row, decimals=0, scale=100)}"
            for name, row in own.items()
            if name.startswith("coverage")
        ).join(("Recorded ratings inside 90 % intervals, in %: ", f" ({count} players)."))
        for players in lines.loc[(lines["site"] == site) & (lines["players"] != "all"), "players"].unique():
            rest = records(lines, site=site, players=players, line="estimate on recorded", corrected_for="nothing")[0]
            full = slope["estimate on recorded", "nothing"]
            yield (
                f"The slope {players} player: {said(rest, 'slope')} instead of "
                f"{number(full['slope'], 2)}: who is in every match is one point of {count} here."
            )
        yield from _mixed(check.tables["mixed"], site)


def _mixed(table: pd.DataFrame, site: str) -> Iterator[str]:
    slopes = {row["model"]: row for row in records(table, site=site, quantity="slope")}
    parts = {row["quantity"]: row["value"] for row in records(table, site=site, model="players and matches")}
    if len(slopes) == 2:
        plain, both = slopes["rows alike"], slopes["players and matches"]
        spread = {name: number(parts[f"{name} sd"]) for name in ("player", "match", "residual")}
        yield (
            f"Single matches, every row alike: slope {said(plain)}; with a part for each player and each match (mixed "
            f"effects) {said(both)}. A match's ratings scatter by {spread['player']} points between players of the "
            f"same recorded rating, {spread['match']} between matches (both players share a hard match) and "
            f"{spread['residual']} besides ({both['n_players']} players, {both['n_matches']} matches)."
        )


def conversions(check: Check) -> Iterator[str]:
    """Say how the measures of error convert into each other, in sentences."""
    rows = {row["conversion"]: row for row in records(check.tables["conversions"])}
    if not rows:
        yield f"This collection cannot say: eight rated players are needed ({check.matches} matches)."
        return
    first = rows[SNOWIE]
    behind = f"({first['n_players']} players, {first['n_matches']} matches)"
    yield (
        f"Per PR: Snowie's error rate {said(first, 'estimate', decimals=3)}, gnubg's rate 2 by definition (with the "
        f"close decisions of 2003 {said(rows[GNUBG_2003], 'estimate', decimals=3)}); gnubg's over Snowie's "
        f"{said(rows[GNUBG_PER_SNOWIE], 'estimate')}, where the manual has 1.4 and 2007 nearer 2 {behind}."
    )
    for measure in (ESTIMATED, RECORDED):
        if (row := rows.get(f"{measure} per PR")) is not None:
            yield (
                f"{measure.capitalize()}s fall by {said(_turned(row), 'estimate', decimals=1)} points per PR, "
                f"where XG's author has 33 ({row['n_players']} players, {row['n_matches']} matches)."
            )
    gap = "; ".join(
        f"{row['match_length']} points {said(row, 'chance', 'chance', 0, 100)} (XG's author: {row['xg_says']:.0%}"
        + (")" if row["based_on"] == MEASURED else f"; {row['based_on']})")
        for row in records(check.tables["pr_gap"])
    )
    if gap:
        yield f"The weaker side's chance at a gap of 6 PR by the chosen formula, in %: {gap} {behind}."


def _turned(row: Mapping[str, Any]) -> dict[str, float]:
    return {"estimate": -row["estimate"], "ci_low": -row["ci_high"], "ci_high": -row["ci_low"]}
