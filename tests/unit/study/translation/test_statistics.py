"""The statistics of the translation on matches whose translation is known."""

from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from scipy import stats

from bgrating.rating.formula import RatingFormula
from bgrating.rating.pairs import pairs as people_pairs
from bgrating.rating.published import published_formula
from simulated_people import collection
from study.translation import NETS, NEW, OLD, PEOPLE, prediction
from study.translation.pairs import ABOUT, FIGURES, SCHEMA, clusters, seen_by
from study.translation.ratios import folds, of_totals, ratios


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


def own(b: float) -> RatingFormula:
    """Return a formula of cube errors per unforced move with this b."""
    return replace(
        published_formula("bilinear"),
        terms=("a2_const", "a2_inv", "b_const"),
        estimate=np.array([10_000.0, 20_000.0, b]),
        covariance=np.diag([1e4, 1e4, (b / 50) ** 2]),
        dof=15.0,
        epc_definition="moves",
    )


def test_an_interval_of_a_mean_is_students() -> None:
    """Leaving single rows out gives a mean the interval of the t-test (scipy)."""
    values = np.random.default_rng(1).normal(3.0, 2.0, 50)
    terms = np.column_stack([values, np.ones(50)])
    figure = of_totals(lambda t: t[:, 0] / t[:, 1], terms, np.arange(50))
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert (figure.low, figure.high) == pytest.approx((expected.low, expected.high))


def test_clusters_that_repeat_themselves_count_once() -> None:
    values = np.random.default_rng(2).normal(3.0, 2.0, 40)
    terms = np.column_stack([np.repeat(values, 3), np.ones(120)])
    figure = of_totals(lambda t: t[:, 0] / t[:, 1], terms, np.repeat(np.arange(40), 3))
    expected = stats.ttest_1samp(values, 0.0).confidence_interval(0.9)
    assert (figure.low, figure.high) == pytest.approx((expected.low, expected.high))


def test_few_clusters_have_no_interval() -> None:
    terms = np.ones((4, 2))
    assert np.isnan(of_totals(lambda t: t[:, 0] / t[:, 1], terms, np.arange(4)).low)


def test_folds_keep_clusters_whole_and_are_about_even() -> None:
    cluster = np.array([0] * 30 + [1] * 10 + [2] * 10 + [3] * 10 + list(range(4, 34)))
    fold = folds(cluster, 3)
    assert (pd.Series(fold).groupby(cluster).nunique() == 1).all()
    assert sorted(np.bincount(fold)) == [30, 30, 30]


def test_matches_of_the_same_two_people_are_one_cluster() -> None:
    pairs = pd.DataFrame({"source": ["club"] * 3 + ["simulated"] * 2, "player": ["a", "b", "a", "x", "x"],
                          "opponent": ["b", "a", "c", "y", "y"]})  # fmt: skip
    number = clusters(pairs)
    assert number[0] == number[1]
    assert len(set(number)) == 4


def test_people_have_numbers_for_names() -> None:
    pairs = people()
    assert pairs[["player", "opponent"]].map(lambda name: name[0] == "p" and name[1:].isdigit()).all(axis=None)
    assert set(pairs["source"]) == {"club"}
    truth = drawn()
    names = truth[truth["side"] == "left"].reset_index(drop=True)["player"]
    assert (pd.crosstab(names, pairs["player"]).gt(0).sum() == 1).all()


def test_ratios_are_those_that_were_put_in() -> None:
    table = ratios(people(chequer=1.02, cube=0.8)).set_index(["source", "by", "group", "measure"])
    for measure, expected in (("epm", 1.02), ("cube_per_move", 0.8), ("epc", 0.8), ("epc_2003", 0.8), ("close", 1.0)):
        row = table.loc[(PEOPLE, "all", "all", measure)]
        assert row["ratio"] == pytest.approx(expected, rel=1e-5)
        assert row["ci_low"] == pytest.approx(row["ci_high"], rel=1e-4)  # the same in every match
    parts = table.xs("match length", level="by")["n_matches"].groupby("measure").sum()
    assert (parts == 400).all()
    busiest = table.loc[(PEOPLE, "players", "without the busiest", "epm")]
    assert busiest["n_matches"] < 300


def test_the_same_errors_predict_alike_and_worse_ones_worse() -> None:
    same = prediction.prediction(people(chequer=1.25, cube=0.8), {})
    assert same["gain"].abs().max() < 1e-6  # each nets' rates have coefficients of their own
    pairs = people()
    noise = np.random.default_rng(5).gamma(1.0, 1.0, (4, len(pairs)))
    for place, name in enumerate(
        f"{side}_{kind}_error_emg" for side in ("player", "opponent") for kind in ("chequer", "cube")
    ):
        pairs[f"{name}_{OLD}"] = (pairs[f"{name}_{OLD}"] * noise[place]).astype(np.float32)
    table = prediction.prediction(pairs, {}).set_index(["subset", "errors", "measure"])
    row = table.loc[(PEOPLE, prediction.THIS, "squared error")]
    assert row["gain_low"] > 0
    assert row["n_clusters"] < row["n_matches"] == 400
    assert row["old"] - row["new"] == pytest.approx(row["gain"])


def test_gains_are_those_of_the_losses_written_out() -> None:
    """With formulas that are nothing but a b of 8,000 or of nothing, the losses can be computed by hand."""
    pairs = people()
    zero = replace(own(8000.0), estimate=np.array([0.0, 0.0, 0.0]))
    table = prediction.prediction(pairs, {OLD: zero, NEW: own(8000.0)}).set_index(
        ["subset", "formula", "errors", "measure"]
    )
    row = table.loc[(PEOPLE, prediction.OWN, prediction.THIS, "log loss")]
    assert row["old"] == pytest.approx(np.log(2.0))
    rates = [(pairs[f"{side}_{kind}_error_emg_{NEW}"] / pairs[f"{side}_unforced_moves_{NEW}"]).to_numpy(np.float64)
             for kind in ("chequer", "cube") for side in ("player", "opponent")]  # fmt: skip
    length = pairs["match_length"].to_numpy(np.float64)
    weaker = (10_000 + 20_000 / length) * (rates[0] - rates[1]) + 8000 * (rates[2] - rates[3])
    chance = 1 / (1 + 10 ** (weaker * np.sqrt(length) / 2000))
    won = pairs["actual_result"].to_numpy(np.float64) > 0
    assert row["new"] == pytest.approx(-np.log(np.where(won, chance, 1 - chance)).mean(), rel=1e-6)


def test_results_over_predictions_are_what_was_put_in() -> None:
    """Results that a formula gives exactly: 1 by it, 1.25 where errors are 0.8 times as large."""
    pairs = people(chequer=0.8, cube=0.8)
    view = seen_by(pairs, OLD)
    length = view["match_length"].to_numpy()
    loss = [
        (10_000 + 20_000 / length) * view[f"{side}_chequer_error_emg"] / view[f"{side}_unforced_moves"]
        + 8000 * view[f"{side}_cube_error_emg"] / view[f"{side}_unforced_moves"]
        for side in ("player", "opponent")
    ]
    weaker = loss[0] - loss[1]
    result = 1 / (1 + 10 ** (weaker * np.sqrt(length) / 2000)) - 0.5
    for nets in NETS:
        pairs[f"luck_adjusted_result_{nets}"] = result.astype(np.float32)
    table = prediction.slopes(pairs, {OLD: own(8000.0), NEW: own(8000.0)}).set_index(["subset", "formula", "errors"])
    row = table.loc[(PEOPLE, prediction.OWN, prediction.THIS)]
    assert row[["old", "new", "ratio"]].tolist() == pytest.approx([1.0, 1.25, 1.25], rel=1e-4)
    assert table.loc[(PEOPLE, prediction.OLD_FOR_BOTH, prediction.THIS), "new"] == pytest.approx(1.25, rel=1e-4)


def test_few_matches_are_not_judged() -> None:
    assert prediction.prediction(people().head(20), {}).empty
    assert prediction.slopes(people().head(20), {OLD: own(8000.0)}).empty
    assert ratios(people().head(0)).empty
