"""What the tables report, in sentences with figures: does the formula hold for people, within what error."""

from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from bgrating.pages.words import between, number
from bgrating.rating.files import FITTED
from study.people.conversions import ESTIMATED
from study.people.few import PLAIN
from study.people.scale import ALL, TOGETHER
from study.people.tables import Check

BLUNDER = 0.128
"""An error (EMG) that counts as large here: an edge of the bins."""


def in_short(check: Check) -> list[str]:
    """Answer every question from the tables in a sentence or two, or name what the collection lacks."""
    held = f"it has {number(check.decided)} decided matches with luck"
    answers = []
    for subject, answer, needed in (
        ("What errors cost", _cost, "30 decided matches with a luck analysis"),
        ("Recorded ratings", _recorded, "eight players of one site with recorded ratings"),
        ("The next match", _prediction, "50 decided matches with a luck analysis"),
        ("Shape of errors", _shape, "2,000 unforced moves"),
        ("Ratings from few matches", _few, "a player with ten matches"),
        ("PR", _conversions, "eight rated players"),
    ):
        sentences = list(answer(check.tables))
        answers += sentences or [f"{subject}: this collection is too small; {needed} are needed ({held})."]
    return answers


def _records(table: pd.DataFrame, **wanted: Any) -> list[dict[str, Any]]:
    """Return the rows of a table in which the named columns have the wanted values."""
    for name, value in wanted.items():
        table = table[table[name] == value]
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _figure(row: Mapping[str, Any], value: str, ends: str = "ci", decimals: int = 2) -> str:
    low, high = (None if pd.isna(row[f"{ends}_{end}"]) else row[f"{ends}_{end}"] for end in ("low", "high"))
    return f"{number(row[value], decimals)} {between(low, high, decimals)}"


def _cost(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["scale"], group=ALL, estimator=TOGETHER):
        verdict = "So ratings take the formula as it is, and intervals of differences include this uncertainty."
        if row["ci_low"] > 1:
            verdict = "That is more than noise's errors cost."
        if row["ci_high"] < 1:
            verdict = "That is less than noise's errors cost."
        yield (
            f"The errors of {number(row['n_players'])} people in {number(row['n_matches'])} matches cost "
            f"{_figure(row, 'estimate')} times what the formula gives. {verdict}"
        )


def _recorded(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    sites = sorted(_records(tables["calibration"], quantity="scatter"), key=lambda row: -row["n_players"])
    for row in sites[:1]:
        yield (
            f"A rating from errors and a rating recorded by {row['site']} differ by {number(row['value'])} points "
            f"(standard deviation) beyond the known errors of both ({number(row['n_players'])} players)."
        )


def _prediction(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    rows = _records(tables["slopes"], predictor=FITTED, results="luck-adjusted")
    for row in rows[:1]:
        yield (
            f"Differences predicted from other matches come out {_figure(row, 'slope')} times as large "
            f"({number(row['n_matches'])} matches). Such predictions are shrunk, so 1 is right."
        )


def _shape(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    sizes = tables["sizes"]
    large_errors = sizes[(sizes["what"] == "chequer play") & (sizes["from_emg"] >= BLUNDER - 1e-12)]
    tail = large_errors.groupby("source")["loss_share"].sum()
    if {"people", "noise"} <= set(tail.index):
        yield (
            f"People do not err like noise. Errors of {BLUNDER * 1000:.0f} milli-EMG and more are {tail['people']:.0%} "
            f"of their loss in chequer play. For noise that loses as much they are {tail['noise']:.0%} "
            f"({number(large_errors['n_matches'].max())} matches)."
        )


def _few(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["few_matches"], interval=PLAIN, matches=2):
        yield (
            f"A rating from two matches has a half-width of {number(row['median_half_width'])} points, and its 90 % "
            f"interval holds the rating of the player's other matches in {row['coverage']:.0%} ({row['n_players']} "
            "players)."
        )


def _conversions(tables: Mapping[str, pd.DataFrame]) -> Iterator[str]:
    for row in _records(tables["conversions"], conversion=ESTIMATED):
        cost = {"points": -row["estimate"], "ci_low": -row["ci_high"], "ci_high": -row["ci_low"]}
        yield (
            f"A point of PR costs {_figure(cost, 'points', decimals=1)} rating points ({number(row['n_players'])} "
            "players). XG's rule is 33."
        )
