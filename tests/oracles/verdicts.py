"""How often the verdicts of `decide` are wrong, and how often its intervals cover the truth, in
simulated tests.

Matches are drawn from real ones with weights that give the true difference and luck of mean zero.
They are the weights nearest to equal ones by Kullback-Leibler divergence (exponential tilting,
Efron, Biometrika 68 (1981) 589), so the drawn matches keep the dependence of result and luck.

`python tests/oracles/verdicts.py`, some minutes, writes results/1.08/tournament/*/verdicts.csv.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import optimize, special

from bgduel.decision import (
    ALONE_PRICE,
    FIRST_LOOK,
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    WORDS,
    Question,
    Test,
    estimates,
    looks_of,
    question_of,
    saved_by_luck,
)
from bgduel.duel import INVALID, too_many_void
from bgrating.play.match_tables import read_checked
from bgrating.rating.fibs_formula import Floats, of_elo
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import sha256
from bgrating.tables.table_files import read_table, write_table

COLUMNS = columns("tournament/verdicts")
PLAYED = Path(__file__).parents[2] / "results" / "1.08" / "tournament"
MATCHES = PLAYED / "default" / "frozen" / "3.parquet"
GAMES = PLAYED / "money" / "frozen" / "money_games.csv"
RUNS = 1200
NEAR = 0.15  # chances from the true one of the pairs that are drawn from
SEED, STEP, MOST = 2026, 20, 4000
BIG = 8.0  # points of the rare money games that make the whole difference
MOST_WEIGHT = 25.0  # times the mean: beyond it the sample has too few matches of that kind
_CHUNK = 100  # simulated tests at once


@dataclass(frozen=True)
class Case:
    """A true difference, and the one that matches are drawn at, in the unit of the question.

    Where these differ, lost matches are won at random, whatever the luck: a rare change makes the
    whole difference. `stalls` is the share of all matches in which the first side, when it would
    lose, plays a game without end; these matches are left out.
    """

    truth: float
    drawn_at: float
    stalls: float = 0.0


CASES = (
    *(Case(elo, elo) for elo in (0.0, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 100.0, 300.0)),
    Case(30.0, 0.0),
    Case(1000.0, 300.0),
    Case(0.0, 0.0, stalls=0.005),
    Case(0.0, 0.0, stalls=0.02),
)
"""Of tests of 0 against 30 Elo."""


@dataclass(frozen=True)
class Pool:
    """Results and net luck of real matches, and the weights with which they are drawn."""

    won: Floats
    luck: Floats
    weights: Floats


def of_matches(matches: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Test `runs` simulated duels of each case; one row per case (COLUMNS).

    `matches` are rows of a frozen tournament: actual_result and both players' luck_mwc.
    """
    length = int(matches["match_length"].iloc[0])
    asked = question_of({"elo0": 0.0, "elo1": 30.0, "most": MOST}, length, STEP)
    names = ("actual_result", "player_luck_mwc", "opponent_luck_mwc")
    won = matches.groupby(["player", "opponent"])["actual_result"].transform("mean") + 0.5
    rows = []
    for case in CASES:
        base = _chance(asked, case.drawn_at)
        near = abs(won - base) < NEAR
        result, *lucks = (matches.loc[near, name].to_numpy(float) for name in names)
        constraints = np.column_stack([result + 0.5 - base, *lucks])
        weights = tilted(constraints, f"a gap of {case.drawn_at:g} Elo")
        pool = Pool((result > 0).astype(float), lucks[0] - lucks[1], weights)
        turned = (_chance(asked, case.truth) - base) / (1 - base)
        rows.append(_simulated(asked, case, pool, runs, rare=turned))
    return pd.DataFrame(rows)[COLUMNS]


def of_money(games: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Test simulated money games of both hypotheses, also where rare games of 8 points make it."""
    asked = replace(question_of({}, 0, STEP), max_matches=MOST)
    names = ("points", "player_luck", "opponent_luck")
    points, *lucks = (games[name].to_numpy(float) for name in names)
    rows = []
    for truth, other in ((asked.equal, asked.min_gain), (asked.min_gain, asked.equal)):
        for drawn_at in (truth, other):
            constraints = np.column_stack([points - drawn_at, *lucks])
            weights = tilted(constraints, f"{drawn_at:g} points a game")
            pool = Pool(points, lucks[0] - lucks[1], weights)
            share = (truth - drawn_at) / BIG
            rows.append(_simulated(asked, Case(truth, drawn_at), pool, runs, rare=share))
    return pd.DataFrame(rows)[COLUMNS]


def _chance(asked: Question, elo: float) -> float:
    return asked.chance(of_elo(elo, asked.match_length))


def _simulated(asked: Question, case: Case, pool: Pool, runs: int, *, rare: float) -> Any:
    """Return shares of verdicts, mean matches, coverage and bias; `rare` results are changed."""
    tests = pd.concat(list(_ended(asked, case, pool, runs, rare)), ignore_index=True)
    truth = case.truth * asked.per_unit
    low, high = tests["ci_low"], tests["ci_high"]
    # An interval may not contain the difference that its verdict refutes.
    too_low = (tests["verdict"] == STRONGER) & (low <= asked.equal)
    too_high = (tests["verdict"] == NOT_STRONGER) & (high >= asked.min_gain)
    words = (STRONGER, NOT_STRONGER, UNDECIDED, INVALID)
    half = (high - low).median() / 2
    return {
        "truth": case.truth,
        "drawn_at": case.drawn_at,
        "stalls": case.stalls,
        **{word: float((tests["verdict"] == word).mean()) for word in words},
        "mean_matches": tests["matches"].mean(),
        "coverage": ((low <= truth) & (truth <= high)).mean(),
        "bias": (tests["difference"].clip(-1e4, 1e4) - truth).mean() / half,
        "with_luck": tests["with_luck"].mean(),
        "contradictions": int((too_low | too_high).sum()),
        "runs": runs,
    }


def _ended(
    asked: Question, case: Case, pool: Pool, runs: int, rare: float
) -> Iterator[pd.DataFrame]:
    """Yield how simulated tests ended: verdict, matches, difference and its interval."""
    looks = looks_of(asked, MOST)
    test = Test(asked, looks)
    for results, lucks, voids in _drawn(asked, case, pool, runs, rare):
        firsts = zip(results[:, :FIRST_LOOK], lucks[:, :FIRST_LOOK], strict=True)
        pays = np.array([saved_by_luck(*first) > ALONE_PRICE for first in firsts])
        chance, error = estimates(
            results, lucks * pays[:, None], looks, np.ones_like(results), asked.unseen
        )
        wins = np.cumsum(results > 0, axis=1)[:, looks - 1]
        stops = asked.stops(chance, error, wins, looks)
        invalid = too_many_void(voids[:, looks - 1], looks)
        ends = _first(invalid | (stops != 0))
        at = np.arange(len(results)), ends
        rows = {"wins": wins[at], "chance": chance[at], "std_error": error[at]}
        found = []
        for look, pay, row in zip(ends, pays, pd.DataFrame(rows).to_dict("records"), strict=True):
            means = test.difference(int(look), row, less_luck=bool(pay))
            found.append([asked.points(mean) for mean in means])
        yield pd.DataFrame(found, columns=["difference", "ci_low", "ci_high"]).assign(
            verdict=np.where(invalid[at], INVALID, WORDS[stops[at]]),
            matches=looks[ends],
            with_luck=pays,
        )


def _first(events: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the first event of every row, or the last column."""
    return np.where(events.any(axis=1), events.argmax(axis=1), events.shape[1] - 1)


def _drawn(
    asked: Question, case: Case, pool: Pool, runs: int, rare: float
) -> Iterator[tuple[Floats, Floats, NDArray[np.int64]]]:
    """Yield results and net luck of the matches that count, and how many were left out before each.

    The arrays have the shape (tests, matches).
    """
    random = np.random.default_rng(SEED)
    for size in np.diff([*range(0, runs, _CHUNK), runs]):
        most = round(asked.max_matches * (1 + 3 * case.stalls))
        drawn = random.choice(len(pool.won), size=(size, most), p=pool.weights)
        results = pool.won[drawn]
        changed = random.random(drawn.shape) < abs(rare)
        added = np.sign(rare) * BIG * changed
        results = np.maximum(results, changed) if asked.match_length else results + added
        lost = results <= 0
        is_void = lost & (random.random(drawn.shape) * lost.mean() < case.stalls)
        kept = np.argsort(is_void, axis=1, kind="stable")[:, : asked.max_matches]
        voids = kept - np.arange(asked.max_matches)
        left_in = (np.take_along_axis(one, kept, axis=1) for one in (results, pool.luck[drawn]))
        yield *left_in, voids


def tilted(constraints: Floats, where: str) -> Floats:
    """Return the weights (sum one) nearest to equal ones under which every column of `constraints`
    has mean zero.

    Raises ValueError naming `where` if there are none, or they rest on a few matches alone.
    """
    z = constraints / constraints.std(axis=0)

    def dual(lam: Floats) -> tuple[float, Floats]:
        exponent = z @ lam
        return float(special.logsumexp(exponent)), special.softmax(exponent) @ z

    bounds = [(-20.0, 20.0)] * z.shape[1]  # beyond, a single match would take all the weight
    options = {"gtol": 1e-9, "ftol": 1e-15, "maxiter": 5000}
    start = np.zeros(z.shape[1])
    found = optimize.minimize(
        dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options
    )
    weights = special.softmax(z @ found.x)
    if float(np.abs(weights @ z).max()) > 1e-5 or weights.max() * len(weights) > MOST_WEIGHT:
        raise ValueError(f"{where}: no weights of the matches give the requested difference")
    return np.asarray(weights)


def main() -> None:
    """Write both tables."""
    tables = {
        MATCHES: of_matches(read_checked(MATCHES), RUNS),
        GAMES: of_money(read_table(GAMES), RUNS),
    }
    for source, table in tables.items():
        out = source.parents[1] / "verdicts.csv"
        write_table(table, out, "tournament/verdicts", drawn_sha256=sha256(source), seed=SEED)


if __name__ == "__main__":
    main()
