"""What a player should practise: where he loses more than his strength explains, by phase, score and cube action.

Every decision belongs to one cell of each family: phase (of a play; doubles and answers for the cube), score, and what
was done with the cube. The expected loss of a cell is the other players' loss there, times a ratio. The ratio is the
player's loss over theirs in all OTHER cells. A leak is likely where he loses more than that, and chance does not
explain it. The test is Student's t over his matches, with the uncertainty of the others'. Its level is 5 % for all his
cells together (Bonferroni; a fifth of it is for what was done with the cube).
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import special

from bgrating.pages.positions import CHECKED_PLIES, NO_CONTACT
from bgrating.rating.intervals import CONFIDENCE, quantile

CHANCE = 0.05
LEAST_MATCHES, LEAST_PLAYERS, LEAST_DECISIONS = 5, 5, 20
"""Matches of the player, other players, and decisions of the player in a cell, below which nothing is said of it."""
SHOWN = 3
LIKELY, POSSIBLE, USUAL, FEW = "likely", "possible", "no more than usual", "too few to tell"
"""How sure a theme is: chance does not explain it, it may, he loses no more than others, nothing could be tested."""

PHASES = {
    "opening": "Opening plays", "contact": "Middle-game plays", "race": "Races", "bearoff": "Bearing off",
    "double": "Doubling", "answer": "Taking and passing",
}  # fmt: skip
_SCORES = {
    "money": "for money", "last": "in the last game, both one point away", "crawford": "with one player one point away",
    "ahead": "when ahead", "behind": "when behind", "level": "at level score",
}  # fmt: skip
_ACTIONS = {
    "late": "Not doubling where it is close", "early": "Doubles", "take": "Takes", "pass": "Passes",
}  # fmt: skip
REST = "any play"
"""Of what was done with the cube, all that is none: it tells how strong a player is, and is no theme."""
_NEAR = " with a player two points away"
WORDS = PHASES | {
    f"{kind} {name}": f"{title} {words}"
    for kind, title in (("play", "Chequer play"), ("cube", "Cube"))
    for name, words in _SCORES.items()
} | {
    f"{name}{near}": f"{title}{near and _NEAR}" for name, title in _ACTIONS.items() for near in ("", " 2")
}  # fmt: skip
"""Cells of all families, in words."""
_FAMILIES = (
    tuple(PHASES), tuple(name for name in WORDS if name.startswith(("play ", "cube "))),
    (REST, *(f"{name}{near}" for name in _ACTIONS for near in ("", " 2"))),
)  # fmt: skip
_MATCH = ["player", "file", "match"]
_Array = NDArray[np.float64]


@dataclass(frozen=True)
class Theme:
    """A cell, with the decisions and matches behind it, and how sure it is that the player loses too much there.

    Equity (EMG) a match: `cost` is his loss, `expected` that of players of his strength (NaN: no others), `excess` the
    difference, with its interval `low` to `high` (NaN: not tested).
    """

    words: str
    decisions: int
    matches: int
    cost: float
    expected: float
    excess: float
    low: float
    high: float
    sure: str


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
        action = np.where(
            decided["kind"] != "double", decided["kind"], np.where(decided["played"] == "double", "early", "late")
        )
        near = np.where(_away(decided, "score", 2) | _away(decided, "opponent_score", 2), " 2", "")
        action = np.where(is_play, REST, np.char.add(action.astype(str), near))
        for cell in (phase, score, action):
            self._parts.append(losses.assign(cell=cell).groupby([*_MATCH, "cell"], sort=False).sum().reset_index())

    def of_players(self) -> dict[str, tuple[list[Theme], dict[str, tuple[float, float]]]]:
        """Return each player's SHOWN themes, the surest first, and by phase his rate and the others', as PR."""
        if not self._parts:
            return {}
        table = pd.concat(self._parts, ignore_index=True)
        found: dict[str, list[tuple[int, float, Theme]]] = {}
        profiles: dict[str, dict[str, tuple[float, float]]] = {}
        for number, family in enumerate(_FAMILIES):
            matches = _by_match(table[table["cell"].isin(family)], family)
            sums = [np.array([part.sum(axis=0) for part in parts]) for parts in zip(*matches.values(), strict=True)]
            for place, (name, (losses, counts)) in enumerate(matches.items()):
                rate, variance = _of_others(*(np.delete(part, place, axis=0) for part in sums))
                others = len(matches) - 1
                tests = _tested(losses, counts, rate, variance) if others >= LEAST_PLAYERS else {}
                for cell in np.flatnonzero(counts.sum(axis=0)):
                    if family[cell] == REST:
                        continue
                    p, theme = _theme(family[cell], int(cell), losses, counts, rate, tests.get(int(cell)))
                    found.setdefault(name, []).append((number, p, theme))
                if not number:
                    total, n = losses.sum(axis=0), counts.sum(axis=0)
                    profiles[name] = {
                        cell: (500 * total[c] / n[c], 500 * rate[c])
                        for c, cell in enumerate(family)
                        if n[c] >= LEAST_DECISIONS and others and rate[c] > 0
                    }
        return {name: (_chosen(themes), profiles.get(name, {})) for name, themes in found.items()}


def _chosen(themes: list[tuple[int, float, Theme]]) -> list[Theme]:
    """Return the likely themes, then the largest of each other family (its number, the chance of the excess, it)."""
    limits: dict[int, float] = {}
    for alike, share in _SHARES.items():
        tested = sum(theme.sure != FEW for family, _, theme in themes if family in alike)
        limits |= dict.fromkeys(alike, share * CHANCE / max(1, tested))
    ranked = sorted(
        (
            (family, replace(theme, sure=LIKELY) if p < limits[family] else theme)
            for family, p, theme in themes
            if theme.cost > 0
        ),
        key=lambda pair: (_ORDER.index(pair[1].sure), -_size(pair[1])),
    )
    first: list[Theme] = []
    seen: set[int] = set()
    for family, theme in ranked:
        if theme.sure == LIKELY or (family not in seen and _size(theme) > 0):
            first.append(theme)
        seen.add(family)
    rest = [theme for _, theme in ranked if theme not in first]
    return (first + rest)[:SHOWN]


_SHARES = {(0, 1): 0.8, (2,): 0.2}
"""Shares of CHANCE by families: what was done with the cube refines phases, whose leaks it must not hide."""
_ORDER = (LIKELY, POSSIBLE, FEW, USUAL)


def _size(theme: Theme) -> float:
    """Return what a theme is ordered by: the excess, or the cost where there is nobody to compare with."""
    return theme.cost if np.isnan(theme.excess) else theme.excess


def _away(decided: pd.DataFrame, score: str, points: int) -> Any:
    return (decided["match_length"] - decided[score]).to_numpy() == points


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


def _tested(losses: _Array, counts: _Array, rate: _Array, variance: _Array) -> dict[int, tuple[float, float, float]]:
    """Return for each cell that can be tested the chance of such an excess, the player's strength, the error of it.

    `losses` and `counts` are of the player by match and cell, `rate` and its `variance` of the others by cell.
    """
    matches = len(losses)
    if matches < LEAST_MATCHES:
        return {}
    tests = {}
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
            error = float(np.sqrt(squared_error))
            chance = float(special.stdtr(matches - 1, -residual.sum() / error))
            tests[int(cell)] = chance, float(ratio), error
    return tests


def _theme(
    name: str, cell: int, losses: _Array, counts: _Array, rate: _Array, test: tuple[float, float, float] | None
) -> tuple[float, Theme]:
    """Return the chance of a cell's excess (1: not tested) and the cell as a theme, possible or less."""
    matches, n, cost = len(losses), float(counts[:, cell].sum()), float(losses[:, cell].sum())
    chance, ratio, error = test or (1.0, _strength(losses, counts, rate), np.nan)
    expected = ratio * n * float(rate[cell]) if rate[cell] > 0 else np.nan
    excess = cost - expected
    half = error * quantile(CONFIDENCE, matches - 1) if test else np.nan
    sure = FEW if test is None else POSSIBLE if excess > 0 else USUAL
    cost, expected, excess, half = (value / matches for value in (cost, expected, excess, half))
    ends = excess - half, excess + half
    return chance, Theme(WORDS[name], int(n), matches, cost, expected, excess, *ends, sure)


def _strength(losses: _Array, counts: _Array, rate: _Array) -> float:
    base = float((counts * rate).sum())
    return float(losses.sum()) / base if base > 0 else np.nan
