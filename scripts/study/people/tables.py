"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass

import pandas as pd

from bgrating.engine.nets import committed_results, known_nets
from bgrating.rating.choose import RatingModel, compared_formulas
from bgrating.rating.files import best_of
from bgrating.rating.pairs import pairs
from bgrating.tables.tables import read_rows
from study.people import scale
from study.people.few import few_matches, limits
from study.people.judge import SCHEMA
from study.people.pr_gap import pr_gap

DEEPER = "1.07.001 2-ply"
"""The deeper judge of people's matches."""


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
        "scale": scale.scale(_judged_deeper(together, nets), compared[best_of(compared)]),
        "pr_gap": pr_gap(matches, model),
        "few_matches": few_matches({"": (matches, model)}, offset),
        "limits": limits(matches),
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))


def _judged_deeper(pairs: pd.DataFrame, nets: str) -> pd.DataFrame:
    """Return pairs with the losses that 2-ply found in those of them that the frozen tables hold."""
    paths = [committed_results(known) / "people-depth" / "frozen" / "losses.parquet" for known in known_nets()]
    tables = [read_rows(path, SCHEMA) for path in paths if path.is_file()]
    numbered = [table.assign(match=table["match"] + place * 10**6) for place, table in enumerate(tables)]
    return scale.with_deeper(pairs, pd.concat(numbered), f"{nets} 0-ply", DEEPER) if numbered else pairs
