"""The page of the translation between nets, and the lines that a run prints."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.report import template
from bgrating.report.template import records
from bgrating.report.words import number
from bgrating.translation.answers import answers, better, explained
from bgrating.translation.figures import TITLES
from bgrating.translation.names import NEW, OLD
from bgrating.translation.ratios import MEASURES

Tables = Mapping[str, pd.DataFrame]
RATES = ("epm", "epc_moves", "epc", "epc_2003")
"""Measures in thousandths of EMG a decision."""
FIGURES = {"luck_adjusted_result": "luck-adjusted result", "net_luck": "net luck"}
STATISTICS = {
    "correlation": "correlation",
    "sd ratio": f"spread, {NEW} / {OLD}",
    "mean old": f"mean by {OLD}, MWC",
    "mean new": f"mean by {NEW}, MWC",
    "difference sd": "root mean square difference, MWC",
}
LOSSES = {
    "log loss": "log loss, who won",
    "Brier": "Brier, who won",
    "squared error": "squared error, luck-adjusted result",
}


def page(tables: Tables, figures: Sequence[Path], facts: Mapping[str, Any]) -> str:
    """Write the page with its figures (SVG files)."""
    every = _shown(tables["ratios"])
    loss = tables["prediction"]
    if len(loss):
        loss = loss.assign(**{name: 1e3 * loss[name] for name in ("old", "new", "gain", "gain_low", "gain_high")})
        loss = loss.assign(better=[better(row) for row in records(loss)])
    coefficients = tables["coefficients"]
    terms = [
        row["term"] if pd.isna(row["match_length"]) else f"{row['term']}({int(row['match_length'])})"
        for row in records(coefficients)
    ]
    return template.page(
        "translation.html.j2",
        old=OLD,
        new=NEW,
        matches=[(source, number(count)) for source, count in facts["matches"].items()],
        people=number(facts["people"]),
        answers=answers(tables),
        pictures=template.pictures(figures, TITLES),
        whole=every[every["by"] == "all"].sort_values("order", kind="stable"),
        parts=every[(every["by"] != "all") & every["measure"].isin(["epm", "epc_moves", "epc"])],
        FIGURES=FIGURES,
        LOSSES=LOSSES,
        agreement=_agreement(tables["agreement"]),
        statistics=[(words, name, 4, f"{name}_") for name, words in STATISTICS.items()],
        coefficients=coefficients.assign(term=terms, explained=[explained(row) for row in records(coefficients)]),
        slopes=tables["slopes"],
        prediction=loss,
        provenance=facts,
    )


def summary(tables: Tables, facts: Mapping[str, Any], report: str) -> str:
    """Return the lines that a run prints at its end."""
    held = ", ".join(f"{number(count)} {source}" for source, count in facts["matches"].items())
    lines = [f"Translation {OLD} to {NEW}: the same matches judged by both ({held}); 90 % intervals"]
    return "\n".join([*lines, *(f"  {answer}" for answer in answers(tables)), f"Report: {report}", ""])


def _shown(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return ratios with their measures in words and order, error rates in thousandths."""
    scale = [1e3 if measure in RATES else 1.0 for measure in ratios["measure"]]
    return ratios.assign(
        words=[MEASURES[measure].words for measure in ratios["measure"]],
        order=[list(MEASURES).index(measure) for measure in ratios["measure"]],
        old=ratios["old"] * scale,
        new=ratios["new"] * scale,
    )


def _agreement(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return a row for each source and figure, with the statistics side by side."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for row in records(table):
        wide = rows.setdefault((row["source"], row["figure"]), {"source": row["source"], "figure": row["figure"]})
        name = row["statistic"]
        wide |= {name: row["value"], f"{name}_low": row["ci_low"], f"{name}_high": row["ci_high"]}
    return list(rows.values())
