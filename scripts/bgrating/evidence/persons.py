"""Coverage of a person's rating: sampling over matches and uncertain coefficients together.

A person's matches are drawn from those of one noisy player at the lengths of the study, each as likely as the others.
His true rating is what the true formula gives for all matches that he could play; the formula that rates him is
fitted to a simulated study, with its covariance, as happens in practice. The interval is the one that `human` prints.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from bgrating.dictionary import columns
from bgrating.evidence.coverage import DEFAULT_METHOD, counted
from bgrating.evidence.simulation import Studies, observations_of
from bgrating.formula.catalogue import KINDS
from bgrating.formula.formula import RatingFormula
from bgrating.formula.lines import joint
from bgrating.formula.player import Errors, rating
from bgrating.formula.rates import COUNTS
from bgrating.formula.recommended import KIND
from bgrating.formula.regressions import Fit
from bgrating.formula.shapes import form_of

OFFSET = 2050.0
COLUMNS = columns("statistics/person_coverage")


def fitted_formulas(studies: Sequence[Studies], truth: RatingFormula) -> list[RatingFormula]:
    """Fit every simulated study as the recommended formula is fitted."""
    rates: list[str] = ["epm", COUNTS[truth.epc_definition].rate]
    formulas = []
    for number in range(len(studies[0].p[DEFAULT_METHOD])):
        seen = observations_of(studies, number, DEFAULT_METHOD, rates)
        fit: Fit = joint(seen, form_of(truth.terms), KINDS[KIND].regression)
        formulas.append(replace(truth, estimate=fit.estimate, covariance=fit.covariance, dof=float(fit.dof[0])))
    return formulas


def person_coverage(
    matches: pd.DataFrame,
    formulas: Sequence[RatingFormula],
    truth: RatingFormula,
    players: Sequence[str],
    counts: Sequence[int],
    rng: np.random.Generator,
) -> pd.DataFrame:
    """Rate every player once with each formula, from `counts` matches, and count the intervals that hold (COLUMNS)."""
    columns = [
        "match_length", "player_chequer_error_emg", "player_unforced_moves", "player_cube_error_emg",
        f"player_{COUNTS[truth.epc_definition].per}",
    ]  # fmt: skip
    rows = []
    for player in players:
        mine = matches[(matches["player"] == player) & matches["match_length"].isin(truth.match_lengths)]
        pools = [group[columns].to_numpy(float) for _, group in mine.groupby("match_length", sort=True)]
        # Whoever plays each length as often has the errors and decisions of the mean match of each.
        everything = np.array([pool.mean(axis=0) for pool in pools])
        true = rating(Errors(*everything.T), truth, OFFSET).value
        for count in counts:
            answers = []
            for formula in formulas:
                length = rng.integers(len(pools), size=count)
                drawn = np.array([pools[i][rng.integers(len(pools[i]))] for i in length])
                found = rating(Errors(*drawn.T), formula, OFFSET)
                answers.append((found.value, found.low, found.high, (found.high - found.low) / 2))
            told = counted(np.array(answers), true)
            told["mean_half_width"] = told.pop("mean_std_error")
            rows.append({"player": player, "matches": count, "true_rating": true, **told})
    return pd.DataFrame(rows, columns=COLUMNS)
