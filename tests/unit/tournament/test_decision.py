"""The sequential test: its arithmetic by hand, its error rates in simulated tournaments, and no match too many."""

import math

import numpy as np
import pandas as pd
import pytest

from bgrating.rating.fibs import win_probability
from bgrating.settings import SettingsError
from bgrating.tournament.decision import (
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    UNSEEN,
    Question,
    answers,
    estimates,
    in_units,
    looks_of,
    question,
)
from study.decision_errors import error_rates


def drawn(points: float, number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw results to 3 points of a first player so much stronger; net luck explains most of each."""
    random = np.random.default_rng(seed)
    won = (random.random(number) < float(win_probability(-points, 3))).astype(float)
    return won, 0.8 * (won - won.mean()) + random.normal(0, 0.15, number)


def test_a_look_by_hand() -> None:
    won, luck = drawn(0.0, 400, 1)
    question = Question(3, min_gain=20.0, alpha=0.05, beta=0.1)
    chance, error = estimates(won[None, :], luck[None, :], np.array([400]))
    slope = np.cov(won, luck)[0, 1] / np.var(luck, ddof=1)
    left = won - slope * luck
    assert chance[0, 0] == pytest.approx(left.mean())
    assert error[0, 0] ** 2 == pytest.approx((left.var(ddof=2) + UNSEEN / 400) / 400, rel=1e-9)
    high = 1 / (1 + 10 ** (-20 * math.sqrt(3) / 2000))
    by_densities = ((left.mean() - 0.5) ** 2 - (left.mean() - high) ** 2) / (2 * error[0, 0] ** 2)
    assert question.ratio(chance, error)[0, 0] == pytest.approx(by_densities)
    assert question.bounds() == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))


def test_results_that_are_all_alike_are_taken_less_their_luck() -> None:
    luck = np.random.default_rng(2).normal(0.2, 0.1, 200)
    chance, error = estimates(np.ones((1, 200)), luck[None, :], np.array([200]))
    assert chance[0, 0] == pytest.approx(1 - luck.mean())
    assert error[0, 0] > 0


def test_the_test_stops_at_the_first_look_that_decides() -> None:
    for points, decision in ((120.0, STRONGER), (-120.0, NOT_STRONGER)):
        won, luck = drawn(points, 5000, 3)
        table = answers(Question(3), won, luck)
        assert table["decision"].iloc[-1] == decision
        assert (table["decision"].iloc[:-1] == UNDECIDED).all()
        assert table["matches"].iloc[-1] < 5000
        assert (table["ci_low"].fillna(-np.inf) < table["difference"]).all()
        assert (table["difference"] < table["ci_high"].fillna(np.inf)).all()
    assert looks_of(Question(3, step=30), 200).tolist() == [60, 90, 120, 150, 180]


def test_error_rates_in_simulated_tournaments() -> None:
    """Three standard errors of 500 tests above the rates that were asked for; both hypotheses, and far from them."""
    random = np.random.default_rng(5)
    won = (random.random(3000) < 0.5).astype(float)
    net = 0.8 * (won - 0.5) + random.normal(0, 0.15, 3000)
    matches = pd.DataFrame({"actual_result": won - 0.5, "player_luck_mwc": net / 2, "opponent_luck_mwc": -net / 2})
    matches["luck_adjusted_result"] = matches["actual_result"] - net
    question = Question(3, min_gain=40.0, alpha=0.05, beta=0.1, step=50, max_matches=4000)
    table = error_rates(matches, (0.0, 1.0, 2.0), question, 500, 1).set_index("truth")
    assert table.loc[0.0, f"{STRONGER}_low"] < table.loc[0.0, STRONGER] < table.loc[0.0, f"{STRONGER}_high"]
    assert table["elo1"].tolist() == pytest.approx([40 * math.sqrt(3) / 5] * 3)
    assert table.loc[0.0, STRONGER] <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / 500)
    assert table.loc[40.0, NOT_STRONGER] <= 0.1 + 3 * math.sqrt(0.1 * 0.9 / 500)
    assert table.loc[80.0, STRONGER] > 0.98
    assert (table["mean_matches"] < table["fixed_matches"]).all()
    assert (table["fixed_matches"] < table["fixed_without_luck"]).all()


def test_forfeits_alone_decide_nothing() -> None:
    """2 % of the matches are lost by forfeit: with them the first side is not stronger, without them it is."""
    won, luck = drawn(25.0, 6000, 3)
    forfeited = (np.arange(6000) % 50 == 0).astype(float)
    lost = np.where(forfeited > 0, 0.0, won)
    assert answers(Question(3), won, luck)["decision"].iloc[-1] == STRONGER
    assert answers(Question(3), lost, luck)["decision"].iloc[-1] == NOT_STRONGER
    assert answers(Question(3), lost, luck, forfeited)["decision"].iloc[-1] == UNDECIDED
    assert answers(Question(3), won, luck, forfeited)["decision"].iloc[-1] == STRONGER


@pytest.mark.parametrize("most", [20, 39])
def test_a_test_without_a_look_is_refused(most: int) -> None:
    with pytest.raises(SettingsError, match=f"--most {most}: the first look is after 40 matches"):
        question({"most": most}, 3, 20)


def test_money_games_are_tested_in_points_a_game() -> None:
    """Results are points won or lost; the variance has room for a gammon of a turned cube."""
    random = np.random.default_rng(7)
    luck = random.normal(0, 2.5, 20_000)
    for mean, decision in ((0.3, STRONGER), (0.0, NOT_STRONGER)):
        won = np.rint(luck + random.normal(mean, 0.5, len(luck)))
        test = question({"better": 0.3}, 0, 20)
        table = answers(test, won, luck)
        last = table.iloc[-1]
        assert last["decision"] == decision
        assert last["difference"] == last["chance"] == pytest.approx(mean, abs=0.15)
        assert last["ci_low"] < mean < last["ci_high"]
        assert last["wins"] == (won[: last["matches"]] > 0).sum()
        assert list(in_units(test, table)) == ["points a game", "normalised Elo"]
    assert question({}, 0, 20).min_gain == 0.05
    with pytest.raises(SettingsError, match="--elo0 and --elo1 are for matches"):
        question({"elo0": 0.0, "elo1": 5.0}, 0, 20)


@pytest.mark.parametrize("length", [0, 3])
def test_an_interval_wider_than_every_result_has_no_bounds(length: int) -> None:
    """Tests of tiny differences gave a normalised Elo of some thousands in either direction after the first look."""
    won, luck = drawn(0.0, 40, 3)
    test = Question(match_length=length, min_gain=1e-4)
    (*_, value), *bounds = zip(*in_units(test, answers(test, won, luck)).values(), strict=True)
    assert abs(value) < 200
    assert [one for one in bounds if np.isfinite(one).any()] == []
    test = Question(match_length=length, min_gain=0.3 if not length else 100.0)
    assert np.isfinite(list(in_units(test, answers(test, won, luck)).values())).all()
