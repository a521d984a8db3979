"""The members of a club: results, rating by errors, and the chance against each opponent."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from bgleague.standing import MEMBERS
from bgmatch.records import Json
from bgrating.pages.formatting import span
from bgrating.pages.template import records
from bgrating.people.players import RATING
from bgrating.site.addresses import player_pages
from bgrating.tables.provenance import ProvenanceError
from bgrating.tables.table_files import read_settled


def by_errors(results: Path) -> dict[str, Json]:
    """Return the ratings of players in the collections of a folder of results, by name in small
    letters.

    If several collections have a player, the one with most of their matches counts. Tables that
    were changed, or that another program wrote, are left out.
    """
    ratings: dict[str, Json] = {}
    for path in sorted((results / "human").glob("*/players.csv")):
        try:
            table = read_settled(path)
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
    """Return the best MEMBERS rows of a standing, each with `errors` and `opponents`.

    An opponent has the name, the results and the chances. `pairs` has the pairs that met
    (ratings/head_to_head).
    """
    p = {"player_p": "member", "player_q": "player", "p_wins": "won", "q_wins": "lost"}
    q = {"player_q": "member", "player_p": "player", "q_wins": "won", "p_wins": "lost"}
    turned = pairs.assign(chance=1 - pairs["chance"], p_better=1 - pairs["p_better"])
    meetings = pd.concat([pairs.rename(columns=p), turned.rename(columns=q)]).sort_index(
        kind="stable"
    )
    meetings["link"] = meetings["player"].map({row["player"]: row["link"] for row in rows})
    meetings["played"] = meetings["won"] + meetings["lost"]
    meetings = meetings.sort_values("played", ascending=False, kind="stable")
    opponents = {name: records(table) for name, table in meetings.groupby("member")}
    return [
        row
        | {
            "opponents": opponents.get(row["player"], []),
            "errors": errors.get(row["player"].casefold()),
        }
        for row in rows[:MEMBERS]
    ]
