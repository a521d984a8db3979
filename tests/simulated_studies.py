"""Studies with a known rating formula: match tables drawn at random, for tests of the statistics.

A match is won with the chance that the formula gives for the players' true error rates. What the
result leaves of that chance is luck and a rest with known spread; the luck of both players has mean
zero, as in real analyses. The luck against a weak player is overstated, so its best coefficient
lies below one, as seen with real noisy players. Errors of a match are gamma-distributed round the
true rate times the decisions of that match.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

CLASSES = (
    "missed_double_below_cp",
    "missed_double_above_cp",
    "wrong_double_below_dp",
    "wrong_double_above_tg",
    "wrong_take",
    "wrong_pass",
)


@dataclass(frozen=True)
class Player:
    """A level name with its noise and its true error rates (EMG a decision)."""

    name: str
    chequer_noise: float
    cube_noise: float
    epm: float
    epc: float


@dataclass(frozen=True)
class Truth:
    """The formula a study is drawn from: a2(N) = a2_const + a2_inv / N, b(N) likewise."""

    a2_const: float = 8798.0
    a2_inv: float = 25526.0
    b_const: float = 863.0
    b_inv: float = -519.0

    def at(self, length: int) -> dict[str, float]:
        return {"a2": self.a2_const + self.a2_inv / length, "b": self.b_const + self.b_inv / length}

    def rating_difference(self, length: int, epm: float, epc: float) -> float:
        both = self.at(length)
        return both["a2"] * epm + both["b"] * epc

    def values(self) -> dict[str, float]:
        return vars(self).copy()


EXPERT = Player("expert", 0.0, 0.0, 0.0, 0.0)
# About the error rates that gnubg's 0-ply noise levels show when analysed at 0-ply.
CHEQUER = {0.0: 0.0, 0.02: 0.0125, 0.04: 0.033, 0.06: 0.052}
CUBE = {0.05: 0.017, 0.1: 0.048, 0.4: 0.11, 0.8: 0.135}


def name_of(noise: float) -> str:
    return "expert" if noise == 0 else f"noise-{noise:g}"


def sixteen() -> list[Player]:
    return [
        Player(f"{name_of(chequer)}+{name_of(cube)}", chequer, cube, epm, epc)
        for chequer, epm in CHEQUER.items()
        for cube, epc in CUBE.items()
    ]


def study(
    rng: np.random.Generator,
    *,
    lengths: Iterable[int] = (3, 5, 7),
    matches: int = 100,
    truth: Truth | None = None,
    players: Sequence[Player] | None = None,
    opponent: Player = EXPERT,
) -> pd.DataFrame:
    of_all = {"opponent": opponent, "matches": matches, "truth": truth or Truth()}
    cells = [(length, player) for length in lengths for player in (players or sixteen())]
    tables = [design_point(rng, length=length, player=player, **of_all) for length, player in cells]
    return pd.concat(tables, ignore_index=True)


def design_point(
    rng: np.random.Generator,
    *,
    player: Player,
    opponent: Player,
    length: int,
    matches: int,
    truth: Truth,
) -> pd.DataFrame:
    behind = (player.epm - opponent.epm, player.epc - opponent.epc)
    difference = truth.rating_difference(length, *behind)
    p = 1 / (1 + 10 ** (difference * np.sqrt(length) / 2000))
    won = rng.random(matches) < p
    rest = rng.normal(0, 0.075 + 1.5 * player.epm, matches)
    net = np.where(won, 0.5, -0.5) - (p - 0.5) - rest
    common = rng.normal(0, 0.1, matches)
    luck = np.array([common + net / 2, common - net / 2]) * (1 + 12 * player.epm)
    table: dict[str, object] = {
        "match_length": length,
        "player": player.name,
        "opponent": opponent.name,
        "chequer_noise": player.chequer_noise,
        "cube_noise": player.cube_noise,
        "shard": np.arange(matches) // 60,
        "match": np.arange(matches) % 60,
        "games": 1 + rng.poisson(0.5 * (length - 1), matches),
        "player_score": np.where(won, length, 0),
        "opponent_score": np.where(won, 0, length),
        "actual_result": np.where(won, 0.5, -0.5),
        "luck_adjusted_result": np.where(won, 0.5, -0.5) - luck[0] + luck[1],
    }
    for side, who, own in (("player", player, luck[0]), ("opponent", opponent, luck[1])):
        table |= _side(rng, side, who, length, matches)
        table |= {f"{side}_luck_mwc": own, f"{side}_luck_emg": own * 4}
    return pd.DataFrame(table)


def one_point(n: int = 4, **columns: object) -> pd.DataFrame:
    player, rng = sixteen()[5:6], np.random.default_rng(0)
    return study(rng, lengths=(4,), matches=n, players=player).assign(**columns)


def _side(
    rng: np.random.Generator, side: str, who: Player, length: int, matches: int
) -> dict[str, object]:
    moves = 2 + rng.poisson(9 * length, matches)
    close = 1 + rng.poisson(1.1 * length, matches) if length > 1 else np.zeros(matches, dtype=int)
    # Shapes that give a match about as much spread as real ones show: many small errors, few cube
    # blunders.
    chequer = who.epm * rng.gamma(moves / 8, 8, matches)
    cube = who.epc * rng.gamma(np.maximum(close, 1) / 2, 2, matches) * (close > 0)
    table: dict[str, object] = {
        "total_moves": moves + 20,
        "unforced_moves": moves,
        "chequer_error_emg": chequer,
        "chequer_error_mwc": chequer / 4,
        "total_cube_decisions": close * 6,
        "close_cube_decisions": close,
        "close_cube_decisions_2003": close + rng.binomial(close, 0.4),
        "doubles": close // 2,
        "takes": close // 3,
        "passes": close // 4,
        "cube_error_emg": cube,
        "cube_error_mwc": cube / 4,
    }
    for unit, total in (("emg", cube), ("mwc", cube / 4)):
        table |= {f"{name}_{unit}": total / len(CLASSES) for name in CLASSES}
    return {f"{side}_{name}": column for name, column in table.items()}
