"""The page of a table of games: every method's ratings, what they rest on, and where they agree."""

import base64
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from matplotlib.figure import Figure

from bgrating.provenance import read_provenance
from bgrating.ratings import figures
from bgrating.ratings.compare import agreement, on_one_scale
from bgrating.ratings.elo_runs import summary as summary_of_runs
from bgrating.ratings.logistic import POINTS_FOR_75, REACH
from bgrating.ratings.plan import Plan
from bgrating.ratings.settings import METHODS
from bgrating.ratings.tables import ELO_RUNS, shown
from bgrating.ratings.written import read, read_matrix
from bgrating.report.contents import provenance_rows
from bgrating.report.page import template
from bgrating.report.words import between, number

MOST_ROWS = 500
"""Rows of a table on the page; the tables beside it hold all of them."""
TITLES = {
    "methods": "Where the methods agree",
    "evolution": "Elo over the games",
    "target": "What the row's player scored against the column's, both seats",
    "pred": "What the logistic ratings say of the same, without the bias",
    "outcomes": "Every cell of the tournament, worst to best: wins of the row's player green, losses red, draws blue",
}
FILES = {
    "elo": ("elo", "elo_log", "elo_runs", "odds", "first_mover"),
    "logistic": ("logistic",),
    "eloworld": ("eloworld", "ablation"),
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
    tables = {"flagged": read(folder / "flagged.csv")}
    for method in plan.methods:
        tables |= {table: read(folder / f"{table}.csv") for table in FILES[method]}
    if "logistic" in plan.methods:
        tables |= {table: read_matrix(folder / f"{table}.csv") for table in ("target", "pred")}
    if "eloworld" in plan.methods and plan.diluted:
        tables["diluted"] = read(folder / "diluted.csv")
    fit = json.loads((folder / "logistic_fit.json").read_text("utf-8")) if "logistic" in plan.methods else {}
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
        parts[method] = table
    return on_one_scale(parts, slopes)


def from_mean(runs: pd.DataFrame, rated: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `ci_low`, `ci_high`: 90 % of the runs, each moved to the mean of the players rated."""
    wide = runs.pivot_table(index="run", columns="player", values="rating")
    moved = wide.sub(wide.mean(axis=1), axis=0) + rated["rating"].mean()
    return summary_of_runs(moved)[["player", "ci_low", "ci_high"]]


def draw(ratings: Ratings, both: pd.DataFrame, subset: tuple[str, ...]) -> Iterator[tuple[str, Figure]]:
    """Draw the figures of a run, each with its file name; `both` is what `compared` gave."""
    yield "methods", figures.methods(both[both["player"].isin(subset)] if subset else both)
    if "elo" in ratings.plan.methods:
        best = shown(ratings.tables["elo"]["player"].tolist(), subset, figures.MOST_CURVES)
        yield "evolution", figures.evolution(ratings.tables["elo_log"], best)
    if "logistic" in ratings.plan.methods:
        yield "target", figures.matrix(ratings.tables["target"], "results")
        yield "pred", figures.matrix(ratings.tables["pred"], "predictions")


def page(ratings: Ratings, both: pd.DataFrame, pictures: list[Path]) -> str:
    """Write the page with its figures (SVG files, and the outcome picture as PNG)."""
    plan = ratings.plan
    return template("ratings.html.j2").render(
        name=ratings.name,
        plan=plan,
        n_games=number(plan.n_games),
        words=figures.WORDS,
        pictures={path.stem: _picture(path) for path in pictures},
        scale=_scale(both),
        all_players=both["player"].nunique(),
        agreement=_agreement(both),
        fit=_fit(ratings.fit),
        order_of_file=ratings.order_of_file,
        runs=ELO_RUNS,
        elo=_elo(ratings.tables.get("elo")),
        odds=_odds(ratings.tables.get("odds")),
        seats=_seats(ratings.tables.get("first_mover")) if plan.seats else [],
        logistic=_logistic(ratings.tables.get("logistic")),
        eloworld=_elo_world(ratings.tables.get("eloworld")),
        ablated=bool(len(ratings.tables.get("ablation", []))),
        diluted=_diluted(ratings.tables.get("diluted")),
        flagged=ratings.tables["flagged"].head(MOST_ROWS).fillna("").to_dict("records"),
        all_flagged=len(ratings.tables["flagged"]),
        most=MOST_ROWS,
        points_for_75=number(POINTS_FOR_75),
        provenance=provenance_rows(ratings.provenance),
    )


def summary(ratings: Ratings, both: pd.DataFrame, report: str) -> str:
    """Return the lines that a run prints."""
    plan = ratings.plan
    lines = [f"{number(plan.n_games)} games, {plan.n_players} players; {len(ratings.tables['flagged'])} rows flagged"]
    if plan.self_games_dropped:
        lines.append(f"{number(plan.self_games_dropped)} games became self-games when players were fused: dropped")
    lines += [f"{figures.WORDS[method]} left out: {why}" for method, why in plan.left_out.items()]
    if ratings.fit:
        lines.append(f"logistic: {ratings.fit['method']}; bias {_with_error(ratings.fit, 'bias')} points")
    for method in plan.methods:
        rows = both[both["method"] == method].sort_values("rating", ascending=False).head(5)
        best = ", ".join(
            f"{row['player']} {row['rating']:+.0f} {between(row['ci_low'], row['ci_high'])}"
            for row in rows.to_dict("records")
        )
        lines.append(f"{figures.WORDS[method]}, Elo points above the mean: {best}")
    return "\n".join([*lines, f"Page: {report}", ""])


def _picture(path: Path) -> dict[str, str]:
    kind = "svg+xml" if path.suffix == ".svg" else "png"
    return {
        "title": TITLES[path.stem],
        "kind": kind,
        "data": base64.b64encode(path.read_bytes()).decode("ascii"),
    }


def _scale(both: pd.DataFrame) -> list[dict[str, Any]]:
    order = both.groupby("player")["rating"].mean().sort_values(ascending=False).head(MOST_ROWS).index
    rows: dict[str, dict[str, Any]] = {name: {"player": name} | dict.fromkeys(METHODS, number(None)) for name in order}
    for row in both.to_dict("records"):
        if row["player"] in rows:
            rows[row["player"]][row["method"]] = f"{number(row['rating'])} {between(row['ci_low'], row['ci_high'])}"
    return list(rows.values())


def _agreement(both: pd.DataFrame) -> list[dict[str, str]]:
    rows = agreement(both).to_dict("records")
    return [
        {
            "pair": f"{figures.WORDS[row['method']]} and {figures.WORDS[row['other']]}",
            "players": number(row["n_players"]),
            "correlation": number(row["correlation"], 4),
            "ranks": number(row["rank_correlation"], 4),
            "difference": number(row["mean_difference"], 1),
            "largest": number(row["largest_difference"], 1),
        }
        for row in rows
    ]


def _with_error(fit: dict[str, Any], name: str) -> str:
    return f"{number(fit[name], 1)} {between(fit[f'{name}_ci_low'], fit[f'{name}_ci_high'], 1)}"


def _fit(fit: dict[str, Any]) -> dict[str, Any]:
    if not fit:
        return {}
    return {
        **fit,
        "bias": _with_error(fit, "bias") if fit["bias_fitted"] else number(0.0),
        "scale": _with_error(fit, "scale") if fit["scale_fitted"] else number(fit["scale"], 1),
        "anchors": ", ".join(f"{name} = {value:g}" for name, value in fit["anchors"].items()),
        "cross_entropy": number(fit["cross_entropy"], 6),
        "binary_cross_entropy": number(fit["binary_cross_entropy"], 6),
        "deviance": number(fit["deviance"], 1),
        "n_games": number(fit["n_games"]),
    }


def _rows(table: pd.DataFrame | None) -> list[dict[str, Any]]:
    return (
        []
        if table is None
        else [{str(k): v for k, v in row.items()} for row in table.head(MOST_ROWS).to_dict("records")]
    )


def _elo(table: pd.DataFrame | None) -> list[dict[str, str]]:
    return [
        {
            "player": row["player"],
            "rating": number(row["rating"], 1),
            "games": number(row["games"]),
            "mean": number(row["runs_mean"], 1),
            "sd": number(row["runs_sd"], 1),
            "interval": between(row["ci_low"], row["ci_high"]),
            "component": "" if row["component"] == 0 else "not linked to the largest group",
        }
        for row in _rows(table)
    ]


def _odds(table: pd.DataFrame | None) -> list[dict[str, str]]:
    return [
        {
            "p": row["player_p"],
            "q": row["player_q"],
            "p_wins": number(row["p_wins"], 1),
            "q_wins": number(row["q_wins"], 1),
            "odds": number(row["r_pq"], 2),
            "d": number(row["d"], 1),
            "of_elo": number(row["ten_pow_d_400"], 2),
        }
        for row in _rows(table)
    ]


def _seats(table: pd.DataFrame | None) -> list[dict[str, str]]:
    return [
        {
            "player": row["player"],
            "first": f"{number(row['wins_first'], 1)} of {number(row['games_first'])}",
            "second": f"{number(row['wins_second'], 1)} of {number(row['games_second'])}",
        }
        for row in _rows(table)
    ]


def _logistic(table: pd.DataFrame | None) -> list[dict[str, str]]:
    return [
        {
            "player": row["player"],
            "score": number(row["score"], 1),
            "error": number(row["std_error"], 1),
            "interval": between(row["ci_low"], row["ci_high"]),
            "won": f"{number(row['wins'], 1)} of {number(row['games'])}",
            "status": "" if row["status"] == "ok" else row["status"],
        }
        for row in _rows(table)
    ]


def _elo_world(table: pd.DataFrame | None) -> list[dict[str, str]]:
    return [
        {
            "player": row["player"],
            "elo": number(row["elo"], 1),
            "quartiles": between(row["elo_p25"], row["elo_p75"], 1),
            "interval": between(row["ci_low"], row["ci_high"]),
            "champion": number(row["p_champion"], 4),
            "champion_interval": between(row["p_champion_ci_low"], row["p_champion_ci_high"], 4),
            "times": number(row["p_champion_times_players"], 2),
        }
        for row in _rows(table)
    ]


def _diluted(table: pd.DataFrame | None) -> list[dict[str, str]]:
    return [
        {
            "player": row["player"],
            "share": number(row["share"], 3),
            "interval": between(row["share_low"], row["share_high"], 3),
            "below": row["below"],
            "above": row["above"],
        }
        for row in _rows(table)
    ]
