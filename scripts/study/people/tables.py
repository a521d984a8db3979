"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass

import pandas as pd

from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.files import FITTED, own_formula
from study.people import scale
from study.people.few import few_matches, limits
from study.people.pairs import pairs
from study.people.pr_gap import pr_gap


@dataclass(frozen=True)
class Check:
    """The tables by name, and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def check(matches: pd.DataFrame, model: RatingModel, offset: float, nets: str) -> Check:
    """Make every table. `matches` is a collection's; `nets` analysed it; F is over their own formula."""
    together = pairs(matches)
    judged_by = choose(FITTED if own_formula(nets) else "published", nets).formula
    tables = {
        "scale": scale.scale(together, judged_by),
        "pr_gap": pr_gap(matches, model),
        "few_matches": few_matches({"": (matches, model)}, offset),
        "limits": limits(matches),
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))
