"""The page of a tournament: all ratings side by side, how far they agree, and what was played."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.provenance import read_provenance
from bgrating.report import template
from bgrating.report.template import records
from bgrating.report.words import between, number
from bgrating.tables import read_json, read_table
from bgrating.tournament.figures import BASE, WORDS, from_base
from bgrating.tournament.systems import SYSTEMS
from bgrating.tournament.tables import TABLES

TITLES = {
    "ratings": f"Every player's ratings side by side, and what tells each system from {WORDS[BASE]}",
    "outcomes": "Every cell, worst to best: wins of the row's player green, losses red",
}


@dataclass(frozen=True)
class Found:
    """What a tournament found: its tables by name and the facts of its fits."""

    name: str
    title: str
    tables: dict[str, pd.DataFrame]
    fit: dict[str, Any]
    provenance: dict[str, Any]


def read_found(name: str, title: str, folder: Path) -> Found:
    """Read the tables of a tournament."""
    tables = {table: read_table(folder / f"{table}.csv") for table in TABLES}
    fit = read_json(folder / "fit.json")
    return Found(name, title, tables, fit, read_provenance(folder / "tournament.csv"))


def page(found: Found, figure: Path, outcomes: Path, examples: list[str]) -> str:
    """Write the page with the figure (SVG), the outcome picture (PNG) and links to the example matches."""
    fit, tables = found.fit, found.tables
    players, cells = tables["tournament"], tables["cells"]
    others = [system for system in SYSTEMS if system != BASE]
    named = ("Player", "player")
    return template.page(
        "tournament.html.j2",
        title=found.title,
        name=found.name,
        fit=fit,
        games_per_cell=_span(cells["games"]),
        analysis=found.provenance["analysis"]["name"],
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
        pictures=template.pictures((figure, outcomes), TITLES),
        examples=examples,
        provenance=found.provenance,
    )


def summary(found: Found, report: str) -> str:
    """Return the lines that a tournament prints at its end."""
    fit, players = found.fit, found.tables["tournament"]
    lines = [f"{found.title}: {number(fit['n_games'])} matches, FIBS points above the mean, 90 % intervals"]
    for row in records(players):
        lucky = f"{row[BASE]:.0f} {between(row[f'{BASE}_ci_low'], row[f'{BASE}_ci_high'])}"
        rest = ", ".join(f"{WORDS[system]} {row[system]:.0f}" for system in SYSTEMS if system != BASE)
        lines.append(f"  {row['player']}: {WORDS[BASE]} {lucky}; {rest}")
    return "\n".join([*lines, f"Report: {report}", ""])


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _apart(differences: pd.DataFrame, players: list[str]) -> list[dict[str, Any]]:
    """Return a row for each player: how far each system's rating lies from that of the base."""
    rows: dict[str, dict[str, Any]] = {name: {"player": name} for name in players}
    for system in (system for system in SYSTEMS if system != BASE):
        for row in records(from_base(differences, system)):
            ends = {f"{system}_low": row["ci_low"], f"{system}_high": row["ci_high"]}
            rows[row["player"]] |= {system: row["difference"], **ends}
    return list(rows.values())


def _test(fit: dict[str, Any], system: str, statistic: str) -> dict[str, Any]:
    value, dof, p = (fit[f"{system}_{name}"] for name in (statistic, "dof", "p_value"))
    return {"system": system, "value": value, "dof": dof, "p": p}
