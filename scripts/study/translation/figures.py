"""Figures of the translation between nets, in the style of all others."""

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from bgrating.pages.style import BLUE, GREEN, GREY, MARKERS, SKY, VERMILION, legend, new_figure, note, spans
from study.translation.names import NEW, OLD, PEOPLE, SIMULATED
from study.translation.ratios import MEASURES

TITLES = {
    "ratios": f"The same matches: figures of {NEW} over those of {OLD}",
    "levels": "Error rates over error rates, by level and match length",
}
COLOURS = (BLUE, VERMILION, GREEN, SKY)
SHOWN = ("epm", "epc_moves")
PANELS = (
    (SIMULATED, "chequer noise", "epm"),
    (SIMULATED, "cube noise", "epc_moves"),
    (PEOPLE, "EPM, thousandths", "epc_moves"),
    (PEOPLE, "match length", "epc_moves"),
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
