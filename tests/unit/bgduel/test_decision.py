"""The sequential test: its arithmetic by hand, its intervals by enumeration, no match too many."""

import math
from itertools import product

import numpy as np
import pytest
from statsmodels.stats.proportion import proportion_confint

from bgduel import decision
from bgduel.decision import (
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    Question,
    answers,
    estimates,
    in_units,
    with_difference,
)
from bgduel.stages import Wins, interval, stages
from bgrating.rating.fibs_formula import of_elo, rating_difference, win_probability
from bgrating.settings_files import SettingsError


def drawn(points: float, number: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw results to 3 points of a first player so much stronger; luck explains most."""
    random = np.random.default_rng(seed)
    won = (random.random(number) < float(win_probability(-points, 3))).astype(float)
    return won, 0.8 * (won - won.mean()) + random.normal(0, 0.15, number)


def test_a_look_by_hand() -> None:
    won, luck = drawn(0.0, 400, 1)
    question = Question(3, min_gain=20.0, alpha=0.05, beta=0.1)
    looks = np.array([400])
    chance, error = estimates(
        won[None, :], luck[None, :], looks, np.ones((1, 400)), decision.UNSEEN
    )
    slope = np.cov(won, luck)[0, 1] / np.var(luck, ddof=1)
    left = won - slope * luck
    assert chance[0, 0] == pytest.approx(left.mean())
    expected = (left.var(ddof=2) + decision.UNSEEN / 400) / 400
    assert error[0, 0] ** 2 == pytest.approx(expected, rel=1e-9)
    high = 1 / (1 + 10 ** (-20 * math.sqrt(3) / 2000))
    by_densities = ((left.mean() - 0.5) ** 2 - (left.mean() - high) ** 2) / (2 * error[0, 0] ** 2)
    assert question.ratio(chance, error)[0, 0] == pytest.approx(by_densities)
    assert question.bounds() == pytest.approx((math.log(0.09 / 0.955), math.log(0.91 / 0.045)))
    money = Question(0, alpha=0.05, beta=0.1)
    assert money.bounds() == pytest.approx((math.log(0.1 / 0.95), math.log(0.9 / 0.05)))


@pytest.mark.parametrize("gain", [20.0, 1.0, 0.001])
@pytest.mark.parametrize("lost", [0, 2])
@pytest.mark.parametrize("sign", [1, -1])
def test_winning_or_losing_nearly_every_match_is_a_verdict_whatever_was_asked(
    gain: float, lost: int, sign: int
) -> None:
    """The bounds are those of Clopper and Pearson by another program; luck explains no result."""
    won = np.ones(80)
    won[:lost] = 0
    won = won if sign > 0 else 1 - won
    asked = Question(1, min_gain=gain)
    table = answers(asked, won, np.random.default_rng(2).normal(0.2, 0.1, 80))
    last = with_difference(asked, table, less_luck=False).iloc[-1]
    assert last["matches"] == 40
    assert last["decision"] == (STRONGER if sign > 0 else NOT_STRONGER)
    low, high = proportion_confint(last["wins"], 40, alpha=0.1, method="beta")
    with np.errstate(divide="ignore"):
        exact = [-float(rating_difference(min(max(chance, 1e-99), 1), 1)) for chance in (low, high)]
    if lost:
        assert (last["ci_low"], last["ci_high"]) == pytest.approx(exact, rel=1e-6)
        assert last["ci_low"] < last["difference"] < last["ci_high"]
    else:
        bound = abs(exact[0] if sign > 0 else exact[1])
        told = sorted(abs(last[["difference", "ci_low", "ci_high"]]))
        assert told == pytest.approx([bound, math.inf, math.inf])
    assert decision.saved_by_luck(np.ones(80), np.arange(80.0)) == 1.0


def test_the_sequence_excludes_equal_sides_where_its_bet_has_grown_by_the_share_of_the_error_rate() -> (
    None
):
    """A uniform mixture of chances: after w of n wins 1 has become 2^n / ((n + 1) C(n, w))."""
    asked = Question(1, min_gain=0.001, alpha=0.05, beta=0.1)
    for matches in (40, 60):
        wins = np.arange(matches + 1)
        grown = np.array([2**matches / ((matches + 1) * math.comb(matches, won)) for won in wins])
        above = (wins > matches / 2) & (grown >= 1 / 0.005)
        below = (wins < matches / 2) & (grown >= 1 / 0.01)
        stops = asked.stops(wins / matches, np.ones(matches + 1), wins, matches)
        assert stops.tolist() == (above.astype(int) - below).tolist()


def test_money_games_and_results_less_luck_have_no_sequence() -> None:
    table = answers(Question(0, min_gain=0.001, equal=0.0), np.tile([8.0, 9.0], 20), np.zeros(40))
    assert table["decision"].iloc[-1] == UNDECIDED


def test_luck_that_explains_results_saves_matches() -> None:
    won, luck = drawn(0.0, 4000, 9)
    residual = won - np.polyval(np.polyfit(luck, won, 1), luck)
    assert decision.saved_by_luck(won, luck) == pytest.approx(won.var() / residual.var())
    other = np.random.default_rng(4).normal(0, 0.2, 4000)
    assert decision.saved_by_luck(won, other) == pytest.approx(1, abs=0.01)


def test_the_test_stops_at_the_first_look_that_decides() -> None:
    for points, answer in ((120.0, STRONGER), (-120.0, NOT_STRONGER)):
        won, luck = drawn(points, 5000, 3)
        table = answers(Question(3), won, luck)
        assert table["decision"].iloc[-1] == answer
        assert (table["decision"].iloc[:-1] == UNDECIDED).all()
        assert table["matches"].iloc[-1] < 5000
        told = with_difference(Question(3), table, less_luck=True)
        last = told.iloc[-1]
        assert last["ci_low"] < last["difference"] < last["ci_high"]
        assert told["ci_low"].iloc[:-1].isna().all()
    assert decision.looks_of(Question(3, step=30), 200).tolist() == [60, 90, 120, 150, 180]
    last = decision.looks_of(Question(3, step=30, max_matches=200), 200)
    assert last.tolist() == [60, 90, 120, 150, 180, 200]
    assert decision.looks_of(Question(3, max_matches=1), 1).tolist() == [1]


def test_forfeits_alone_decide_nothing() -> None:
    """2 % of the matches are lost by forfeit. Without them the first side is stronger."""
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
        test = decision.question_of({"better": 0.3}, 0, 20)
        table = with_difference(test, answers(test, won, luck), less_luck=True)
        last = table.iloc[-1]
        assert last["decision"] == answer
        assert last["chance"] == pytest.approx(mean, abs=0.15)
        assert last["difference"] == pytest.approx(mean, abs=0.15)
        assert last["ci_low"] < mean < last["ci_high"]
        assert last["wins"] == (won[: last["matches"]] > 0).sum()
        assert list(in_units(test, table)) == ["points a game", "normalised Elo"]
    assert decision.question_of({}, 0, 20).min_gain == 0.05
    with pytest.raises(SettingsError, match="--elo0 and --elo1 go together; they are for matches"):
        decision.question_of({"elo0": 0.0, "elo1": 5.0}, 0, 20)


def test_a_finite_mean_of_money_games_is_told_as_one_however_large() -> None:
    table = answers(Question(0), np.full(40, 9.0), np.zeros(40))
    units = in_units(Question(0), with_difference(Question(0), table, less_luck=False))
    difference, low, high = units["points a game"]
    assert difference == pytest.approx(9)
    assert 8 < low < 9 < high < 10


@pytest.mark.parametrize("length", [0, 1, 3])
@pytest.mark.parametrize("won", [0.0, 1.0])
def test_one_match_says_nearly_nothing(length: int, won: float) -> None:
    asked = Question(length, max_matches=1)
    table = with_difference(asked, answers(asked, np.array([won]), np.zeros(1)), less_luck=False)
    last = table.iloc[-1]
    assert (last["matches"], last["decision"]) == (1, UNDECIDED)
    assert last["ci_low"] < 0 < last["ci_high"]
    if length:
        # One win: chances from 5 % on; one loss: up to 95 %.
        bound = last["ci_low"] if won else -last["ci_high"]
        assert bound == pytest.approx(-2000 / math.sqrt(length) * math.log10(19))


STEP, LOOKS = 3, (3, 6, 9)


def stop_at(wins: int, matches: int) -> int:
    return (wins - matches / 2 >= 1.5) - (wins - matches / 2 <= -1.5)


def by_enumeration(chance: float) -> dict[tuple[int, int], float]:
    """Return the chances of all outcomes (look, wins) of a small test, path by path."""
    found: dict[tuple[int, int], float] = {}
    for path in product((0, 1), repeat=LOOKS[-1]):
        look = next((i for i, n in enumerate(LOOKS) if stop_at(sum(path[:n]), n)), len(LOOKS) - 1)
        weight = chance ** sum(path) * (1 - chance) ** (LOOKS[-1] - sum(path))
        outcome = look, sum(path[: LOOKS[look]])
        found[outcome] = found.get(outcome, 0.0) + weight
    return found


@pytest.mark.parametrize("outcome", [(0, 0), (0, 3), (1, 1), (1, 5), (2, 3), (2, 4), (2, 6)])
def test_ends_of_an_interval_leave_5_percent_beyond_by_enumeration(
    outcome: tuple[int, int],
) -> None:
    """The earlier a test stopped above, the higher it ranks; at one look by wins."""

    def rank(other: tuple[int, int]) -> tuple[int, int]:
        look, wins = other
        return stop_at(wins, LOOKS[look]) * (len(LOOKS) - look), wins

    def stops(means: np.ndarray, matches: int) -> np.ndarray:
        return np.array([stop_at(round(mean * matches), matches) for mean in means])

    looks = stages(Wins(0.5), np.array(LOOKS), stops)[: outcome[0] + 1]
    middle, low, high = interval(Wins(0.5), looks, outcome[1] / LOOKS[outcome[0]])
    at_low, at_high = by_enumeration(low), by_enumeration(high)
    above = sum(at_low[other] for other in at_low if rank(other) >= rank(outcome))
    below = sum(at_high[other] for other in at_high if rank(other) <= rank(outcome))
    assert above == (pytest.approx(0.05) if low > 0 else 1)
    assert below == (pytest.approx(0.05) if high < 1 else 1)
    assert low < middle < high or middle in {0, 1}


def test_results_without_luck_and_wins_have_nearly_the_same_interval() -> None:
    """Wins of long tests that the sequence does not end are a normal walk."""
    asked = Question(1, min_gain=10.0, max_matches=4000)
    random = np.random.default_rng(8)
    for elo in (0.0, 5.0):
        chance = float(win_probability(-of_elo(elo, 1), 1))
        won = (random.random(4000) < chance).astype(float)
        table = answers(asked, won, np.zeros(4000))
        by_way = [with_difference(asked, table, less_luck=way) for way in (False, True)]
        wins, normal = (one.iloc[-1][["difference", "ci_low", "ci_high"]] for one in by_way)
        width = wins["ci_high"] - wins["ci_low"]
        assert normal.to_numpy(float) == pytest.approx(wins.to_numpy(float), abs=0.05 * width)
        assert width > 0.97 * (normal["ci_high"] - normal["ci_low"])


def test_the_length_of_a_test_is_that_of_wald() -> None:
    """Between N(0, 1) and N(1, 1) with errors of 5 % a test takes 5.3 numbers (Wald, 1945)."""
    assert Question(0, min_gain=1.0).expected_matches(1.0) == pytest.approx(5.3, abs=0.01)
    assert Question(0, min_gain=0.1).expected_matches(9.0) == pytest.approx(4770, abs=5)
