"""The page of a tournament and its figure: all ratings side by side, their agreement, and the results."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from bgrating.engine.nets import nets_of
from bgrating.pages import style, template
from bgrating.pages.prediction import PREDICTIONS, listed, prediction
from bgrating.pages.template import records
from bgrating.pages.words import between, number
from bgrating.tables.provenance import read_provenance
from bgrating.tables.tables import read_json, read_table
from bgrating.tournament.systems import SYSTEMS
from bgrating.tournament.tables import MEASURES, TABLES

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
    "ratings": f"Every player's ratings side by side, and the difference of each system from {WORDS[BASE]}",
    "prediction": "Results of favourites: what each measure of error predicts, and what happened",
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
    others = [system for system in SYSTEMS if system != BASE]
    named = ("Player", "player")
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
        base=WORDS[BASE],
        players=players,
        by_system=[named, *((WORDS[system], system, 0, f"{system}_ci_") for system in SYSTEMS)],
        apart=_apart(tables["differences"], players["player"].tolist()),
        apart_columns=[named, *((WORDS[system], system, 0, f"{system}_") for system in others)],
        agreement=tables["agreement"],
        seats=tables["seats"],
        cells=cells.assign(won=cells["wins"] / cells["games"]),
        diluted=tables["diluted"],
        tests=[_test(fit, "logistic", "deviance"), _test(fit, "luck_adjusted", "chi_square")],
        outside=players.loc[players["errors_outside_range"], "player"].tolist(),
        measure_tables=[listed(name, PREDICTIONS[name], tables[name]) for name in MEASURES],
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
    table = tables["agreement"]
    row = records(table[(table["system"] == BASE) & (table["other"] == "errors_fitted")])[0]
    return (
        f"By {WORDS[BASE]} {best['player']} is the strongest, {number(best[BASE])} "
        f"{between(best[f'{BASE}_ci_low'], best[f'{BASE}_ci_high'])} points above the mean. Ratings from errors alone "
        f"correlate {number(row['correlation'], 2)} "
        f"{between(row['correlation_ci_low'], row['correlation_ci_high'], 2)} with these."
    )


def _apart(differences: pd.DataFrame, players: list[str]) -> pd.DataFrame:
    """Return a row for each player: the differences of every system from the base."""
    rows = pd.concat(from_base(differences, system).assign(system=system) for system in SYSTEMS if system != BASE)
    return template.wide(rows, ["player"], "system", "difference").set_index("player").loc[players].reset_index()


def _test(fit: dict[str, Any], system: str, statistic: str) -> dict[str, Any]:
    value, dof, p = (fit[f"{system}_{name}"] for name in (statistic, "dof", "p_value"))
    return {"system": system, "value": value, "dof": dof, "p": p}


def figures(results: TournamentResults, match_length: int) -> Iterator[tuple[str, Figure]]:
    if len(results.tables["bins"]):
        yield "prediction", prediction(results.tables["bins"])
    yield "ratings", ratings(results.tables["tournament"], results.tables["differences"], match_length)


def ratings(table: pd.DataFrame, differences: pd.DataFrame, match_length: int) -> Figure:
    """Draw all ratings of every player with their intervals, and beside them the differences from BASE.

    `table` is tournament.csv, best first; `differences` is differences.csv.
    """
    players = table["player"].tolist()[::-1]
    figure, (left, right) = style.new_figure(2, height=2.0 + 0.62 * len(players), sharey=True)
    at = np.arange(len(players))
    rows = table.set_index("player").loc[players]
    for place, system in enumerate(SYSTEMS):
        shift = _GAP * ((len(SYSTEMS) - 1) / 2 - place)
        look: dict[str, Any] = {
            "fmt": style.MARKERS[place],
            "color": COLOURS[system],
            "markersize": 4.0,
            "elinewidth": 1.1,
        }
        style.spans(left, at + shift, rows, system, f"{system}_ci", across=True, label=WORDS[system], **look)
        if system != BASE:
            apart = from_base(differences, system).set_index("player").loc[players]
            style.spans(right, at + shift, apart, "difference", across=True, **look)
    left.set_yticks(at, players)
    left.set_ylim(-0.6, len(players) - 0.4)
    left.set_xlabel("FIBS points above the players' mean")
    right.axvline(0, color=COLOURS[BASE], linewidth=1.2)
    right.set_xlabel(f"FIBS points above the rating from {WORDS[BASE]}")
    style.legend(figure, 3)
    style.note(
        figure,
        f"Matches to {match_length} points. 90 % intervals from matches drawn anew; those on the right are of the "
        "difference. Points of Elo and of Elo World times 5 / √N are FIBS points.",
    )
    return figure


def from_base(differences: pd.DataFrame, system: str) -> pd.DataFrame:
    """Return `player`, `difference`, `ci_low`, `ci_high`: a system's ratings less those from luck-adjusted results."""
    less_base = differences[(differences["system"] == system) & (differences["other"] == BASE)]
    other = differences[(differences["system"] == BASE) & (differences["other"] == system)]
    turned = other.assign(difference=-other["difference"], ci_low=-other["ci_high"], ci_high=-other["ci_low"])
    return pd.concat([less_base, turned], ignore_index=True)[["player", "difference", "ci_low", "ci_high"]]
