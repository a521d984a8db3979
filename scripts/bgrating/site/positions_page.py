"""The page that finds positions among the costliest errors of a collection."""

import pandas as pd

from bgrating.decisions.thresholds import COSTLY
from bgrating.pages.positions import columns_of, for_boards, with_depth
from bgrating.pages.template import iterate_records
from bgrating.people.practice import FAMILIES
from bgrating.site.collection_page import Collection, render

MOST_POSITIONS = 5000
"""Most errors on the page; `find` finds every decision."""


def positions_page(collection: Collection, errors: pd.DataFrame) -> str:
    """Return the page of the errors, rows of `cells` with the address `page` of their match."""
    rows = [with_depth(row, collection.plies) for row in iterate_records(errors)]
    return render(
        "human_positions.html.j2",
        collection,
        links=[("report.html", f"Collection {collection.name}"), ("#", "Positions")],
        count=len(rows),
        first=rows[:20],
        is_cut=len(rows) == MOST_POSITIONS,
        decisions=for_boards(rows)
        | columns_of(rows, ("player", "opponent", "page", *FAMILIES))
        | {"costly": COSTLY},
    )
