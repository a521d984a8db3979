"""The page of the translation between nets: figures, what was found in sentences, which a run prints too, tables."""

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.pages import template
from bgrating.pages.style import BLUE, GREEN, GREY, MARKERS, SKY, VERMILION, legend, new_figure, note, spans
from bgrating.pages.template import cell, records
from bgrating.pages.words import number
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_table
from study.pages import Page
from study.translation import NEW, OLD, PEOPLE, SIMULATED, TABLES
from study.translation.prediction import FREE, OLD_FOR_BOTH, OTHERS, OWN, THIS
from study.translation.ratios import MEASURES

Tables = Mapping[str, pd.DataFrame]
RATES = ("epm", "cube_per_move", "epc", "epc_2003")
"""Measures in thousandths of EMG a decision."""
SHORT = {
    "epm": "EPM",
    "cube_per_move": "cube error per unforced move",
    "epc": "EPC",
    "epc_2003": "EPC (2003)",
    "pr": "PR",
}
TITLES = {
    "ratios": f"The same matches: figures of {NEW} over those of {OLD}",
    "levels": "Error rates over error rates, by level and match length",
}
COLOURS = (BLUE, VERMILION, GREEN, SKY)
SHOWN = ("epm", "cube_per_move")
PANELS = (
    (SIMULATED, "chequer noise", "epm"),
    (SIMULATED, "cube noise", "cube_per_move"),
    (PEOPLE, "EPM, thousandths", "cube_per_move"),
    (PEOPLE, "match length", "cube_per_move"),
)
LOSSES = {
    "log loss": "log loss, who won",
    "Brier": "Brier, who won",
    "squared error": "squared error, luck-adjusted result",
}


def made(folder: Path) -> Page:
    """Return the page of the folder results/translation."""
    tables = {name: read_table(folder / f"{name}.csv") for name in TABLES}
    facts = read_provenance(folder / "ratios.csv")
    report = str(folder / "report.html")
    return Page(figures(tables), lambda drawn: page(tables, drawn, facts), summary(tables, facts, report))


def page(tables: Tables, drawn: Sequence[Path], facts: Mapping[str, Any]) -> str:
    """Write the page with its figures (SVG files)."""
    every = _shown(tables["ratios"])
    loss = tables["prediction"]
    if len(loss):
        loss = loss.assign(**{name: 1e3 * loss[name] for name in ("old", "new", "gain", "gain_low", "gain_high")})
        loss = loss.assign(better=[better(row) for row in records(loss)])
    return template.page(
        "translation.html.j2",
        old=OLD,
        new=NEW,
        held=_held(facts),
        people=number(facts["people"]),
        answers=answers(tables),
        pictures=template.pictures(drawn, TITLES),
        whole=every[every["by"] == "all"].sort_values("order", kind="stable"),
        parts=every[(every["by"] != "all") & every["measure"].isin(["epm", "cube_per_move", "epc"])],
        LOSSES=LOSSES,
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
        *_rates(tables["ratios"]), *_charged(tables["slopes"]), *_prediction(tables["prediction"]),
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


def figures(tables: Mapping[str, pd.DataFrame]) -> Iterator[tuple[str, Figure]]:
    """Draw every figure for which there are rows, each with its file name."""
    rows = tables["ratios"][tables["ratios"]["ratio"].notna()]
    if len(rows):
        yield "ratios", ratios(rows[rows["by"] == "all"])
        yield "levels", levels(rows)


def ratios(rows: pd.DataFrame) -> Figure:
    """Draw every measure's ratio with its interval, source beside source."""
    sources = list(dict.fromkeys(rows["source"]))
    figure, (ax,) = new_figure(1, height=4.6)
    for place, source in enumerate(sources):
        own = rows[rows["source"] == source].set_index("measure").loc[list(MEASURES)]
        at = np.arange(len(own))[::-1] + 0.16 * ((len(sources) - 1) / 2 - place)
        _draw(ax, own, at, place, f"{source} ({int(own['n_matches'].iloc[0]):,} matches)", across=True)
    ax.axvline(1, color=GREY, linewidth=1, linestyle="dashed")
    ax.set_yticks(np.arange(len(MEASURES))[::-1], [measure.words for measure in MEASURES.values()])
    ax.set_xlabel(f"{NEW} / {OLD}")
    legend(figure, len(sources))
    note(figure, _note(rows))
    return figure


def levels(rows: pd.DataFrame) -> Figure:
    """Draw ratios of the rates against noise, people's level and their match length."""
    panels = [panel for panel in PANELS if ((rows["source"] == panel[0]) & (rows["by"] == panel[1])).any()]
    figure, axes = new_figure(len(panels), width=2.7 * len(panels) + 1, height=4.0)
    for place, (ax, (source, by, measure)) in enumerate(zip(axes, panels, strict=True)):
        own = rows[(rows["source"] == source) & (rows["by"] == by) & (rows["measure"] == measure)]
        own = own[~((measure == "epm") & (own["group"] == "0"))]  # no errors to speak of
        _draw(ax, own, np.arange(len(own)), place, "", across=False)
        ax.axhline(1, color=GREY, linewidth=1, linestyle="dashed")
        ax.set_xticks(np.arange(len(own)), own["group"], rotation=30)
        ax.set(title=f"{source}:\n{MEASURES[measure].words}", xlabel=by)
        ax.title.set_fontsize(8.5)
    axes[0].set_ylabel(f"{NEW} / {OLD}")
    note(figure, _note(rows))
    return figure


def _draw(ax: Axes, rows: pd.DataFrame, at: np.ndarray, place: int, label: str, *, across: bool) -> None:
    colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
    spans(ax, at, rows, "ratio", across=across, fmt=marker, color=colour, label=label or None)


def _note(rows: pd.DataFrame) -> str:
    return (
        f"{rows['confidence'].iloc[0]:.0%} intervals: jackknife over simulated matches, or over pairs of people. Rates "
        "are pooled totals of errors over pooled counts."
    )
