"""The members of a club: results, rating by errors, chance against each opponent, and who moved in a month."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.pages.template import records
from bgrating.pages.words import between, isolated, number
from bgrating.people.players import PLAIN, SHRUNK
from bgrating.site.addresses import player_pages
from bgrating.tables.provenance import ProvenanceError
from bgrating.tables.tables import read_table

Json = dict[str, Any]

MOST = 60
"""Members who have a fold of their own on the page."""
RARE = 0.1
"""Chance of a change at least as large below which a player has moved."""


def by_errors(results: Path) -> dict[str, Json]:
    """Return what the collections of a folder of results say of players, by name in small letters.

    Where several collections have a player, the one with most of his matches counts. Tables that were changed, or that
    somebody else wrote, are left out.
    """
    found: dict[str, Json] = {}
    for path in sorted((results / "human").glob("*/players.csv")):
        try:
            table = read_table(path)
            pages = player_pages(table["player"])
            for row in records(table):
                name, folder = row["player"].casefold(), f"../../human/{path.parent.name}"
                is_shrunk = not math.isnan(row["shrunk_rating"])  # as the collection's own pages choose
                rating, low, high = (row[column] for column in (SHRUNK if is_shrunk else PLAIN))
                page = pages.get(row["player"], "report.html")
                own = {
                    "rating": float(rating), "between": between(low, high), "pr": float(row["pr"]),
                    "matches": int(row["matches"]), "collection": path.parent.name, "page": f"{folder}/{page}",
                }  # fmt: skip
                if math.isnan(rating):
                    continue
                if name and own["matches"] > found.get(name, {"matches": 0})["matches"]:
                    found[name] = own
        except (ProvenanceError, OSError, KeyError, TypeError, ValueError):
            continue
    return found


def members(rows: Sequence[Json], pairs: pd.DataFrame | None, errors: Mapping[str, Json]) -> list[Json]:
    """Return the best MOST rows of a standing, each with `errors` and `opponents`: name, results and chance."""
    shown = {row["player"]: f"#member-{row['place']}" for row in rows[:MOST]}
    met: dict[str, list[Json]] = {name: [] for name in shown}
    for pair in records(pairs) if pairs is not None else []:
        p, q, chance = pair["player_p"], pair["player_q"], pair["chance"]
        for own, other, won, lost, share in (
            (p, q, pair["p_wins"], pair["q_wins"], chance), (q, p, pair["q_wins"], pair["p_wins"], 1 - chance)
        ):  # fmt: skip
            if own in met and won + lost:
                about = {"player": other, "link": shown.get(other, ""), "won": won, "lost": lost, "chance": share}
                met[own].append(about)
    return [
        row | {
            "opponents": sorted(met[row["player"]], key=lambda one: -one["won"] - one["lost"]),
            "errors": errors.get(row["player"].casefold()),
        }
        for row in rows[:MOST]
    ]  # fmt: skip


def movers(rows: Sequence[Json]) -> str:
    """Return who changed in a month by more than chance gives, and how many would seem to by chance."""
    known = [row for row in rows if not math.isnan(row["by_chance"])]
    if not known:
        return ""
    moved = sorted((row for row in known if row["by_chance"] < RARE), key=lambda row: row["by_chance"])
    expected = f"Of {len(known)} players about {number(RARE * len(known), 1)} would be named by chance alone."
    if not moved:
        return f"Nobody's rating changed in a month by more than chance gives. {expected}"
    told = ", ".join(
        f"{isolated(row['player'])} {row['change']:+.0f} ({100 * row['by_chance']:.0f} %)" for row in moved[:10]
    )
    return f"Changed in a month by more than chance gives: {told}. {expected}"
