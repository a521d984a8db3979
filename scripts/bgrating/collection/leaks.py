"""A player's leaks: where he loses more than his strength explains, by phase, kind of decision and score.

Every decision belongs to one cell of each family: phase (of a play; doubles and answers for the cube), and score. The
expected loss of a cell is the other players' loss there, times a ratio. The ratio is the player's loss over theirs in
all OTHER cells. A cell is a leak where he loses more than that, and chance does not explain it. The test is Student's t
over his matches, with the uncertainty of the others'. Its level is 5 % for all his cells together (Bonferroni).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from bgrating.pages.positions import CHECKED_PLIES, NO_CONTACT

CHANCE = 0.05
LEAST_MATCHES, LEAST_PLAYERS, LEAST_DECISIONS = 5, 5, 20
"""Matches of the player, other players, and decisions of the player in a cell, below which nothing is said of it."""
SHOWN = 3

PHASES = {
    "opening": "Opening plays", "contact": "Middle-game plays", "race": "Races", "bearoff": "Bearing off",
    "double": "Doubling", "answer": "Taking and passing",
}  # fmt: skip
_SCORES = {
    "money": "for money", "last": "in the last game, both one point away", "crawford": "with one player one point away",
    "ahead": "when ahead", "behind": "when behind", "level": "at level score",
}  # fmt: skip
WORDS = PHASES | {
    f"{kind} {name}": f"{title} {words}"
    for kind, title in (("play", "Chequer play"), ("cube", "Cube"))
    for name, words in _SCORES.items()
}
"""Cells of both families, in words."""
_FAMILIES = (tuple(PHASES), tuple(name for name in WORDS if name not in PHASES))
_MATCH = ["player", "file", "match"]
_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Leak:
    """A cell where a player loses more than his strength explains.

    `rate` and `expected` are 500 times the loss (EMG) a decision, as PR; `excess` is what the difference adds to the
    player's PR.
    """

    words: str
    decisions: int
    rate: float
    expected: float
    excess: float


class CellLosses:
    """What every player lost in each cell of each match, added up while the parts of decisions.parquet go by."""

    def __init__(self, plies: int) -> None:
        """`plies` is the depth of the analysis: cube decisions that it does not check are left out."""
        self._is_checked = plies >= CHECKED_PLIES
        self._parts: list[pd.DataFrame] = []

    def add(self, part: pd.DataFrame) -> None:
        """Add decisions, rows of the table; a match is in one part only."""
        is_play = (part["kind"] == "play").to_numpy()
        checked = self._is_checked | part["checked_by"].fillna("").ne("").to_numpy()
        counts = is_play | checked | ~part["theme"].isin(list(NO_CONTACT)).to_numpy()
        chosen = part["unforced"].to_numpy(bool) & counts
        decided, is_play = part[chosen], is_play[chosen]
        phase = np.where(is_play, decided["theme"], np.where(decided["kind"] == "double", "double", "answer"))
        score = np.char.add(np.where(is_play, "play ", "cube "), _score(decided))
        losses = decided[_MATCH].assign(loss=decided["loss_emg"], n=1.0)
        for cell in (phase, score):
            self._parts.append(losses.assign(cell=cell).groupby([*_MATCH, "cell"], sort=False).sum().reset_index())

    def of_players(self) -> dict[str, tuple[list[Leak], dict[str, tuple[float, float]]]]:
        """Return each player's leaks, the largest first, and by phase his rate and the others', as PR."""
        if not self._parts:
            return {}
        table = pd.concat(self._parts, ignore_index=True)
        candidates: dict[str, tuple[list[tuple[float, Leak]], dict[str, tuple[float, float]]]] = {}
        tested: dict[str, int] = {}
        for family in _FAMILIES:
            matches = _by_match(table[table["cell"].isin(family)], family)
            sums = [np.array([part.sum(axis=0) for part in parts]) for parts in zip(*matches.values(), strict=True)]
            for place, (name, (losses, counts)) in enumerate(matches.items()):
                rate, variance = _of_others(*(np.delete(part, place, axis=0) for part in sums))
                others = len(matches) - 1
                cells = _tested(losses, counts, rate, variance) if others >= LEAST_PLAYERS else []
                tested[name] = tested.get(name, 0) + len(cells)
                leaks, profile = candidates.setdefault(name, ([], {}))
                leaks += [(p, _leak(family[c], c, losses, counts, ratio, rate)) for c, p, ratio in cells]
                if family == _FAMILIES[0]:
                    total, n = losses.sum(axis=0), counts.sum(axis=0)
                    profile |= {
                        cell: (500 * total[c] / n[c], 500 * rate[c])
                        for c, cell in enumerate(family)
                        if n[c] >= LEAST_DECISIONS and others and rate[c] > 0
                    }
        return {
            name: (
                sorted((leak for p, leak in leaks if p < CHANCE / tested[name]), key=lambda leak: -leak.excess)[:SHOWN],
                profile,
            )
            for name, (leaks, profile) in candidates.items()
        }


def _score(decided: pd.DataFrame) -> Any:
    away = (decided["match_length"] - decided["score"]).to_numpy()
    other = (decided["match_length"] - decided["opponent_score"]).to_numpy()
    conditions = [decided["match_length"].to_numpy() == 0, (away == 1) & (other == 1), (away == 1) | (other == 1)]
    return np.select([*conditions, away < other, away > other], list(_SCORES)[:5], "level")


def _by_match(table: pd.DataFrame, family: tuple[str, ...]) -> dict[str, tuple[_Array, _Array]]:
    """Return each player's losses and counts: rows are matches, columns the cells of a family."""
    wide = table.pivot(index=_MATCH, columns="cell", values=["loss", "n"])
    wide = wide.reindex(columns=pd.MultiIndex.from_product([["loss", "n"], family])).fillna(0.0)
    values = wide.to_numpy(float)
    groups = pd.Series(wide.index.get_level_values("player")).groupby(wide.index.get_level_values("player")).indices
    return {
        str(name): (values[rows][:, : len(family)], values[rows][:, len(family) :]) for name, rows in groups.items()
    }


def _of_others(loss: _Array, n: _Array) -> tuple[_Array, _Array]:
    """Return what players (rows) lose a decision by cell, and the variance of that."""
    total = n.sum(axis=0)
    rate = np.divide(loss.sum(axis=0), total, out=np.zeros(len(total)), where=total > 0)
    # Of players of different strength only the shape of their losses counts, not their size.
    expected = n * rate
    each = expected.sum(axis=1)
    strength = np.divide(loss.sum(axis=1), each, out=np.ones(len(loss)), where=each > 0)
    squares = ((loss - strength[:, None] * expected) ** 2).sum(axis=0)
    variance = np.divide(squares, total**2, out=np.full(len(total), np.inf), where=total > 0)
    return rate, variance * (len(loss) / (len(loss) - 1) if len(loss) > 1 else 1.0)


def _tested(losses: _Array, counts: _Array, rate: _Array, variance: _Array) -> list[tuple[int, float, float]]:
    """Return for each cell that can be tested its place, the chance of such an excess, and the player's strength.

    `losses` and `counts` are of the player by match and cell, `rate` and its `variance` of the others by cell.
    """
    matches = len(losses)
    if matches < LEAST_MATCHES:
        return []
    tests = []
    expected = counts * rate
    for cell in np.flatnonzero((counts.sum(axis=0) >= LEAST_DECISIONS) & (rate > 0)):
        rest = np.arange(counts.shape[1]) != cell
        base = expected[:, rest].sum()
        if base <= 0 or losses[:, rest].sum() <= 0:
            continue
        ratio = losses[:, rest].sum() / base
        others = losses[:, rest].sum(axis=1) - ratio * expected[:, rest].sum(axis=1)
        residual = losses[:, cell] - ratio * expected[:, cell] - expected[:, cell].sum() / base * others
        squared_error = matches * residual.var(ddof=1) + (ratio * counts[:, cell].sum()) ** 2 * variance[cell]
        if squared_error > 0:
            chance = float(special.stdtr(matches - 1, -residual.sum() / np.sqrt(squared_error)))
            tests.append((int(cell), chance, float(ratio)))
    return tests


def _leak(name: str, cell: int, losses: _Array, counts: _Array, ratio: float, rate: _Array) -> Leak:
    loss, n, all_n = float(losses[:, cell].sum()), float(counts[:, cell].sum()), float(counts.sum())
    expected = ratio * float(rate[cell])
    return Leak(WORDS[name], int(n), 500 * loss / n, 500 * expected, 500 * (loss - expected * n) / all_n)
