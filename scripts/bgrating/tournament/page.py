"""The page of a tournament: all ratings side by side, how far they agree, and what was played."""

import base64
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.provenance import read_provenance
from bgrating.ratings.written import read
from bgrating.report.contents import provenance_rows
from bgrating.report.page import template
from bgrating.report.words import between, milli, number
from bgrating.tournament.figures import BASE, WORDS, from_base
from bgrating.tournament.systems import SYSTEMS
from bgrating.tournament.tables import TABLES


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
    tables = {table: read(folder / f"{table}.csv") for table in TABLES}
    fit = json.loads((folder / "fit.json").read_text(encoding="utf-8"))
    return Found(name, title, tables, fit, read_provenance(folder / "tournament.csv"))


def page(found: Found, figure: Path, outcomes: Path, examples: list[str]) -> str:
    """Write the page with the figure (SVG), the outcome picture (PNG) and links to the example matches."""
    fit = found.fit
    players = found.tables["tournament"]
    return template("tournament.html.j2").render(
        title=found.title,
        name=found.name,
        n_games=number(fit["n_games"]),
        n_players=fit["n_players"],
        match_length=fit["match_length"],
        games_per_cell=_span(found.tables["cells"]["games"]),
        analysis=found.provenance["analysis"]["name"],
        factor=number(fit["fibs_points_per_elo_point"], 2),
        words=[WORDS[system] for system in SYSTEMS],
        base=WORDS[BASE],
        ratings=[_rating(row) for row in _rows(players)],
        champions=[_champion(row) for row in _rows(players)],
        apart=_apart(found.tables["differences"], players["player"].tolist()),
        apart_words=[WORDS[system] for system in SYSTEMS if system != BASE],
        agreement=[_agreement(row) for row in _rows(found.tables["agreement"])],
        seats=[_seats(row) for row in _rows(found.tables["seats"])],
        cells=[_cell(row) for row in _rows(found.tables["cells"])],
        diluted=[_diluted(row) for row in _rows(found.tables["diluted"])],
        diluted_note=fit["diluted_note"],
        seat={
            "share": number(100 * fit["first_seat_share"], 1),
            "points": number(fit["first_seat_fibs_points"], 1),
            "interval": between(fit["first_seat_ci_low"], fit["first_seat_ci_high"], 1),
        },
        tests=[_test(fit, "logistic", "deviance"), _test(fit, "luck_adjusted", "chi_square")],
        separated=fit["separated"],
        outside=players.loc[players["errors_outside_range"].astype(str).str.lower() == "true", "player"].tolist(),
        figure=base64.b64encode(figure.read_bytes()).decode("ascii"),
        outcomes=base64.b64encode(outcomes.read_bytes()).decode("ascii"),
        examples=examples,
        provenance=provenance_rows(found.provenance),
    )


def summary(found: Found, report: str) -> str:
    """Return the lines that a tournament prints at its end."""
    fit, players = found.fit, found.tables["tournament"]
    lines = [f"{found.title}: {number(fit['n_games'])} matches, FIBS points above the mean, 90 % intervals"]
    for row in _rows(players):
        lucky = f"{row[BASE]:.0f} {between(row[f'{BASE}_ci_low'], row[f'{BASE}_ci_high'])}"
        rest = ", ".join(f"{WORDS[system]} {row[system]:.0f}" for system in SYSTEMS if system != BASE)
        lines.append(f"  {row['player']}: {WORDS[BASE]} {lucky}; {rest}")
    return "\n".join([*lines, f"Report: {report}", ""])


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [{str(key): value for key, value in row.items()} for row in table.to_dict("records")]


def _span(counts: pd.Series) -> str:
    low, high = int(counts.min()), int(counts.max())
    return number(low) if low == high else f"{number(low)} to {number(high)}"


def _rating(row: dict[str, Any]) -> dict[str, Any]:
    systems = [f"{number(row[s])} {between(row[f'{s}_ci_low'], row[f'{s}_ci_high'])}" for s in SYSTEMS]
    return {"player": row["player"], "systems": systems}


def _champion(row: dict[str, Any]) -> dict[str, str]:
    return {
        "player": row["player"],
        "won": f"{number(row['wins'])} of {number(row['games'])}",
        "champion": number(row["p_champion"], 4),
        "interval": between(row["p_champion_ci_low"], row["p_champion_ci_high"], 4),
        "epm": milli(row["epm"]),
        "epc": milli(row["epc"]),
    }


def _apart(differences: pd.DataFrame, players: list[str]) -> list[dict[str, Any]]:
    systems = [system for system in SYSTEMS if system != BASE]
    by_player: dict[str, list[str]] = {name: [] for name in players}
    for system in systems:
        for row in _rows(from_base(differences, system)):
            text = f"{number(row['difference'])} {between(row['ci_low'], row['ci_high'])}"
            by_player[row["player"]].append(text)
    return [{"player": name, "systems": texts} for name, texts in by_player.items()]


def _agreement(row: dict[str, Any]) -> dict[str, str]:
    def with_interval(key: str, decimals: int) -> str:
        return f"{number(row[key], decimals)} {between(row[f'{key}_ci_low'], row[f'{key}_ci_high'], decimals)}"

    return {
        "pair": f"{WORDS[row['system']]} – {WORDS[row['other']]}",
        "correlation": with_interval("correlation", 4),
        "ranks": with_interval("rank_correlation", 3),
        "spread": with_interval("spread_ratio", 3),
        "difference": number(row["mean_difference"], 1),
        "noise": number(row["noise"], 1),
        "true": with_interval("true_difference", 1),
        "largest": number(row["largest_difference"], 1),
    }


def _seats(row: dict[str, Any]) -> dict[str, str]:
    return {
        "player": row["player"],
        "first": f"{number(row['wins_first'])} of {number(row['games_first'])}",
        "second": f"{number(row['wins_second'])} of {number(row['games_second'])}",
    }


def _cell(row: dict[str, Any]) -> dict[str, str]:
    return {
        "first": row["first"],
        "second": row["second"],
        "games": number(row["games"]),
        "won": number(100 * row["wins"] / row["games"], 1),
        "lucky": number(100 * row["luck_adjusted"], 1),
        "error": number(100 * row["luck_adjusted_se"], 1),
    }


def _diluted(row: dict[str, Any]) -> dict[str, str]:
    return {
        "player": row["player"],
        "share": number(row["share"], 3),
        "interval": between(row["share_low"], row["share_high"], 3),
        "below": row["below"],
        "above": row["above"],
    }


def _test(fit: dict[str, Any], system: str, statistic: str) -> dict[str, str]:
    p = fit[f"{system}_p_value"]
    return {
        "system": WORDS[system],
        "value": number(fit[f"{system}_{statistic}"], 1),
        "dof": str(fit[f"{system}_dof"]),
        "p": "–" if p is None else "below 0.0001" if p < 1e-4 else number(p, 4),
    }
