"""From matches to players: error rates, luck and ratings of everyone in a collection."""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bgrating.human.formulas import Chosen
from bgrating.human.inert import shown
from bgrating.human.ratings import Errors, luck_based_difference, match_luck_based_difference, match_rating, rating
from bgrating.settings import SettingsError

CONFIDENCE = 0.9
_SUMS = [
    "total_moves", "unforced_moves", "chequer_error_emg", "chequer_error_mwc", "total_cube_decisions",
    "close_cube_decisions", "close_cube_decisions_2003", "cube_error_emg", "cube_error_mwc",
]  # fmt: skip
_NUMBERS = [
    *_SUMS, "match_length", "luck_adjusted_result", "actual_result", "error_based_rating", "recorded_rating",
    "moves_of_both", "luck_emg", "luck_mwc", "won",
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
    luck = match_luck_based_difference(
        matches["luck_adjusted_result"].to_numpy(float), matches["match_length"].to_numpy(float)
    )
    return matches.assign(
        rating=match_rating(errors_of(matches, chosen), chosen.formula, offset), luck_based_rating_difference=luck
    )


def players_table(matches: pd.DataFrame, chosen: Chosen, offset: float) -> pd.DataFrame:
    """Return one row a player, those with most matches first. Players without a name are left out.

    `matches` counts all of a player's rows, `rated_matches` those the rating is of (matches, complete or not, no money
    sessions), `decided_matches` those behind results-based figures.
    """
    named = matches[matches["player"] != ""]
    numbers = {column: named[column].to_numpy(float, na_value=math.nan) for column in _NUMBERS}
    texts = {column: named[column].fillna("").to_numpy(str) for column in ("status", "date")}
    groups = named.groupby("player", sort=True).indices
    rows = [
        _player(str(name), {column: values[rows] for column, values in (numbers | texts).items()}, chosen, offset)
        for name, rows in groups.items()
    ]
    nobody = {column: values[:0] for column, values in (numbers | texts).items()}
    table = pd.DataFrame(rows, columns=list(_player("", nobody, chosen, offset)))
    return table.sort_values(["rated_matches", "matches", "player"], ascending=[False, False, True], ignore_index=True)


def _player(name: str, own: Mapping[str, Any], chosen: Chosen, offset: float) -> dict[str, Any]:
    estimate = rating(errors_of(own, chosen), chosen.formula, offset, CONFIDENCE, chosen.level_error)
    decided = ~np.isnan(own["luck_adjusted_result"])
    luck = luck_based_difference(own["luck_adjusted_result"][decided], own["match_length"][decided], CONFIDENCE)
    total = {column: float(np.nansum(own[column])) for column in _SUMS}
    errors = total["chequer_error_emg"] + total["cube_error_emg"]
    # gnubg's own ratings of single matches, weighted by unforced moves: what its chequer part is an average over.
    weights = np.where(np.isnan(own["error_based_rating"]), 0.0, own["unforced_moves"])
    return {
        "player": name,
        "matches": len(own["match_length"]),
        "epm": _ratio(total["chequer_error_emg"], total["unforced_moves"]),
        "epc": _ratio(total["cube_error_emg"], total["close_cube_decisions"]),
        "pr": _ratio(500.0 * errors, total["unforced_moves"] + total["close_cube_decisions"]),
        "rating": estimate.value,
        "ci_low": estimate.low,
        "ci_high": estimate.high,
        "recorded_rating": _mean(own["recorded_rating"]),
        "rated_matches": estimate.matches,
        "rating_se_matches": estimate.se_matches,
        "rating_se_formula": estimate.se_formula,
        "rating_se_level": estimate.se_level,
        "error_based_rating": _ratio(float(np.nansum(own["error_based_rating"] * weights)), float(weights.sum())),
        "epc_2003": _ratio(total["cube_error_emg"], total["close_cube_decisions_2003"]),
        "snowie_error_rate": _ratio(1000.0 * errors, float(np.nansum(own["moves_of_both"]))),
        **total,
        "luck_emg": _sum(own["luck_emg"]),
        "luck_mwc": _sum(own["luck_mwc"]),
        "money_sessions": int((own["match_length"] == 0).sum()),
        "incomplete_matches": int((own["status"] == "incomplete").sum()),
        "decided_matches": int(decided.sum()),
        "won": int(np.nansum(own["won"])),
        "actual_result": _mean(own["actual_result"][decided]),
        "luck_adjusted_result": _mean(own["luck_adjusted_result"]),
        "luck_based_rating_difference": luck.value,
        "luck_based_ci_low": luck.low,
        "luck_based_ci_high": luck.high,
        "first_date": _date(own["date"], first=True),
        "last_date": _date(own["date"], first=False),
    }


def errors_of(own: Any, chosen: Chosen) -> Errors:
    """Return the errors of matches (a table, or its columns by name) as the chosen formula counts decisions."""
    names = ("match_length", "chequer_error_emg", "unforced_moves", "cube_error_emg", chosen.decisions)
    return Errors(*(np.nan_to_num(np.asarray(own[name], dtype=float)) for name in names))


def _date(dates: Any, *, first: bool) -> str:
    known = sorted(date for date in dates if date)
    return str(known[0 if first else -1]) if known else ""


def _mean(values: Any) -> float:
    known = values[~np.isnan(values)]
    return float(known.mean()) if len(known) else math.nan


def _sum(values: Any) -> float:
    known = values[~np.isnan(values)]
    return float(known.sum()) if len(known) else math.nan


def _ratio(total: float, count: float) -> float:
    return total / count if count else math.nan
