"""The page of a league, and the lines that a run prints."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from bgrating.league.games import UNUSED
from bgrating.league.members import MOST, members, movers
from bgrating.league.run import ALIASES, League
from bgrating.league.settings import METHODS
from bgrating.league.standing import grid, why
from bgrating.pages import charts, template
from bgrating.pages.words import between, counted, number, short

_SEATS = ("first", "second")
MOST_LINES, MOST_NAME = 20, 30  # players that a run prints, and letters of their names
MOST_CURVES, MOST_POINTS = 10, 800  # players of a figure, and points of a curve
CURVE = ["at", "rating", "ci_low", "ci_high"]


def page(league: League, name: str, errors: Mapping[str, Any] | None = None) -> str:
    tables = {file.removesuffix(".csv"): content for file, content in league.files.items() if file.endswith(".csv")}
    if "elo" in tables:
        linked = ["" if group == 0 else "not linked to the largest group" for group in tables["elo"]["component"]]
        tables["elo"] = tables["elo"].assign(linked=linked)
    main, rows = league.standing
    return template.page(
        "ratings.html.j2",
        name=name,
        found=league,
        words=METHODS,
        pictures=_pictures(league, tables),
        league_columns=_league_columns(tables["league"]),
        fit=league.files.get("logistic_fit.json", {}),
        main=METHODS.get(main, ""),
        why=why(main, league.field.games),
        standing=[row | {"link": f"#member-{row['place']}" if row["place"] <= MOST else ""} for row in rows],
        members=members(rows, tables.get("head_to_head"), errors or {}),
        movers=movers(rows),
        notices=_notices(league),
        pairs=grid(rows, tables.get("head_to_head")),
        with_error=_with_error,
        facts={method: rated.facts for method, rated in league.rated.items()},
        suggestions=ALIASES,
        **{**tables, "flagged": _flagged(league)},
    )


def _league_columns(standing: pd.DataFrame) -> list[tuple[Any, ...]]:
    dated = [("First", "first"), ("Last", "last")] if "last" in standing else []
    rated = [(words, method, 0, f"{method}_ci_") for method, words in METHODS.items() if method in standing]
    won = ("Won", "{wins:,.1f} of {games:,.0f}", 0)
    return [("Place", "place", 0), ("Player", "player"), won, ("Share", "share", 3), *rated, *dated]


def _pictures(league: League, tables: dict[str, pd.DataFrame]) -> dict[str, dict[str, str]]:
    pictures = {}
    if "elo_log" in tables:
        log, listed = tables["elo_log"], set(tables["league"]["player"])
        best = [name for name in tables["elo"]["player"] if name in listed][:MOST_CURVES]
        seats = [
            log.loc[log[seat].isin(best), ["game", seat, f"{seat}_after"]].set_axis(["at", "player", "rating"], axis=1)
            for seat in _SEATS
        ]
        games, title = pd.concat(seats).sort_values("at").assign(at=lambda rows: rows["at"] + 1), "Elo over the games"
        pictures["evolution"] = {"title": title, "drawn": _curves(games, best, ("first game", "last"), title)}
    if "history" in tables:
        history, title = tables["history"], "Whole-history ratings, with 90 % intervals"
        days = history.assign(at=pd.to_datetime(history["date"]).astype("datetime64[s]").astype(int))
        dated, ends = set(days["player"]), (days["date"].min(), days["date"].max())
        busiest = [name for name in league.field.listed if name in dated][:MOST_CURVES]
        pictures["history"] = {"title": title, "drawn": _curves(days, busiest, ends, title)}
    if "outcomes.png" in league.files:
        title = "Every cell of the tournament, worst to best: wins of the row's player green, losses red, draws blue"
        address = template.embedded(league.files["outcomes.png"].png(), ".png")
        pictures["outcomes"] = {"title": title, "address": address}
    return pictures


def _curves(table: pd.DataFrame, players: list[str], ends: tuple[str, str], words: str) -> str:
    """Draw the curves of players; `table` has `player`, `at`, `rating`, and `ci_low` and `ci_high` if there are any."""
    of_player = dict(iter(table.reindex(columns=["player", *CURVE]).groupby("player")))
    rows = {name: _thinned(of_player[name])[CURVE].itertuples(index=False, name=None) for name in players}
    return charts.curves([charts.Line(name, list(points)) for name, points in rows.items()], ends, words)


def _thinned(rows: pd.DataFrame) -> pd.DataFrame:
    return rows.iloc[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), MOST_POINTS)).round().astype(int))]


def summary(league: League, report: str) -> str:
    """Return the lines that a run prints: games and flagged rows, methods left out, the standing, the page."""
    games, flagged = league.field.games, _flagged(league)
    dates = games.loc[games["date"] != "", "date"] if "date" in games else ()
    period = f", {min(dates)} to {max(dates)}" if len(dates) else ""
    lines = [f"{league.played} of {counted(league.n_players, 'players')}{period}"]
    lines += _notices(league)
    if len(flagged):
        unrated = int((~flagged["rated"].astype(bool)).sum())
        rows = counted(len(flagged), "rows")
        lines.append(f"{rows} flagged, {unrated} of them not rated: flagged.csv has the reasons")
    lines += league.notes
    if names := len(league.files[ALIASES]):
        lines.append(f"possible second names of a player: {names} in {ALIASES}; edit it, then pass it with --aliases")
    lines += [f"{METHODS[method]} left out: {why}" for method, why in league.left_out.items()]
    if (fit := league.files.get("logistic_fit.json")) and fit["bias_fitted"]:
        lines.append(f"moving first is worth {_with_error(fit, 'bias')} points")
    return "\n".join([*lines, "", *_standing(league), "", f"Page: {report}"])


def _flagged(league: League) -> pd.DataFrame:
    """Return the flagged rows; a column that is not used spoils none."""
    flagged: pd.DataFrame = league.files["flagged.csv"]
    return flagged[~flagged["reason"].astype(str).str.startswith(UNUSED)]


def _notices(league: League) -> list[str]:
    reasons: list[str] = league.files["flagged.csv"]["reason"].astype(str).tolist()
    return [reason for reason in reasons if reason.startswith(UNUSED)]


def _standing(league: League) -> list[str]:
    table = league.files["league.csv"]
    main, best = league.standing
    if not best:
        by_share = template.records(table.rename(columns={"share": "rating", "games": "played", "wins": "won"}))
        best = [row | {"between": ""} for row in by_share]
    rows = [("place", "player", "won", METHODS.get(main, "share"), "90 %")]
    for row in best[:MOST_LINES]:
        won = f"{number(row['won'], int(row['won'] % 1 > 0))} of {number(row['played'])}"
        value = number(row["rating"], 0 if main else 3)
        rows.append((str(row["place"]), short(row["player"], MOST_NAME), won, value, row["between"]))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            text.ljust(width) if place == 1 else text.rjust(width)
            for place, (text, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    more = len(table) - MOST_LINES
    return [*lines, *[f"… and {number(more)} more: league.csv"] * (more > 0)]


def _with_error(fit: dict[str, Any], name: str) -> str:
    if not fit.get(f"{name}_fitted", True):
        return number(fit[name], 1)
    return f"{number(fit[name], 1)} {between(fit[f'{name}_ci_low'], fit[f'{name}_ci_high'], 1)}"
