"""What the page of the comparison says: rows of text from the comparison's tables."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bgrating.comparison.causes import EQUITY_TABLE, REST, TOTAL
from bgrating.comparison.coefficients import at_length
from bgrating.formula.formula import RatingFormula
from bgrating.report import words
from bgrating.report.style import points_word
from bgrating.report.template import cell, records

PAPER = "van den Doel 2003"


@dataclass(frozen=True)
class Comparison:
    """The comparison's tables, its formulas (None where Part II is not played) and what they were made from.

    `held` gives the matches of every study that is there, `absent` names those not played yet.
    """

    tables: Mapping[str, pd.DataFrame]
    fitted: RatingFormula | None
    alternative: RatingFormula | None
    published: RatingFormula
    held: Mapping[str, int]
    absent: tuple[str, ...]
    provenance: Mapping[str, Any]


def coefficients(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return every coefficient at every length: published, and ours by three fits."""
    here = table[table["match_length"].notna()]
    keys = here[["term", "match_length"]].drop_duplicates().sort_values(["term", "match_length"])
    rows = []
    for term, length in keys.itertuples(index=False):
        own = here[(here["term"] == term) & (here["match_length"] == length)]
        today = own[own["epc_definition"] == "today"].set_index("fit")
        row: dict[str, Any] = {"term": str(term), "match_length": length, "published": float(own["published"].iloc[0])}
        for name, fit in (("half", "this length"), ("half_recommended", "recommended")):
            row[name] = today["relative_half_width"].get(fit)
        row["ratio"] = today["ratio"].get("recommended", today["ratio"].get("this length"))
        for name, fit, epc in (
            ("published_2003", "as published", "2003"),
            ("published_today", "as published", "today"),
            ("alone", "this length", "today"),
            ("recommended", "recommended", "today"),
        ):
            value, low, high = at_length(table, str(term), int(length), fit, epc)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return rows


def causes(table: pd.DataFrame) -> list[dict[str, str]]:
    """Give every cause with its factor at each length, and in words what that shows."""
    rows = []
    for (cause, term), group in table.groupby(["cause", "term"], sort=False):
        factors = [
            f"{words.number(row['factor'], 2)} {words.between(row['ci_low'], row['ci_high'], 2)} "
            f"at {points_word(int(row['match_length']))}"
            for row in records(group)
        ]
        rows.append(
            {
                "cause": str(cause), "term": str(term), "words": str(group["words"].iloc[0]),
                "factors": "; ".join(factors), "shows": effect(group),
            }
        )  # fmt: skip
    return rows


def in_short(table: pd.DataFrame) -> list[str]:
    """Say in three sentences what moved and why, from the factors of the causes; nothing without them."""
    if table.empty:
        return []

    def of(cause: str, term: str = "b") -> pd.DataFrame:
        return table[(table["cause"] == cause) & (table["term"] == term)]

    moved = [
        f"{what} now cost {_span(of(TOTAL, term))} times what the coefficient of 2003 says: {effect(of(TOTAL, term))}."
        for what, term in (("Chequer errors", "a2"), ("Cube errors per close decision", "b"))
    ]
    tried = {
        "close decisions counted as in 2003": of("definition"),
        "the fit of 2003": of("method"),
        "the match-equity table of 2003": of(EQUITY_TABLE),
    }
    parts = [f"{words} makes it {_span(rows)} times as large" for words, rows in tried.items() if len(rows)]
    why = f"Why the second did: {', '.join(parts)}"
    rest = of(REST)
    if len(rest) and (rest["ci_low"] > 1).all():
        why += f"; with all three as in 2003 it is {_span(rest)} times the published one, so the engine itself moved it"
    elif len(rest):
        why += f"; with all three as in 2003 it is {_span(rest)} times the published one"
    return [*moved, f"{why}."]


def _span(rows: pd.DataFrame) -> str:
    """Write the factors of several lengths as their range, a single one with its interval."""
    if len(rows) == 1:
        row = records(rows)[0]
        return f"{words.number(row['factor'], 2)} {words.between(row['ci_low'], row['ci_high'], 2)}"
    lengths = rows["match_length"]
    ends = [words.number(rows["factor"].min(), 2), words.number(rows["factor"].max(), 2)]
    return f"{' to '.join(dict.fromkeys(ends))} ({lengths.min()} to {lengths.max()} points)"


def effect(group: pd.DataFrame) -> str:
    """Say whether intervals of factors lie above 1, below it, or hold it."""
    above, below = int((group["ci_low"] > 1).sum()), int((group["ci_high"] < 1).sum())
    if above == len(group):
        return "larger at every length"
    if below == len(group):
        return "smaller at every length"
    if above + below == 0:
        return "no change seen"
    return f"larger at {above}, smaller at {below}, unclear at {len(group) - above - below} lengths"


def paper_cube(table: pd.DataFrame, published: RatingFormula) -> list[dict[str, Any]]:
    """Return the paper's own cube-only pairs beside its own formula, and beside the same pairs played today."""
    pair = ["player", "opponent", "match_length"]
    paper, ours = table[table["source"] == PAPER], table[table["source"] != PAPER].set_index(pair)
    rows = []
    for row in records(paper):
        key = tuple(row[name] for name in pair)
        today = ours.loc[key].to_dict() if key in ours.index else dict.fromkeys(ours.columns)
        row["formula"] = published.rating_difference(int(row["match_length"]), epm=0.0, epc=float(row["epc_2003"]))[0]
        row |= {
            "rating_today": today["rating_difference"],
            "today_low": today["ci_low"],
            "today_high": today["ci_high"],
        }
        row |= {"epc_2003_today": today["epc_2003"], "b_today": today["r_over_epc_2003"]}
        row["epc_ratio"] = row["epc_2003"] / today["epc_2003"] if today["epc_2003"] else None
        rows.append(row)
    return rows


def losses(fitted: RatingFormula, published: RatingFormula) -> list[dict[str, Any]]:
    """Return gnubg's "cube errors rating loss" beside that of the fitted formula, for some EPC of today."""
    rows = []
    for length in fitted.match_lengths:
        for epc in (0.02, 0.05, 0.1):
            rate = {"epm": 0.0, "epc": epc}
            value, error = fitted.rating_difference(length, **rate)
            half, theirs = fitted.half_width(error), published.rating_difference(length, **rate)[0]
            found = {"found": value, "ci_low": value - half, "ci_high": value + half}
            rows.append({"match_length": length, "epc": epc, "gnubg": theirs, **found, "off": value - theirs})
    return rows


def depth(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return error rates of the same matches at two depths of analysis, a row for each pair and rate."""
    names = ("shallow", "deep", "ratio", "ratio_low", "ratio_high")
    return [
        {**row, "rate": rate} | {name: row[f"{rate}_{name}"] for name in names}
        for row in records(table)
        for rate in ("epm", "epc", "depd")
    ]


def summary(comparison: Comparison, report: str) -> str:
    """Write the few lines that the target prints."""
    lines = ["Published against regenerated:"]
    table = comparison.tables["coefficients"]
    for row in coefficients(table):
        fit = "alone" if pd.isna(row["recommended"]) else "recommended"
        shown = cell(row, ("", fit, 0, f"{fit}_")).text
        published, ratio = words.number(row["published"]), words.number(row["ratio"], 2)
        lines.append(f"  {row['term']:>2}({row['match_length']}) = {shown:<26} published {published:>7}, ratio {ratio}")
    lines += [_not_played(comparison.absent)] if comparison.absent else []
    return "\n".join([*lines, f"Report: {report}"]) + "\n"


def _not_played(studies: Iterable[str]) -> str:
    return f"Not played yet: {', '.join(studies)}."
