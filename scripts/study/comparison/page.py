"""The comparison as one HTML page that needs nothing besides itself, and the few lines that it prints."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import style, template, words
from bgrating.pages.template import cell, records
from bgrating.play import designs
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.comparison import PAIRS, PART_2, TABLES
from study.comparison.causes import EQUITY_TABLE, REST, TOTAL, at_length
from study.pages import Page

TITLES = {
    "moved": "Found over published",
    "out-of-sample": "Pairs that no formula was fitted to",
}
TERMS = {"a": "a(N): one rate, DEPD", "a2": "a2(N): chequer play", "b": "b(N): cube decisions"}
SHOWN = (
    ("as published", "2003", "fitted as published, close decisions as in 2003", style.VERMILION, "s"),
    ("as published", "today", "fitted as published, today's close decisions", style.SKY, "D"),
    ("recommended", "today", "all lengths at once, today's close decisions", style.BLUE, "o"),
)


@dataclass(frozen=True)
class Comparison:
    """The comparison's tables, its formula (None where Part II is not played) and what they were made from.

    `held` gives the matches of every study that is there, `absent` names those not played yet.
    """

    tables: Mapping[str, pd.DataFrame]
    fitted: RatingFormula | None
    held: Mapping[str, int]
    absent: tuple[str, ...]
    provenance: Mapping[str, Any]


def made(folder: Path) -> Page:
    """Return the page of a folder of results/<nets>/comparison, with the formula of Part II beside it."""
    facts = read_provenance(folder / "coefficients.csv")
    studies = facts["studies"]
    given = Comparison(
        tables={name: read_table(folder / f"{name}.csv") for name in TABLES},
        fitted=formula_if_any(folder.with_name(PART_2) / "formula.json") if PART_2 in studies else None,
        held={name: fact["rows"] for name, fact in studies.items()},
        absent=tuple(name for name in designs.studies() if designs.design(name).published and name not in studies),
        provenance=facts,
    )
    return Page(
        figures(given.tables),
        lambda drawn: comparison_page(given, drawn),
        summary(given, str(folder / "report.html")),
    )


def comparison_page(given: Comparison, drawn: list[Path]) -> str:
    """Write the page of the comparison with its figures (SVG files)."""
    tables = given.tables
    factors = tables["causes"]
    definition = factors[(factors["cause"] == "definition") & (factors["term"] == "b")]
    return template.page(
        "comparison.html.j2",
        held=given.held,
        in_short=in_short(factors),
        absent=given.absent,
        absent_pairs=[name for name in given.absent if name in PAIRS],
        pictures=template.pictures(drawn, TITLES),
        coefficients=coefficients(tables["coefficients"]),
        causes=causes(factors),
        definition_raises=len(definition) > 0 and bool((definition["ci_low"] > 1).all()),
        fitted=given.fitted,
        words=words,
        pairs=tables["out_of_sample"],
        provenance=given.provenance,
    )


def coefficients(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return every coefficient at every length: published, and ours by three fits."""
    here = table[table["match_length"].notna()]
    rows = []
    for _, fits in here.groupby(["term", "match_length"], sort=True):
        term, length = str(fits["term"].iloc[0]), int(fits["match_length"].iloc[0])
        today = fits[fits["epc_definition"] == "today"].set_index("fit")
        row: dict[str, Any] = {"term": term, "match_length": length, "published": float(fits["published"].iloc[0])}
        row["half"] = today["relative_half_width"].get("this length")
        row["half_recommended"] = today["relative_half_width"].get("recommended")
        row["ratio"] = today["ratio"].get("recommended", today["ratio"].get("this length"))
        for name, fit, epc in (
            ("published_2003", "as published", "2003"),
            ("published_today", "as published", "today"),
            ("alone", "this length", "today"),
            ("recommended", "recommended", "today"),
        ):
            value, low, high = at_length(fits, term, length, fit, epc)
            row |= {name: value, f"{name}_low": low, f"{name}_high": high}
        rows.append(row)
    return rows


def causes(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return every cause with its factor at each length, and in words what that shows."""
    rows = []
    for (cause, term), group in table.groupby(["cause", "term"], sort=False):
        factors = [f"{_factor(row)} at {style.points_word(int(row['match_length']))}" for row in records(group)]
        row = {"cause": str(cause), "term": str(term), "words": str(group["words"].iloc[0])}
        rows.append({**row, "factors": "; ".join(factors), "shows": effect(group)})
    return rows


def _factor(row: Mapping[str, Any]) -> str:
    return f"{words.number(row['factor'], 2)} {words.between(row['ci_low'], row['ci_high'], 2)}"


def in_short(table: pd.DataFrame) -> list[str]:
    """Return sentences on what moved and why, from the factors of the causes; nothing without them."""
    if table.empty:
        return []

    def of(cause: str, term: str = "b") -> pd.DataFrame:
        return table[(table["cause"] == cause) & (table["term"] == term)]

    moved = [
        f"{what} now cost {_span(of(TOTAL, term))} times what the coefficient of 2003 says: {effect(of(TOTAL, term))}."
        for what, term in (("Chequer errors", "a2"), ("Cube errors per close decision", "b"))
    ]
    tried = {
        "The count of close decisions of 2003": of("definition"),
        "The fit of 2003": of("method"),
        "The match-equity table of 2003": of(EQUITY_TABLE),
    }
    parts = [f"{what} alone makes b {_span(rows)} times as large." for what, rows in tried.items() if len(rows)]
    if len(rest := of(REST)):
        why = "The engine itself moved b: with" if (rest["ci_low"] > 1).all() else "With"
        moved.append(f"{why} all of the following as in 2003, b is still {_span(rest)} times the published one.")
    return [*moved, *parts]


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


def summary(comparison: Comparison, report: str) -> str:
    """Write the few lines that the target prints."""
    lines = ["Published against regenerated:"]
    table = comparison.tables["coefficients"]
    for row in coefficients(table):
        fit = "alone" if pd.isna(row["recommended"]) else "recommended"
        estimate = cell(row, ("", fit, 0, f"{fit}_")).text
        published, ratio = words.number(row["published"]), words.number(row["ratio"], 2)
        lines.append(
            f"  {row['term']:>2}({row['match_length']}) = {estimate:<26} published {published:>7}, ratio {ratio}"
        )
    lines += [f"Not played yet: {', '.join(comparison.absent)}."] if comparison.absent else []
    return "\n".join([*lines, f"Report: {report}"]) + "\n"


def figures(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, Figure]]:
    """Draw every figure of the comparison for which there are rows, each with its file name."""
    coefficients = tables["coefficients"]
    if coefficients["match_length"].notna().any():
        yield "moved", moved(coefficients[coefficients["match_length"].notna()])
    if len(tables["out_of_sample"]):
        yield "out-of-sample", out_of_sample(tables["out_of_sample"])


def moved(rows: pd.DataFrame) -> Figure:
    """Draw every coefficient over the published one, length by length, with intervals."""
    terms = [term for term in TERMS if (rows["term"] == term).any()]
    figure, axes = style.new_figure(len(terms), width=3.2 * len(terms) + 2, height=4.3)
    for term, ax in zip(terms, axes, strict=True):
        here = rows[rows["term"] == term]
        lengths = sorted(map(int, here["match_length"].unique()))
        for i, (fit, epc, label, color, marker) in enumerate(SHOWN):
            rows_of_fit = here[(here["fit"] == fit) & (here["epc_definition"] == epc)].sort_values("match_length")
            at = np.array([lengths.index(int(n)) for n in rows_of_fit["match_length"]]) + 0.18 * (i - 1)
            style.spans(ax, at, rows_of_fit, "ratio", "ratio", fmt=marker, color=color, label=label)
        ax.axhline(1, color=style.GREY, linewidth=1, linestyle="dashed")
        ax.set(title=TERMS[term], xlabel="match length N, points", ylim=(0, None))
        ax.set_xticks(range(len(lengths)), [str(n) for n in lengths])
    axes[0].set_ylabel("found / published")
    style.legend(figure, 1, axes[0])
    style.note(
        figure, f"{rows['confidence'].iloc[0]:.0%} intervals of what was found; the paper gives none for its own."
    )
    return figure


def out_of_sample(rows: pd.DataFrame) -> Figure:
    """Draw pairs of players that no formula was fitted to: measured, predicted in two ways, and published."""
    figure, (ax,) = style.new_figure(1, width=9.6, height=1.8 + 0.62 * len(rows))
    at = np.arange(len(rows))[::-1].astype(float)
    style.spans(ax, at + 0.16, rows, "rating_difference", across=True, fmt="o", color=style.OURS, label="measured")
    published = ("published_difference", "published")
    style.spans(ax, at - 0.16, rows, *published, across=True, fmt="s", color=style.GREY, label="published 2003")
    for column, label, color, marker in (
        ("predicted", "formula found in Part II", style.BLUE, "D"),
        ("published_formula", "formula of 2003", style.VERMILION, "v"),
    ):
        ax.plot(rows[column], at, marker, color=color, markersize=5, label=label)
    ax.axvline(0, color=style.GREY, linewidth=0.8)
    named = zip(rows["player"], rows["opponent"], rows["match_length"], rows["analysis"], strict=True)
    labels = [f"{p}\nagainst {o}, {style.points_word(int(n))}, analysed {level}" for p, o, n, level in named]
    ax.set_yticks(at, labels, fontsize=8)
    ax.set(
        xlabel="rating difference, points (above 0: the opponent is the better player)",
        ylim=(-0.6, len(rows) - 0.4),
    )
    style.legend(figure, 5, side="right")
    style.note(figure, "90% intervals. Formulas are given our error rates; they were fitted to 0-ply analysis.")
    return figure
