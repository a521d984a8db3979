"""The page of a league, and the lines that a run prints."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from bgleague.members import members
from bgleague.run import ALIASES, League
from bgleague.settings import METHODS
from bgleague.standing import first_of_all, grid, why
from bgmatch.records import Json, Record
from bgrating.pages import charts, template
from bgrating.pages.formatting import between, counted, isolated, number, short
from bgrating.tables.dictionary import columns

MOST_LINES = 20
MOST_NAME = 30  # players that a run prints, and letters of their names
MOST_PERIODS = 12  # months, and years, that a page shows; periods.csv has all
MOST_CURVES = 10
MOST_POINTS = 800  # players of a figure, and points of a curve
CURVE = ["at", "rating", "ci_low", "ci_high"]


def page(league: League, name: str, errors: Record | None = None) -> str:
    tables = {
        file.removesuffix(".csv"): table
        for file, table in league.files.items()
        if file.endswith(".csv")
    }
    main, rows = league.standing
    pairs = tables.get("head_to_head", pd.DataFrame(columns=columns("ratings/head_to_head")))
    best = members(rows, pairs, errors or {})
    return template.page(
        "ratings.html.j2",
        name=name,
        league_run=league,
        pictures=_pictures(league, tables),
        league_columns=_league_columns(tables["league"]),
        main=METHODS.get(main, ""),
        why=why(main, league.by_method[main].metadata.get("match_length")) if main else "",
        period=_period(league),
        headline=first_of_all(tables["league"], isolated),
        standing=rows,
        members=best,
        pairs=grid(best),
        calendar=_calendar(tables["periods"]) if "periods" in tables else [],
        **tables,
    )


def _calendar(table: pd.DataFrame) -> list[tuple[str, list[Json]]]:
    """Return the latest years and months with their tables, years first.

    Within one year there are no months: its table says it all.
    """
    names = table["period"].drop_duplicates().tolist()
    years = [name for name in names if "-" not in name][:MOST_PERIODS]
    months = [name for name in names if "-" in name][:MOST_PERIODS] if len(years) > 1 else []
    return [(name, template.records(table[table["period"] == name])) for name in (*years, *months)]


def _league_columns(standing: pd.DataFrame) -> list[tuple[Any, ...]]:
    dated = [("First", "first"), ("Last", "last")] if "last" in standing else []
    method_columns = [
        (label, method, 0, f"{method}_ci_")
        for method, label in METHODS.items()
        if method in standing
    ]
    return [
        ("Place", "place", 0),
        ("Player", "player"),
        ("Won", "{wins:,.9g} of {games:,.0f}", 0),
        ("Share", "share", 3),
        *method_columns,
        *dated,
    ]


def _pictures(league: League, tables: dict[str, pd.DataFrame]) -> dict[str, dict[str, str]]:
    pictures = {}
    if "elo_log" in tables:
        log = tables["elo_log"].assign(at=tables["elo_log"]["game"] + 1)
        seats = [
            log[["at", seat, f"{seat}_after"]].set_axis(["at", "player", "rating"], axis=1)
            for seat in ("first", "second")
        ]
        best = [name for name in tables["elo"]["player"] if name in league.games.listed]
        curves = pd.concat(seats).sort_values("at")
        pictures["evolution"] = _figure("Elo over the games", curves, best, ("first game", "last"))
    if "history" in tables and tables["history"]["date"].all():
        dates = tables["history"]["date"]
        days = pd.to_datetime(dates).astype("datetime64[s]").astype(int)
        curves = tables["history"].assign(at=days)
        title = "Whole-history ratings, with 90 % intervals"
        ends = dates.min(), dates.max()
        pictures["history"] = _figure(title, curves, league.games.listed, ends)
    if "outcomes.png" in league.files:
        title = (
            "Every cell of the tournament, worst to best: wins of the row's player green, losses"
            " red, draws blue"
        )
        address = template.embedded(league.files["outcomes.png"].png(), ".png")
        pictures["outcomes"] = {"title": title, "address": address}
    return pictures


def _figure(
    title: str, curves: pd.DataFrame, players: Sequence[str], ends: tuple[str, str]
) -> dict[str, str]:
    """Draw the curves of the first players.

    A point has `player`, `at`, `rating`, and perhaps `ci_low` and `ci_high`.
    """
    of_player = dict(iter(curves.reindex(columns=["player", *CURVE]).groupby("player")[CURVE]))
    lines = []
    for name in [name for name in players if name in of_player][:MOST_CURVES]:
        curve = of_player[name]
        rows = np.linspace(0, len(curve) - 1, min(len(curve), MOST_POINTS)).astype(int)
        lines.append(charts.Line(name, list(curve.iloc[rows].itertuples(index=False, name=None))))
    return {"title": title, "drawn": charts.curves(lines, ends, title)}


def summary(league: League, report: str) -> str:
    """Return the lines that a run prints.

    They tell of games, flagged rows and methods left out. The standing and the page follow.
    """
    flagged = league.games.flagged
    lines = [f"{league.played} of {counted(league.n_players, 'players')}{_period(league)}"]
    if len(flagged):
        unrated = len(flagged) - sum(flagged["rated"])
        lines.append(
            f"{counted(len(flagged), 'rows')} flagged, {unrated} of them not rated: flagged.csv has"
            " the reasons"
        )
    lines += league.notes
    names = len(league.files[ALIASES])
    if names:
        lines.append(
            f"possible second names of a player: {names} in {ALIASES}; edit it, then pass it with"
            " --aliases"
        )
    lines += [f"{system} left out: {why}" for system, why in league.left_out.items()]
    lines += filter(None, [first_of_all(league.files["league.csv"])])
    return "\n".join([*lines, "", *_standing(league), "", f"Page: {report}"])


def _period(league: League) -> str:
    """Return the first and the last date of the games in words; nothing if no game has a date."""
    games = league.games.games
    dates = set(games["date"]) - {""} if "date" in games else set()
    return f", {' to '.join(sorted({min(dates), max(dates)}))}" if dates else ""


def _standing(league: League) -> list[str]:
    """Return the lines of the standing; without a rating the share of wins orders it."""
    table = league.files["league.csv"]
    main = league.standing[0] or "share"
    lines = [f"place  {'player':<{MOST_NAME}}  {'won':>14}  {METHODS.get(main, main)}, 90 %"]
    for row in template.records(table.head(MOST_LINES)):
        won = f"{row['wins']:,.9g} of {number(row['games'])}"
        rating = number(row[main], 3 if main == "share" else 0)
        ends = "" if main == "share" else between(row[f"{main}_ci_low"], row[f"{main}_ci_high"])
        lines.append(
            f"{row['place']:>5}  {short(row['player'], MOST_NAME):<{MOST_NAME}}  {won:>14} "
            f" {rating} {ends}"
        )
    if len(table) > MOST_LINES:
        lines.append(f"… and {number(len(table) - MOST_LINES)} more: league.csv")
    return lines
