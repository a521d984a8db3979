"""The members of a club: results, rating by errors, and the chance against each opponent."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from bgmatch.records import Json
from bgrating.pages.template import records
from bgrating.pages.words import span
from bgrating.people.players import RATING
from bgrating.site.addresses import player_pages
from bgrating.tables.provenance import ProvenanceError
from bgrating.tables.table_files import read_table

MOST = 60
"""Largest number of members with a section on the page."""


def by_errors(results: Path) -> dict[str, Json]:
    """Return the ratings of players in the collections of a folder of results, by name in small
    letters.

    If several collections have a player, the one with most of their matches counts. Tables that
    were changed, or that another program wrote, are left out.
    """
    ratings: dict[str, Json] = {}
    for path in sorted((results / "human").glob("*/players.csv")):
        try:
            table = read_table(path)
            pages = player_pages(table["player"])
            table = table.dropna(subset=RATING[0])
            table = table.astype({**dict.fromkeys([*RATING, "pr"], float), "matches": int})
        except (ProvenanceError, OSError, KeyError, TypeError, ValueError):
            continue
        for row in records(table):
            name = row["player"].casefold()
            if name in ratings and row["matches"] <= ratings[name]["matches"]:
                continue
            ratings[name] = row | {
                "between": span(row["ci_low"], row["ci_high"]),
                "collection": path.parent.name,
                "page": f"../../human/{path.parent.name}/{pages.get(row['player'], 'report.html')}",
            }
    return ratings


def members(rows: Sequence[Json], pairs: pd.DataFrame, errors: Mapping[str, Json]) -> list[Json]:
    """Return the best MOST rows of a standing, each with `errors` and `opponents`.

    An opponent has the name, the results and the chances. `pairs` has the pairs that met
    (ratings/head_to_head).
    """
    links = {row["player"]: f"#member-{number}" for number, row in enumerate(rows[:MOST], 1)}
    met: dict[str, list[Json]] = defaultdict(list)
    for pair in records(pairs):
        p, q, won, lost = (pair[name] for name in ("player_p", "player_q", "p_wins", "q_wins"))
        chances = {"chance": pair["chance"], "better": pair["p_better"]}
        turned = {name: 1 - chance for name, chance in chances.items()}
        met[p].append({"player": q, "link": links.get(q, ""), "won": won, "lost": lost, **chances})
        met[q].append({"player": p, "link": links.get(p, ""), "won": lost, "lost": won, **turned})
    return [
        row
        | {
            "opponents": sorted(met[row["player"]], key=lambda pair: -pair["won"] - pair["lost"]),
            "errors": errors.get(row["player"].casefold()),
        }
        for row in rows[:MOST]
    ]
