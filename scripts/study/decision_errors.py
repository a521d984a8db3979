"""How often the sequential test of a tournament errs, and how many matches it takes, on simulated tournaments.

Simulated matches are drawn from real ones of players of similar strength. The weights give the true difference's chance
of winning, and luck of mean zero. They are the weights nearest to equal ones by Kullback-Leibler divergence
(exponential tilting, Efron, Biometrika 68 (1981) 589). So the drawn matches keep the spread and the dependence of
result and luck of real ones.
"""

import math
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, stats

from bgrating.rating.fibs import Floats, rating_difference, win_probability
from bgrating.rating.intervals import CONFIDENCE
from bgrating.tables.dictionary import columns
from bgrating.tables.tables import read_table
from bgrating.tournament.decision import (
    MONEY_UNSEEN,
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    UNSEEN,
    Question,
    decided,
    estimates,
    looks_of,
    of_elo,
    question,
)
from study.formula.cells import UnusableMatchesError

ERROR_COLUMNS = columns("tournament/decision_errors")
QUESTIONS: tuple[dict[str, float], ...] = ({}, {"elo0": 5.0, "elo1": 20.0})
"""What `decide` is asked: without settings, and in the words of chess engines."""
TRUTHS = (-1.0, 0.0, 0.5, 1.0, 2.0)
"""True differences: 0 is the one that counts as equal, 1 the one that matters."""
PAIRS = ("noise-0.005", "noise-0.02")
"""Levels whose matches against `expert` are resampled: hardly any difference, and a clear one."""
STEP = 20  # matches between two looks of `decide`
SEED = 2026
ALIKE = 0.6
_CHUNK = 100  # simulated tests at once
MONEY_PAIRS = (("noise-0.005", "expert"), ("advanced", "expert"))
"""Levels whose money games against each other are resampled."""
BIG = 8.0  # points of the rare games that make the whole difference
MOST_WEIGHT = 25.0  # times the mean: beyond it the sample has too few matches of that kind


def error_rates(
    matches: pd.DataFrame, truths: tuple[float, ...], question: Question, runs: int, seed: int, *,
    drawn_from: str = "", rare: bool = False,
) -> pd.DataFrame:  # fmt: skip
    """Test simulated tournaments of known differences again and again: one row per true difference (ERROR_COLUMNS).

    `truths` are shares of the way from the difference that counts as equal to the one that matters; `matches` are those
    to draw from, `drawn_from` names them. With `rare` the whole gain is that a few lost matches are won, whatever the
    luck. Raises UnusableMatchesError where they cannot have a difference.
    """
    names = ("actual_result", "player_luck_mwc", "opponent_luck_mwc")
    result, *lucks = (matches[name].to_numpy(float) for name in names)
    won, luck = np.round(result, 6) + 0.5, lucks[0] - lucks[1]
    rows = []
    for number, share in enumerate(truths):
        truth = question.equal + share * (question.min_gain - question.equal)
        true_chance = float(win_probability(-truth, question.match_length))
        chance = float(win_probability(-question.equal, question.match_length)) if rare else true_chance
        turned = (true_chance - chance) / (1 - chance)  # share of the losses
        weights = tilted(np.column_stack([won - chance, *lucks]), f"a difference of {truth:g} points")
        rng = np.random.default_rng([seed, number])
        about = _tested(
            question, won, luck, weights, runs, rng,
            lambda results, rng, turned=turned: np.maximum(results, rng.random(results.shape) < turned)  # type: ignore[misc]
            if rare else results,
        )  # fmt: skip
        per_elo = of_elo(1.0, question.match_length)
        about |= {"drawn_from": drawn_from, "rare": rare, "truth": truth}
        rows.append({**about, "elo0": question.equal / per_elo, "elo1": question.min_gain / per_elo})
    return pd.DataFrame(rows)[ERROR_COLUMNS]


def money_error_rates(games: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Test simulated money games of both true differences: one row per pair and difference (ERROR_COLUMNS).

    `games` are real ones (columns: tournament/money_games). With `rare` the games are drawn as of the other
    difference, and rare games of 8 more points won or lost, whatever the luck, make the true one.
    """
    test = question({}, 0, STEP)
    rows: list[dict[str, Any]] = []
    for number, ((player, opponent), pair) in enumerate(games.groupby(["player", "opponent"], sort=False)):
        points, *lucks = (pair[name].to_numpy(float) for name in ("points", "player_luck", "opponent_luck"))
        for truth, other in ((test.equal, test.min_gain), (test.min_gain, test.equal)):
            for rare in (False, True):
                drawn_at, share = (other, abs(truth - other) / BIG) if rare else (truth, 0.0)
                weights = tilted(np.column_stack([points - drawn_at, *lucks]), f"{player}: {drawn_at:g} points a game")
                big = math.copysign(BIG, truth - other)
                about = _tested(
                    test, points, lucks[0] - lucks[1], weights, runs, np.random.default_rng([SEED, number, len(rows)]),
                    lambda results, rng, big=big, share=share: results + big * (rng.random(results.shape) < share),  # type: ignore[misc]
                )  # fmt: skip
                rows.append({**about, "drawn_from": f"{player}~{opponent}", "rare": rare, "truth": truth})
    return pd.DataFrame(rows).reindex(columns=ERROR_COLUMNS)


def money_games(folder: Path) -> pd.DataFrame:
    """Return the money games of the pairs in a folder of `decide` (columns: tournament/money_games)."""
    parts = []
    for first, second in MONEY_PAIRS:
        for path in sorted((folder / f"{first}~{second}-money").glob("*/shards/0/*/*.csv")):
            seats = [rows.reset_index(drop=True) for _, rows in read_table(path).groupby("player", sort=True)]
            one, other = sorted(seats, key=lambda rows, first=first: rows["player"].iloc[0] != first)  # type: ignore[misc]
            parts.append(
                pd.DataFrame(
                    {"player": first, "opponent": second, "points": one["score"] - one["opponent_score"],
                     "player_luck": one["luck_mwc"], "opponent_luck": other["luck_mwc"]}
                )
            )  # fmt: skip
    return pd.concat(parts, ignore_index=True)


def _tested(
    question: Question, won: Floats, luck: Floats, weights: Floats, runs: int, rng: np.random.Generator,
    changed: Callable[[Floats, np.random.Generator], Floats],
) -> dict[str, Any]:  # fmt: skip
    """Return the shares of simulated tests' verdicts and their numbers of matches (ERROR_COLUMNS).

    `changed` alters the drawn results.
    """
    looks = looks_of(question, question.max_matches)
    verdicts: list[str] = []
    taken: list[int] = []
    unseen = UNSEEN if question.match_length else MONEY_UNSEEN
    for size in np.diff([*range(0, runs, _CHUNK), runs]):
        drawn = rng.choice(len(won), size=(size, question.max_matches), p=weights)
        results = changed(won[drawn], rng)
        answers = decided(question, question.ratio(*estimates(results, luck[drawn], looks, None, unseen)))
        ends = np.where((answers != UNDECIDED).any(axis=1), (answers != UNDECIDED).argmax(axis=1), len(looks) - 1)
        verdicts.extend(answers[np.arange(size), ends])
        taken.extend(looks[ends])
    covariance = np.cov(np.stack([won, luck]), aweights=weights)
    left = covariance[0, 0] - covariance[0, 1] ** 2 / covariance[1, 1]
    about: dict[str, Any] = {**asdict(question), "better": question.min_gain, "runs": runs}
    for word in (STRONGER, NOT_STRONGER, UNDECIDED):
        interval = stats.binomtest(verdicts.count(word), runs).proportion_ci(CONFIDENCE)
        about |= {word: verdicts.count(word) / runs}
        about |= {f"{word}_low": float(interval.low), f"{word}_high": float(interval.high)}
    about |= {"mean_matches": float(np.mean(taken)), "median_matches": float(np.median(taken))}
    about |= {"most_matches": question.max_matches, "fixed_matches": question.fixed(float(left))}
    return {**about, "fixed_without_luck": question.fixed(float(covariance[0, 0]))}


def every_error_rate(tournament: pd.DataFrame, part1: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Return the error rates for what `decide` is asked, and for real pairs, also with rare large losses.

    A real pair keeps its own difference, which counts as equal.
    """
    length = int(tournament["match_length"].iloc[0])
    rows = [
        error_rates(alike(tournament), TRUTHS, question(words, length, STEP), runs, SEED, drawn_from="alike")
        for words in QUESTIONS
    ]
    for name in PAIRS:
        pair = part1[(part1["player"] == name) & (part1["opponent"] == "expert")]
        own = -float(rating_difference(pair["actual_result"].mean() + 0.5, length))
        asked = replace(question({}, length, STEP), equal=own, min_gain=own + Question.min_gain)
        rows += [
            error_rates(pair, (0.0, 1.0), asked, runs, SEED, drawn_from=f"{name}~expert", rare=rare)
            for rare in (False, True)
        ]
    return pd.concat(rows)


def alike(matches: pd.DataFrame) -> pd.DataFrame:
    share = matches.groupby(["player", "opponent"])["actual_result"].transform("mean") + 0.5
    return matches[(share <= ALIKE) & (share >= 1 - ALIKE)]


def tilted(constraints: Floats, where: str) -> Floats:
    """Return the weights (sum one) nearest to equal ones under which every column of `constraints` has mean zero.

    Raises UnusableMatchesError naming `where` if there are none, or they rest on a few matches alone.
    """
    z = constraints / constraints.std(axis=0)

    def dual(lam: Floats) -> tuple[float, Floats]:
        exponent = z @ lam
        top = exponent.max()
        e = np.exp(exponent - top)
        w = e / e.sum()
        return float(np.log(e.mean()) + top), np.asarray(w @ z)

    # Beyond these bounds a single match would take all the weight: the check below then says that there is no answer.
    minimum = optimize.minimize(
        dual, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B", bounds=[(-20.0, 20.0)] * z.shape[1],
        options={"gtol": 1e-9, "ftol": 1e-15, "maxiter": 5000},
    )  # fmt: skip
    exponent = z @ minimum.x
    weights = np.exp(exponent - exponent.max())
    weights /= weights.sum()
    if float(np.abs(weights @ z).max()) > 1e-5 or weights.max() * len(weights) > MOST_WEIGHT:
        raise UnusableMatchesError(f"{where}: no weights of the matches give the requested difference")
    return np.asarray(weights)
