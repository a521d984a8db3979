"""The page of a tournament and its figures: all ratings side by side, and the results."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.engine.nets import nets_of
from bgrating.pages import style, template
from bgrating.pages.template import records
from bgrating.pages.words import between, number
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_json, read_table
from bgrating.tournament.systems import SYSTEMS
from bgrating.tournament.tables import TABLES

_PALETTE = (style.SKY, style.BLUE, style.GREEN, style.VERMILION, style.PURPLE, style.ORANGE)
COLOURS = dict(zip(SYSTEMS, _PALETTE, strict=True))
WORDS = {
    "elo": "Elo, game by game",
    "logistic": "logistic",
    "eloworld": "Elo World",
    "luck_adjusted": "luck-adjusted results",
    "errors_published": "errors, published formula",
    "errors_fitted": "errors, our formula",
}
BASE = "luck_adjusted"
_GAP = 0.13
TITLES = {
    "ratings": "Every player's ratings side by side",
    "outcomes": "Every cell, worst to best: wins of the row's player green, losses red",
}


@dataclass(frozen=True)
class TournamentResults:
    """The results of a tournament: its tables by name and the facts of its fits."""

    name: str
    title: str
    tables: dict[str, pd.DataFrame]
    fit: dict[str, Any]
    provenance: dict[str, Any]


def read_results(name: str, title: str, folder: Path) -> TournamentResults:
    tables = {table: read_table(folder / f"{table}.csv") for table in TABLES}
    fit = read_json(folder / "fit.json")
    return TournamentResults(name, title, tables, fit, read_provenance(folder / "tournament.csv"))


def page(results: TournamentResults, figures: list[Path], examples: list[str]) -> str:
    """Return the page with its figures (SVG, and the outcome picture as PNG) and links to the example matches."""
    fit, tables = results.fit, results.tables
    players, cells = tables["tournament"], tables["cells"]
    return template.page(
        "tournament.html.j2",
        title=results.title,
        name=results.name,
        fit=fit,
        nets=nets_of(results.provenance["engine"], results.name),
        answer=_answer(tables),
        games_per_cell=_span(cells["games"]),
        analysis=results.provenance["analysis"]["name"],
        WORDS=WORDS,
        players=players,
        by_system=[("Player", "player"), *((WORDS[system], system, 0, f"{system}_ci_") for system in SYSTEMS)],
        seats=tables["seats"],
        cells=cells.assign(won=cells["wins"] / cells["games"]),
        diluted=tables["diluted"],
        tests=[_test(fit, "logistic", "deviance"), _test(fit, "luck_adjusted", "chi_square")],
        outside=players.loc[players["errors_outside_range"], "player"].tolist(),
        pictures=template.pictures(figures, TITLES),
        examples=examples,
        provenance=results.provenance,
    )


def summary(results: TournamentResults, report: str) -> str:
    fit, players = results.fit, results.tables["tournament"]
    lines = [f"{results.title}: {number(fit['n_games'])} matches, FIBS points above the mean, 90 % intervals"]
    for row in records(players):
        lucky = f"{row[BASE]:.0f} {between(row[f'{BASE}_ci_low'], row[f'{BASE}_ci_high'])}"
        rest = ", ".join(f"{WORDS[system]} {row[system]:.0f}" for system in SYSTEMS if system != BASE)
        lines.append(f"  {row['player']}: {WORDS[BASE]} {lucky}; {rest}")
    return "\n".join([*lines, f"Report: {report}", ""])


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _answer(tables: dict[str, pd.DataFrame]) -> str:
    best = records(tables["tournament"].nlargest(1, BASE))[0]
    return (
        f"By {WORDS[BASE]} {best['player']} is the strongest, {number(best[BASE])} "
        f"{between(best[f'{BASE}_ci_low'], best[f'{BASE}_ci_high'])} points above the mean."
    )


def _test(fit: dict[str, Any], system: str, statistic: str) -> dict[str, Any]:
    value, dof, p = (fit[f"{system}_{name}"] for name in (statistic, "dof", "p_value"))
    return {"system": system, "value": value, "dof": dof, "p": p}


def figures(results: TournamentResults, match_length: int) -> Iterator[tuple[str, Figure]]:
    yield "ratings", ratings(results.tables["tournament"], match_length)


def ratings(table: pd.DataFrame, match_length: int) -> Figure:
    """Draw all ratings of every player (tournament.csv, best first) with their intervals."""
    players = table["player"].tolist()[::-1]
    figure, (ax,) = style.new_figure(1, width=8.0, height=2.0 + 0.62 * len(players))
    at = np.arange(len(players))
    rows = table.set_index("player").loc[players]
    for place, system in enumerate(SYSTEMS):
        shift = _GAP * ((len(SYSTEMS) - 1) / 2 - place)
        style.spans(
            ax, at + shift, rows, system, f"{system}_ci", across=True, label=WORDS[system], fmt=style.MARKERS[place],
            color=COLOURS[system], markersize=4.0, elinewidth=1.1,
        )  # fmt: skip
    ax.set_yticks(at, players)
    ax.set_ylim(-0.6, len(players) - 0.4)
    ax.set_xlabel("FIBS points above the players' mean")
    style.legend(figure, 3)
    style.note(
        figure,
        f"Matches to {match_length} points. 90 % intervals from matches drawn anew. Points of Elo and of Elo World "
        "times 5 / √N are FIBS points.",
    )
    return figure
