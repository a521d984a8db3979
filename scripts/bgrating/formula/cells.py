"""A study's matches as cells: one cell a design point, its matches as arrays.

The points table and the match bootstrap both ask a cell for its estimates, so they cannot differ in method.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bgrating import BgratingError
from bgrating.formula.estimators import Results
from bgrating.formula.rates import KEY, PREDICTORS, RATES

Floats = NDArray[np.float64]


class UnusableMatchesError(BgratingError, ValueError):
    """A match table lacks what the estimates need; the message names it."""


LUCK_COLUMNS = ["luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"]  # empty where not analysed
RESULT_COLUMNS = ["actual_result", "luck_adjusted_result", "player_luck_mwc", "opponent_luck_mwc"]
COUNTED = sorted({name for rate in PREDICTORS for names in RATES[rate] for name in names})
NEEDED = [
    *KEY,
    "chequer_noise",
    "cube_noise",
    *RESULT_COLUMNS,
    *(f"{side}_{name}" for side in ("player", "opponent") for name in COUNTED),
]


@dataclass(frozen=True)
class Cell:
    """The matches of one design point, one array entry a match (`rates`: error and count of either side)."""

    match_length: int
    player: str
    opponent: str
    chequer_noise: float
    cube_noise: float
    results: Results
    rates: dict[str, tuple[Floats, Floats, Floats, Floats]]

    @property
    def n_matches(self) -> int:
        """Number of matches."""
        return len(self.results.actual)

    @property
    def label(self) -> str:
        """Name of the design point for messages."""
        return f"{self.match_length} points, {self.player} against {self.opponent}"

    def difference(self, name: str, rows: NDArray[np.intp] | slice = slice(None)) -> float:
        """Take the opponent's pooled error rate from the player's: EMG a decision, NaN without decisions."""
        error, count, opponent_error, opponent_count = (column[rows].sum() for column in self.rates[name])
        if count == 0 or opponent_count == 0:
            return float("nan")
        return float(error / count - opponent_error / opponent_count)

    def difference_se(self, name: str) -> float:
        """Give the standard error of `difference` over matches (ratios linearised); NaN with one match."""
        error, count, opponent_error, opponent_count = self.rates[name]
        if self.n_matches < 2 or count.sum() == 0 or opponent_count.sum() == 0:
            return float("nan")
        player = (error - count * error.sum() / count.sum()) / count.mean()
        opponent = (
            opponent_error - opponent_count * opponent_error.sum() / opponent_count.sum()
        ) / opponent_count.mean()
        return float(np.std(player - opponent, ddof=1) / np.sqrt(self.n_matches))


def cells(matches: pd.DataFrame) -> list[Cell]:
    """Sort a match table (columns of the data dictionary, one row a match) into design points.

    Raises UnusableMatchesError where a column is missing, a value that the estimates need is absent, or the
    matches of one design point disagree about their noise.
    """
    missing = [name for name in NEEDED if name not in matches.columns]
    if missing:
        raise UnusableMatchesError(f"the match table has no column {', '.join(missing)}: make it again with `analyse`")
    if matches.empty:
        raise UnusableMatchesError("the match table has no rows: play some matches first")
    matches = with_results(matches)
    holes = [name for name in NEEDED if name not in LUCK_COLUMNS and matches[name].isna().any()]
    if holes:
        raise UnusableMatchesError(
            f"the match table has empty values in {', '.join(holes)}: remove or redo these matches"
        )
    return sorted(_split(matches), key=lambda c: (c.match_length, c.chequer_noise, c.cube_noise, c.player, c.opponent))


def with_results(matches: pd.DataFrame) -> pd.DataFrame:
    """Fill in the actual result where gnubg gives none, from the final score: half a match more or less than even.

    gnubg counts results among the luck, so that a match analysed without luck has none. A table without scores, or with
    scores that are level, stays as it is.
    """
    if not {"actual_result", "player_score", "opponent_score"} <= set(matches.columns):
        return matches
    ahead = np.sign(matches["player_score"].to_numpy(float) - matches["opponent_score"].to_numpy(float)) / 2
    known = matches["actual_result"].to_numpy(float)
    return matches.assign(actual_result=np.where(np.isnan(known) & (ahead != 0), ahead, known))


def by_key(table: pd.DataFrame) -> dict[tuple[int, str, str], pd.DataFrame]:
    """Part a table with the columns KEY by design point: (match length, player, opponent) -> its rows, in order."""
    groups = table.groupby(KEY, sort=True, observed=True)
    return {(int(n), str(player), str(opponent)): rows for (n, player, opponent), rows in cast(Any, groups)}


def _split(matches: pd.DataFrame) -> Iterator[Cell]:
    noise = {name: matches[name].to_numpy() for name in ("chequer_noise", "cube_noise")}
    values = {name: matches[name].to_numpy(dtype=np.float64) for name in NEEDED if name not in (*KEY, *noise)}
    for key, members in matches.groupby(KEY, sort=True, observed=True).indices.items():
        length, player, opponent = cast(tuple[int, str, str], key)
        rows = np.asarray(members, dtype=np.intp)
        where = f"{length} points, {player} against {opponent}"
        known = np.isfinite(np.array([values[name][rows] for name in LUCK_COLUMNS]))
        if known.any() and not known.all():
            raise UnusableMatchesError(
                f"{where}: luck is there for some matches only; analyse them all with it or none"
            )
        for name, column in noise.items():
            if np.any(column[rows] != column[rows[0]]):
                raise UnusableMatchesError(
                    f"{where}: {name} takes several values ({column[rows].min()} to {column[rows].max()}); "
                    "a level name must mean one level"
                )

        def total(side: str, names: tuple[str, ...], rows: NDArray[np.intp] = rows) -> Floats:
            return np.asarray(sum(values[f"{side}_{name}"][rows] for name in names), dtype=np.float64)

        yield Cell(
            match_length=int(length),
            player=str(player),
            opponent=str(opponent),
            chequer_noise=_shortest(noise["chequer_noise"][rows[0]]),
            cube_noise=_shortest(noise["cube_noise"][rows[0]]),
            results=Results(*(values[name][rows] for name in RESULT_COLUMNS)),
            rates={
                name: (total("player", e), total("player", c), total("opponent", e), total("opponent", c))
                for name, (e, c) in ((rate, RATES[rate]) for rate in PREDICTORS)
            },
        )


def _shortest(value: object) -> float:
    """Read a noise level back as it was written: a float32 0.02 is 0.02, not 0.0199999996."""
    return float(str(value))
