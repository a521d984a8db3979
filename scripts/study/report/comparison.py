"""The page of the comparison with 2003, and the few lines that it prints."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from bgrating.pages import template, words
from bgrating.pages.template import records
from bgrating.play import designs
from bgrating.rating.formula import formula_if_any
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.comparison import PART_2, TABLES, TOTAL
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

    def page(drawn: list[Path]) -> str:
        return template.page(
            "comparison.html.j2",
            held={name: fact["rows"] for name, fact in studies.items()},
            in_short=in_short(tables["causes"]),
            absent=absent,
            pictures=template.pictures(drawn, TITLES),
            causes=tables["causes"],
            fitted=fitted,
            words=words,
            pairs=pair_rows,
            provenance=facts,
        )

    figures = [("out-of-sample", pairs(pair_rows, CONFIDENCE))] if len(pair_rows) else []
    return Page(figures, page, summary(tables["causes"], absent, str(folder / "report.html")))


def in_short(table: pd.DataFrame) -> list[str]:
    """Return a sentence on each coefficient, today over published, at all lengths; nothing without them."""
    sentences = []
    for what, term in (("Chequer errors", "a2"), ("Cube errors per close decision", "b")):
        rows = table[(table["cause"] == TOTAL) & (table["term"] == term)]
        if len(rows):
            ends = dict.fromkeys(words.number(end, 2) for end in (rows["factor"].min(), rows["factor"].max()))
            sentences.append(f"{what} now cost {' to '.join(ends)} times what the coefficient of 2003 says.")
    return sentences


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
