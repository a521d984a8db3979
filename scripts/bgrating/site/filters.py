"""The data with which the page of a player filters its matches.

The script report/filter.js adds up what each match has.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgmatch.records import Json
from bgrating.people.practice import FAMILIES, Practice
from bgrating.rating import field
from bgrating.rating.fibs import win_probability
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
_RATES = ("epm", "epc", "depd")


class Filters:
    """What all pages of a collection share.

    The formula, the field of players, and columns of the matches.
    """

    def __init__(self, collection: Collection, days: Sequence[str]) -> None:
        """`days` are the dates of the matches."""
        table = collection.of_players.reset_index(drop=True)
        model = collection.model
        self._formula = model.formula
        self._offset = collection.offset
        self._field = collection.provenance.get("field") or {}
        self._days = days
        self._text = {
            name: table[name].fillna("").astype(str).to_numpy() for name in ("opponent", "event")
        }
        names = ("match_length", "won", "unforced_moves", "close_cube_decisions")
        self._numbers = {name: table[name].to_numpy(float, na_value=math.nan) for name in names}
        self._numbers |= {
            "chequer": table["chequer_error_emg"].to_numpy(float),
            "cube": table["cube_error_emg"].to_numpy(float),
            "luck": table["net_luck_mwc"]
            .where(table["luck_adjusted_result"].notna())
            .to_numpy(float),
            "ratedChequer": collection.rated_by["chequer_error_emg"].to_numpy(float),
            "ratedCube": collection.rated_by["cube_error_emg"].to_numpy(float),
            "count": table[model.decisions].to_numpy(float),
            "expected": expected(collection),
        }

    def of(
        self,
        places: NDArray[np.intp],
        losses: Mapping[int, list[Any]],
        cells: Sequence[tuple[str, str]],
    ) -> Json:
        """Return the data of a player's page.

        `places` are the rows of the player's matches in the order of play.

        `losses` has a list for each of the places: the number of a cell, whether it is a cube
        decision, the loss and the number of errors.
        """
        lengths = self._numbers["match_length"][places]
        usable = self._formula.holds_at(lengths) & (self._numbers["unforced_moves"][places] > 0)
        coded = {
            name: np.unique(values[places], return_inverse=True)
            for name, values in self._text.items()
        }
        columns = {name: _rounded(values[places]) for name, values in self._numbers.items()}
        renamed = {
            "match_length": "length",
            "unforced_moves": "moves",
            "close_cube_decisions": "close",
        }
        return {
            "matches": {renamed.get(name, name): values for name, values in columns.items()}
            | {name: codes.tolist() for name, (_, codes) in coded.items()}
            | {"date": [self._days[place] for place in places], "usable": usable.tolist()}
            | {"losses": [losses.get(int(place), []) for place in places]},
            "names": coded["opponent"][0].tolist(),
            "events": coded["event"][0].tolist(),
            "cells": [[FAMILIES[family], words.capitalize()] for family, words in cells],
            "formula": self._worth(np.unique(lengths[usable])),
            "field": self._of_field(),
            "offset": self._offset,
            "confidence": CONFIDENCE,
            "quantile": quantile(CONFIDENCE),
            "t": [
                round(quantile(CONFIDENCE, float(dof)), 6) if dof else 0.0 for dof in range(WINDOW)
            ],
            "window": WINDOW,
            "leastTrend": LEAST_TREND,
            "points": MOST_POINTS,
        }

    def _worth(self, lengths: NDArray[np.float64]) -> Json:
        """Return the formula: by match length the derivative of each term by every rate."""
        formula: RatingFormula = self._formula
        roots = roots_of_a2(lengths, formula).tolist() if len(lengths) else list[float]()

        def derivatives(length: float) -> list[list[float]]:
            rates = [{name: float(name == one) for name in _RATES} for one in _RATES]
            return [formula.rows(length, **each).tolist() for each in rates]

        return {
            "lengths": {f"{length:g}": derivatives(length) for length in lengths},
            "roots": {f"{length:g}": root for length, root in zip(lengths, roots, strict=True)},
            "estimate": formula.estimate.tolist(),
            "covariance": np.nan_to_num(formula.covariance).tolist(),
            "tau": 0.0 if math.isnan(formula.player_scatter) else formula.player_scatter,
        }

    def _of_field(self) -> Json | None:
        if not self._field:
            return None
        own = {name: self._field[name] for name in ("mean", "sd", "scatter")}
        spread = {"shares": [1 - field.STRANGERS, field.STRANGERS], "widths": [1.0, field.WIDER]}
        return own | spread | {"meanSe": self._field["mean_se"], "prior": field.PRIOR}


def expected(collection: Collection) -> NDArray[np.float64]:
    """Return the chance of winning of every row of matches by the ratings of both players.

    NaN where one has none.
    """
    table = collection.matches
    ratings = collection.players.set_index("player")["rating"]
    own, other = (table[side].map(ratings).to_numpy(float) for side in ("player", "opponent"))
    length = table["match_length"].to_numpy(float)
    chance = win_probability(other - own, np.where(length > 0, length, 1.0))
    return np.where((length > 0) & np.isfinite(own - other), chance, math.nan)


def losses_of(
    practice: Practice, player: str, rows: Mapping[tuple[str, int], int]
) -> tuple[Any, Any]:
    """Return the cells in which a player lost something, and the losses of each match
    (`Filters.of`).

    `rows` has the places of the player's matches by file and number.
    """
    numbers: dict[tuple[str, str], int] = {}
    losses: dict[int, list[Any]] = {}
    for row in practice.by_match(player).to_dict("records"):
        cell = numbers.setdefault((row["family"], row["cell"]), len(numbers))
        entry = [cell, int(row["is_cube"]), round(row["loss"], 6), int(row["errors"])]
        losses.setdefault(rows[row["file"], row["match"]], []).append(entry)
    return list(numbers), losses


def _rounded(values: NDArray[np.float64]) -> list[float | None]:
    return [None if math.isnan(value) else round(value, 6) for value in values.tolist()]
