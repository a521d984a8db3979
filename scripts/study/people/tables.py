"""Every table of the check on people, from a collection's matches."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from bgrating.engine.nets import committed_results
from bgrating.rating import prediction
from bgrating.rating.choose import RatingModel, compared_formulas
from bgrating.rating.files import best_of
from bgrating.rating.pairs import both, pairs
from bgrating.rating.rates import rate
from study.people import calibration, scale, shape
from study.people.conversions import conversions
from study.people.few import few_matches, limits
from study.people.frozen import Simulated, frozen
from study.people.sources import NOISE_LENGTHS


@dataclass(frozen=True)
class Check:
    """The tables by name (NAMES), and what the collection held: decided matches with luck, all matches, money."""

    tables: dict[str, pd.DataFrame]
    decided: int
    matches: int
    money: int


def check(
    matches: pd.DataFrame, noise: pd.DataFrame, model: RatingModel, offset: float, nets: str,
    replicates: int = scale.REPLICATES,
) -> Check:  # fmt: skip
    """Make every table.

    `matches` is a collection's, `noise` the sizes of noise's errors (may be without rows); `nets` analysed it; it is
    compared with their formulas and simulated matches. `replicates`: simulated collections for F.
    """
    together, compared = pairs(matches), compared_formulas(model, nets)
    simulated = partial(frozen, committed_results(nets))
    strengths, sized = calibration.strengths(matches, model, offset), shape.with_sizes(matches)
    factors, chances = conversions(matches, strengths, model)
    tables = {
        "appendix": calibration.appendix(strengths, offset),
        "calibration": calibration.calibration(strengths, offset),
        "scale": scale.scale(together, compared[best_of(compared)], as_good_as(simulated, together), replicates),
        "sizes": shape.sizes(sized, noise),
        "kinds": shape.kinds(sized, noise, simulated),
        **prediction.judged(together, compared, best_of(compared)),
        "conversions": factors,
        "pr_gap": chances,
        "few_matches": few_matches({"": (matches, model)}, offset),
        "limits": limits(matches),
    }
    everything = matches[["file", "match", "match_length"]].drop_duplicates(["file", "match"])
    return Check(tables, len(together), len(everything), int((everything["match_length"] == 0).sum()))


def as_good_as(simulated: Simulated, people: pd.DataFrame) -> pd.DataFrame:
    """Return the simulated matches of noisy players whose error rates people reach, without wild cubes.

    People reach the 95th percentile of their matches. Rates are those of a pair of levels over all its matches, so that
    no match is chosen by its own errors.
    """
    parts = [table for length in NOISE_LENGTHS if len(table := simulated("part2", length))]
    if people.empty or not parts:
        return pd.DataFrame()
    noise = pd.concat(parts, ignore_index=True)
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
