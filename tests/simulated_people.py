"""People of known strength: a collection's table of matches whose truth is known.

How it is made. A player has a true EPM and a true cube error per close decision, gamma distributed
and correlated, and so a true rating by the published formula. A match has a length and numbers of
unforced moves and close decisions that grow with it (Poisson); a player's error of it is the sum of
independent decisions' errors, each of them nothing or an exponential one, with the player's true
rate as its mean. So a match's rates scatter about as real ones do (at 0-ply the ratings of real
single matches scatter by about 100 points). The match's luck-adjusted result is what the formula
gives for the rates of this very match plus normal noise of 0.12, the plain result a toss with the
chance that it gives; a recorded rating is the true one plus the noise of a site's ratings. One
player, the busiest, is in a third of all matches. Everything is drawn at once, without loops over
matches.
"""

import numpy as np
import pandas as pd

from bgrating.rating.fibs_formula import win_probability
from bgrating.rating.formula_of_2003 import published_formula

LENGTHS = np.array([3, 5, 7, 9])
LAR_SD = 0.12
RECORDED_SD = 42.0
CHEQUER_SHARE, CUBE_SHARE = 0.3, 0.2
"""Shares of decisions with an error at all."""


def collection(
    rng: np.random.Generator, players: int = 60, matches: int = 250, offset: float = 2000.0
) -> pd.DataFrame:
    """Return the table of matches, one row per match and player.

    The formula is the published one; `offset` is what the recorded ratings have.
    """
    formula = published_formula("bilinear")
    names = np.array([f"p{number:03d}" for number in range(players)])
    epm = rng.gamma(12.0, 0.013 / 12.0, players)
    epc = 0.035 * (epm / 0.013) ** 0.5 * rng.gamma(12.0, 1 / 12.0, players)
    share = rng.dirichlet(np.full(players, 2.0))
    first = rng.choice(players, matches, p=share)
    first[: matches // 3] = 0
    second = (first + rng.integers(1, players, matches)) % players
    length = rng.choice(LENGTHS, matches)
    seats = np.column_stack([first, second])
    moves = 10 + rng.poisson(14.0 * length[:, None], seats.shape)
    close = 1 + rng.poisson(1.6 * length[:, None], seats.shape)
    chequer = _errors(rng, moves, epm[seats], CHEQUER_SHARE)
    cube = _errors(rng, close, epc[seats], CUBE_SHARE)
    a2, b = (np.array([formula.coefficient(k, float(n))[0] for n in length]) for k in ("a2", "b"))
    loss = a2[:, None] * chequer / moves + b[:, None] * cube / close
    chance = win_probability(loss[:, 0] - loss[:, 1], length)
    adjusted = chance - 0.5 + rng.normal(0, LAR_SD, matches)
    won = rng.random(matches) < chance
    true_loss = _long_run(formula, epm, epc)
    rating = offset - true_loss
    recorded = rating[:, None] + rng.normal(0, RECORDED_SD, (players, 1))
    parts = []
    for seat, side in enumerate(("left", "right")):
        turn = 1 if seat == 0 else -1
        own = {
            "total_moves": moves[:, seat] + 12,
            "unforced_moves": moves[:, seat],
            "chequer_error_emg": chequer[:, seat],
            "chequer_error_mwc": 0.1 * chequer[:, seat],
            "total_cube_decisions": close[:, seat] * 4,
            "close_cube_decisions": close[:, seat],
            "close_cube_decisions_2003": close[:, seat] + 2,
            "cube_error_emg": cube[:, seat],
            "cube_error_mwc": 0.1 * cube[:, seat],
            **dict.fromkeys(("xg_decisions", "xg_pr"), np.nan),
        }
        about = {
            "file": [f"{number:05d}.mat" for number in range(matches)],
            "match": 1,
            "date": "",
            "dialect": "site",
            "status": "analysed",
            "side": side,
            "player": names[seats[:, seat]],
            "opponent": names[seats[:, 1 - seat]],
            "match_length": length,
            "games": length,
            "recorded_rating": recorded[seats[:, seat], 0],
            "actual_result": turn * (won - 0.5),
            "luck_adjusted_result": turn * adjusted,
            "rating": 2050.0 - loss[:, seat],
        }
        parts.append(pd.DataFrame(about | own))
    return pd.concat(parts).sort_values(["file", "side"], ignore_index=True)


def _errors(
    rng: np.random.Generator, decisions: np.ndarray, rate: np.ndarray, share: float
) -> np.ndarray:
    """Return total errors: each decision that errs costs an exponential of mean rate / share."""
    erring = rng.binomial(decisions, share)
    return np.where(erring > 0, rng.gamma(np.maximum(erring, 1e-9), 1.0) * rate / share, 0.0)


def _long_run(formula, epm: np.ndarray, epc: np.ndarray) -> np.ndarray:
    """Return the loss that an estimate tends to, with the weights of rating/player.py."""
    weight = 11 + 15.6 * LENGTHS
    a2 = np.average([formula.coefficient("a2", float(n))[0] for n in LENGTHS], weights=weight)
    b = np.average([formula.coefficient("b", float(n))[0] for n in LENGTHS], weights=weight)
    return a2 * epm + b * epc
