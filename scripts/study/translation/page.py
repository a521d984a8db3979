"""The page of the translation between nets: figures, what was found in sentences, which a run prints too, tables."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.pages import template
from bgrating.pages.style import BLUE, GREEN, GREY, MARKERS, SKY, VERMILION, legend, new_figure, note, spans
from bgrating.pages.template import cell, records
from bgrating.pages.words import number
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.pages import Page
from study.translation import NEW, OLD, PEOPLE, SIMULATED
from study.translation.ratios import MEASURES

RATES = ("epm", "cube_per_move", "epc", "epc_2003")
"""Measures in thousandths of EMG a decision."""
SHORT = {
    "epm": "EPM",
    "cube_per_move": "cube error per unforced move",
    "epc": "EPC",
    "epc_2003": "EPC (2003)",
    "pr": "PR",
}
TITLES = {"ratios": f"The same matches: figures of {NEW} over those of {OLD}"}
COLOURS = (BLUE, VERMILION, GREEN, SKY)


def made(folder: Path) -> Page:
    """Return the page of the folder results/translation."""
    table, facts = read_table(folder / "ratios.csv"), read_provenance(folder / "ratios.csv")
    return Page(
        [("ratios", figure(table))] if len(table) else [],
        lambda drawn: page(table, drawn, facts),
        summary(table, facts, str(folder / "report.html")),
    )


def page(table: pd.DataFrame, drawn: Sequence[Path], facts: Mapping[str, Any]) -> str:
    """Write the page with its figure (an SVG file)."""
    return template.page(
        "translation.html.j2",
        old=OLD,
        new=NEW,
        held=_held(facts),
        people=number(facts["people"]),
        answers=list(answers(table)),
        pictures=template.pictures(drawn, TITLES),
        whole=_in_words(table),
        provenance=facts,
    )


def summary(table: pd.DataFrame, facts: Mapping[str, Any], report: str) -> str:
    lines = [f"Translation {OLD} to {NEW}: the same matches judged by both ({_held(facts)}); 90 % intervals"]
    return "\n".join([*lines, *(f"  {answer}" for answer in answers(table)), f"Report: {report}", ""])


def _held(facts: Mapping[str, Any]) -> str:
    """Return how many matches there are of each kind, people's by the folder that they were read from."""
    matches = dict(facts["matches"])
    simulated = f"{number(matches.pop(SIMULATED, 0))} simulated"
    folders = ", ".join(f"{number(count)} in {folder}" for folder, count in matches.items())
    return f"{simulated}, {number(sum(matches.values()))} of people: {folders}" if matches else simulated


def _in_words(table: pd.DataFrame) -> pd.DataFrame:
    """Return ratios measure by measure with the measures in words, error rates in thousandths."""
    scale = [1e3 if measure in RATES else 1.0 for measure in table["measure"]]
    words = [MEASURES[measure].words for measure in table["measure"]]
    rows = table.assign(words=words, old=table["old"] * scale, new=table["new"] * scale)
    return rows.sort_values("measure", key=lambda measures: measures.map(list(MEASURES).index), kind="stable")


def answers(table: pd.DataFrame) -> Iterator[str]:
    """Yield what the ratios are, for each kind of matches."""
    for source, words in ((SIMULATED, "simulated matches"), (PEOPLE, "people's matches")):
        by_measure = {row["measure"]: row for row in records(table[table["source"] == source])}
        if not by_measure:
            continue
        ratios = ", ".join(f"{name} {cell(by_measure[m], ('', 'ratio', 3, 'ci_')).text}" for m, name in SHORT.items())
        close = by_measure["close"]
        yield (
            f"In {number(close['n_matches'])} {words} figures of {NEW} over those of {OLD} are: {ratios}. "
            f"Close decisions per player and match: {number(close['new'], 1)} for {number(close['old'], 1)}."
        )


def figure(rows: pd.DataFrame) -> Figure:
    """Draw every measure's ratio with its interval, source beside source."""
    sources = list(dict.fromkeys(rows["source"]))
    drawing, (ax,) = new_figure(1, height=4.6)
    for place, source in enumerate(sources):
        measured = rows[rows["source"] == source].set_index("measure").loc[list(MEASURES)]
        at = np.arange(len(measured))[::-1] + 0.16 * ((len(sources) - 1) / 2 - place)
        label = f"{source} ({int(measured['n_matches'].iloc[0]):,} matches)"
        look = {"fmt": MARKERS[place % len(MARKERS)], "color": COLOURS[place % len(COLOURS)], "label": label}
        spans(ax, at, measured, "ratio", across=True, **look)
    ax.axvline(1, color=GREY, linewidth=1, linestyle="dashed")
    ax.set_yticks(np.arange(len(MEASURES))[::-1], [measure.words for measure in MEASURES.values()])
    ax.set_xlabel(f"{NEW} / {OLD}")
    legend(drawing, len(sources))
    note(
        drawing,
        f"{rows['confidence'].iloc[0]:.0%} intervals: jackknife over simulated matches, or over pairs of people. Rates "
        "are pooled totals of errors over pooled counts.",
    )
    return drawing
