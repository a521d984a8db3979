"""Show why each side of a match has luck above zero on average.

The luck of a game's first roll holds the first move.

`python benchmarks/opening_luck.py PATH` analyses match files with gnubg 1.08. It writes
people/opening_luck.csv of that engine. gnubg compares a first roll with the mean over all first
rolls of both players, before it is known who begins. So whoever begins gains the value of the first
move. The opponent, who has not rolled, loses nothing.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.collection.rate_request import RateRequest
from bgrating.collection.rating_run import rate
from bgrating.rating.fibs_formula import Floats
from bgrating.rating.result_files import results_of
from bgrating.tables.dictionary import columns
from bgrating.tables.table_files import write_table
from law_checks import matches_of

ENGINE_VERSION = "1.08"


def rolls(decisions: pd.DataFrame) -> pd.DataFrame:
    """Return the mean luck of the first rolls of games, of other rolls, and of a side by first
    rolls alone.
    """
    plays = decisions[
        (decisions["kind"] == "play")
        & (decisions["match_length"] > 0)
        & decisions["luck_mwc"].notna()
    ]
    is_first = plays.groupby(["file", "match", "game"]).cumcount() == 0
    first = plays[is_first]
    of_sides = first.groupby(["file", "match"])["luck_mwc"].sum() / 2
    return pd.DataFrame(
        [
            _mean("first roll of a game", first["luck_mwc"].to_numpy(float)),
            _mean("other roll", plays.loc[~is_first, "luck_mwc"].to_numpy(float)),
            _mean("side of a match, first rolls alone", of_sides.to_numpy(float)),
        ]
    )


def sides(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the mean luck of a side of a simulated match.

    The error counts matches, since net luck is not free.
    """
    both = matches[["player_luck_mwc", "opponent_luck_mwc"]].dropna().mean(axis=1)
    return pd.DataFrame([_mean("side of a simulated match", both.to_numpy(float))])


def _mean(of: str, luck: Floats) -> dict[str, object]:
    error = luck.std(ddof=1) / np.sqrt(len(luck))
    return {"of": of, "luck": float(luck.mean()), "std_error": float(error), "n": len(luck)}


if __name__ == "__main__":
    result = rate(RateRequest((Path(sys.argv[1]),), None, engine_version=ENGINE_VERSION))
    simulated = pd.concat(matches_of(ENGINE_VERSION).values(), ignore_index=True)
    table = pd.concat([rolls(result.decisions), sides(simulated)], ignore_index=True)[
        columns("people/opening_luck")
    ]
    write_table(
        table,
        results_of(ENGINE_VERSION) / "people" / "opening_luck.csv",
        "people/opening_luck",
        nets=ENGINE_VERSION,
    )
    print(table.to_string())
