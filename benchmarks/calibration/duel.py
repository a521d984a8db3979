"""Calibration of `decide`: intervals of simulated tests at true differences between the hypotheses.

Matches to 1 point are won at random with the true chance, and nothing is known of their luck. The
test asks for 30 Elo. Each test is a unit.
"""

from collections.abc import Iterator

import numpy as np

from bgduel.decision import Question, Test, estimates, looks_of, question_of
from bgrating.rating.fibs_formula import of_elo
from calibration.rows import Floats, Row, Said, Scale, interval_row

TRUTHS = (0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 100.0)
MOST, STEP = 4000, 20
NORMAL = 1.645  # standard errors of a 90 % interval


def rows(scale: Scale, rng: np.random.Generator) -> Iterator[Row]:
    """Yield a row for each true difference in Elo."""
    asked = question_of({"elo0": 0.0, "elo1": 30.0, "most": MOST}, 1, STEP)
    for elo in TRUTHS:
        said = ended(asked, of_elo(elo, 1), scale.units(), rng)
        yield interval_row("duel.difference", said, f"{elo:g} Elo")


def ended(asked: Question, truth: float, tests: int, rng: np.random.Generator) -> Said:
    """Return the intervals of simulated tests.

    The reference knows when the test would stop, but not that it stopped itself. Its interval is
    that of a fixed number of matches.
    """
    looks = looks_of(asked, MOST)
    won = (rng.random((tests, MOST)) < asked.chance(truth)).astype(float)
    chance, error = estimates(won, np.zeros_like(won), looks, np.ones_like(won), asked.unseen)
    wins = np.cumsum(won, axis=1)[:, looks - 1]
    stops = asked.stops(chance, error, wins, looks) != 0
    ends = np.where(stops.any(axis=1), stops.argmax(axis=1), len(looks) - 1)
    at = np.arange(tests), ends
    test = Test(asked, looks)
    found = [test.exact(int(look), number) for look, number in zip(ends, wins[at], strict=True)]
    estimate, low, high = np.array([[asked.points(mean) for mean in means] for means in found]).T
    half = NORMAL * np.sqrt(chance[at] * (1 - chance[at]) / looks[ends])
    reference = _points(asked, chance[at] + half) - _points(asked, chance[at] - half)
    return Said(np.arange(tests), low, high, estimate, truth, -reference / 2, reference / 2)


def _points(asked: Question, means: Floats) -> Floats:
    return np.array([asked.points(mean) for mean in means])
