"""Is it the judge? The same matches, their errors judged at several depths, beside their results.

Within a match the luck-adjusted result should be what both players lose by errors: slope 1. A judge who sees too little
finds errors that are none, and the slope falls below 1. Another depth as instrument takes that noise out as far as the
two depths err independently.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

from bgrating.rating.choose import Chosen, choose
from bgrating.rating.fibs import Floats
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.tables.dictionary import columns
from study.people.few import few_matches
from study.people.sources import JUDGED

LEVELS = {f"{nets} {plies}-ply": (nets, f"{plies}-ply") for nets in (JUDGED, "1.08") for plies in range(5)}
"""What a level of the table of losses stands for: whose nets, and how deep."""
SUMS = ("chequer_error_emg", "cube_error_emg", "loss_mwc")
SCHEMA = pa.schema(
    [
        ("level", pa.string()), ("match", pa.int32()), ("side", pa.string()), ("player", pa.string()),
        ("match_length", pa.int16()), ("luck_adjusted_result", pa.float32()), ("unforced_moves", pa.int32()),
        ("close_cube_decisions", pa.int32()), *((name, pa.float32()) for name in SUMS),
    ]
)  # fmt: skip
LEAST = 30
DRAWS = 200
"""Sets of matches drawn of each player: few players have so many that deeper judges saw."""


def losses(judged: Mapping[str, pd.DataFrame], results: pd.DataFrame) -> pd.DataFrame:
    """Return what both players lose in matches by every level (SCHEMA), numbers in place of names.

    `judged`: by level (a key of LEVELS) tables as matches.csv has them (`file, match, player, unforced_moves, …`);
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
    squares) or the deepest other level. Errors: clusters are the opponents of the player who is in most matches.
    """
    wide = table.pivot(index="match", columns=["level", "side"], values="loss_mwc")
    left = table[table["side"] == "left"].drop_duplicates("match").set_index("match")
    right = table[table["side"] == "right"].drop_duplicates("match").set_index("match")
    busiest = table["player"].value_counts().index[0]
    cluster = left["player"].where(left["player"] != busiest, right["player"])
    rows: list[dict[str, Any]] = []
    for levels in _sets(wide):
        here = wide.dropna(subset=[(level, side) for level in levels for side in ("left", "right")]).index
        if len(here) < LEAST:
            continue
        result = left.loc[here, "luck_adjusted_result"].to_numpy(float)
        sides = {
            level: [wide.loc[here, (level, side)].to_numpy(float) for side in ("left", "right")] for level in levels
        }
        lost = {level: other - own for level, (own, other) in sides.items()}
        groups = np.unique(cluster.loc[here].to_numpy(str), return_inverse=True)[1]
        for level in levels:
            about = {
                "matches": ", ".join(levels), "level": level, "loss": float(np.mean(np.add(*sides[level]))),
                "correlation": float(np.corrcoef(result, lost[level])[0, 1]), "confidence": CONFIDENCE,
                "n_matches": len(here),
            }  # fmt: skip
            deepest = max((other for other in levels if other != level and other.startswith(JUDGED)), default="")
            for instrument in dict.fromkeys(("", deepest)):
                slope = _slope(result, lost[level], lost[instrument or level], groups)
                rows.append(about | {"instrument": instrument} | slope)
    return pd.DataFrame(rows, columns=columns("people/judges"))


def _sets(wide: pd.DataFrame) -> Iterator[Sequence[str]]:
    """Yield sets of levels: those with many matches (each at least half of the most), and all."""
    counts = wide.notna().T.groupby(level=0).all().sum(axis=1)
    every = [str(level) for level in counts.index]
    many = [level for level in every if counts[level] >= counts.max() / 2]
    yield many
    if many != every:
        yield every


def _slope(result: Floats, loss: Floats, instrument: Floats, groups: Any) -> dict[str, float]:
    value = float(instrument @ result / (instrument @ loss))
    score = np.bincount(groups, instrument * (result - value * loss))
    error = math.sqrt(float(score @ score) * len(score) / (len(score) - 1)) / abs(float(instrument @ loss))
    half = quantile(CONFIDENCE, len(score) - 1) * error
    return {"slope": value, "std_error": error, "ci_low": value - half, "ci_high": value + half}


def by_few(table: pd.DataFrame, offset: float) -> pd.DataFrame:
    """Return how wide ratings from few matches are by each level and how often they hold (people/judges_few).

    On the matches that all levels with many matches have judged. The truth is a player's rating by his other matches at
    the same level (`truth` is the level), or at the deepest one.
    """
    wide = table.pivot(index="match", columns=["level", "side"], values="loss_mwc")
    levels = [level for level in next(_sets(wide)) if level.startswith(JUDGED)]
    here = wide.dropna(subset=[(level, "left") for level in levels]).index
    tables = {level: _as_matches(table[(table["level"] == level) & table["match"].isin(here)]) for level in levels}
    rows = []
    for level in levels:
        for truth in dict.fromkeys((level, max(levels))):
            found = few_matches(tables[level], _law(level), offset, (tables[truth], _law(truth)), DRAWS)
            rows.append(found.assign(level=level, truth=truth))
    together = pd.concat(rows, ignore_index=True) if rows else pd.DataFrame()
    return together.reindex(columns=columns("people/judges_few"))


def _as_matches(own: pd.DataFrame) -> pd.DataFrame:
    return own.astype(dict.fromkeys(["match_length", "unforced_moves", "close_cube_decisions", *SUMS], float))


def _law(level: str) -> Chosen:
    """Return the law for errors judged at a level; one deeper than those measured takes the deepest that was."""
    nets, depth = LEVELS[level]
    return replace(choose("fitted", nets, min(depth, "2-ply")), words=level)
