"""The page of a tournament, made from its tables: all ratings side by side, and the results."""

from pathlib import Path

import pandas as pd

from bgleague.tournament.systems import SYSTEMS
from bgleague.tournament.tournament_tables import TABLES
from bgmatch.records import Json
from bgrating.engine.known_engines import version_of
from bgrating.pages import template
from bgrating.pages.charts import interval
from bgrating.pages.formatting import between, counted, leader, number, span
from bgrating.pages.template import records
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import read_json, read_table
from study.pages import Page

WORDS = {
    "elo": "Elo, game by game",
    "logistic": "logistic",
    "eloworld": "Elo World",
    "luck_adjusted": "luck-adjusted results",
    "errors_fitted": "errors",
}
BASE = "luck_adjusted"
TITLES = {"outcomes": "Every cell, worst to best: wins of the row's player green, losses red"}


def made(folder: Path) -> Page:
    """Return the page of the tournament whose tables a folder holds."""
    provenance = read_provenance(folder / "tournament.csv")
    players, cells, seats = (read_table(folder / f"{name}.csv") for name in TABLES)
    fit = read_json(folder / "fit.json")
    sides = "programs" if "sides" in provenance else "levels"
    title = f"{len(players)} {sides} to {counted(fit['match_length'], 'points')}"
    ranked = players.assign(bar=_bars(players)).sort_values(BASE, ascending=False, kind="stable")
    low = cells["games"].min()
    high = cells["games"].max()
    best_first = ranked.rename(
        columns={BASE: "rating", f"{BASE}_ci_low": "ci_low", f"{BASE}_ci_high": "ci_high"}
    )
    text = template.page(
        "tournament.html.j2",
        title=title,
        name=folder.name,
        fit=fit,
        nets=version_of(provenance["engine"], folder.name),
        answer=leader(records(best_first)),
        games_per_cell=number(low) if low == high else span(low, high),
        analysis=provenance["analysis"]["name"],
        WORDS=WORDS,
        players=ranked,
        by_system=[
            ("Player", "player"),
            *((WORDS[system], system, 0, f"{system}_ci_") for system in SYSTEMS),
        ],
        seats=seats,
        cells=cells.assign(won=cells["wins"] / cells["games"]),
        tests=[_test(fit, "logistic", "deviance"), _test(fit, "luck_adjusted", "chi_square")],
        outside=players.loc[players["errors_outside_range"], "player"].tolist(),
        pictures=template.pictures([folder / "outcomes.png"], TITLES),
        provenance=provenance,
    )
    return Page((), lambda _: text, _summary(title, players, cells, folder / "report.html"))


def _bars(players: pd.DataFrame) -> list[str]:
    rows = players[[BASE, f"{BASE}_ci_low", f"{BASE}_ci_high"]].to_numpy()
    scale = float(rows.min()), float(rows.max())
    return [interval(value, low, high, scale) for value, low, high in rows]


def _summary(title: str, players: pd.DataFrame, cells: pd.DataFrame, report: Path) -> str:
    matches = number(cells["games"].sum())
    lines = [f"{title}: {matches} matches, FIBS points above the mean, 90 % intervals"]
    for row in records(players):
        base = f"{row[BASE]:.0f} {between(row[f'{BASE}_ci_low'], row[f'{BASE}_ci_high'])}"
        lines.append(f"  {row['player']}: {WORDS[BASE]} {base}")
    return "\n".join([*lines, f"Report: {report}", ""])


def _test(fit: Json, system: str, statistic: str) -> Json:
    return {
        "system": system,
        "value": fit[f"{system}_{statistic}"],
        "dof": fit[f"{system}_dof"],
        "p": fit[f"{system}_p_value"],
    }
