"""What the page of the statistics says: rows of text from the tables of the statistics, and the lines it prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.pages import template, words
from bgrating.pages.template import records
from bgrating.rating.formula import RatingFormula
from study.evidence.contest import INCUMBENT, OTHERS, WAYS
from study.evidence.coverage import OWN
from study.plan.allocation import PUBLISHED_MATCHES

TITLES = {
    "variances": "Variance of one match, by estimator",
    "efficiency": "Standard errors beside the published method's",
    "contest": "Rival formulas at what they were not fitted to, in rating points",
    "plan": "Half-widths of R for the same CPU, planned and as published",
    "efficient": "The planned study, played",
    "coverage": "How often intervals hold the truth",
}

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
    """Return the ratio in a row of the efficiency table that its bound is about: of a joint fit, with all misfit."""
    return float(row["ratio_with_misfit" if "joint" in row["model"] else "ratio"])


def efficiency_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the ratio of standard errors averaged over lengths, for every fit, count and coefficient."""
    rows = []
    for row in records(table[table["match_length"].isna()] if len(table) else table):
        same = (table[["model", "epc_definition", "term"]] == [row["model"], row["epc_definition"], row["term"]]).all(
            axis=1
        )
        lengths = [
            f"{one['match_length']}: {words.number(judged(one), 2)}"
            for one in records(table[same & table["match_length"].notna()])
        ]
        value = judged(row)
        rows.append({**row, "judged": value, "reached": value <= row["bound"], "lengths": ", ".join(lengths)})
    return rows


def contest_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return every rival beside the incumbent, best for players left out first."""
    rows = table[table["reference"] == INCUMBENT]
    by_way = {way: rows[rows["way"] == way].set_index("rival") for way in (*WAYS, OTHERS)}
    judged_at = {way: by_way[way]["points"] for way in WAYS}
    elsewhere = by_way[OTHERS].filter(regex="^(points|log_loss)").add_prefix("others_")
    answer = by_way["left_out_player"].assign(**judged_at).join(elsewhere)
    return answer.sort_values("points")


def scaling_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return every scaling of match length, best for lengths left out first."""
    by_way = {way: table[table["way"] == way].set_index("scaling") for way in WAYS}
    return by_way["left_out_length"].assign(**{way: by_way[way]["points"] for way in WAYS}).sort_values("points")


def plan_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the mean half-widths of a plan or a planned study, length by length and over all."""
    groups = [(str(n), table[table["match_length"] == n]) for n in sorted(table["match_length"].unique())]
    return [
        {
            "length": name, "cells": len(rows), "cpu": rows["cpu_seconds"].sum(),
            "ours": rows["half_width"].mean(), "published": rows["published_half_width"].mean(),
            "ratio": rows["half_width"].mean() / rows["published_half_width"].mean(),
            "matches": ", ".join(f"{words.number(rows[part].sum())} {part}" for part in ("luck", "errors", "plain")),
        }
        for name, rows in [*groups, ("all", table)]
    ]  # fmt: skip


def played_row(table: pd.DataFrame) -> dict[str, Any]:
    """Return the mean half-widths of the planned study as played: planned, found, and as published in two ways."""
    ours, share = table["half_width"].mean(), table["published_share_half_width"].mean()
    return plan_rows(table)[-1] | {
        "length": ", ".join(map(str, sorted(table["match_length"].unique()))),
        "planned": table["planned_half_width"].mean(), "share": share, "share_ratio": ours / share,
    }  # fmt: skip


def coverage_rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return least, mean and greatest coverage over lengths and coefficients, fit by fit."""
    rows = []
    columns = ["formula", "world", "quantity", "kind", "method", "default"]
    named, whose = table.assign(formula=table["formula"].fillna("")), {OWN: " (formula for EPC)"}
    for (formula, world, quantity, kind, method, default), own in named.groupby(columns, sort=False):
        low, high = float(own["coverage"].min()), float(own["coverage"].max())
        kept = float(own["wanted_low"].iloc[0]) <= low and high <= float(own["wanted_high"].iloc[0])
        row = {"world": world, "quantity": quantity, "fit": f"{kind}, {method}{whose.get(str(formula), '')}"}
        row |= {"default": default, "kept": kept, "mean": own["coverage"].mean(), "low": low, "high": high}
        rows.append(row)
    return rows


def statistics_page(given: Statistics, figures: list[Path]) -> str:
    """Write the page of the statistics with its figures (SVG files)."""
    tables, formula = given.tables, given.formula
    estimators = tables["estimators"]
    return template.page(
        "statistics.html.j2",
        pictures=template.pictures(figures, TITLES),
        n_points=len(estimators),
        narrowest=estimators["narrowest"].value_counts().to_dict(),
        control=estimators["control_over_adjusted"].mean(),
        control_least=estimators["control_over_adjusted"].min(),
        wider=int((estimators["adjusted_over_actual"] > 1).sum()),
        FITS=FITS,
        COUNTS=COUNTS,
        YES={True: "yes", False: "no"},
        efficiency=efficiency_rows(tables["efficiency"]),
        variables=tables["errors_in_variables"],
        contest=contest_rows(tables["contest"]),
        scalings=scaling_rows(tables["scalings"]),
        formula=formula,
        formula_lines="" if formula is None else words.lines(formula),
        formula_lengths=_formula_lengths(formula),
        plan=plan_rows(tables["plan_cells"]),
        published_matches=PUBLISHED_MATCHES,
        efficient=[played_row(tables["efficient"])] if len(tables["efficient"]) else [],
        coverage=coverage_rows(tables["coverage"]) if "coverage" in tables else [],
        persons=tables.get("person_coverage", pd.DataFrame()),
        sequential=tables.get("sequential", pd.DataFrame()),
        provenance=given.provenance,
    )


def _formula_lengths(formula: RatingFormula | None) -> list[dict[str, Any]]:
    if formula is None:
        return []
    rows: list[dict[str, Any]] = [
        {"name": name, "match_length": length, **formula.at(name, length)}
        for name in formula.coefficients
        for length in formula.match_lengths
    ]
    return [{**row, "relative": (row["ci_high"] - row["estimate"]) / abs(row["estimate"])} for row in rows]


def summary(given: Statistics, report: str) -> str:
    """Write the few lines that the target prints."""
    lines = ["Use of the matches, standard errors beside the published method's (mean over lengths):"]
    lines += [
        f"  {row['term']:>2}, {FITS[row['model']]}, {COUNTS[row['epc_definition']]}: {words.number(row['judged'], 2)} "
        f"(wanted: at most {words.number(row['bound'], 2)}; only the misfit of joining counted in: "
        f"{words.number(row['ratio_with_joining'], 2)})"
        for row in efficiency_rows(given.tables["efficiency"])
    ] or ["  (needs the bootstrap of the published method and ours in coefficients.csv)"]
    if len(given.tables["plan_cells"]):
        row = plan_rows(given.tables["plan_cells"])[-1]
        lines.append(
            f"Plan: mean half-width of R over {row['cells']} cells {row['ours']:.1f} points, as published "
            f"{row['published']:.1f} for the same CPU ({row['ratio']:.2f})."
        )
    if len(given.tables["efficient"]):
        row = played_row(given.tables["efficient"])
        lines.append(
            f"Planned study, played at {row['length']} points: mean half-width of R over {row['cells']} cells "
            f"{row['ours']:.1f} points (planned {row['planned']:.1f}); {PUBLISHED_MATCHES} matches a cell as published "
            f"give {row['share']:.1f} ({row['share_ratio']:.2f}), as many as the CPU of these cells alone buys "
            f"{row['published']:.1f} ({row['ratio']:.2f})."
        )
    if given.formula is None:
        lines.append("Not enough has been played to choose a formula.")
    else:
        lines.append(f"Best of Part II alone ({given.formula.facts['rival']}): {given.formula.facts['reason']}.")
        lines += [f"  {name}(N) = {words.line(given.formula, name)}" for name in given.formula.coefficients]
        lines.append(f"  {given.formula.facts['count']}.")
        lines.append("  The formula to use is the law, which all studies give.")
    return "\n".join([*lines, f"Report: {report}"]) + "\n"
