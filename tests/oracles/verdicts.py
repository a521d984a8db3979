"""How often the verdicts of `decide` are wrong, and how often its intervals cover the truth, in simulated tests.

Matches are drawn from real ones with weights that give the true difference and luck of mean zero. They are the weights
nearest to equal ones by Kullback-Leibler divergence (exponential tilting, Efron, Biometrika 68 (1981) 589), so the
drawn matches keep the dependence of result and luck.

`python tests/oracles/verdicts.py`, some minutes, writes results/1.08/tournament/*/verdicts.csv.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import optimize, special

from bgduel.decision import (
    ALONE_PRICE,
    FIRST_LOOK,
    NOT_STRONGER,
    STRONGER,
    UNDECIDED,
    Question,
    decided,
    estimates,
    half_widths,
    looks_of,
    question,
    saved_by_luck,
)
from bgrating.play.matches import read_checked
from bgrating.rating.fibs import Floats, of_elo, win_probability
from bgrating.tables.dictionary import columns
from bgrating.tables.provenance import sha256
from bgrating.tables.tables import read_table, write_table

COLUMNS = columns("tournament/verdicts")
PLAYED = Path(__file__).parents[2] / "results" / "1.08" / "tournament"
MATCHES = PLAYED / "default" / "frozen" / "3.parquet"
GAMES = PLAYED / "money" / "frozen" / "money_games.csv"
RUNS = 2000
GAPS = ((0.0, 0.0), (15.0, 15.0), (30.0, 30.0), (100.0, 100.0), (300.0, 300.0), (30.0, 0.0), (1000.0, 300.0))
"""True differences in Elo, of tests of 0 against 30, and those that matches are drawn at.

Where these differ, lost matches are won at random, whatever the luck: a rare change makes the whole difference.
"""
NEAR = 0.15  # chances from the true one of the pairs that are drawn from
SEED, STEP, MOST = 2026, 20, 4000
BIG = 8.0  # points of the rare money games that make the whole difference
MOST_WEIGHT = 25.0  # times the mean: beyond it the sample has too few matches of that kind
_CHUNK = 100  # simulated tests at once


def of_matches(matches: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Test `runs` simulated duels of each gap; one row per gap (COLUMNS).

    `matches` are rows of a frozen tournament: actual_result and both players' luck_mwc.
    """
    length = int(matches["match_length"].iloc[0])
    asked = question({"elo0": 0.0, "elo1": 30.0, "most": MOST}, length, STEP)
    names = ("actual_result", "player_luck_mwc", "opponent_luck_mwc")
    won = matches.groupby(["player", "opponent"])["actual_result"].transform("mean") + 0.5
    rows = []
    for gap, drawn_at in GAPS:
        chance, base = _chance(gap, length), _chance(drawn_at, length)
        result, *lucks = (matches.loc[abs(won - base) < NEAR, name].to_numpy(float) for name in names)
        weights = tilted(np.column_stack([result + 0.5 - base, *lucks]), f"a gap of {drawn_at:g} Elo")
        turned = (chance - base) / (1 - base)
        row = _simulated(asked, (result > 0).astype(float), lucks[0] - lucks[1], weights, chance, runs, rare=turned)
        rows.append({"truth": gap, "drawn_at": drawn_at, **row})
    return pd.DataFrame(rows)[COLUMNS]


def of_money(games: pd.DataFrame, runs: int) -> pd.DataFrame:
    """Test simulated money games of both hypotheses, also where rare games of 8 points make it (COLUMNS)."""
    asked = replace(question({}, 0, STEP), max_matches=MOST)
    points, *lucks = (games[name].to_numpy(float) for name in ("points", "player_luck", "opponent_luck"))
    rows = []
    for truth, other in ((asked.equal, asked.min_gain), (asked.min_gain, asked.equal)):
        for rare in (False, True):
            drawn_at = other if rare else truth
            weights = tilted(np.column_stack([points - drawn_at, *lucks]), f"{drawn_at:g} points a game")
            share = (truth - drawn_at) / BIG
            row = _simulated(asked, points, lucks[0] - lucks[1], weights, truth, runs, rare=share)
            rows.append({"truth": truth, "drawn_at": drawn_at, **row})
    return pd.DataFrame(rows)[COLUMNS]


def _chance(elo: float, length: int) -> float:
    return float(win_probability(-of_elo(elo, length), length))


def _simulated(
    asked: Question, won: Floats, luck: Floats, weights: Floats, truth: float, runs: int, *, rare: float
) -> dict[str, Any]:
    """Return shares of verdicts, mean matches and coverage; a share `rare` of the results is changed at random."""
    parts = []
    for results, lucks in _drawn(asked, won, luck, weights, runs, rare):
        firsts = zip(results[:, :FIRST_LOOK], lucks[:, :FIRST_LOOK], strict=True)
        pays = np.array([saved_by_luck(*first) > ALONE_PRICE for first in firsts])
        looks = looks_of(asked, results.shape[1])
        chance, error = estimates(results, lucks * pays[:, None], looks, None, asked.unseen)
        half = half_widths(asked, error, looks, np.cumsum(results > 0, axis=1)[:, looks - 1])
        answers = decided(asked, asked.ratio(chance, error))
        is_verdict = answers != UNDECIDED
        ends = np.where(is_verdict.any(axis=1), is_verdict.argmax(axis=1), len(looks) - 1)
        at = np.arange(len(results)), ends
        low, high = chance[at] - half[at], chance[at] + half[at]
        # An interval may not contain the difference that its verdict refutes.
        too_low = (answers[at] == STRONGER) & (low <= asked.chance(asked.equal))
        too_high = (answers[at] == NOT_STRONGER) & (high >= asked.chance(asked.min_gain))
        about = {"verdict": answers[at], "matches": looks[ends], "covers": (low <= truth) & (truth <= high)}
        parts.append(pd.DataFrame(about | {"with_luck": pays, "contradicts": too_low | too_high}))
    tests = pd.concat(parts)
    shares = {word: float((tests["verdict"] == word).mean()) for word in (STRONGER, NOT_STRONGER, UNDECIDED)}
    return {
        **shares,
        "runs": runs,
        "mean_matches": tests["matches"].mean(),
        "coverage": tests["covers"].mean(),
        "with_luck": tests["with_luck"].mean(),
        "contradictions": int(tests["contradicts"].sum()),
    }


def _drawn(
    asked: Question, won: Floats, luck: Floats, weights: Floats, runs: int, rare: float
) -> Iterator[tuple[Floats, Floats]]:
    """Yield results and net luck of simulated tests, arrays (tests, matches)."""
    random = np.random.default_rng(SEED)
    for size in np.diff([*range(0, runs, _CHUNK), runs]):
        drawn = random.choice(len(won), size=(size, asked.max_matches), p=weights)
        results, changed = won[drawn], random.random(drawn.shape) < abs(rare)
        results = np.maximum(results, changed) if asked.match_length else results + np.sign(rare) * BIG * changed
        yield results, luck[drawn]


def tilted(constraints: Floats, where: str) -> Floats:
    """Return the weights (sum one) nearest to equal ones under which every column of `constraints` has mean zero.

    Raises ValueError naming `where` if there are none, or they rest on a few matches alone.
    """
    z = constraints / constraints.std(axis=0)

    def dual(lam: Floats) -> tuple[float, Floats]:
        exponent = z @ lam
        return float(special.logsumexp(exponent)), special.softmax(exponent) @ z

    bounds = [(-20.0, 20.0)] * z.shape[1]  # beyond, a single match would take all the weight
    options = {"gtol": 1e-9, "ftol": 1e-15, "maxiter": 5000}
    start = np.zeros(z.shape[1])
    found = optimize.minimize(dual, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    weights = special.softmax(z @ found.x)
    if float(np.abs(weights @ z).max()) > 1e-5 or weights.max() * len(weights) > MOST_WEIGHT:
        raise ValueError(f"{where}: no weights of the matches give the requested difference")
    return np.asarray(weights)


def main() -> None:
    """Write both tables."""
    tables = {MATCHES: of_matches(read_checked(MATCHES), RUNS), GAMES: of_money(read_table(GAMES), RUNS)}
    for source, table in tables.items():
        out = source.parents[1] / "verdicts.csv"
        write_table(table, out, "tournament/verdicts", drawn_sha256=sha256(source), seed=SEED)


if __name__ == "__main__":
    main()
