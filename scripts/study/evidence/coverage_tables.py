"""The tables of coverage, from one set of simulated studies: of coefficients, of persons' ratings, of early stopping.

A person's matches are drawn from those of one noisy player at the lengths of the study, each as likely as the others.
The true rating is what the true formula gives for all matches that could be played; the formula that rates is fitted to
a simulated study, with its covariance, as happens in practice. The interval is the one that `human` prints.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bgrating import BgratingError
from bgrating.rating.fibs import rating_difference
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, anytime_factor, quantile
from bgrating.rating.player import Errors, rating
from bgrating.rating.rates import COUNTS, KEY
from bgrating.rating.shapes import form_of
from bgrating.tables.dictionary import columns
from study.evidence import coverage
from study.evidence.simulation import LEAST, Population, Studies, observations_of, populations, simulate
from study.formula.catalogue import KINDS
from study.formula.fits import joint
from study.formula.points import points
from study.formula.recommended import KIND, METHOD

OFFSET = 2050.0
PERSONS = ("noise-0.02+noise-0.1", "expert+noise-0.4", "intermediate+noise-0.05", "noise-0.02+noise-0.8")
PERSON_MATCHES = (10, 40)
BATCH, MOST = 100, 2000
FIRST_LOOK = 100  # matches; with fewer the estimated variance is not to be trusted
STOPPED = ("expert+noise-0.1", "noise-0.02+noise-0.4", "intermediate+noise-0.1", "beginner+noise-0.4")
TARGETS = (15.0, 25.0)  # rating points, for chances above and below 0.3
WIDTH, DECIDED = "narrow enough", "a chosen value of R lies outside"
FIXED, SEQUENCE = "fixed size", "confidence sequence"
PERSON_COLUMNS, SEQUENCE_COLUMNS = columns("statistics/person_coverage"), columns("statistics/sequential")


class NoPopulationError(BgratingError, ValueError):
    """No match length has enough matches in every cell to draw studies from."""


def coverage_tables(
    matches: pd.DataFrame, formula: RatingFormula, own: RatingFormula, studies: int, cell_matches: int, seed: int
) -> dict[str, pd.DataFrame]:
    """Return the tables `coverage`, `person_coverage` and `sequential`, counted over simulated studies.

    `formula` is the recommended one, `own` that of the study with gnubg's EPC, which people may ask for by name: of it
    only the coefficients are counted, as it is fitted. The same formula twice is counted once.
    Match lengths with fewer than LEAST matches in a cell are left out. Raises NoPopulationError where none is left.
    """
    rng = np.random.default_rng(seed)
    there = truths(matches, formula)
    drawn = simulate(there, studies, cell_matches, rng)
    moved = coverage.scattered(drawn, coverage.MISFIT, rng)
    same = (own.terms, own.epc_definition) == (formula.terms, formula.epc_definition)
    table = pd.concat(
        [
            coverage.coefficient_coverage(drawn, formula, "exact", coverage.FITS),
            coverage.coefficient_coverage(moved, formula, "misfit", coverage.FITS_OF_MISFIT),
            *([] if same else _own(matches, own, studies, cell_matches, rng)),
            coverage.rating_coverage(drawn, "exact"),
        ],
        ignore_index=True,
    )
    lengths = {one.match_length for one in there}
    people = matches[matches["match_length"].isin(lengths)]
    stopping = [
        simulated_stopping(one, rng, runs=studies, batch=BATCH, most=MOST, target=TARGETS[int(one.p < 0.3)])
        for one in there
        if one.player in STOPPED
    ]
    return {
        "coverage": table,
        "person_coverage": person_coverage(
            people, fitted_formulas(drawn, formula), formula, PERSONS, PERSON_MATCHES, rng
        ),
        "sequential": pd.concat(stopping, ignore_index=True),
    }


def _own(
    matches: pd.DataFrame, own: RatingFormula, studies: int, cell_matches: int, rng: np.random.Generator
) -> Iterator[pd.DataFrame]:
    drawn = simulate(truths(matches, own), studies, cell_matches, rng)
    for world, seen in (("exact", drawn), ("misfit", coverage.scattered(drawn, coverage.MISFIT, rng))):
        yield coverage.coefficient_coverage(seen, own, world, (coverage.DEFAULT,), coverage.OWN)


def truths(matches: pd.DataFrame, formula: RatingFormula) -> list[Population]:
    """Return populations of the cells of every length that has enough matches, with R as the formula gives it."""
    sizes = matches.groupby(KEY, observed=True).size().groupby("match_length").min()
    whole = matches[matches["match_length"].isin(sizes[sizes >= LEAST].index)]
    if whole.empty:
        raise NoPopulationError(f"no match length has {LEAST} matches in every cell: play more of the study first")
    rate = COUNTS[formula.epc_definition].rate
    rows = points(whole)
    rows = rows[rows["method"] == METHOD]
    difference, _ = formula.rating_difference(
        rows["match_length"].to_numpy(float), epm=rows["epm"].to_numpy(float), epc=rows[rate].to_numpy(float)
    )
    truth = {
        (int(length), str(player), str(opponent)): float(value)
        for length, player, opponent, value in zip(*(rows[name] for name in KEY), difference, strict=True)
    }
    return populations(whole, truth, ("epm", rate))


def fitted_formulas(studies: Sequence[Studies], truth: RatingFormula) -> list[RatingFormula]:
    """Fit every simulated study as the recommended formula is fitted."""
    rates: list[str] = ["epm", COUNTS[truth.epc_definition].rate]
    formulas = []
    for number in range(len(studies[0].p[METHOD])):
        seen = observations_of(studies, number, METHOD, rates)
        fit = joint(seen, form_of(truth.terms), KINDS[KIND].regression)
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
    """Rate every player once with each formula, from `counts` matches, and count the intervals that cover."""
    names = [
        "match_length", "player_chequer_error_emg", "player_unforced_moves", "player_cube_error_emg",
        f"player_{COUNTS[truth.epc_definition].per}",
    ]  # fmt: skip
    rows = []
    for player in players:
        played = matches[(matches["player"] == player) & matches["match_length"].isin(truth.match_lengths)]
        pools = [group[names].to_numpy(float) for _, group in played.groupby("match_length", sort=True)]
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
            counts_of_intervals = coverage.counted(np.array(answers), true)
            counts_of_intervals["mean_half_width"] = counts_of_intervals.pop("mean_std_error")
            rows.append({"player": player, "matches": count, "true_rating": true, **counts_of_intervals})
    return pd.DataFrame(rows, columns=PERSON_COLUMNS)


def simulated_stopping(
    population: Population, rng: np.random.Generator, *, runs: int, batch: int, most: int, target: float,
) -> pd.DataFrame:  # fmt: skip
    """Play one design point in batches again and again, stop by two rules, and count how often the interval covered.

    Rules: the half-width of R is at most `target` points (DECIDED: the true R itself lies outside the interval, the
    most harmful of rules). Intervals: that of a study of fixed size, looked at repeatedly, and the confidence sequence.
    Matches are corrected by luck with the coefficients of the population. A run that never stops ends after `most`.
    """
    own = population.matches
    luck = np.column_stack([own["player_luck_mwc"], own["opponent_luck_mwc"]])
    moments = np.cov(np.column_stack([own["actual_result"], luck]), rowvar=False, aweights=population.weights)
    values = own["actual_result"] - luck @ np.linalg.solve(moments[1:, 1:], moments[1:, 0]) + 0.5
    drawn = values[rng.choice(len(values), size=(runs, most), p=population.weights)]
    looks = np.arange(max(batch, FIRST_LOOK), most + 1, batch)
    n = looks.astype(float)
    mean = np.cumsum(drawn, axis=1)[:, looks - 1] / n
    square = np.cumsum(drawn**2, axis=1)[:, looks - 1] / n
    error = np.sqrt(np.maximum(square - mean**2, 0) * n / (n - 1) / n)
    rows: list[dict[str, Any]] = []
    for interval in (FIXED, SEQUENCE):
        wide = quantile(CONFIDENCE, n - 1) if interval == FIXED else anytime_factor(n, CONFIDENCE, most / 2)
        half = error * wide
        low, high = (rating_difference(mean + sign * half, population.match_length) for sign in (1, -1))
        holds = (mean - half <= population.p) & (population.p <= mean + half)
        for rule, stop in ((WIDTH, (high - low) / 2 <= target), (DECIDED, ~holds)):
            last = np.where(stop.any(axis=1), stop.argmax(axis=1), len(looks) - 1)
            rows.append(
                {
                    "match_length": population.match_length, "player": population.player, "stops_when": rule,
                    "interval": interval, "batch": batch, "most_matches": most, "target": target, "runs": runs,
                    "coverage": float(holds[np.arange(runs), last].mean()), "mean_matches": float(looks[last].mean()),
                    "stopped": float(stop.any(axis=1).mean()), "confidence": CONFIDENCE,
                }
            )  # fmt: skip
    return pd.DataFrame(rows, columns=SEQUENCE_COLUMNS)
