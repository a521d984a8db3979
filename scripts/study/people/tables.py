"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from bgrating.engine.nets import committed_results
from bgrating.play.designs import frozen_table
from bgrating.play.matches import read_checked
from bgrating.rating.choose import RatingModel, compared_formulas
from bgrating.rating.files import best_of
from bgrating.rating.pairs import both, pairs
from bgrating.rating.rates import rate
from study.people import scale
from study.people.few import few_matches, limits
from study.people.pr_gap import pr_gap

NOISE_LENGTHS = (3, 5, 7, 11)
"""Match lengths of Part II, whose noisy players are what people are compared with."""


@dataclass(frozen=True)
class Check:
    """The tables by name, and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def check(
    matches: pd.DataFrame, model: RatingModel, offset: float, nets: str, replicates: int = scale.REPLICATES
) -> Check:
    """Make every table.

    `matches` is a collection's; `nets` analysed it; it is compared with their formulas and simulated matches.
    `replicates`: simulated collections for F.
    """
    together, compared = pairs(matches), compared_formulas(model, nets)
    results = committed_results(nets)
    noisy = pd.concat([frozen(results, "part2", length) for length in NOISE_LENGTHS], ignore_index=True)
    tables = {
        "scale": scale.scale(together, compared[best_of(compared)], as_good_as(noisy, together), replicates),
        "pr_gap": pr_gap(matches, model),
        "few_matches": few_matches({"": (matches, model)}, offset),
        "limits": limits(matches),
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))


def frozen(results: Path, study: str, match_length: int) -> pd.DataFrame:
    """Return the frozen matches of a study at one length, numbers in double precision; no rows where there are none."""
    path = frozen_table(results, study, match_length)
    if not path.is_file():
        return pd.DataFrame()
    table = read_checked(path)
    return table.astype(dict.fromkeys(table.select_dtypes("number").columns, np.float64))


def as_good_as(noise: pd.DataFrame, people: pd.DataFrame) -> pd.DataFrame:
    """Return the simulated matches of noisy players whose error rates people reach, without wild cubes.

    People reach the 95th percentile of their matches. Rates are those of a pair of levels over all its matches, so that
    no match is chosen by its own errors.
    """
    if people.empty or noise.empty:
        return pd.DataFrame()
    pair = [noise["match_length"], noise["player"], noise["opponent"]]

    def pooled(side: str, errors: str, count: str) -> "pd.Series[float]":
        above, below = (noise[f"{side}_{name}"].groupby(pair).transform("sum") for name in (errors, count))
        return above / below

    cubes = sum(pooled(side, "cube_error_emg", "unforced_moves") for side in ("player", "opponent"))
    reached = cubes <= scale.WILD
    for errors in ("chequer_error_emg", "cube_error_emg"):
        most = pd.Series(rate(both(people, errors), both(people, "unforced_moves")).ravel()).quantile(0.95)
        reached &= pooled("player", errors, "unforced_moves") <= most
    return noise.loc[np.flatnonzero(reached)].reset_index(drop=True)
