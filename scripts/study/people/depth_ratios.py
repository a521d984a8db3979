"""People's error rates at a deeper level over those at 0-ply, from matches that were judged at
both.

k is the mean rate of people at the level over their mean rate at 0-ply. A person's weight in both
means is D / (D + c). D is their number of unforced moves; c comes from credibility theory
(match_pairs.py). So nobody with many matches decides alone. The units are people: errors come from
leaving out one at a time.
"""

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgrating.rating.fibs_formula import Floats
from bgrating.tables.dictionary import columns
from study.error_rates import ratio
from study.people.factor import ALL
from study.people.losses import losses_at
from study.people.match_pairs import credibility

# The losses behind each error rate per unforced move.
LOSSES = {"epm": "chequer_error_emg", "cube_per_move": "cube_error_emg"}
DEEP = "_deep"
# The matches that the earlier rule has seen: both players have so many matches of this collection.
SEEN = "strong players"
LEAST_SEEN = 4
_SIDE = ["group", "match", "side"]


def judged_twice(engine_version: str, level: str) -> pd.DataFrame:
    """Return the sides of matches that an engine has judged at 0-ply and at a level.

    Columns are those of `losses_at`; losses with DEEP are by the deeper level. `seen` are the
    matches that the rule of docs/preregistration-checked.md has seen.
    """
    shallow = losses_at(engine_version, "0-ply")
    deep = losses_at(engine_version, level)[[*_SIDE, *LOSSES.values()]]
    return shallow.assign(seen=_seen(shallow)).merge(deep, on=_SIDE, suffixes=("", DEEP))


def _seen(sides: pd.DataFrame) -> "pd.Series[bool]":
    count = sides.groupby("player")["match"].transform("size")
    least = count.groupby([sides["group"], sides["match"]]).transform("min")
    return (sides["group"] == SEEN) & (least >= LEAST_SEEN)


def weights(sides: pd.DataFrame, loss: str) -> Floats:
    """Return the weight of each side's losses in the mean rates.

    It is 1 / (D + c), with D over all of the person's matches.
    """
    moves = sides["unforced_moves"]
    number, _ = pd.factorize(sides["player"])
    c = credibility(number, sides[loss].to_numpy(float), moves.to_numpy(float))[1]
    total = moves.groupby(sides["player"]).transform("sum").to_numpy(float)
    return np.asarray(1 / (total + c) if np.isfinite(c) else np.ones(len(sides)))


def weighted_losses(sides: pd.DataFrame, loss: str) -> pd.DataFrame:
    """Return each person's weighted losses, `shallow` and `deep`: their share of both means."""
    weight = weights(sides, loss)
    table = pd.DataFrame({"shallow": weight * sides[loss], "deep": weight * sides[loss + DEEP]})
    return table.groupby(sides["player"].to_numpy()).sum()


def ratios(sides: pd.DataFrame) -> dict[str, Json]:
    """Return k of each error rate (LOSSES), with its interval."""
    by_rate = {}
    for rate, loss in LOSSES.items():
        people = weighted_losses(sides, loss)
        by_rate[rate] = ratio(people["deep"].to_numpy(), people["shallow"].to_numpy())
    return by_rate


def ratios_by_author(sides: pd.DataFrame, level: str) -> pd.DataFrame:
    """Return k at a level for each collection, and for all (people/depth).

    Every collection has an author.
    """
    rows = []
    for name, of_group in [*sides.groupby("group", sort=False), (ALL, sides)]:
        counts = {"n_people": of_group["player"].nunique(), "n_matches": len(of_group) // 2}
        rows += [
            {"level": level, "group": name, "rate": rate, **estimate, **counts}
            for rate, estimate in ratios(of_group).items()
        ]
    return pd.DataFrame(rows, columns=columns("people/depth"))
