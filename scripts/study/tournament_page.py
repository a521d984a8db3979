"""The page of a tournament, made from its tables: all ratings side by side, and the results."""

from pathlib import Path

import pandas as pd

from bgleague.tournament.systems import SYSTEMS
from bgleague.tournament.tournament_tables import TABLES
from bgrating.engine.known_engines import version_of
from bgrating.pages import template
from bgrating.pages.charts import interval
from bgrating.pages.formatting import counted, leader
from bgrating.pages.template import records
from bgrating.tables.provenance import read_provenance
from bgrating.tables.table_files import read_json, read_table
from study.pages import Page

SYSTEM_NAMES = {
    "elo": "Elo, game by game",
    "logistic": "logistic",
    "eloworld": "Elo World",
    "luck_adjusted": "luck-adjusted results",
    "errors_fitted": "errors",
}
BASE = "luck_adjusted"
TITLES = {"outcomes": "Every cell, worst to best: wins of the row's player green, losses red"}


def make(folder: Path) -> Page:
    """Return the page of the tournament whose tables a folder holds."""
    provenance = read_provenance(folder / "tournament.csv")
    players, cells, seats = (read_table(folder / f"{name}.csv") for name in TABLES)
    fit = read_json(folder / "fit.json")
    sides = "programs" if "sides" in provenance else "levels"
    title = f"{len(players)} {sides} to {counted(fit['match_length'], 'points')}"
    ranked = players.assign(bar=_bars(players)).sort_values(BASE, ascending=False, kind="stable")
    best_first = ranked.rename(
        columns={BASE: "rating", f"{BASE}_ci_low": "ci_low", f"{BASE}_ci_high": "ci_high"}
    )
    text = template.page(
        "tournament.html.j2",
        title=title,
        fit=fit,
        engine_version=version_of(provenance["engine"], folder.name),
        answer=leader(records(best_first)),
        systems=SYSTEM_NAMES,
        players=ranked,
        by_system=[
            ("Player", "player"),
            *((SYSTEM_NAMES[system], system, 0, f"{system}_ci_") for system in SYSTEMS),
        ],
        seats=seats,
        cells=cells.assign(won=cells["wins"] / cells["games"]),
        outside=players.loc[players["errors_outside_range"], "player"].tolist(),
        pictures=template.pictures([folder / "outcomes.png"], TITLES),
        provenance=provenance,
    )
    summary = template.page(
        "tournament.txt.j2",
        title=title,
        players=players,
        cells=cells,
        report=folder / "report.html",
    )
    return Page(text, summary)


def _bars(players: pd.DataFrame) -> list[str]:
    rows = players[[BASE, f"{BASE}_ci_low", f"{BASE}_ci_high"]].to_numpy()
    scale = float(rows.min()), float(rows.max())
    return [interval(value, low, high, scale) for value, low, high in rows]
