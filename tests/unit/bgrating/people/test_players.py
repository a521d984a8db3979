"""The rating estimate: exact where it must be, unbiased and covered where errors are random."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from bgrating.people import players as people
from bgrating.people.players import LEAST_DECISIONS, PROVISIONAL, players_table
from bgrating.rating.choose import choose
from bgrating.rating.player import match_rating
from bgrating.rating.result_files import population_table
from unit.bgrating.rating.test_player import ENGINE_VERSION, OFFSET, PUBLISHED, players, rating

Floats = NDArray[np.float64]


def simulated(matches: int, runs: int) -> tuple[Floats, Floats]:
    """Return errors of the estimates, and of the plain means of the matches' ratings."""
    lengths = np.array([3.0, 5.0, 5.0, 7.0])
    weights = lengths * (12 + 1.8)
    losses = [PUBLISHED.rating_difference(length, epm=0.008, epc=0.03)[0] for length in lengths]
    truth = OFFSET - float(np.average(losses, weights=weights))
    source = players(20240607, matches, lengths)
    drawn = [next(source) for _ in range(runs)]
    estimates = np.array([rating(errors, PUBLISHED).rating for errors in drawn])
    plain = np.array([match_rating(errors, PUBLISHED, OFFSET).mean() for errors in drawn])
    return estimates - truth, plain - truth


@pytest.mark.parametrize(
    ("played", "whose"), [([10, 9], "ann"), ([9, 10], "bob"), ([10, 10], ""), ([8, 8], "")]
)
def test_a_collection_is_of_the_one_player_of_nine_tenths_of_its_matches(
    played: list[int], whose: str
) -> None:
    table = pd.DataFrame({"player": ["ann", "bob"], "matches": played})
    assert people.owner(table, 11) == whose


def test_the_rating_by_sums_is_unbiased_and_scatters_less_than_the_mean_of_ratings() -> None:
    """The intervals are those of `rate.own_rating` in results/calibration."""
    estimates, plain = simulated(10, 300)
    noise = estimates.std() / math.sqrt(len(estimates))
    assert abs(estimates.mean()) < 3 * noise + 3.0
    assert np.mean(estimates**2) < np.mean(plain**2)


def table_of(**players: list[tuple[float, float, float]]) -> pd.DataFrame:
    """Return matches: unforced moves, chequer error and luck-adjusted result of each player."""
    rows = [
        dict.fromkeys(people._NUMBERS, 0.0)
        | {"status": "", "date": ""}
        | {"player": name, "opponent": "another", "match_length": 5.0}
        | {
            "unforced_moves": moves,
            "chequer_error_emg": error,
            "luck_adjusted_result": luck,
            "won": 1.0,
        }
        for name, matches in players.items()
        for moves, error, luck in matches
    ]
    return pd.DataFrame(rows)


def test_a_player_of_few_decisions_has_no_rating_and_provisional_ones_come_after_the_others() -> (
    None
):
    assert LEAST_DECISIONS < PROVISIONAL
    players = {"lucky": [(1.0, 0.0, 0.4)], "short": [(LEAST_DECISIONS + 0.0, 0.2, 0.1)] * 3}
    players |= {"almost": [(PROVISIONAL - 1.0, 0.4, 0.1)], "money": []}
    players |= {"solid": [(PROVISIONAL + 0.0, 1.0, 0.1)]}
    matches = table_of(**players)
    stored = pd.read_csv(population_table("1.08"))
    found, population = players_table(matches, choose("published", ENGINE_VERSION), OFFSET, stored)
    assert population is not None
    found = found.set_index("player")
    assert found.index.tolist() == ["solid", "almost", "short", "lucky"]
    assert found["standing"].tolist() == ["rated", "provisional", "provisional", "none"]
    lucky = found.loc["lucky", ["rating", "ci_low", "ci_high", "own_rating", "own_low", "own_high"]]
    assert lucky.isna().all()
    assert found.loc["lucky", "rated_matches"] == 1
    assert found.loc["almost", ["rating", "ci_low", "ci_high"]].notna().all()


def test_the_stored_field_is_rated_as_the_0_ply_analysis_that_judged_it() -> None:
    stored = pd.read_csv(population_table("1.08"))
    shallow, deep = (
        people.stored_population(stored, choose("fitted", "1.08", level))
        for level in ("0-ply", "2-ply")
    )
    assert deep == shallow


def test_sums_over_matches_by_hand() -> None:
    """A match to 5 points, one that has no end, and money play, which has no rating."""
    decisions = ["unforced_moves", "chequer_error_emg", "close_cube_decisions", "cube_error_emg"]
    results = ["luck_adjusted_result", "recorded_rating", "net_luck_mwc", "won"]
    rows = [
        (5.0, 50.0, 0.5, 10.0, 0.3, 0.2, 1800.0, 0.1, 1.0, "2026-02-01"),
        (5.0, 20.0, 0.1, 0.0, 0.0, math.nan, 1900.0, 0.7, math.nan, ""),
        (0.0, 30.0, 0.6, 5.0, 0.1, math.nan, math.nan, 0.3, math.nan, "2025-12-31"),
    ]
    matches = pd.DataFrame(rows, columns=["match_length", *decisions, *results, "date"])
    matches = matches.assign(player="ann", opponent="bob", status="analysed")
    (ann,) = players_table(matches, choose("published", ENGINE_VERSION), OFFSET)[0].to_dict(
        "records"
    )
    expected = {"player": "ann", "matches": 3, "pr": 500 * 1.6 / 115}
    expected |= {"epm": 1.2 / 100, "epc": 0.4 / 15}
    expected |= {"unforced_moves": 100, "close_cube_decisions": 15}
    expected |= {"chequer_error_emg": 1.2, "cube_error_emg": 0.4}
    ones = ("money_sessions", "decided_matches", "finished_matches", "won")
    expected |= dict.fromkeys(ones, 1) | {"rated_matches": 2}
    expected |= {"net_luck_mwc": 0.1, "luck_adjusted_result": 0.2, "recorded_rating": 1850}
    expected |= {"standing": "provisional", "domain": "inside"}
    expected |= {"first_date": "2025-12-31", "last_date": "2026-02-01"}
    expected["own_rating"] = OFFSET - (8798 + 25526 / 5) * 0.6 / 70 - (863 - 519 / 5) * 0.3 / 10
    assert {name: ann[name] for name in expected} == pytest.approx(expected)
    assert ann["rating"] == ann["own_rating"]


def test_errors_without_a_decision_have_no_rate() -> None:
    """A deeper look finds an error of the cube where the first one counted no close decision."""
    rows = {"chequer_error_emg": [0.1], "cube_error_emg": [0.2]}
    rows |= {"unforced_moves": [0], "close_cube_decisions": [0]}
    assert all(rates.isna().all() for rates in people.error_rates(pd.DataFrame(rows)).values())
