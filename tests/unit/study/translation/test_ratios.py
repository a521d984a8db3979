"""The statistics of the translation on matches whose translation is known."""

from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from bgrating.rating.pairs import pairs as people_pairs
from simulated_people import collection
from study.translation import NEW, OLD, PEOPLE
from study.translation.ratios import ABOUT, FIGURES, SCHEMA, clusters, of_totals, ratios


@cache
def drawn(matches: int = 400) -> pd.DataFrame:
    """Return a collection's matches (tests/simulated_people.py)."""
    return collection(np.random.default_rng(7), matches=matches)[0]


def people(chequer: float = 1.0, cube: float = 1.0, luck: float = 0.0) -> pd.DataFrame:
    """Return pairs of people whose errors the new nets find so many times as large; luck shifts by so much."""
    old = drawn().assign(file="club/" + drawn()["file"])
    new = old.assign(chequer_error_emg=old["chequer_error_emg"] * chequer, cube_error_emg=old["cube_error_emg"] * cube)
    turn = np.where(new["side"] == "left", 1, -1)
    new["luck_adjusted_result"] = new["luck_adjusted_result"] + luck * turn
    tables = {nets: people_pairs(table) for nets, table in ((OLD, old), (NEW, new))}
    about = tables[OLD].assign(source="club", played_by="", shard=0)[list(ABOUT)]
    figures = {f"{name}_{nets}": table[name] for nets, table in tables.items() for name in FIGURES}
    table = pd.concat([about, pd.DataFrame(figures)], axis=1)[SCHEMA.names]
    return pa.Table.from_pandas(table, schema=SCHEMA, preserve_index=False, safe=False).to_pandas()


def test_an_interval_of_a_mean_is_students() -> None:
    """Leaving single rows out gives a mean the interval of the t-test (scipy)."""
    values = np.random.default_rng(1).normal(3.0, 2.0, 50)
    terms = np.column_stack([values, np.ones(50)])
    _, *ends = of_totals(lambda t: t[:, 0] / t[:, 1], terms, np.arange(50))
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert ends == pytest.approx([expected.low, expected.high])


def test_clusters_that_repeat_themselves_count_once() -> None:
    values = np.random.default_rng(2).normal(3.0, 2.0, 40)
    terms = np.column_stack([np.repeat(values, 3), np.ones(120)])
    _, *ends = of_totals(lambda t: t[:, 0] / t[:, 1], terms, np.repeat(np.arange(40), 3))
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert ends == pytest.approx([expected.low, expected.high])


def test_matches_of_the_same_two_people_are_one_cluster() -> None:
    pairs = pd.DataFrame({"source": ["club"] * 3 + ["simulated"] * 2, "player": ["a", "b", "a", "x", "x"],
                          "opponent": ["b", "a", "c", "y", "y"]})  # fmt: skip
    number = clusters(pairs)
    assert number[0] == number[1]
    assert len(set(number)) == 4


def test_few_clusters_have_no_interval() -> None:
    terms = np.ones((4, 2))
    assert np.isnan(of_totals(lambda t: t[:, 0] / t[:, 1], terms, np.arange(4))[1])


def test_people_have_numbers_for_names() -> None:
    pairs = people()
    assert pairs[["player", "opponent"]].map(lambda name: name[0] == "p" and name[1:].isdigit()).all(axis=None)
    assert set(pairs["source"]) == {"club"}
    truth = drawn()
    names = truth[truth["side"] == "left"].reset_index(drop=True)["player"]
    assert (pd.crosstab(names, pairs["player"]).gt(0).sum() == 1).all()


def test_ratios_are_those_that_were_put_in() -> None:
    table = ratios(people(chequer=1.02, cube=0.8)).set_index(["source", "measure"])
    for measure, expected in (("epm", 1.02), ("cube_per_move", 0.8), ("epc", 0.8), ("epc_2003", 0.8), ("close", 1.0)):
        row = table.loc[(PEOPLE, measure)]
        assert row["ratio"] == pytest.approx(expected, rel=1e-5)
        assert row["ci_low"] == pytest.approx(row["ci_high"], rel=1e-4)  # the same in every match
    assert (table["n_matches"] == 400).all()


def test_few_matches_are_not_judged() -> None:
    assert ratios(people().head(0)).empty
