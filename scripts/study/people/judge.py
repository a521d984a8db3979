"""Compare judges of several depths on the same matches: what they find, and what it is worth for a rating.

What each level finds that both players lose in a match is in a frozen table of each engine's nets, by numbers of
matches and players: `1.07.001` from the public text exports of one man's matches, `1.08` of strong players.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bgrating.collection.players import errors_of
from bgrating.rating.choose import RatingModel, choose
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.pairs import rates_elsewhere
from bgrating.rating.player import match_rating
from bgrating.tables.dictionary import columns
from study.people.few import few_matches

SUMS = ("chequer_error_emg", "cube_error_emg", "loss_mwc")
SCHEMA = pa.schema(
    [
        ("level", pa.string()), ("match", pa.int32()), ("side", pa.string()), ("player", pa.string()),
        ("match_length", pa.int16()), ("luck_adjusted_result", pa.float32()), ("unforced_moves", pa.int32()),
        ("close_cube_decisions", pa.int32()), *((name, pa.float32()) for name in SUMS),
    ]
)  # fmt: skip
SIDES = ("left", "right")
LEAST = 15
FLOATS = dict.fromkeys(["match_length", "unforced_moves", "close_cube_decisions", *SUMS], float)
OTHERS = "other matches"


def losses(judged: Mapping[str, pd.DataFrame], results: pd.DataFrame) -> pd.DataFrame:
    """Return what both players lose in matches by every level (SCHEMA), numbers in place of names.

    `judged`: by level ("1.08 2-ply") tables as matches.csv has them (`file, match, player, unforced_moves, …`);
    `results`: the matches.csv whose luck-adjusted results count, of matches with an end.
    """
    key = ["file", "match", "player"]
    usable = results["luck_adjusted_result"].notna() & (results["match_length"] > 0) & (results["player"] != "")
    about = results.loc[usable, [*key, "side", "match_length", "luck_adjusted_result"]]
    about = about[about.groupby(key[:2])["side"].transform("size") == 2]
    numbers = {name: f"p{number:04d}" for number, name in enumerate(dict.fromkeys(about["player"]))}
    matches = about[key[:2]].drop_duplicates().reset_index(drop=True).rename_axis("number").reset_index()
    parts = []
    for level, table in judged.items():
        lost = table["chequer_error_mwc"] + table["cube_error_mwc"]
        own = about.merge(table.assign(loss_mwc=lost)[[*key, *SCHEMA.names[6:]]], on=key).merge(matches, on=key[:2])
        whole = own.groupby("number")["side"].transform("size") == 2
        parts.append(own[whole].assign(level=level, match=own["number"], player=own["player"].map(numbers)))
    return pd.concat(parts, ignore_index=True).reindex(columns=SCHEMA.names)


def judges(table: pd.DataFrame) -> pd.DataFrame:
    """Return by level how results follow the losses of the same match (people/judges).

    `matches` names the sets of matches: those that all levels named there have judged. `instrument` is empty (least
    squares), the deepest other level, or the losses of both players' other matches by the level that judged most.
    `off_deepest` is the root mean square difference of the ratings of single matches to those by the deepest level.
    Errors: clusters are the opponents of the player who is in most matches.
    """
    wide = table.pivot(index="match", columns=["level", "side"], values="loss_mwc")
    about = table.drop_duplicates(["match", "side"]).set_index("match")
    left, right = (about[about["side"] == side] for side in SIDES)
    busiest = table["player"].value_counts().index[0]
    cluster = left["player"].where(left["player"] != busiest, right["player"])
    elsewhere = _elsewhere(wide, left["player"], right["player"])
    rows: list[dict[str, Any]] = []
    for levels in _sets(wide):
        here = _judged_by(wide, levels)
        if len(here) < LEAST:
            continue
        result = left.loc[here, "luck_adjusted_result"].to_numpy(float)
        groups = np.unique(cluster.loc[here].to_numpy(str), return_inverse=True)[1]
        sides = {level: wide.loc[here, [(level, side) for side in SIDES]].to_numpy(float) for level in levels}
        lost = {level: own[:, 1] - own[:, 0] for level, own in sides.items()}
        ratings = {level: _ratings(table[table["match"].isin(here)], level) for level in levels}
        for level in levels:
            instruments = {"": lost[level], OTHERS: elsewhere.loc[here].to_numpy(float)}
            instruments |= {other: lost[other] for other in levels[-1:] if other != level}
            own = {
                "matches": ", ".join(levels), "level": level, "loss": float(sides[level].sum(axis=1).mean()),
                "correlation": float(np.asarray(np.corrcoef(result, lost[level]))[0, 1]), "confidence": CONFIDENCE,
                "n_matches": len(here),
                "off_deepest": float(np.sqrt(np.nanmean((ratings[level] - ratings[levels[-1]]) ** 2))),
            }  # fmt: skip
            for name, instrument in instruments.items():
                rows.append(own | {"instrument": name} | _slope(result, lost[level], instrument, groups))
    return pd.DataFrame(rows, columns=columns("people/judges"))


def _elsewhere(wide: pd.DataFrame, left: "pd.Series[str]", right: "pd.Series[str]") -> "pd.Series[float]":
    """Return by match how much more the right player loses in his other matches than the left in his."""
    level = max(_sets(wide), key=lambda levels: len(_judged_by(wide, levels)))[0]
    here = _judged_by(wide, [level])
    names = np.column_stack([one.loc[here].to_numpy(str) for one in (left, right)])
    players = np.unique(names, return_inverse=True)[1].reshape(names.shape)
    lost = wide.loc[here, [(level, side) for side in SIDES]].to_numpy(float)
    rates = rates_elsewhere(players, lost, np.ones_like(lost))
    return pd.Series(rates[:, 1] - rates[:, 0], index=here)


def _ratings(table: pd.DataFrame, level: str) -> Floats:
    """Return the ratings that single matches give both players by a level, in one order for all levels."""
    own, chosen = table[table["level"] == level].sort_values(["match", "side"]).astype(FLOATS), _formula(level)
    return match_rating(errors_of(own, chosen), chosen.formula, 0.0)


def _sets(wide: pd.DataFrame) -> Iterator[Sequence[str]]:
    """Yield sets of levels, deepest last: those with many matches (each at least half of the most), and all."""
    counts = wide.notna().T.groupby(level=0).all().sum(axis=1)
    every = sorted(map(str, counts.index), key=_plies)
    many = [level for level in every if counts[level] >= counts.max() / 2]
    yield many
    if many != every:
        yield every


def _plies(level: str) -> tuple[str, str]:
    nets, depth = level.split()
    return depth, nets


def _judged_by(wide: pd.DataFrame, levels: Sequence[str]) -> pd.Index:
    return wide.dropna(subset=[(level, side) for level in levels for side in SIDES]).index


def _slope(result: Floats, loss: Floats, instrument: Floats, groups: Any) -> dict[str, float]:
    value = float(instrument @ result / (instrument @ loss))
    score = np.bincount(groups, instrument * (result - value * loss))
    error = math.sqrt(float(score @ score) * len(score) / (len(score) - 1)) / abs(float(instrument @ loss))
    half = quantile(CONFIDENCE, len(score) - 1) * error
    return {"slope": value, "std_error": error, "ci_low": value - half, "ci_high": value + half}


def by_few(table: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Return how wide ratings from few matches are by each level, and how often they hold (people/judges_few).

    The levels are those of the deepest level's engine, and the matches those that all of them have judged.
    """
    nets = max(table["level"], key=_plies).split()[0]
    own = table[table["level"].str.startswith(f"{nets} ")]
    wide = own.pivot(index="match", columns=["level", "side"], values="loss_mwc")
    levels = next(levels for levels in _sets(wide) if len(levels) > 1)
    own = own[own["match"].isin(_judged_by(wide, levels))].sort_values(["match", "side"])
    judged = {level: (own[own["level"] == level].astype(FLOATS), _formula(level)) for level in levels}
    return few_matches(judged, offset, rest=1).reindex(columns=columns("people/judges_few"))


def _formula(level: str) -> RatingModel:
    """Return the formula for errors judged at a level; one deeper than those measured takes the deepest that was."""
    nets, depth = level.split()
    return replace(choose("fitted", nets, min(depth, "2-ply")), words=level)
