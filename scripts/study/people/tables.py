"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass

import pandas as pd

from bgrating.rating.choose import RatingModel, compared_formulas
from bgrating.rating.files import best_of
from bgrating.rating.pairs import pairs
from study.people import scale
from study.people.few import few_matches, limits
from study.people.pr_gap import pr_gap


@dataclass(frozen=True)
class Check:
    """The tables by name, and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def check(matches: pd.DataFrame, model: RatingModel, offset: float, nets: str) -> Check:
    """Make every table. `matches` is a collection's; `nets` analysed it; it is compared with their formulas."""
    together, compared = pairs(matches), compared_formulas(model, nets)
    tables = {
        "scale": scale.scale(together, compared[best_of(compared)]),
        "pr_gap": pr_gap(matches, model),
        "few_matches": few_matches({"": (matches, model)}, offset),
        "limits": limits(matches),
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))
