"""The rating estimate: exact where it must be, unbiased and covered where errors are random."""

import math

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from bgrating.people.players import _NUMBERS, LEAST_DECISIONS, PROVISIONAL, players_table, stored_field
from bgrating.rating.choose import choose
from bgrating.rating.files import field_table
from bgrating.rating.formula import RatingFormula
from bgrating.rating.player import match_rating, rating
from unit.rating.test_player import players

Floats = NDArray[np.float64]
OFFSET = 2050.0
NETS = "1.07.001"


@pytest.fixture(scope="module", name="published")
def _published() -> RatingFormula:
    return choose("published", NETS).formula


def simulated(published: RatingFormula, matches: int, runs: int) -> tuple[Floats, float, float]:
    """Return estimates less the truth, the share of intervals that hold it, and the plain mean's squared error."""
    lengths = np.array([3.0, 5.0, 5.0, 7.0])
    weights = lengths * (12 + 1.8)
    losses = [published.rating_difference(length, epm=0.008, epc=0.03)[0] for length in lengths]
    truth = OFFSET - float(np.average(losses, weights=weights))
    source = players(20240607, matches, lengths)
    estimates, covered, plain = [], 0, []
    for _ in range(runs):
        errors = next(source)
        estimate = rating(errors, published, OFFSET)
        estimates.append(estimate.value - truth)
        covered += estimate.low <= truth <= estimate.high
        plain.append(float(match_rating(errors, published, OFFSET).mean()) - truth)
    return np.array(estimates), covered / runs, float(np.mean(np.square(plain)))


@pytest.mark.parametrize(("matches", "least"), [(3, 0.83), (10, 0.85), (40, 0.87)])
def test_the_interval_holds_the_truth_as_often_as_it_says(published: RatingFormula, matches: int, least: float) -> None:
    runs = 600
    errors, covered, plain_square = simulated(published, matches, runs)
    noise = errors.std() / math.sqrt(runs)
    assert abs(errors.mean()) < 3 * noise + 3.0
    assert least <= covered <= 0.94
    assert np.mean(errors**2) < plain_square


def table_of(**players: list[tuple[float, float, float]]) -> pd.DataFrame:
    """Return matches of players against others: unforced moves, chequer error and luck-adjusted result of each."""
    columns = dict.fromkeys([*_NUMBERS, "status", "date"], "")
    rows = [
        columns | dict.fromkeys(_NUMBERS, 0.0) | {"player": name, "opponent": "another", "match_length": 5.0}
        | {"unforced_moves": moves, "chequer_error_emg": error, "luck_adjusted_result": luck, "won": 1.0}
        for name, matches in players.items()
        for moves, error, luck in matches
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_a_player_of_few_decisions_has_no_rating_and_provisional_ones_come_after_the_others() -> None:
    assert LEAST_DECISIONS < PROVISIONAL
    matches = table_of(
        lucky=[(1.0, 0.0, 0.4)],
        short=[(LEAST_DECISIONS + 0.0, 0.2, 0.1)] * 3,
        almost=[(PROVISIONAL - 1.0, 0.4, 0.1)],
        solid=[(PROVISIONAL + 0.0, 1.0, 0.1)],
        money=[],
    )
    stored = pd.read_csv(field_table("1.08"))
    found, field = players_table(matches, choose("published", NETS), OFFSET, stored)
    assert field is not None
    found = found.set_index("player")
    assert found.index.tolist() == ["solid", "short", "almost", "lucky"]
    assert found["standing"].tolist() == ["rated", "provisional", "provisional", "none"]
    lucky = found.loc["lucky", ["rating", "ci_low", "ci_high", "shrunk_rating", "shrunk_low", "shrunk_high"]]
    assert lucky.isna().all()
    assert found.loc["lucky", "rated_matches"] == 1
    assert found.loc["almost", ["rating", "ci_low", "ci_high"]].notna().all()


def test_the_stored_field_is_rated_as_the_0_ply_analysis_that_judged_it() -> None:
    stored = pd.read_csv(field_table("1.08"))
    shallow, deep = (stored_field(stored, choose("fitted", "1.08", level)) for level in ("0-ply", "2-ply"))
    assert deep == shallow


def test_a_luck_based_difference_has_an_interval_or_is_not_shown() -> None:
    matches = table_of(one=[(90.0, 0.4, 0.45)], two=[(90.0, 0.4, 0.2), (90.0, 0.4, 0.1)])
    found = players_table(matches, choose("published", NETS), OFFSET)[0].set_index("player")
    columns = ["luck_based_rating_difference", "luck_based_ci_low", "luck_based_ci_high"]
    assert found.loc["one", columns].isna().all()
    assert found.loc["two", columns].notna().all()
