"""The comparison as one HTML page that needs nothing besides itself, and the few lines that it prints."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.pages import template, words
from bgrating.pages.style import points_word
from bgrating.pages.template import cell, records
from bgrating.rating.formula import RatingFormula
from bgrating.rating.rates import KEY
from study.comparison import DEEP, PAIRS, SHALLOW, curvature
from study.comparison.causes import EQUITY_TABLE, REST, TOTAL, at_length
from study.comparison.pairs import DEPTH_RATES, PAPER

TITLES = {
    "moved": "Found over published",
    "cube-only": "Cube errors alone: rating difference by three counts of the same error",
    "out-of-sample": "Pairs that no formula was fitted to",
}


@dataclass(frozen=True)
class Comparison:
    """The comparison's tables, its formula (None where Part II is not played) and what they were made from.

    `held` gives the matches of every study that is there, `absent` names those not played yet.
    """

    tables: Mapping[str, pd.DataFrame]
    fitted: RatingFormula | None
    published: RatingFormula
    held: Mapping[str, int]
    absent: tuple[str, ...]
    provenance: Mapping[str, Any]


def comparison_page(given: Comparison, figures: list[Path]) -> str:
    """Write the page of the comparison with its figures (SVG files)."""
    tables = given.tables
    cube_only, bends, factors = (tables[name] for name in ("cube_only", "curvature", "causes"))
    definition = factors[(factors["cause"] == "definition") & (factors["term"] == "b")]
    square = bends.loc[bends["shape"] == "square", "extra"]
    return template.page(
        "comparison.html.j2",
        held=given.held,
        in_short=in_short(factors),
        absent=given.absent,
        absent_pairs=[name for name in given.absent if name in PAIRS],
        absent_depth=[name for name in given.absent if name in (SHALLOW, DEEP)],
        pictures=template.pictures(figures, TITLES),
        coefficients=coefficients(tables["coefficients"]),
        causes=causes(factors),
        definition_raises=len(definition) > 0 and bool((definition["ci_low"] > 1).all()),
        paper_cube=paper_cube(cube_only, given.published),
        cube_only=cube_only[cube_only["source"] != PAPER],
        curvature=bends,
        convex=len(square) > 0 and bool((square > 0).all()),
        small=curvature.SMALL,
        large=curvature.LARGE,
        widest=curvature.WIDEST,
        losses=losses(given.fitted, given.published) if given.fitted else [],
        fitted=given.fitted,
        words=words,
        pairs=tables["out_of_sample"],
        depth=depth(tables["depth"]),
        both_err=tables["both_err"],
        provenance=given.provenance,
        **_widest(cube_only),
    )


def _widest(table: pd.DataFrame) -> dict[str, Any]:
    """Return the cube-only players with the greatest EPC at 5 points, ours and the paper's; compare their intervals."""
    at_5 = table[table["match_length"] == 5].sort_values("epc_2003")
    ours, paper = records(at_5[at_5["source"] != PAPER]), records(at_5[at_5["source"] == PAPER])
    if not ours or not paper:
        return {"widest_today": None, "widest_paper": None, "same_loss": False}
    today, then = ours[-1], paper[-1]
    overlap = today["ci_low"] <= then["ci_high"] and then["ci_low"] <= today["ci_high"]
    return {"widest_today": today, "widest_paper": then, "same_loss": bool(overlap)}


def coefficients(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return every coefficient at every length: published, and ours by three fits."""
    here = table[table["match_length"].notna()]
    rows = []
    for _, own in here.groupby(["term", "match_length"], sort=True):
        term, length = str(own["term"].iloc[0]), int(own["match_length"].iloc[0])
        today = own[own["epc_definition"] == "today"].set_index("fit")
        row: dict[str, Any] = {"term": term, "match_length": length, "published": float(own["published"].iloc[0])}
        row["half"] = today["relative_half_width"].get("this length")
        row["half_recommended"] = today["relative_half_width"].get("recommended")
        row["ratio"] = today["ratio"].get("recommended", today["ratio"].get("this length"))
        for name, fit, epc in (
            ("published_2003", "as published", "2003"),
            ("published_today", "as published", "today"),
            ("alone", "this length", "today"),
            ("recommended", "recommended", "today"),
        ):
            value, low, high = at_length(own, term, length, fit, epc)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return rows


def causes(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return every cause with its factor at each length, and in words what that shows."""
    rows = []
    for (cause, term), group in table.groupby(["cause", "term"], sort=False):
        factors = [f"{_factor(row)} at {points_word(int(row['match_length']))}" for row in records(group)]
        row = {"cause": str(cause), "term": str(term), "words": str(group["words"].iloc[0])}
        rows.append({**row, "factors": "; ".join(factors), "shows": effect(group)})
    return rows


def _factor(row: Mapping[str, Any]) -> str:
    return f"{words.number(row['factor'], 2)} {words.between(row['ci_low'], row['ci_high'], 2)}"


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
    parts = [f"{what} makes it {_span(rows)} times as large" for what, rows in tried.items() if len(rows)]
    why = f"Why the second did: {', '.join(parts)}"
    if len(rest := of(REST)):
        why += f"; with all three as in 2003 it is {_span(rest)} times the published one"
        why += ", so the engine itself moved it" if (rest["ci_low"] > 1).all() else ""
    return [*moved, f"{why}."]


def _span(rows: pd.DataFrame) -> str:
    """Write the factors of several lengths as their range, a single one with its interval."""
    if len(rows) == 1:
        return _factor(records(rows)[0])
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
    paper, ours = table[table["source"] == PAPER], table[table["source"] != PAPER].set_index(KEY)
    rows = []
    for row in records(paper):
        key = tuple(row[name] for name in KEY)
        today = ours.loc[key].to_dict() if key in ours.index else dict.fromkeys(ours.columns)
        row["formula"] = published.rating_difference(int(row["match_length"]), epm=0.0, epc=float(row["epc_2003"]))[0]
        row |= {f"today_{end}": today[f"ci_{end}"] for end in ("low", "high")}
        row |= {"rating_today": today["rating_difference"], "b_today": today["r_over_epc_2003"]}
        row |= {"epc_2003_today": today["epc_2003"]}
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
            half, gnubg = fitted.half_width(error), published.rating_difference(length, **rate)[0]
            found = {"found": value, "ci_low": value - half, "ci_high": value + half}
            rows.append({"match_length": length, "epc": epc, "gnubg": gnubg, **found, "off": value - gnubg})
    return rows


def depth(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return error rates of the same matches at two depths of analysis, a row for each pair and rate."""
    names = ("shallow", "deep", "ratio", "ratio_low", "ratio_high")
    return [
        {**row, "rate": rate} | {name: row[f"{rate}_{name}"] for name in names}
        for row in records(table)
        for rate in DEPTH_RATES
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
    lines += [f"Not played yet: {', '.join(comparison.absent)}."] if comparison.absent else []
    return "\n".join([*lines, f"Report: {report}"]) + "\n"
