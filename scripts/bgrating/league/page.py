"""The page of a table of games: every method's ratings, what they rest on, and where they agree."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from bgrating.league import figures
from bgrating.league.compare import agreement, league, on_one_scale
from bgrating.league.elo import summary as summary_of_runs
from bgrating.league.figures import WORDS
from bgrating.league.games import read_games_table
from bgrating.league.history import latest
from bgrating.league.logistic import POINTS_FOR_75, REACH
from bgrating.league.plan import Plan
from bgrating.league.settings import METHODS, TABLES
from bgrating.league.tables import ELO_RUNS
from bgrating.pages import template
from bgrating.pages.words import between, number
from bgrating.rating.fibs import log_odds_per_point
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_json, read_matrix, read_table

MATRICES = ("target", "pred")
TITLES = {
    "methods": "Where the methods agree",
    "evolution": "Elo over the games",
    "history": "Whole-history ratings, with 90 % intervals",
    "target": "What the row's player scored against the column's, both seats",
    "pred": "What the logistic ratings say of the same, without the bias",
    "outcomes": "Every cell of the tournament, worst to best: wins of the row's player green, losses red, draws blue",
}


@dataclass(frozen=True)
class Ratings:
    """What a run found: its plan, its tables by name (only those of its methods), and what the page says of it."""

    name: str
    plan: Plan
    tables: dict[str, pd.DataFrame]
    fit: dict[str, Any]
    order_of_file: bool
    provenance: dict[str, Any]


def read_ratings(name: str, folder: Path, plan: Plan) -> Ratings:
    """Read the tables of the methods that a plan names."""
    tables = {"flagged": read_table(folder / "flagged.csv"), "games": read_games_table(folder / "games.csv")}
    for path in (folder / name for method in plan.methods for name in TABLES[method] if name.endswith(".csv")):
        tables[path.stem] = read_matrix(path) if path.stem in MATRICES else read_table(path)
    if "eloworld" in plan.methods and plan.diluted:
        tables["diluted"] = read_table(folder / "diluted.csv")
    fit = read_json(folder / "logistic_fit.json") if "logistic" in plan.methods else {}
    facts = {table: read_provenance(folder / f"{table}.csv") for table in ("games", *plan.methods)}
    in_order = bool(facts.get("elo", {}).get("order_of_file", True))
    return Ratings(name, plan, tables, fit, in_order, facts)


def compared(ratings: Ratings) -> pd.DataFrame:
    """Set the ratings of all methods on one scale, Elo points above the mean of those whom every method rates."""
    parts, slopes = {}, {}
    for method in (name for name in METHODS if name in ratings.plan.methods):
        table = ratings.tables[method]
        # Intervals of the distance from the mean, which is what the scale shows: an anchor's own uncertainty, and the
        # level of a run of Elo, which wanders because the changes of two players differ, are no part of it.
        if method == "elo":
            table = table.drop(columns=["ci_low", "ci_high"]).merge(from_mean(ratings.tables["elo_runs"], table))
        elif method == "logistic":
            reach = REACH * table["std_error_to_mean"]
            table = table.assign(rating=table["score"], ci_low=table["score"] - reach, ci_high=table["score"] + reach)
            slopes[method] = math.log(3) / float(ratings.fit["scale"])
        elif method == "eloworld":
            table = table.rename(columns={"elo": "rating"})
        elif method == "fibs":
            reach = REACH * table["std_error_to_mean"]
            table = table.assign(ci_low=table["rating"] - reach, ci_high=table["rating"] + reach)
            slopes[method] = -float(log_odds_per_point(ratings.provenance["fibs"]["match_length"]))
        elif method == "history":
            table = latest(table)
        parts[method] = table
    return on_one_scale(parts, slopes)


def league_table(ratings: Ratings) -> pd.DataFrame:
    """Return the league table of the players shown, with every method but Elo World, which rates tournaments."""
    tables = {method: ratings.tables[method] for method in ratings.plan.methods if method != "eloworld"}
    if "history" in tables:
        tables["history"] = latest(tables["history"])
    return league(ratings.tables["games"], tables, ratings.plan.shown)


def from_mean(runs: pd.DataFrame, rated: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `ci_low`, `ci_high`: 90 % of the runs, each moved to the mean of the players rated."""
    wide = runs.pivot_table(index="run", columns="player", values="rating")
    moved = wide.sub(wide.mean(axis=1), axis=0) + rated["rating"].mean()
    return summary_of_runs(moved)[["player", "ci_low", "ci_high"]]


def draw(ratings: Ratings, both: pd.DataFrame, subset: tuple[str, ...]) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of a run, each with its file name; `both` is what `compared` gave."""
    yield "methods", figures.methods(both[both["player"].isin(subset)] if subset else both)
    if "elo" in ratings.plan.methods:
        names = ratings.tables["elo"]["player"]
        best = names[names.isin(subset)] if subset else names
        yield "evolution", figures.evolution(ratings.tables["elo_log"], best.head(figures.MOST_CURVES).tolist())
    if "history" in ratings.plan.methods:
        busiest = [name for name in ratings.plan.shown if name in set(ratings.tables["history"]["player"])]
        yield "history", figures.history(ratings.tables["history"], busiest[: figures.MOST_CURVES])
    if "logistic" in ratings.plan.methods:
        yield "target", figures.matrix(ratings.tables["target"], "results")
        yield "pred", figures.matrix(ratings.tables["pred"], "predictions")


def page(ratings: Ratings, both: pd.DataFrame, standing: pd.DataFrame, figure_files: list[Path]) -> str:
    """Write the page with its figures (SVG files, and the outcome picture as PNG)."""
    plan, tables = ratings.plan, dict(ratings.tables)
    if "elo" in tables:
        linked = ["" if group == 0 else "not linked to the largest group" for group in tables["elo"]["component"]]
        tables["elo"] = tables["elo"].assign(linked=linked)
    order = both.groupby("player")["rating"].mean().sort_values(ascending=False).index
    return template.page(
        "ratings.html.j2",
        name=ratings.name,
        plan=plan,
        words=WORDS,
        pictures=template.pictures(figure_files, TITLES),
        scale=template.wide(both, ["player"], "method", "rating").set_index("player").loc[order].reset_index(),
        scale_columns=[
            ("Player", "player"),
            *((WORDS[method], method, 0, f"{method}_") for method in METHODS if method in plan.methods),
        ],
        agreement=agreement(both),
        league=standing,
        league_columns=_league_columns(standing),
        fit=ratings.fit,
        with_error=_with_error,
        order_of_file=ratings.order_of_file,
        runs=ELO_RUNS,
        points_for_75=number(POINTS_FOR_75),
        provenance=ratings.provenance,
        **tables,
    )


def _league_columns(standing: pd.DataFrame) -> list[tuple[Any, ...]]:
    dated = [("First", "first"), ("Last", "last")] if "last" in standing else []
    rated = [(WORDS[m], m, 0, f"{m}_ci_") for m in METHODS if m in standing]
    won = ("Won", "{wins:,.1f} of {games:,.0f}", 0)
    return [("Place", "place", 0), ("Player", "player"), won, ("Share", "share", 3), *rated, *dated]


def summary(ratings: Ratings, both: pd.DataFrame, report: str) -> str:
    """Return the lines that a run prints."""
    plan = ratings.plan
    lines = [f"{number(plan.n_games)} games, {plan.n_players} players; {len(ratings.tables['flagged'])} rows flagged"]
    if plan.n_outside:
        lines.append(f"{number(plan.n_outside)} games lie outside the period")
    if len(plan.shown) < plan.n_players:
        lines.append(f"tables of pairs show {number(len(plan.shown))} players; least=N and subset=NAME,… choose them")
    if plan.self_games_dropped:
        lines.append(f"{number(plan.self_games_dropped)} games became self-games when players were fused: dropped")
    lines += [f"{WORDS[method]} left out: {why}" for method, why in plan.left_out.items()]
    if ratings.fit:
        lines.append(f"logistic: {ratings.fit['method']}; bias {_with_error(ratings.fit, 'bias')} points")
    for method in plan.methods:
        rows = both[both["method"] == method].sort_values("rating", ascending=False).head(5)
        best = ", ".join(
            f"{row['player']} {row['rating']:+.0f} {between(row['ci_low'], row['ci_high'])}"
            for row in rows.to_dict("records")
        )
        lines.append(f"{WORDS[method]}, Elo points above the mean: {best}")
    return "\n".join([*lines, f"Page: {report}", ""])


def _with_error(fit: dict[str, Any], name: str) -> str:
    """Write a figure of the fit with its interval, where it was fitted."""
    if not fit.get(f"{name}_fitted", True):
        return number(fit[name], 1)
    return f"{number(fit[name], 1)} {between(fit[f'{name}_ci_low'], fit[f'{name}_ci_high'], 1)}"
