"""The comparison as one HTML page that needs nothing besides itself, and the few lines that it prints."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.pages import style, template, words
from bgrating.pages.template import records
from bgrating.play import designs
from bgrating.rating.formula import RatingFormula, formula_if_any
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.comparison import PAIRS, PART_2, TABLES
from study.comparison.tables import TOTAL
from study.pages import Page, interval
from study.report.figures import pairs

TITLES = {"out-of-sample": "Pairs that no formula was fitted to"}


def made(folder: Path) -> Page:
    facts = read_provenance(folder / "causes.csv")
    studies = facts["studies"]
    tables = {name: read_table(folder / f"{name}.csv") for name in TABLES}
    pair_rows = tables["out_of_sample"]
    fitted = formula_if_any(folder.with_name(PART_2) / "formula.json") if PART_2 in studies else None
    absent = [name for name in designs.studies() if designs.design(name).published and name not in studies]
    return Page(
        [("out-of-sample", pairs(pair_rows, CONFIDENCE))] if len(pair_rows) else [],
        lambda drawn: comparison_page(tables, fitted, absent, facts, drawn),
        summary(tables["causes"], absent, str(folder / "report.html")),
    )


def comparison_page(
    tables: Mapping[str, pd.DataFrame], fitted: RatingFormula | None, absent: Sequence[str], facts: Mapping[str, Any],
    drawn: list[Path],
) -> str:  # fmt: skip
    """Write the page of the comparison with its figures (SVG files).

    `fitted` is the formula of Part II, `absent` names the studies not played yet, `facts` have those that are there.
    """
    factors = tables["causes"]
    definition = factors[(factors["cause"] == "definition") & (factors["term"] == "b")]
    return template.page(
        "comparison.html.j2",
        held={name: fact["rows"] for name, fact in facts["studies"].items()},
        in_short=in_short(factors),
        absent=absent,
        absent_pairs=[name for name in absent if name in PAIRS],
        pictures=template.pictures(drawn, TITLES),
        causes=causes(factors),
        definition_raises=len(definition) > 0 and bool((definition["ci_low"] > 1).all()),
        fitted=fitted,
        words=words,
        pairs=tables["out_of_sample"],
        provenance=facts,
    )


def causes(table: pd.DataFrame) -> list[dict[str, str]]:
    """Return every cause with its factor at each length, and in words what that shows."""
    rows = []
    for (cause, term), group in table.groupby(["cause", "term"], sort=False):
        factors = [
            f"{interval(row, 'factor', 2, 'ci')} at {style.points_word(int(row['match_length']))}"
            for row in records(group)
        ]
        row = {"cause": str(cause), "term": str(term), "words": max(map(str, group["words"]), key=len)}
        rows.append({**row, "factors": "; ".join(factors), "shows": effect(group)})
    return rows


def in_short(table: pd.DataFrame) -> list[str]:
    """Return sentences on what moved, from the factors of all causes together; nothing without them."""
    sentences = []
    for what, term in (("Chequer errors", "a2"), ("Cube errors per close decision", "b")):
        rows = table[(table["cause"] == TOTAL) & (table["term"] == term)]
        if len(rows):
            sentences.append(f"{what} now cost {_span(rows)} times what the coefficient of 2003 says: {effect(rows)}.")
    return sentences


def _span(rows: pd.DataFrame) -> str:
    if len(rows) == 1:
        return interval(records(rows)[0], "factor", 2, "ci")
    lengths = rows["match_length"]
    ends = [words.number(rows["factor"].min(), 2), words.number(rows["factor"].max(), 2)]
    return f"{' to '.join(dict.fromkeys(ends))} ({lengths.min()} to {lengths.max()} points)"


def effect(group: pd.DataFrame) -> str:
    """Say whether intervals of factors lie above 1, below it, or hold it."""
    above, below = int((group["ci_low"] > 1).sum()), int((group["ci_high"] < 1).sum())
    unknown = int(group["ci_low"].isna().sum())
    if above == len(group):
        return "larger at every length"
    if below == len(group):
        return "smaller at every length"
    if unknown < len(group) and above + below == 0:
        return "no change seen" + (f", undetermined at {unknown} lengths" if unknown else "")
    counts = {"larger": above, "smaller": below, "unclear": len(group) - above - below - unknown}
    said = ", ".join(f"{word} at {count}" for word, count in counts.items())
    return f"{said} lengths" + (f", undetermined at {unknown}" if unknown else "")


def summary(factors: pd.DataFrame, absent: Sequence[str], report: str) -> str:
    lines = ["Published against regenerated:"]
    for row in records(factors[factors["cause"] == TOTAL]):
        value, published = words.number(row["value"]), words.number(row["reference"])
        factor = interval(row, "factor", 2, "ci")
        lines.append(
            f"  {row['term']:>2}({row['match_length']}) = {value:<7} published {published:>7}, factor {factor}"
        )
    lines += [f"Not played yet: {', '.join(absent)}."] if absent else []
    return "\n".join([*lines, f"Report: {report}"]) + "\n"
