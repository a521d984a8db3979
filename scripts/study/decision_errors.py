"""How often the sequential test of a tournament errs, and how many matches it takes, on simulated tournaments."""

from dataclasses import asdict

import numpy as np
import pandas as pd

from bgrating.tables.dictionary import columns
from bgrating.tournament.decision import NOT_STRONGER, STRONGER, UNDECIDED, Question, decided, estimates, looks_of
from study.population import populations

ERROR_COLUMNS = columns("tournament/decision_errors")
TRUTHS = (-20.0, 0.0, 10.0, 20.0, 40.0)  # rating points by which the first is stronger
SEED = 2026
ALIKE = 0.6
_CHUNK = 100  # simulated tests at once


def error_rates(
    matches: pd.DataFrame, truths: tuple[float, ...], asked: Question, runs: int, seed: int
) -> pd.DataFrame:
    """Test simulated tournaments of known differences again and again: one row per true difference (ERROR_COLUMNS).

    Matches are drawn from real ones of players about as strong as each other, weighted to the true difference with luck
    of mean zero (population.py).
    """
    key = (asked.match_length, "first", "second")
    pooled = matches.assign(match_length=key[0], player=key[1], opponent=key[2])
    looks, rows = looks_of(asked, asked.most), []
    for number, truth in enumerate(truths):
        one = populations(pooled, {key: -truth}, ())[0]
        won = one.matches["actual_result"] + 0.5
        luck = one.matches["player_luck_mwc"] - one.matches["opponent_luck_mwc"]
        rng = np.random.default_rng([seed, number])
        says, taken = [], []
        for size in np.diff([*range(0, runs, _CHUNK), runs]):
            drawn = rng.choice(len(won), size=(size, asked.most), p=one.weights)
            answers = decided(asked, asked.ratio(*estimates(won[drawn], luck[drawn], looks)))
            ends = np.where((answers != UNDECIDED).any(axis=1), (answers != UNDECIDED).argmax(axis=1), len(looks) - 1)
            says.append(answers[np.arange(size), ends])
            taken.append(looks[ends])
        said, number_taken = np.concatenate(says), np.concatenate(taken)
        covariance = np.cov(np.stack([won, luck]), aweights=one.weights)
        left = covariance[0, 0] - covariance[0, 1] ** 2 / covariance[1, 1]
        about = {**asdict(asked), "truth": truth, "runs": runs}
        about |= {word: float((said == word).mean()) for word in (STRONGER, NOT_STRONGER, UNDECIDED)}
        about |= {"mean_matches": float(number_taken.mean()), "median_matches": float(np.median(number_taken))}
        about |= {"most_matches": asked.most, "fixed_matches": asked.fixed(float(left))}
        rows.append({**about, "fixed_without_luck": asked.fixed(float(covariance[0, 0]))})
    return pd.DataFrame(rows)[ERROR_COLUMNS]


def alike(matches: pd.DataFrame) -> pd.DataFrame:
    """Return the matches of the pairs of players of whom neither won more than a share of ALIKE."""
    share = matches.groupby(["player", "opponent"])["actual_result"].transform("mean") + 0.5
    return matches[(share <= ALIKE) & (share >= 1 - ALIKE)]
