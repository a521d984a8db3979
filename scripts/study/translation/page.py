"""The page of the translation between nets: what was found in sentences, which a run prints too, and the tables."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.pages import template
from bgrating.pages.template import cell, records
from bgrating.pages.words import ABSENT, number
from study.translation.figures import TITLES
from study.translation.names import NEW, OLD, PEOPLE, SIMULATED
from study.translation.prediction import FREE, OLD_FOR_BOTH, OTHERS, OWN, THIS
from study.translation.ratios import MEASURES

Tables = Mapping[str, pd.DataFrame]
RATES = ("epm", "epc_moves", "epc", "epc_2003")
"""Measures in thousandths of EMG a decision."""
SHORT = {"epm": "EPM", "epc_moves": "cube error per unforced move", "epc": "EPC", "epc_2003": "EPC (2003)", "pr": "PR"}
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
        held=_held(facts),
        people=number(facts["people"]),
        answers=answers(tables),
        pictures=template.pictures(figures, TITLES),
        whole=every[every["by"] == "all"].sort_values("order", kind="stable"),
        parts=every[(every["by"] != "all") & every["measure"].isin(["epm", "epc_moves", "epc"])],
        FIGURES=FIGURES,
        LOSSES=LOSSES,
        agreement=template.wide(tables["agreement"], ["source", "figure"], "statistic", "value"),
        statistics=[(words, name, 4, f"{name}_") for name, words in STATISTICS.items()],
        coefficients=coefficients.assign(term=terms, explained=[explained(row) for row in records(coefficients)]),
        slopes=tables["slopes"],
        prediction=loss,
        provenance=facts,
    )


def summary(tables: Tables, facts: Mapping[str, Any], report: str) -> str:
    """Return the lines that a run prints at its end."""
    lines = [f"Translation {OLD} to {NEW}: the same matches judged by both ({_held(facts)}); 90 % intervals"]
    return "\n".join([*lines, *(f"  {answer}" for answer in answers(tables)), f"Report: {report}", ""])


def _held(facts: Mapping[str, Any]) -> str:
    """Return how many matches there are of each kind, people's by the folder that they were read from."""
    matches = dict(facts["matches"])
    simulated = f"{number(matches.pop(SIMULATED, 0))} simulated"
    folders = ", ".join(f"{number(count)} in {folder}" for folder, count in matches.items())
    return f"{simulated}, {number(sum(matches.values()))} of people: {folders}" if matches else simulated


def _shown(ratios: pd.DataFrame) -> pd.DataFrame:
    """Return ratios with their measures in words and order, error rates in thousandths."""
    scale = [1e3 if measure in RATES else 1.0 for measure in ratios["measure"]]
    return ratios.assign(
        words=[MEASURES[measure].words for measure in ratios["measure"]],
        order=[list(MEASURES).index(measure) for measure in ratios["measure"]],
        old=ratios["old"] * scale,
        new=ratios["new"] * scale,
    )


def value(row: Mapping[str, Any], name: str, ends: str = "", decimals: int = 3) -> str:
    """Write a value with its interval (`ends` and `low`, `high`); a dash where there is none."""
    return cell(row, ("", name, decimals, ends or f"{name}_")).text


def answers(tables: Tables) -> list[str]:
    """Return every answer that the tables have, one sentence or two each."""
    return [
        *_rates(tables["ratios"]), *_luck(tables["agreement"]), *_explained(tables["coefficients"]),
        *_charged(tables["slopes"]), *_prediction(tables["prediction"]),
    ]  # fmt: skip


def _rates(table: pd.DataFrame) -> Iterator[str]:
    for source, words in ((SIMULATED, "simulated matches"), (PEOPLE, "people's matches")):
        rows = table[(table["source"] == source) & (table["by"] == "all")]
        if rows.empty:
            continue
        by_measure = {row["measure"]: row for row in records(rows)}
        said = ", ".join(f"{name} {value(by_measure[m], 'ratio', 'ci_')}" for m, name in SHORT.items())
        close = by_measure["close"]
        yield (
            f"In {number(close['n_matches'])} {words} figures of {NEW} over those of {OLD} are: {said}. "
            f"Close decisions per player and match: {number(close['new'], 1)} for {number(close['old'], 1)}."
        )


def _luck(table: pd.DataFrame) -> Iterator[str]:
    for source in (SIMULATED, PEOPLE):
        rows = table[(table["source"] == source) & (table["statistic"] == "correlation")].set_index("figure")
        if len(rows):
            lucky, adjusted = (records(rows.loc[[name]])[0] for name in ("net_luck", "luck_adjusted_result"))
            yield (
                f"Both agree on luck ({source}): net luck correlates {value(lucky, 'value', 'ci_', 4)}, "
                f"luck-adjusted results {value(adjusted, 'value', 'ci_', 4)}."
            )


def explained(row: Mapping[str, Any]) -> str:
    """Say whether the ratio of rates explains a ratio of coefficients."""
    if not math.isfinite(row["ratio"]):
        return "not fitted yet"
    if not math.isfinite(row["left_low"]):
        return ABSENT
    return "the rates explain it" if row["left_low"] <= 1 <= row["left_high"] else "the rates do not explain all of it"


def _explained(table: pd.DataFrame) -> Iterator[str]:
    b = records(table[(table["basis"] == "formulas") & (table["term"] == "b")])
    for row in b[:1]:
        implied = value(row, "implied")
        apart = ", ".join(f"{number(other['implied'], 3)} ({other['source']})" for other in b[1:])
        text = f"The rates of the simulated matches say that b of {NEW} is {implied} times that of {OLD}"
        text += f" ({apart})" if apart else ""
        if math.isfinite(row["ratio"]):
            text += f"; fitted, it is {value(row, 'ratio')} times: {explained(row)}."
        else:
            text += f"; the formula of {NEW} is not fitted yet."
        yield text
    rows = table[(table["basis"] == "single matches") & (table["source"] == PEOPLE)]
    for row in records(rows):
        name = "chequer errors" if row["term"] == "a2" else "cube errors per unforced move"
        yield (
            f"People's single matches: the coefficient of {name} is {value(row, 'ratio')} "
            f"times as large with {NEW}, the rates imply {value(row, 'implied')}: "
            f"{explained(row)}."
        )


def _charged(table: pd.DataFrame) -> Iterator[str]:
    rows = table[(table["subset"] == PEOPLE) & (table["errors"] == OTHERS)]
    for formula in (OWN, OLD_FOR_BOTH):
        for row in records(rows[rows["formula"] == formula]):
            old, new = (value(row, name, decimals=2) for name in ("old", "new"))
            yield (
                f"People's results over those that the errors of their other matches predict ({formula}): {old} with "
                f"the errors of {OLD}, {new} with those of {NEW} (1 where people are charged rightly)."
            )


def better(row: Mapping[str, Any]) -> str:
    """Say whose errors predict better."""
    if not math.isfinite(row["gain_low"]):
        return "too few pairs of players"
    return NEW if row["gain_low"] > 0 else OLD if row["gain_high"] < 0 else "no difference shown"


def _prediction(table: pd.DataFrame) -> Iterator[str]:
    rows = table[(table["subset"] == PEOPLE) & (table["measure"] == "squared error")]
    for formula in (OWN, FREE):
        for errors in (THIS, OTHERS):
            for row in records(rows[(rows["formula"] == formula) & (rows["errors"] == errors)]):
                share = {name: row[name] / row["old"] * 100 for name in ("gain", "gain_low", "gain_high")}
                yield (
                    f"Errors {errors} ({formula}): the squared error of people's luck-adjusted results is smaller with "
                    f"{NEW} by {value(share, 'gain', decimals=1)} per cent; better: {better(row)}."
                )
