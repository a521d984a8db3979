"""How many times what noise's errors cost do people's errors cost? One factor F by several estimators.

A match's own error rates are noisy, and its errors and its result go together. The errors of the players' other matches
are free of that, but few. So every estimator has a bias of its own. It is measured by simulated matches of the same
structure: opponents, match lengths and numbers of moves. Players are drawn from the spread that credibility theory
finds (rating/pairs.py). A match's errors scatter about them with the power 3/2 of their size (rating/field.py). Both
players share a match's difficulty.

Matches of one player are no independent witnesses: the formula may be off for him. Standard errors by player allow for
that (clusters of both players: Aronow, Samii and Assenova, Political Analysis 23 (2015) 564).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize

from bgrating.rating.chances import ConvergenceError
from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.pairs import (
    both,
    column,
    credibility,
    other_matches,
    rates_elsewhere,
    within_variance,
)
from bgrating.rating.rates import COUNTS, rate
from bgrating.tables.dictionary import columns

SINGLE, INSTRUMENT, SHRUNK, MIXED = "single matches", "instrument", "shrunk", "mixed"
TOGETHER = "all estimators"
ASSUMPTIONS = {
    SINGLE: "least squares on the match's own errors: assumes them free of noise and of the result's luck",
    INSTRUMENT: "errors of the players' other matches as instrument: assumes a straight line from rating to chance",
    SHRUNK: "least squares on errors of other matches, shrunk to the mean: assumes that matches scatter alike",
    MIXED: "shrunk, and each player has a normal part of his own (restricted maximum likelihood)",
    TOGETHER: "the mean of all, biases removed; its variance is theirs and that between them",
}
ALL = "all matches"
LEAST = 30
"""Matches below which nothing is fitted."""
FEW, REPEATS = 150, 3
"""Matches below which a folder is no collection, and a player's rates are no guide to how they go together."""
POWER = 1.5
"""The variance of a player's errors grows with this power of his rate."""
REPLICATES = 300
SEED = 25
WILD = 0.015
"""Sum of both players' cube errors per unforced move (EMG) above which errors cost less (study/law)."""


@dataclass(frozen=True)
class Meetings:
    """Matches: both players' numbers, their errors (matches by sides by chequer and cube, EMG) and what they are over.

    `points` is what an EMG per decision is worth, matches by two; `result` is the left player's, MWC less one half.
    Players are compared within a `folder` of files: collections are of unlike strength.
    """

    folder: NDArray[np.intp]
    players: NDArray[np.intp]
    length: Floats
    result: Floats
    errors: Floats
    decisions: Floats
    points: Floats

    @classmethod
    def of(cls, pairs: pd.DataFrame, formula: RatingFormula) -> "Meetings":
        """Take the matches of a table of pairs (rating/pairs.py), as a formula counts decisions."""
        length, counts = column(pairs, "match_length"), COUNTS[formula.epc_definition].per
        errors = np.stack([both(pairs, "chequer_error_emg"), both(pairs, "cube_error_emg")], axis=-1)
        decisions = np.stack([both(pairs, "unforced_moves"), both(pairs, counts)], axis=-1)
        points = np.column_stack([formula.coefficient(name, length)[0] for name in ("a2", "b")])
        folder = np.unique(folders(pairs), return_inverse=True)[1].astype(np.intp)
        players = other_matches(pairs)[0]
        return cls(folder, players, length, column(pairs, "luck_adjusted_result"), errors, decisions, points)

    def part(self, here: NDArray[np.bool_]) -> "Meetings":
        """Return some of the matches; the differences by other matches stay those of all."""
        selected = Meetings(*(getattr(self, field.name)[here] for field in fields(self)))
        selected.__dict__["others"] = self.others[here]
        return selected

    @cached_property
    def own(self) -> Floats:
        """Rating difference by the errors of the match itself, points, positive where the left player is weaker."""
        return self.difference(rate(self.errors, self.decisions))

    @cached_property
    def others(self) -> Floats:
        """Rating difference by the errors of both players' other matches of the folder, each shrunk to its mean."""
        rates = np.zeros(self.errors.shape)
        for here in self.each_folder():
            for kind in (0, 1):
                arguments = (self.players[here], self.errors[here, :, kind], self.decisions[here, :, kind])
                rates[here, :, kind] = rates_elsewhere(*arguments)
        return self.difference(rates)

    def each_folder(self) -> Iterator[NDArray[np.bool_]]:
        for number in np.unique(self.folder):
            yield self.folder == number

    def difference(self, rates: Floats) -> Floats:
        return np.asarray(((rates[:, 0] - rates[:, 1]) * self.points).sum(axis=1))

    @property
    def witnesses(self) -> float:
        """How many players of equal numbers of matches there are, by how they share the matches (Kish)."""
        counts = np.bincount(self.players.ravel()).astype(float)
        return float(counts.sum() ** 2 / (counts**2).sum())


def folders(pairs: pd.DataFrame) -> "pd.Series[str]":
    """Return the folder of each match's file: the first of its path; those with few matches are together."""
    parts = pairs["file"].str.split("/")
    names = parts.str[0].where(pairs["file"].str.contains("/", regex=False), "")
    return names.where(names.groupby(names).transform("size") >= FEW, "")


def shared_parts(meetings: Meetings) -> tuple[Floats, Floats]:
    """Return eigenvalues and vectors of what results share where every player's rating has a part of its own."""
    slope = log_odds_per_point(meetings.length) / 4
    effect = np.zeros((len(slope), int(meetings.players.max()) + 1))
    np.add.at(effect, (np.arange(len(slope)), meetings.players[:, 0]), slope)
    np.add.at(effect, (np.arange(len(slope)), meetings.players[:, 1]), -slope)
    values, vectors = np.linalg.eigh(effect @ effect.T)
    return np.maximum(values, 0.0), vectors


@dataclass(frozen=True)
class Factor:
    """An estimate of F with its standard errors: matches as witnesses, and players; `scatter` of players, points."""

    value: float
    by_match: float
    by_player: float
    scatter: float = math.nan


def _errors_of(score: Floats, slope: float, players: NDArray[np.intp]) -> tuple[float, float]:
    """Return standard errors from every match's part of the equation that is solved, and from its slope."""
    each = np.zeros(int(players.max()) + 1)
    np.add.at(each, players[:, 0], score)
    np.add.at(each, players[:, 1], np.where(players[:, 0] == players[:, 1], 0.0, score))
    pair = np.sort(players, axis=1) @ np.array([len(each), 1])
    together = np.bincount(np.unique(pair, return_inverse=True)[1], score)
    by_player = max(float(each @ each - together @ together), float(score @ score))
    return math.sqrt(float(score @ score)) / abs(slope), math.sqrt(by_player) / abs(slope)


def _least_squares(meetings: Meetings, difference: Floats) -> Factor:
    """Fit results to chances of a multiple of rating differences (Gauss and Newton)."""
    factor, per_point = 1.0, log_odds_per_point(meetings.length) * difference
    for _ in range(50):
        chance = win_probability(factor * difference, meetings.length)
        slopes, off = per_point * chance * (1 - chance), meetings.result + 0.5 - chance
        step = float(slopes @ off / (slopes @ slopes))
        factor += step
        if abs(step) < 1e-10:
            break
    return Factor(factor, *_errors_of(slopes * off, float(slopes @ slopes), meetings.players))


def _by_instrument(meetings: Meetings) -> Factor:
    """Solve sum of s z (result + 1/2 - P(F x)) = 0 for F.

    x are the differences by the errors of the same matches, z those by the errors of other matches, s the log odds of a
    rating point. The chances of a match move its own errors, which dilutes least squares; they do not move those of
    other matches. Raises ConvergenceError where no F between -5 and 10 solves it.
    """
    weight = log_odds_per_point(meetings.length) * meetings.others

    def moment(factor: float) -> float:
        return float(weight @ (meetings.result + 0.5 - win_probability(factor * meetings.own, meetings.length)))

    if moment(-5.0) * moment(10.0) >= 0:
        raise ConvergenceError("no multiple of the rating differences fits the results")
    factor = float(optimize.brentq(moment, -5.0, 10.0))
    chance = win_probability(factor * meetings.own, meetings.length)
    slope = float(weight @ (log_odds_per_point(meetings.length) * chance * (1 - chance) * meetings.own))
    score = weight * (meetings.result + 0.5 - chance)
    return Factor(factor, *_errors_of(score, slope, meetings.players))


def mixed(meetings: Meetings, shared: tuple[Floats, Floats]) -> Factor:
    """Fit F with a normal part of each player's rating, by restricted maximum likelihood.

    results = F (predicted chance less one half) + slope (part - part) + rest, the slope that of equal players.
    `shared` is `shared_parts` of these meetings.
    """
    values, vectors = shared
    chance = win_probability(meetings.others, meetings.length) - 0.5
    x, y = vectors.T @ chance, vectors.T @ meetings.result
    free = len(y) - 1

    def profile(ratio: float) -> tuple[float, float, float, float]:
        weight = 1 / (1 + ratio * values)
        mass = float(weight @ x**2)
        factor = float(weight @ (x * y)) / mass
        left = float(weight @ (y - factor * x) ** 2) / free
        return free * math.log(left) - float(np.log(weight).sum()) + math.log(mass), factor, left, mass

    best = min(np.concatenate([[0.0], np.geomspace(1.0, 1e7, 141)]), key=lambda ratio: profile(ratio)[0])
    _, factor, left, mass = profile(float(best))
    error = math.sqrt(left / mass)
    return Factor(factor, error, error, math.sqrt(best * left))


def estimates(meetings: Meetings, shared: tuple[Floats, Floats] | None = None) -> dict[str, Factor]:
    """Return F by every estimator that needs no simulation; one that fails is left out."""
    factors = {SINGLE: _least_squares(meetings, meetings.own)}
    if np.ptp(meetings.others) > 0:
        with suppress(ConvergenceError):
            factors[INSTRUMENT] = _by_instrument(meetings)
        factors[SHRUNK] = _least_squares(meetings, meetings.others)
        if shared is not None:
            factors[MIXED] = mixed(meetings, shared)
    return factors


@dataclass(frozen=True)
class Truth:
    """What simulated matches of a folder are drawn from, each for chequer play and cube.

    `mean` and variance `between` of players' rates, variance `within` a player per decision. `together` is the
    correlation of the two rates, `shared` the variance of a match's difficulty. `share_of_own` is how far a match's own
    errors move its result; `rest` is what remains of the results.
    """

    mean: Floats
    between: Floats
    within: Floats
    together: float
    shared: Floats
    share_of_own: float
    rest: Floats


def truth_of(meetings: Meetings) -> Truth:
    """Estimate what the matches of one folder are drawn from."""
    flat = meetings.players.ravel()
    errors, decisions = meetings.errors.reshape(-1, 2), meetings.decisions.reshape(-1, 2)
    credibilities = [credibility(flat, errors[:, k], decisions[:, k]) for k in (0, 1)]
    mean = np.array([credible.mean for credible in credibilities])
    within = np.array([within_variance(flat, errors[:, k], decisions[:, k]) for k in (0, 1)])
    between = np.array(
        [
            0.0 if math.isinf(credible.worth) else w / credible.worth
            for credible, w in zip(credibilities, within, strict=True)
        ]
    )
    expected = meetings.decisions * mean
    off = np.divide(meetings.errors, expected, out=np.ones_like(expected), where=expected > 0) - 1
    often = np.bincount(flat) >= REPEATS
    sums = np.stack(
        [np.bincount(flat, errors[:, k]) / np.maximum(np.bincount(flat, decisions[:, k]), 1) for k in (0, 1)]
    )
    together = float(np.asarray(np.corrcoef(sums[:, often]))[0, 1]) if often.sum() > REPEATS else 0.0
    chance, seen = (win_probability(r, meetings.length) - 0.5 for r in (meetings.others, meetings.own))
    design = np.column_stack([chance, seen - chance])
    fitted = np.linalg.lstsq(design, meetings.result)[0]
    shared = np.maximum((off[:, 0] * off[:, 1]).mean(axis=0), 1e-6)
    return Truth(mean, between, within, together, shared, float(fitted[1]), meetings.result - design @ fitted)


def simulated(
    meetings: Meetings, truths: Sequence[Truth], factor: float, scatter: float, rng: np.random.Generator
) -> Meetings:
    """Draw errors and results of the same meetings where errors cost `factor` times what the formula gives.

    `truths` are those of the folders; `scatter` is that of players round the formula, points.
    """
    count = int(meetings.players.max()) + 1
    rates, errors = np.zeros(meetings.errors.shape), np.zeros(meetings.errors.shape)
    share, rest = np.zeros(len(meetings.length)), np.zeros(len(meetings.length))
    for truth, here in zip(truths, meetings.each_folder(), strict=True):
        shape = truth.mean**2 / np.maximum(truth.between, 1e-12)
        normal = rng.multivariate_normal([0, 0], [[1, truth.together], [truth.together, 1]], count)
        # The cube root of a gamma is nearly normal (Wilson and Hilferty, PNAS 17 (1931) 684).
        strength = truth.mean * np.maximum(1 - 1 / (9 * shape) + normal / (3 * np.sqrt(shape)), 0.05) ** 3
        rates[here] = strength[meetings.players[here]]
        errors[here] = _errors(meetings.decisions[here], rates[here], truth, rng)
        share[here], rest[here] = truth.share_of_own, truth.rest
    drawn = replace(meetings, errors=errors)
    part = rng.normal(0, scatter, count)[meetings.players]
    real = meetings.difference(rates)
    chance = win_probability(factor * real + part[:, 0] - part[:, 1], meetings.length) - 0.5
    more = win_probability(drawn.own, meetings.length) - win_probability(real, meetings.length)
    return replace(drawn, result=chance + share * more + rng.choice([-1.0, 1.0], len(rest)) * rest)


def _errors(decisions: Floats, rates: Floats, truth: Truth, rng: np.random.Generator) -> Floats:
    """Draw total errors: gamma distributed, about rates that a match's difficulty multiplies for both players alike."""
    difficulty = rng.gamma(1 / truth.shared, truth.shared, (len(decisions), 2))
    expected = decisions * rates
    variance = decisions * truth.within * (rates / truth.mean) ** POWER
    variance = np.maximum(variance - expected**2 * truth.shared, 0.1 * variance)
    expected = expected * difficulty[:, None, :]
    usable = expected > 0
    scale = np.divide(variance, expected, out=np.ones_like(expected), where=usable)
    return np.where(usable, rng.gamma(np.where(usable, expected / scale, 1.0), scale), 0.0)


def collections(pairs: pd.DataFrame) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the sets of matches that F is estimated from: all, each folder of files, the busiest man in and out."""
    yield ALL, np.ones(len(pairs), dtype=bool)
    folder = folders(pairs)
    for name in sorted(folder.unique()) if folder.nunique() > 1 else ():
        yield f"files of {name or 'other folders'}", (folder == name).to_numpy()
    number, _ = other_matches(pairs)
    counts = np.bincount(number.ravel())
    if counts.max() > len(pairs) / 4:
        with_one = (number == counts.argmax()).any(axis=1)
        yield "with the busiest player", with_one
        yield "without the busiest player", ~with_one


def scale(
    pairs: pd.DataFrame, formula: RatingFormula, noise: pd.DataFrame, replicates: int = REPLICATES
) -> pd.DataFrame:
    """Return F by collection and estimator with its bias and coverage in simulated matches (people/scale).

    `noise` are simulated matches as good as people without wild cubes; the column `noise` is what the same estimator
    finds of them.
    """
    rows: list[dict[str, Any]] = []
    if len(pairs) >= LEAST:
        every = Meetings.of(pairs, formula)
        groups = {name: here for name, here in collections(pairs) if here.sum() >= LEAST}
        shared = {name: shared_parts(every.part(here)) for name, here in groups.items()}
        factors = {name: estimates(every.part(here), shared[name]) for name, here in groups.items()}
        truths, rng = [truth_of(every.part(here)) for here in every.each_folder()], np.random.default_rng(SEED)
        scatter = factors[ALL][MIXED].scatter if MIXED in factors[ALL] else 0.0
        drawn = [simulated(every, truths, 1.0, scatter, rng) for _ in range(replicates)]
        of_noise = _of_noise(noise, formula)
        for name, here in groups.items():
            checks = [estimates(meetings.part(here), shared[name]) for meetings in drawn]
            by_estimator = list(_rows(every.part(here), factors[name], checks, of_noise))
            rows += [{"group": name, **row} for row in (*by_estimator, _together(by_estimator, checks))]
    return pd.DataFrame(rows, columns=columns("people/scale"))


def _of_noise(noise: pd.DataFrame, formula: RatingFormula) -> dict[str, Factor]:
    """Return what the estimators find of noise; levels have no parts of their own: the formula was fitted to them."""
    if len(noise) < LEAST:
        return {}
    return estimates(Meetings.of(noise.assign(file=""), formula))


def _rows(
    meetings: Meetings,
    factors: Mapping[str, Factor],
    checks: Sequence[Mapping[str, Factor]],
    noise: Mapping[str, Factor],
) -> Iterator[dict[str, Any]]:
    people = int((np.bincount(meetings.players.ravel()) > 0).sum())
    wide = quantile(CONFIDENCE, max(meetings.witnesses - 1, 1.0))
    for name, factor in factors.items():
        drawn = np.array([[c[name].value, c[name].by_match, c[name].by_player] for c in checks if name in c])
        off, mean, sd = np.abs(drawn[:, 0] - 1), float(drawn[:, 0].mean()), float(drawn[:, 0].std(ddof=1))
        half = wide * max(factor.by_player, sd)
        yield {
            "estimator": name, "estimate": factor.value, "se_by_match": factor.by_match,
            "se_by_player": factor.by_player, "ci_low": factor.value - half, "ci_high": factor.value + half,
            "confidence": CONFIDENCE, "scatter": factor.scatter,
            "bias": mean - 1, "sd": sd, "corrected": factor.value / mean,
            "coverage_by_match": float((off <= quantile(CONFIDENCE) * drawn[:, 1]).mean()),
            "coverage_by_player": float((off <= wide * drawn[:, 2]).mean()),
            "noise": noise[name].value if name in noise else math.nan, "replicates": len(drawn),
            "n_matches": len(meetings.length), "n_players": people, "witnesses": meetings.witnesses,
        }  # fmt: skip


def _together(rows: Sequence[Mapping[str, Any]], checks: Sequence[Mapping[str, Factor]]) -> dict[str, Any]:
    """Return the mean of all estimators, their biases removed, and how often its interval held in simulated matches.

    They use the same matches, so the mean is not surer than one of them, and that they differ is uncertainty too.
    """
    names = [row["estimator"] for row in rows]
    drawn = np.array([[c[name].value for name in names] for c in checks if set(names) <= set(c)])
    corrected = np.vstack([[row["corrected"] for row in rows], drawn / drawn.mean(axis=0)])
    between = corrected.var(axis=1, ddof=1) if len(rows) > 1 else np.zeros(len(corrected))
    value, error = corrected.mean(axis=1), np.sqrt(np.mean([row["sd"] ** 2 for row in rows]) + between)
    half = quantile(CONFIDENCE) * error
    shared = {name: rows[0][name] for name in ("confidence", "n_matches", "n_players", "witnesses")}
    return shared | {
        "estimator": TOGETHER, "estimate": value[0], "sd": error[0], "ci_low": value[0] - half[0],
        "ci_high": value[0] + half[0], "corrected": value[0], "replicates": len(drawn),
        "coverage_by_player": float((np.abs(value[1:] - 1) <= half[1:]).mean()),
    }  # fmt: skip
