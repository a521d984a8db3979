"""The data with which the page of a player filters its matches.

The script report/filter.js adds up what each match has.
"""

import math
from typing import Any

import numpy as np
import pandas as pd

from bgmatch.records import Json
from bgrating.pages.positions import rounded
from bgrating.people.practice import FAMILIES
from bgrating.rating import population
from bgrating.rating.fibs_formula import win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.player import roots_of_a2
from bgrating.site.collection_page import Collection

LEAST_MATCHES = 5
"""Smallest number of matches of a player whose page has filters."""
MOST_POINTS = 40
"""Most points of a trend."""
WINDOW = 20
"""Most matches of a point of a trend."""
LEAST_TREND = 10
"""Minimum number of matches for a trend: with fewer a point would have less than five."""
_FIGURES = {
    "length": "match_length",
    "won": "won",
    "moves": "unforced_moves",
    "close": "close_cube_decisions",
    "chequer": "chequer_error_emg",
    "cube": "cube_error_emg",
    "xgPr": "xg_pr",
    "xgDecisions": "xg_decisions",
}
"""Columns of matches.csv that pages of players add up, by their names there."""
_OTHERS = ("luck", "ratedChequer", "ratedCube", "count", "expected")
_RATES = ("epm", "epc", "depd")


def player_matches(collection: Collection) -> pd.DataFrame:
    """Return what pages of players add up: a row for a match and a player, in the order of play.

    `luck` is the net luck of complete matches, `expected` the chance of winning by the ratings of
    both players. Matches without a date are the last.
    """
    table = collection.of_players.reset_index(drop=True)
    rated_by = collection.rated_by.reset_index(drop=True)
    dates = table["date"].fillna("").replace("", None)
    day = pd.to_datetime(dates, format="ISO8601", errors="coerce")
    figures = table[list(_FIGURES.values())].astype(float).set_axis([*_FIGURES], axis=1)
    ratings = collection.players.set_index("player")["rating"]
    rating_difference = table["opponent"].map(ratings) - table["player"].map(ratings)
    length = figures["length"]
    chance = win_probability(rating_difference.to_numpy(float), length.clip(lower=1.0).to_numpy())
    is_decided = table["luck_adjusted_result"].notna()
    rows = table[["player", "file", "match"]].assign(
        opponent=table["opponent"].fillna("").astype(str),
        event=table["event"].fillna("").astype(str),
        date=day.dt.strftime("%Y-%m-%d").fillna(""),
        usable=collection.model.formula.holds_at(length.to_numpy()) & (figures["moves"] > 0),
        luck=table["net_luck_mwc"].astype(float).where(is_decided),
        ratedChequer=rated_by["chequer_error_emg"].astype(float),
        ratedCube=rated_by["cube_error_emg"].astype(float),
        count=table[collection.model.decisions].astype(float),
        expected=pd.Series(chance).where(length > 0),
        day=day,
        **figures,
    )
    return rows.sort_values(["day", "file", "match"], kind="stable").drop(columns="day")


def filter_data(collection: Collection, rows: pd.DataFrame, lost: pd.DataFrame) -> Json:
    """Return the data of a player's page.

    `rows` are the player's rows of `player_matches`. `lost` has the player's losses by match
    (`Practice.by_match`).
    """
    names = {name: pd.factorize(rows[name], sort=True) for name in ("opponent", "event")}
    numbers = [name for name in (*_FIGURES, *_OTHERS) if not name.startswith("xg")]
    columns = {name: _rounded(rows[name]) for name in numbers}
    losses, cells = _losses(rows, lost)
    return {
        "matches": columns
        | {name: codes.tolist() for name, (codes, _) in names.items()}
        | {name: rows[name].tolist() for name in ("date", "usable")}
        | {"losses": losses},
        "names": names["opponent"][1].tolist(),
        "events": names["event"][1].tolist(),
        "cells": [[FAMILIES[family], label.capitalize()] for family, label in cells],
        "formula": _worth(collection.model.formula, rows.loc[rows["usable"], "length"].unique()),
        "field": _of_field(collection),
        "offset": collection.offset,
        "confidence": CONFIDENCE,
        "quantile": quantile(CONFIDENCE),
        "t": [0.0, *(round(quantile(CONFIDENCE, dof), 6) for dof in range(1, WINDOW))],
        "window": WINDOW,
        "leastTrend": LEAST_TREND,
        "points": MOST_POINTS,
    }


def _losses(rows: pd.DataFrame, lost: pd.DataFrame) -> tuple[list[list[Any]], list[Any]]:
    """Return the losses of each match, and the cells (family and label) in which there are any.

    A loss has the number of its cell, whether it is a cube decision, its size and the number of
    errors.
    """
    index_of = {
        key: index for index, key in enumerate(zip(rows["file"], rows["match"], strict=True))
    }
    losses: list[list[Any]] = [[] for _ in range(len(rows))]
    numbers: dict[tuple[str, str], int] = {}
    for row in lost.to_dict("records"):
        cell = numbers.setdefault((row["family"], row["label"]), len(numbers))
        entry = [cell, int(row["is_cube"]), round(row["loss"], 6), int(row["errors"])]
        losses[index_of[row["file"], row["match"]]].append(entry)
    return losses, list(numbers)


def _rounded(column: pd.Series) -> list[float | None]:
    return [rounded(value, 6) for value in column.tolist()]


def _worth(formula: RatingFormula, lengths: np.ndarray) -> Json:
    """Return the formula: by match length the derivative of each term by every rate."""
    units = dict(zip(_RATES, np.eye(len(_RATES)), strict=True))
    names = [f"{length:g}" for length in lengths]
    derivatives = formula.rows(lengths[:, None], **units).tolist()
    roots = roots_of_a2(lengths, formula).tolist()
    return {
        "lengths": dict(zip(names, derivatives, strict=True)),
        "roots": dict(zip(names, roots, strict=True)),
        "estimate": formula.estimate.tolist(),
        "covariance": np.nan_to_num(formula.covariance).tolist(),
        "tau": 0.0 if math.isnan(formula.player_scatter) else formula.player_scatter,
    }


def _of_field(collection: Collection) -> Json | None:
    recorded = collection.provenance.get("field")
    if not recorded:
        return None
    return {
        **{name: recorded[name] for name in ("mean", "sd", "scatter")},
        "meanSe": recorded["mean_se"],
        "prior": population.PRIOR,
        "shares": [1 - population.STRANGERS, population.STRANGERS],
        "widths": [1.0, population.WIDER],
    }
