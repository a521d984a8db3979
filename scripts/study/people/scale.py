"""How many times what the formula gives do people's errors cost, between persons? One factor F by one likelihood.

Player k loses theta_k rating points by errors, in matches to NORMAL points. It is normal about the mean of his
collection. A match shows his loss with an error of variance kappa level^POWER / moves (rating/field.py). The level is
that of his other matches, so that no match is weighed by its own errors. A match's difficulty is shared: the errors of
both players correlate. The match's result is the chance at F (theta - theta) + (part - part) + W (error - error). Here
the parts are normal, each player's own, and W is what a match's own errors are worth within the match. A deeper judge
of the same matches adds his losses: ratio x theta, and the error of the first judge times a slope.

All is normal given the chances' slopes, which are taken at the posterior means (Gauss and Newton). So players are
integrated out by a sparse factorisation of the joint precision (Rue and Held, Gaussian Markov Random Fields, 2005).
An interval's coverage is counted on simulated matches of the same structure, where losses and errors are gamma
distributed.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, sparse
from scipy.sparse.linalg import splu

from bgrating.rating.fibs import Floats, log_odds_per_point, win_probability
from bgrating.rating.formula import RatingFormula
from bgrating.rating.intervals import CONFIDENCE, quantile
from bgrating.rating.player import NORMAL
from bgrating.rating.rates import COUNTS, rate
from bgrating.tables.dictionary import columns
from study.people.pairs import both, column, numbered, pairs

ALL, DEEP, FLAT = "all matches", "all matches, 2-ply too", "all matches, equal scatter at every strength"
LEAST = 60
"""Matches below which nothing is fitted."""
FEW = 40
"""Matches below which a folder is no collection."""
POWER = 1.5
"""The variance of a player's errors grows with this power of his loss."""
WORTH = 150.0
"""Unforced moves that the collection's mean counts as in a player's level."""
FLOOR = 25.0
"""The least level, points."""
NEAR, STEP = 2e-3, 0.02
"""The change of F that is small enough, and the step of second differences."""
SEED = 25


@dataclass(frozen=True)
class Meetings:
    """Matches: collection, both players' numbers, length, the left player's result (MWC less one half).

    `loss` and `deeper` are both players' losses by two judges in the match, `moves` their unforced moves. `deeper` is
    NaN where a deeper judge has not seen the match. Losses are those at NORMAL points; `worth` is what a point of them
    is at the match's length.
    """

    folder: NDArray[np.intp]
    players: NDArray[np.intp]
    length: Floats
    result: Floats
    loss: Floats
    moves: Floats
    worth: Floats
    deeper: Floats

    @classmethod
    def of(cls, pairs: pd.DataFrame, formula: RatingFormula) -> "Meetings":
        """Take the matches of a table of pairs (people/pairs.py); `…_deeper_…_error_emg` are a deeper judge's."""
        length, counts = column(pairs, "match_length"), both(pairs, COUNTS[formula.epc_definition].per)
        moves = both(pairs, "unforced_moves")
        points, normal = (
            [formula.coefficient(name, at)[0] for name in ("a2", "b")] for at in (length, np.full(1, NORMAL))
        )
        means = [
            both(pairs, "chequer_error_emg").sum() / moves.sum(), both(pairs, "cube_error_emg").sum() / counts.sum()
        ]  # fmt: skip
        worth = sum(p * m for p, m in zip(points, means, strict=True)) / sum(
            p * m for p, m in zip(normal, means, strict=True)
        )

        def loss(judge: str) -> Floats:
            if f"player_{judge}chequer_error_emg" not in pairs:
                return np.full(moves.shape, math.nan)
            chequer, cube = (both(pairs, f"{judge}{kind}_error_emg") for kind in ("chequer", "cube"))
            lost = points[0][:, None] * rate(chequer, moves) + points[1][:, None] * rate(cube, counts)
            return np.asarray(lost / worth[:, None])

        folder = np.unique(folders(pairs), return_inverse=True)[1].astype(np.intp)
        result = column(pairs, "luck_adjusted_result")
        return cls(folder, numbered(pairs), length, result, loss(""), moves, np.asarray(worth), loss("deeper_"))

    def part(self, here: NDArray[np.bool_]) -> "Meetings":
        """Return some of the matches, with players and collections numbered anew."""
        some = Meetings(*(getattr(self, field.name)[here] for field in fields(self)))
        folder, players = (np.unique(ids, return_inverse=True)[1] for ids in (some.folder, some.players))
        return replace(some, folder=folder, players=players.reshape(-1, 2))

    @cached_property
    def collection(self) -> NDArray[np.intp]:
        """The collection of each player; of one in several, the last."""
        of_player = np.zeros(int(self.players.max()) + 1, np.intp)
        of_player[self.players] = self.folder[:, None]
        return of_player

    @cached_property
    def level(self) -> Floats:
        """What each player loses by his other matches, drawn to the collection's mean; matches by two, points."""
        flat, moves = self.players.ravel(), self.moves.ravel()
        lost, folder = moves * self.loss.ravel(), np.repeat(self.folder, 2)
        total, sums = np.bincount(flat, moves), np.bincount(flat, lost)
        share = total / (total + WORTH)
        mean = np.bincount(self.collection, share * sums / total) / np.bincount(self.collection, share)
        level = (sums[flat] - lost + WORTH * mean[folder]) / (total[flat] - moves + WORTH)
        return np.maximum(level, FLOOR).reshape(-1, 2)

    @property
    def witnesses(self) -> float:
        """How many players of equal numbers of matches there are, by how they share the matches (Kish)."""
        counts = np.bincount(self.players.ravel()).astype(float)
        return float(counts.sum() ** 2 / (counts**2).sum())


def folders(pairs: pd.DataFrame) -> "pd.Series[str]":
    """Return the collection of each match's file: the first two folders of its path; small ones are together."""
    names = pairs["file"].str.rpartition("/")[0].str.split("/").str[:2].str.join("/")
    return names.where(names.groupby(names).transform("size") >= FEW, "")


SHARED = {
    "factor": (1.1, -2.0, 5.0), "log_scatter": (2.6, 0.7, 4.6), "log_kappa": (5.2, 0.0, 16.0),
    "together": (0.3, -1.5, 1.5), "log_rest": (-2.2, -5.0, 0.0),
}  # fmt: skip
"""Parameters of all collections: start and bounds. Correlations are hyperbolic tangents of theirs."""
OWN = {"within": (0.6, -2.0, 3.0), "log_spread": (4.2, 1.0, 7.0)}
"""Parameters of every collection."""
DEEPER = {
    "ratio": (0.9, 0.2, 2.0), "slope": (0.9, -1.0, 2.0), "log_kappa_deeper": (3.7, 0.0, 9.0),
    "together_deeper": (0.1, -1.5, 1.5), "within_deeper": (0.3, -3.0, 3.0),
}  # fmt: skip
"""Parameters where a deeper judge has seen matches."""


class Likelihood:
    """The negative logarithm of the likelihood of matches, players integrated out, and its minimum."""

    def __init__(self, meetings: Meetings, power: float = POWER) -> None:
        self.meetings = meetings
        self.deep: NDArray[np.bool_] = np.asarray(np.isfinite(meetings.deeper).all(axis=1))
        self.count, self.groups = len(meetings.collection), int(meetings.folder.max()) + 1
        limits = [*SHARED.values(), *(three for three in OWN.values() for _ in range(self.groups))]
        limits += DEEPER.values() if self.deep.any() else ()
        self.start, self.bounds = np.array([three[0] for three in limits]), [three[1:] for three in limits]
        self.variance = meetings.level**power / meetings.moves  # of a loss in the match, over kappa
        self.values = self.start
        self.player = np.zeros(2 * self.count + self.groups)
        total = np.bincount(meetings.players.ravel(), meetings.moves.ravel())
        self.player[: self.count] = (
            np.bincount(meetings.players.ravel(), (meetings.moves * meetings.level).ravel()) / total
        )

    def named(self, values: Floats) -> dict[str, Any]:
        """Return parameters by name; those of every collection are arrays."""
        own, rest = len(SHARED) + len(OWN) * self.groups, dict(zip(SHARED, values, strict=False))
        rest |= zip(OWN, values[len(SHARED) : own].reshape(len(OWN), -1), strict=True)
        return rest | dict(zip(DEEPER, values[own:], strict=False))

    def linearise(self) -> None:
        """Take the chances' slopes at the players' present means."""
        now, meetings = self.named(self.values), self.meetings
        within = now["within"][meetings.folder]
        theta, part = (
            np.asarray(v[meetings.players[:, 0]] - v[meetings.players[:, 1]])
            for v in (self.player[: self.count], self.player[self.count :])
        )
        difference = (now["factor"] - within) * theta + part + within * (meetings.loss[:, 0] - meetings.loss[:, 1])
        chance = win_probability(meetings.worth * difference, meetings.length)
        self.per_point = log_odds_per_point(meetings.length) * chance * (1 - chance) * meetings.worth
        self.target = meetings.result - (chance - 0.5) + self.per_point * difference

    def value(self, values: Floats) -> float:
        """Return the negative log likelihood, as linearised last; `posterior` becomes the players' means."""
        now, meetings, deep = self.named(values), self.meetings, self.deep
        left, right = meetings.players.T
        places: list[tuple[Any, Any, Any]] = []
        rights: list[Floats] = []
        rows, logs = 0, 0.0

        def add(right_side: Floats, error: Floats, *terms: tuple[Any, Floats]) -> None:
            nonlocal rows, logs
            here = rows + np.arange(len(right_side))
            places.extend((here, ids, factor / error) for ids, factor in terms)
            rights.append(right_side / error)
            rows, logs = rows + len(right_side), logs + float(np.log(error).sum())

        def losses(seen: Floats, of_theta: float, sd: Floats, together: float, left: Any, right: Any) -> None:
            """Sum and difference of both players' scaled losses are independent."""
            scaled = seen / sd
            for sign in (1.0, -1.0):
                error = np.full(len(sd), math.sqrt(2 * (1 + sign * together)))
                add(scaled[:, 0] + sign * scaled[:, 1], error,
                    (left, of_theta / sd[:, 0]), (right, sign * of_theta / sd[:, 1]))  # fmt: skip
            nonlocal logs
            logs += float(np.log(sd).sum()) - len(sd) * math.log(2)

        sd = np.sqrt(math.exp(now["log_kappa"]) * self.variance)
        losses(meetings.loss, 1.0, sd, math.tanh(now["together"]), left, right)
        within, rest = now["within"][meetings.folder], np.full(len(meetings.length), math.exp(2 * now["log_rest"]))
        of_theta, target = (
            now["factor"] - within,
            self.target - within * self.per_point * (meetings.loss[:, 0] - meetings.loss[:, 1]),
        )
        if deep.any():
            of_deeper = now["ratio"] - now["slope"]
            sd, together = np.sqrt(math.exp(now["log_kappa_deeper"]) * self.variance), math.tanh(now["together_deeper"])
            more = meetings.deeper - now["slope"] * meetings.loss
            losses(more[deep], of_deeper, sd[deep], together, left[deep], right[deep])
            weight = now["within_deeper"] * self.per_point
            target = target - np.where(deep, weight * (more[:, 0] - more[:, 1]), 0.0)
            of_theta = of_theta - np.where(deep, now["within_deeper"] * of_deeper, 0.0)
            spread = (sd**2).sum(axis=1) - 2 * together * sd.prod(axis=1)
            rest = rest + np.where(deep, 0.0, weight**2 * spread)
        slope, everybody = self.per_point, np.arange(self.count)
        add(target, np.sqrt(rest), (left, slope * of_theta), (right, -slope * of_theta),
            (self.count + left, slope), (self.count + right, -slope))  # fmt: skip
        nothing, one, means = np.zeros(self.count), np.ones(self.count), 2 * self.count + np.arange(self.groups)
        spread = np.exp(now["log_spread"])[meetings.collection]
        add(nothing, spread, (everybody, one), (2 * self.count + meetings.collection, -one))
        add(nothing, np.full(self.count, math.exp(now["log_scatter"])), (self.count + everybody, one))
        add(np.full(self.groups, 200.0), np.full(self.groups, 1000.0), (means, np.ones(self.groups)))
        at, ids, factors = (np.concatenate([np.broadcast_to(p[k], p[0].shape) for p in places]) for k in range(3))
        design = sparse.csr_matrix((factors, (at, ids)), shape=(rows, len(self.player)))
        right_side = np.concatenate(rights)
        factored = splu(
            (design.T @ design).tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0,
            options={"SymmetricMode": True},
        )  # fmt: skip
        self.posterior = factored.solve(design.T @ right_side)
        off = right_side - design @ self.posterior
        return logs + float(np.log(np.abs(factored.U.diagonal())).sum()) / 2 + float(off @ off) / 2

    def fit(self, start: Floats | None = None, rounds: int = 8) -> float:
        """Return F at the minimum, its chances linearised there."""
        self.values = self.start if start is None else start
        for _ in range(rounds):
            self.linearise()
            before = float(self.values[0])
            self.values = optimize.minimize(
                self.value, self.values, method="L-BFGS-B", bounds=self.bounds, options={"ftol": 1e-8}
            ).x
            self.value(self.values)
            self.player = self.posterior
            if abs(self.values[0] - before) < NEAR:
                break
        return float(self.values[0])

    @cached_property
    def std_error(self) -> float:
        """The standard error of F by the curvature of the likelihood; parameters at a bound stay there.

        NaN where the likelihood does not curve down in every direction: it determines no error there.
        """
        values, (low, high) = self.values, np.array(self.bounds).T
        steps = STEP * np.eye(len(values))[(values > low + STEP) & (values < high - STEP)]
        middle = self.value(values)
        up, down = ([self.value(values + sign * step) for step in steps] for sign in (1, -1))
        curvature = np.diag([u + d - 2 * middle for u, d in zip(up, down, strict=True)])
        for a, b in combinations(range(len(steps)), 2):
            outer = sum(self.value(values + sign * (steps[a] + steps[b])) for sign in (1, -1))
            curvature[a, b] = curvature[b, a] = (outer - up[a] - up[b] - down[a] - down[b] + 2 * middle) / 2
        variance = float(np.linalg.inv(curvature)[0, 0])
        return STEP * math.sqrt(variance) if variance > 0 else math.nan


def simulated(fitted: Likelihood, factor: float, rng: np.random.Generator) -> Meetings:
    """Draw losses and results of the same meetings at another F: gamma distributed strengths, difficulties, errors."""
    now, meetings = fitted.named(fitted.values), fitted.meetings
    mean, spread = fitted.player[2 * fitted.count :], np.exp(now["log_spread"])
    at = meetings.collection
    theta = rng.gamma(((mean / spread) ** 2)[at], (spread**2 / mean)[at])
    part = rng.normal(0, math.exp(now["log_scatter"]), fitted.count)
    level = np.maximum(theta[meetings.players], 1.0)
    variance = math.exp(now["log_kappa"]) * level**POWER / meetings.moves
    shared = math.tanh(max(now["together"], 0.01)) * np.sqrt(variance).prod(axis=1) / level.prod(axis=1)
    expected = level * rng.gamma(1 / shared, shared)[:, None]
    unit = np.maximum(variance - level**2 * shared[:, None], 0.1 * variance) / expected
    loss = rng.gamma(expected / unit, unit)
    off = loss - level
    within = now["within"][meetings.folder]
    difference = factor * (level[:, 0] - level[:, 1]) + np.asarray(part[meetings.players] @ [1.0, -1.0])
    deeper = meetings.deeper
    worse = within * (off[:, 0] - off[:, 1])
    if fitted.deep.any():
        together = math.tanh(now["together_deeper"])
        pair = rng.multivariate_normal([0, 0], [[1, together], [together, 1]], len(loss))
        more = pair * np.sqrt(math.exp(now["log_kappa_deeper"]) * level**POWER / meetings.moves)
        deeper = np.where(fitted.deep[:, None], now["ratio"] * level + now["slope"] * off + more, math.nan)
        worse = worse + now["within_deeper"] * (more[:, 0] - more[:, 1])
    chance = win_probability(meetings.worth * (difference + worse), meetings.length)
    result = chance - 0.5 + math.exp(now["log_rest"]) * rng.choice(_standard(fitted), len(chance))
    return replace(meetings, loss=loss, result=result, deeper=deeper)


def _standard(fitted: Likelihood) -> Floats:
    """Return what the fit leaves of results, with mean 0 and variance 1: results have heavy tails."""
    now, meetings = fitted.named(fitted.values), fitted.meetings
    left, right = meetings.players.T
    theta, part = fitted.player[: fitted.count], fitted.player[fitted.count :]
    within = now["within"][meetings.folder]
    explained = fitted.per_point * (
        (now["factor"] - within) * (theta[left] - theta[right]) + part[left] - part[right]
        + within * (meetings.loss[:, 0] - meetings.loss[:, 1])
    )  # fmt: skip
    off = fitted.target - explained
    return np.asarray((off - off.mean()) / off.std())


def collections(pairs: pd.DataFrame, meetings: Meetings) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield sets of matches: all, each folder of files, the busiest man in and out, halves by both players' level."""
    yield ALL, np.ones(len(pairs), dtype=bool)
    folder = folders(pairs)
    for name in sorted(folder.unique()) if folder.nunique() > 1 else ():
        yield name or "other folders", (folder == name).to_numpy()
    counts = np.bincount(meetings.players.ravel())
    if counts.max() > len(pairs) / 4:
        with_one = (meetings.players == counts.argmax()).any(axis=1)
        yield "with the busiest player", with_one
        yield "without the busiest player", ~with_one
    level = meetings.level.mean(axis=1)
    yield "stronger half", level <= np.median(level)
    yield "weaker half", level > np.median(level)


def pairs_of(losses: pd.DataFrame, level: str, deeper: str, folder: str) -> pd.DataFrame:
    """Return pairs as people/pairs.py has them from a table of losses (people/losses), as a level found them.

    What `deeper` found in the same matches, if it saw them, is in the columns `…_deeper_…_error_emg`.
    """
    by_deeper = {name: f"deeper_{name}" for name in ("chequer_error_emg", "cube_error_emg")}
    seen = losses.loc[losses["level"] == deeper, ["match", "side", *by_deeper]].rename(columns=by_deeper)
    sides = losses[losses["level"] == level].merge(seen, on=["match", "side"], how="left")
    named = sides.assign(file=f"{folder}/" + sides["match"].astype(str), player=folder + sides["player"])
    return pairs(named, ["unforced_moves", "close_cube_decisions", *by_deeper, *by_deeper.values()])


def scale(pairs: pd.DataFrame, formula: RatingFormula) -> pd.DataFrame:
    """Return F by collection and strength (people/scale); with a deeper judge's losses where `pairs` has them."""
    rows: list[dict[str, Any]] = []
    if len(pairs) >= LEAST:
        every = Meetings.of(pairs, formula)
        if np.isfinite(every.deeper).any():
            rows.append({"group": DEEP, **row_of(Likelihood(every))})
        every = replace(every, deeper=np.full(every.loss.shape, math.nan))
        rows.append({"group": FLAT, **row_of(Likelihood(every, power=0.0))})
        for name, here in collections(pairs, every):
            if here.sum() >= LEAST:
                rows.append({"group": name, **row_of(Likelihood(every.part(here)))})
    return pd.DataFrame(rows, columns=columns("people/scale"))


def row_of(fitted: Likelihood) -> dict[str, Any]:
    """Fit and return the row of people/scale, but for the name of its group."""
    factor, meetings = fitted.fit(), fitted.meetings
    now, half = fitted.named(fitted.values), quantile(CONFIDENCE) * fitted.std_error
    return {
        "estimate": factor, "std_error": fitted.std_error, "ci_low": factor - half, "ci_high": factor + half,
        "confidence": CONFIDENCE, "within": float(now["within"] @ np.bincount(meetings.folder)) / len(meetings.folder),
        "together": math.tanh(now["together"]), "scatter": math.exp(now["log_scatter"]),
        "ratio": float(now.get("ratio", math.nan)), "n_matches": len(meetings.length),
        "n_deeper": int(fitted.deep.sum()), "n_players": fitted.count, "witnesses": meetings.witnesses,
    }  # fmt: skip


def drawn(fitted: Likelihood, number: int) -> float:
    """Return F of a simulated data set of the same structure, with F as fitted."""
    rng = np.random.default_rng([SEED, number])
    return Likelihood(simulated(fitted, float(fitted.values[0]), rng)).fit(fitted.values)


def coverage(fitted: Likelihood, estimates: Sequence[float]) -> pd.DataFrame:
    """Return how often the interval holds the truth in simulated data sets (people/coverage); see `drawn`."""
    factor, value = float(fitted.values[0]), np.array(estimates)
    row = {
        "truth": factor, "bias": value.mean() - factor, "sd": value.std(ddof=1), "std_error": fitted.std_error,
        "coverage": (np.abs(value - factor) <= quantile(CONFIDENCE) * fitted.std_error).mean(),
        "replicates": len(value), "n_matches": len(fitted.meetings.length), "confidence": CONFIDENCE,
    }  # fmt: skip
    return pd.DataFrame([row], columns=columns("people/coverage"))
