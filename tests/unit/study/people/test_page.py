"""The page of the check and its answers: on people of known strength, and on collections that cannot answer."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import simulated_people
from bgrating.rating.choose import choose
from study.people.page import in_short, people_page, summary
from study.people.scale import ALL
from study.people.tables import Check, check

NETS = "1.07.001"


def checked(matches: pd.DataFrame) -> Check:
    return check(matches, choose("published", NETS), 2050.0, NETS)


def people(matches: int = 120, seed: int = 1) -> pd.DataFrame:
    return simulated_people.collection(np.random.default_rng(seed), players=30, matches=matches)


@pytest.mark.parametrize("kind", ["few", "money", "no luck", "nothing"])
def test_a_collection_that_cannot_answer_says_so(kind: str) -> None:
    table = people(matches=5 if kind == "few" else 40)
    if kind == "money":
        table = table.assign(match_length=0, luck_adjusted_result=np.nan, actual_result=np.nan, recorded_rating=np.nan)
    elif kind == "no luck":
        table = table.assign(luck_adjusted_result=np.nan)
    elif kind == "nothing":
        table = table.head(0)
    found = checked(table)
    page = people_page("test", found, {"analysis": "0-ply"})
    assert in_short(found)[0].startswith("What errors cost: this collection is too small; 60 decided matches")
    assert summary(found, "x").endswith("Page: x\n")
    assert page.count("<h2>") >= 3


@pytest.fixture(name="found", scope="module")
def _found() -> Check:
    return checked(people())


def test_every_sentence_carries_figures_and_a_number_of_matches_or_players(found: Check) -> None:
    sentences = in_short(found)
    assert len(sentences) == 2
    for sentence in sentences:
        assert re.search(r"\d(?: decided)? (?:matches|players|people)", sentence), sentence


@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.9, 1.2, "ratings take the formula as it is"),
        (1.1, 1.3, "That is more than noise's errors cost."),
        (0.5, 0.9, "That is less than noise's errors cost."),
    ],
)
def test_a_verdict_follows_the_interval(found: Check, low: float, high: float, words: str) -> None:
    scale = found.tables["scale"].copy()
    scale.loc[scale["group"] == ALL, ["estimate", "ci_low", "ci_high"]] = ((low + high) / 2, low, high)
    (first, *_) = in_short(replace(found, tables=found.tables | {"scale": scale}))
    assert words in first
    assert f"{(low + high) / 2:.2f}" in first
