"""From matches to players: error rates, luck and ratings of everyone in a collection."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.human.formulas import Chosen
from bgrating.human.inert import shown
from bgrating.human.ratings import Errors, luck_based_difference, match_rating, rating
from bgrating.settings import SettingsError

CONFIDENCE = 0.9
_SUMS = [
    "total_moves", "unforced_moves", "chequer_error_emg", "chequer_error_mwc", "total_cube_decisions",
    "close_cube_decisions", "close_cube_decisions_2003", "cube_error_emg", "cube_error_mwc",
]  # fmt: skip


def read_aliases(path: Path) -> dict[str, str]:
    """Read a table of aliases, CSV with the columns `alias` and `name`. Raises SettingsError naming what is wrong."""
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except (OSError, ValueError) as problem:
        raise SettingsError(f"aliases={path}: cannot be read as CSV: {problem}") from problem
    if not {"alias", "name"} <= set(table.columns):
        raise SettingsError(f"aliases={path}: needs the columns alias and name, has {', '.join(table.columns)}")
    twice = table[table.duplicated("alias") & ~table.duplicated(["alias", "name"])]
    if len(twice):
        raise SettingsError(f"aliases={path}: {twice['alias'].iloc[0]!r} stands for two names")
    return {shown(alias): shown(name) for alias, name in zip(table["alias"], table["name"], strict=True)}


def joined(matches: pd.DataFrame, aliases: Mapping[str, str]) -> pd.DataFrame:
    """Return the matches with the players' and opponents' names replaced by those the aliases stand for."""
    return matches.assign(
        **{side: matches[side].map(lambda name: aliases.get(name, name)) for side in ("player", "opponent")}
    )


def with_ratings(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Add to each row the rating that its match alone gives (`rating`), and the luck-based rating difference."""
    luck = [
        luck_based_difference(np.array([result]), np.array([length])).value if pd.notna(result) else math.nan
        for result, length in zip(
            matches["luck_adjusted_result"].astype(float), matches["match_length"].astype(float), strict=True
        )
    ]
    return matches.assign(
        rating=match_rating(_errors(matches, chosen), chosen.formula, offset), luck_based_rating_difference=luck
    )


def players_table(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return one row a player: those with a rating first, best first. Players without a name are left out.

    `matches` counts all of a player's rows, `rated_matches` those the rating is of (matches, complete or not, no money
    sessions), `decided_matches` those behind results-based figures.
    """
    named = matches[matches["player"] != ""]
    rows = [_player(str(name), group, chosen, offset) for name, group in named.groupby("player", sort=True)]
    columns = _player("", matches.iloc[:0], chosen, offset).keys()
    return pd.DataFrame(rows, columns=list(columns)).sort_values(
        ["rating", "player"], ascending=[False, True], na_position="last", ignore_index=True
    )


def _player(name: str, group: pd.DataFrame, chosen: Chosen, offset: float) -> dict[str, Any]:
    estimate = rating(_errors(group, chosen), chosen.formula, offset, CONFIDENCE)
    decided = group[group["luck_adjusted_result"].notna()]
    luck = luck_based_difference(
        decided["luck_adjusted_result"].to_numpy(float), decided["match_length"].to_numpy(float), CONFIDENCE
    )
    total = {column: float(group[column].sum()) for column in _SUMS}
    errors = total["chequer_error_emg"] + total["cube_error_emg"]
    recorded = group["recorded_rating"].astype(float)
    weights = group["unforced_moves"].where(group["error_based_rating"].notna(), 0).to_numpy(float)
    return {
        "player": name,
        "matches": len(group),
        "epm": _ratio(total["chequer_error_emg"], total["unforced_moves"]),
        "epc": _ratio(total["cube_error_emg"], total["close_cube_decisions"]),
        "pr": _ratio(500.0 * errors, total["unforced_moves"] + total["close_cube_decisions"]),
        "rating": estimate.value,
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "recorded_rating": recorded.mean() if recorded.notna().any() else math.nan,
        "rated_matches": estimate.matches,
        "rating_se_matches": estimate.se_matches,
        "rating_se_formula": estimate.se_formula,
        "error_based_rating": _ratio(float((group["error_based_rating"].fillna(0) * weights).sum()), weights.sum()),
        "epc_2003": _ratio(total["cube_error_emg"], total["close_cube_decisions_2003"]),
        "snowie_error_rate": _ratio(1000.0 * errors, float(group["moves_of_both"].sum())),
        **{column: total[column] for column in _SUMS},
        "luck_emg": group["luck_emg"].sum(min_count=1),
        "luck_mwc": group["luck_mwc"].sum(min_count=1),
        "money_sessions": int((group["match_length"] == 0).sum()),
        "incomplete_matches": int((group["status"] == "incomplete").sum()),
        "decided_matches": len(decided),
        "won": int(group["won"].fillna(False).astype(bool).sum()),
        "actual_result": decided["actual_result"].mean(),
        "luck_adjusted_result": decided["luck_adjusted_result"].mean(),
        "luck_based_rating_difference": luck.value,
        "luck_based_ci_low": luck.low,
        "luck_based_ci_high": luck.high,
        "first_date": _date(group["date"], first=True),
        "last_date": _date(group["date"], first=False),
    }


def _errors(matches: pd.DataFrame, chosen: Chosen) -> Errors:
    names = ("match_length", "chequer_error_emg", "unforced_moves", "cube_error_emg", chosen.decisions)
    return Errors(*(matches[name].fillna(0).to_numpy(float) for name in names))


def _date(dates: pd.Series, *, first: bool) -> str:
    known = sorted(date for date in dates.dropna() if date)
    return str(known[0 if first else -1]) if known else ""


def _ratio(total: float, count: float) -> float:
    return total / count if count else math.nan
