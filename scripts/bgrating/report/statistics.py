"""What the page of the statistics says: rows of text from the tables of the statistics, and the lines it prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.model.formula import RatingFormula
from bgrating.plan.allocation import PUBLISHED_MATCHES
from bgrating.report import contents, words
from bgrating.report.comparison import records, with_interval
from bgrating.report.page import picture, template
from bgrating.statistics.contest import INCUMBENT, OTHERS, WAYS
from bgrating.statistics.coverage import OWN

FITS = {
    "bilinear-probability-bootstrap": "one length alone",
    "bilinear-joint-probability-bootstrap": "all lengths at once, misfit counted in",
    "even-joint-probability-bootstrap": "all lengths at once, b alike at each, misfit counted in",
    "mismatch-joint-probability-bootstrap": "all lengths at once, b alike at each, with the product, misfit counted in",
}
COUNTS = {"today": "close decisions", "every": "all cube decisions", "moves": "unforced moves"}


@dataclass(frozen=True)
class Statistics:
    """Tables by name (those of coverage only where they have been made), the recommended formula, provenance."""

    tables: Mapping[str, pd.DataFrame]
    formula: RatingFormula | None
    provenance: Mapping[str, Any]


def judged(row: Mapping[Any, Any]) -> float:
    """Give the ratio of a row of the efficiency table that its bound is about: of a joint fit, with all its misfit."""
    return float(row["ratio_with_misfit" if "joint" in row["model"] else "ratio"])


def efficiency_rows(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give the ratio of standard errors averaged over lengths, for every fit, count and coefficient."""
    rows = []
    for row in records(table[table["match_length"].isna()]):
        value = judged(row)
        lengths = table[
            (table["model"] == row["model"])
            & (table["epc_definition"] == row["epc_definition"])
            & (table["term"] == row["term"])
            & table["match_length"].notna()
        ]
        rows.append(
            {
                "term": row["term"], "fit": FITS[row["model"]], "count": COUNTS[row["epc_definition"]],
                "ratio": words.number(value, 2), "bound": words.number(row["bound"], 2),
                "plain": words.number(row["ratio"], 2), "with_joining": words.number(row["ratio_with_joining"], 2),
                "reached": "yes" if value <= row["bound"] else "no",
                "lengths": ", ".join(
                    f"{one['match_length']}: "
                    f"{words.number(judged(one), 2)}" for one in records(lengths)
                ),
            }
        )  # fmt: skip
    return rows


def contest_rows(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give every rival beside the incumbent, best for players left out first."""
    rows = table[table["reference"] == INCUMBENT]
    by_way = {way: rows[rows["way"] == way].set_index("rival") for way in (*WAYS, OTHERS)}
    order = by_way["left_out_player"].sort_values("points").index
    elsewhere = by_way[OTHERS].reindex(order)
    answers = []
    for name in order:
        own = {way: by_way[way].loc[name] for way in WAYS}
        people: Any = own["left_out_player"]
        others: Any = elsewhere.loc[name]
        answers.append(
            {
                "words": str(people["words"]), "parameters": words.number(people["parameters"]),
                **{way: words.number(own[way]["points"], 1) for way in WAYS},
                "misfit": words.number(people["misfit"], 1),
                "difference": with_interval(people, "points_difference", "points_low", "points_high", 1),
                "log_loss": with_interval(people, "log_loss_difference", "log_loss_low", "log_loss_high", 2),
                "others": words.number(others["points"], 1),
                "others_difference": with_interval(others, "points_difference", "points_low", "points_high", 1),
                "others_log_loss": with_interval(others, "log_loss_difference", "log_loss_low", "log_loss_high", 3),
            }
        )  # fmt: skip
    return answers


def scaling_rows(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give every scaling of match length, best for lengths left out first."""
    by_way = {way: table[table["way"] == way].set_index("scaling") for way in WAYS}
    return [
        {
            "words": str(by_way[WAYS[0]].loc[name, "words"]),
            "parameters": words.number(float(by_way[WAYS[0]].loc[name, "parameters"])),
            **{way: words.number(float(by_way[way].loc[name, "points"]), 1) for way in WAYS},
        }
        for name in by_way["left_out_length"].sort_values("points").index
    ]


def plan_rows(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give the mean half-widths of a plan or a planned study, length by length and over all."""
    groups = [(str(n), table[table["match_length"] == n]) for n in sorted(table["match_length"].unique())]
    return [
        {
            "length": name, "cells": str(len(rows)), "cpu": words.number(rows["cpu_seconds"].sum()),
            "ours": words.number(rows["half_width"].mean(), 1),
            "published": words.number(rows["published_half_width"].mean(), 1),
            "ratio": words.number(rows["half_width"].mean() / rows["published_half_width"].mean(), 2),
            "matches": ", ".join(f"{words.number(rows[part].sum())} {part}" for part in ("luck", "errors", "plain")),
        }
        for name, rows in [*groups, ("all", table)]
    ]  # fmt: skip


def played_row(table: pd.DataFrame) -> dict[str, str]:
    """Give the mean half-widths of the planned study as played: planned, found, and as published in two ways."""
    ours, share = table["half_width"].mean(), table["published_share_half_width"].mean()
    return plan_rows(table)[-1] | {
        "length": ", ".join(map(str, sorted(table["match_length"].unique()))),
        "planned": words.number(table["planned_half_width"].mean(), 1),
        "share": words.number(share, 1), "share_ratio": words.number(ours / share, 2),
    }  # fmt: skip


def coverage_rows(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give least, mean and greatest coverage over lengths and coefficients, fit by fit."""
    rows = []
    columns = ["formula", "world", "quantity", "kind", "method", "default"]
    named, whose = table.assign(formula=table["formula"].fillna("")), {OWN: " (formula for EPC)"}
    for (formula, world, quantity, kind, method, default), own in named.groupby(columns, sort=False):
        low, high = float(own["coverage"].min()), float(own["coverage"].max())
        kept = float(own["wanted_low"].iloc[0]) <= low and high <= float(own["wanted_high"].iloc[0])
        rows.append(
            {
                "world": "holds" if world == "exact" else "players scatter", "quantity": str(quantity),
                "fit": f"{kind}, {method}{whose.get(str(formula), '')}",
                "default": "yes" if default else "", "kept": "yes" if kept else "no",
                "mean": words.number(100 * own["coverage"].mean(), 1), "low": words.number(100 * low, 1),
                "high": words.number(100 * high, 1),
            }
        )  # fmt: skip
    return rows


def statistics_page(given: Statistics, figures: list[Path]) -> str:
    """Write the page of the statistics with its figures (SVG files)."""
    tables, formula = given.tables, given.formula
    estimators = tables["estimators"]
    return template("statistics.html.j2").render(
        pictures={path.stem: picture(path) for path in figures},
        n_points=len(estimators),
        narrowest=[(str(n), int(k)) for n, k in estimators["narrowest"].value_counts().items()],
        control=words.number(float(estimators["control_over_adjusted"].mean()), 2),
        control_least=words.number(float(estimators["control_over_adjusted"].min()), 2),
        wider=int((estimators["adjusted_over_actual"] > 1).sum()),
        efficiency=efficiency_rows(tables["efficiency"]) if len(tables["efficiency"]) else [],
        variables=[
            {
                "length": str(row["match_length"]), "term": row["term"], "count": row["epc_definition"],
                "weighted": words.number(row["weighted"]), "orthogonal": words.number(row["orthogonal"]),
                "shift": words.number(row["shift"], 2),
            }
            for row in records(tables["errors_in_variables"])
        ],
        contest=contest_rows(tables["contest"]),
        scalings=scaling_rows(tables["scalings"]),
        formula=formula,
        formula_lines=[]
        if formula is None
        else [f"{name}(N) = {words.line(formula, name)}" for name in formula.coefficients],
        formula_lengths=_formula_lengths(formula),
        plan=plan_rows(tables["plan_cells"]),
        published_matches=PUBLISHED_MATCHES,
        efficient=[played_row(tables["efficient"])] if len(tables["efficient"]) else [],
        coverage=coverage_rows(tables["coverage"]) if "coverage" in tables else [],
        persons=[
            {
                "player": row["player"], "matches": str(row["matches"]),
                "coverage": words.number(100 * row["coverage"], 1),
                "true": words.number(row["true_rating"]), "bias": words.number(row["bias"], 1),
                "half": words.number(row["mean_half_width"]),
            }
            for row in records(tables.get("person_coverage", pd.DataFrame()))
        ],
        sequential=[
            {
                "length": str(row["match_length"]), "player": row["player"], "rule": row["stops_when"],
                "interval": row["interval"], "coverage": words.number(100 * row["coverage"], 1),
                "mean": words.number(row["mean_matches"]),
            }
            for row in records(tables.get("sequential", pd.DataFrame()))
        ],
        provenance=contents.provenance_rows(dict(given.provenance)),
    )  # fmt: skip


def _formula_lengths(formula: RatingFormula | None) -> list[dict[str, str]]:
    rows = []
    for name in () if formula is None else formula.coefficients:
        assert formula is not None
        for length in formula.match_lengths:
            value, error = formula.coefficient(name, length)
            half = formula.half_width(error)
            rows.append(
                {
                    "name": name, "length": str(length), "value": words.number(value),
                    "interval": words.between(value - half, value + half),
                    "relative": words.number(100 * half / abs(value), 1),
                }
            )  # fmt: skip
    return rows


def summary(given: Statistics, report: str) -> str:
    """Write the few lines that the target prints."""
    lines = ["Use of the matches, standard errors beside the published method's (mean over lengths):"]
    lines += [
        f"  {row['term']:>2}, {row['fit']}, {row['count']}: {row['ratio']} (wanted: at most {row['bound']}; only the "
        f"misfit of joining counted in: {row['with_joining']})"
        for row in efficiency_rows(given.tables["efficiency"])
    ] or ["  (needs the bootstrap of the published method and ours in coefficients.csv)"]
    if len(given.tables["plan_cells"]):
        row = plan_rows(given.tables["plan_cells"])[-1]
        lines.append(
            f"Plan: mean half-width of R over {row['cells']} cells {row['ours']} points, as published "
            f"{row['published']} for the same CPU ({row['ratio']})."
        )
    if len(given.tables["efficient"]):
        row = played_row(given.tables["efficient"])
        lines.append(
            f"Planned study, played at {row['length']} points: mean half-width of R over {row['cells']} cells "
            f"{row['ours']} points (planned {row['planned']}); {PUBLISHED_MATCHES} matches a cell as published give "
            f"{row['share']} ({row['share_ratio']}), as many as the CPU of these cells alone buys {row['published']} "
            f"({row['ratio']})."
        )
    if given.formula is None:
        lines.append("No formula is recommended yet.")
    else:
        lines.append(f"Recommended formula ({given.formula.facts['rival']}): {given.formula.facts['reason']}.")
        lines += [f"  {name}(N) = {words.line(given.formula, name)}" for name in given.formula.coefficients]
        lines.append(f"  {given.formula.facts['count']}.")
    return "\n".join([*lines, f"Report: {report}"]) + "\n"
