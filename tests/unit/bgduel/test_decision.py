"""The sequential test: its arithmetic by hand, its error rates in simulated tournaments, and no match too many."""

import math

import numpy as np
import pytest

from bgduel import decision
from bgduel.decision import NOT_STRONGER, STRONGER, UNDECIDED, Question, answers, estimates, in_units
from bgrating.rating.fibs import win_probability
from bgrating.settings import SettingsError


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
    assert error[0, 0] ** 2 == pytest.approx((left.var(ddof=2) + decision.UNSEEN / 400) / 400, rel=1e-9)
    high = 1 / (1 + 10 ** (-20 * math.sqrt(3) / 2000))
    by_densities = ((left.mean() - 0.5) ** 2 - (left.mean() - high) ** 2) / (2 * error[0, 0] ** 2)
    assert question.ratio(chance, error)[0, 0] == pytest.approx(by_densities)
    assert question.bounds() == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))


@pytest.mark.parametrize(("wins", "decided_at"), [(80, 60), (40, None)])
def test_a_side_that_wins_every_match_is_stronger(wins: int, decided_at: int | None) -> None:
    """Luck explains nothing of results that are all equal; the interval lies above 451 Elo, the bound of wins alone."""
    luck = np.random.default_rng(2).normal(0.2, 0.1, wins)
    table = answers(Question(3), np.ones(wins), luck)
    last = table.iloc[-1]
    assert last["decision"] == (STRONGER if decided_at else UNDECIDED)
    assert last["matches"] == (decided_at or wins)
    assert last["std_error"] == pytest.approx(2 / last["matches"])
    assert decision.saved_by_luck(np.ones(wins), luck) == 1.0
    at_80 = answers(Question(3, min_gain=1e-4), np.ones(80), np.zeros(80)).iloc[-1]
    assert at_80["ci_low"] * 3**0.5 / 5 > 451


def test_luck_that_explains_results_saves_matches() -> None:
    won, luck = drawn(0.0, 4000, 9)
    residual = won - np.polyval(np.polyfit(luck, won, 1), luck)
    assert decision.saved_by_luck(won, luck) == pytest.approx(won.var() / residual.var())
    assert decision.saved_by_luck(won, np.random.default_rng(4).normal(0, 0.2, 4000)) == pytest.approx(1, abs=0.01)


def test_the_test_stops_at_the_first_look_that_decides() -> None:
    for points, answer in ((120.0, STRONGER), (-120.0, NOT_STRONGER)):
        won, luck = drawn(points, 5000, 3)
        table = answers(Question(3), won, luck)
        assert table["decision"].iloc[-1] == answer
        assert (table["decision"].iloc[:-1] == UNDECIDED).all()
        assert table["matches"].iloc[-1] < 5000
        assert (table["ci_low"].fillna(-np.inf) < table["difference"]).all()
        assert (table["difference"] < table["ci_high"].fillna(np.inf)).all()
    assert decision.looks_of(Question(3, step=30), 200).tolist() == [60, 90, 120, 150, 180]


def test_forfeits_alone_decide_nothing() -> None:
    """2 % of the matches are lost by forfeit: with them the first side is not stronger, without them it is."""
    won, luck = drawn(25.0, 6000, 3)
    forfeited = (np.arange(6000) % 50 == 0).astype(float)
    lost = np.where(forfeited > 0, 0.0, won)
    data = ((won, luck), (lost, luck), (lost, luck, forfeited), (won, luck, forfeited))
    found = [answers(Question(3), *matches)["decision"].iloc[-1] for matches in data]
    assert found == [STRONGER, NOT_STRONGER, UNDECIDED, STRONGER]


def test_money_games_are_tested_in_points_a_game() -> None:
    """Results are points won or lost; the variance has room for a gammon of a turned cube."""
    random = np.random.default_rng(7)
    luck = random.normal(0, 2.5, 20_000)
    for mean, answer in ((0.3, STRONGER), (0.0, NOT_STRONGER)):
        won = np.rint(luck + random.normal(mean, 0.5, len(luck)))
        test = decision.question({"better": 0.3}, 0, 20)
        table = answers(test, won, luck)
        last = table.iloc[-1]
        assert last["decision"] == answer
        assert last["difference"] == last["chance"] == pytest.approx(mean, abs=0.15)
        assert last["ci_low"] < mean < last["ci_high"]
        assert last["wins"] == (won[: last["matches"]] > 0).sum()
        assert list(in_units(test, table)) == ["points a game", "normalised Elo"]
    assert decision.question({}, 0, 20).min_gain == 0.05
    with pytest.raises(SettingsError, match="--elo0 and --elo1 are for matches"):
        decision.question({"elo0": 0.0, "elo1": 5.0}, 0, 20)


@pytest.mark.parametrize("length", [0, 3])
def test_an_interval_is_that_of_the_matches_whatever_was_asked(length: int) -> None:
    won, luck = drawn(0.0, 40, 3)
    for gain in (1e-4, 0.3 if not length else 100.0):
        units = in_units(test := Question(match_length=length, min_gain=gain), answers(test, won, luck))
        assert np.isfinite(list(units.values())).all()
        assert list(units.values()) == list(in_units(Question(length), answers(Question(length), won, luck)).values())
