"""Counts of pairs: results in both seats, results moving first, and the cells of a tournament.

A cell is an ordered pair of players: how often the first won, lost and drew.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bgrating.league.games import indices, players_of
from bgrating.league.settings import RatingsError

PAIR_COLUMNS = ["first", "second", "wins", "losses", "draws"]
_SCORES = {"wins": 1.0, "losses": 0.0, "draws": 0.5}


@dataclass(frozen=True)
class PairCounts:
    """Cells as matrices by (first, second) over a list of players."""

    players: tuple[str, ...]
    wins: np.ndarray
    losses: np.ndarray
    draws: np.ndarray

    @property
    def games(self) -> np.ndarray:
        return np.asarray(self.wins + self.losses + self.draws)

    def of(self, players: Sequence[str]) -> "PairCounts":
        place = [self.players.index(name) for name in players]
        square = np.ix_(place, place)
        return PairCounts(tuple(players), self.wins[square], self.losses[square], self.draws[square])


def cells_of(games: pd.DataFrame) -> pd.DataFrame:
    """Count the games of every cell. Raises RatingsError for scores other than 1, 0.5 and 0."""
    odd = ~games["first_score"].isin(_SCORES.values())
    if odd.any():
        row = games[odd].iloc[0]
        raise RatingsError(
            f"Elo World counts wins, draws and losses; row {row['row']} has the score {row['first_score']:g}"
        )
    counted = games.pivot_table(index=["first", "second"], columns="first_score", values="count", aggfunc="sum")
    counted = counted.reindex(columns=list(_SCORES.values())).fillna(0).astype(np.int64)
    return counted.set_axis(list(_SCORES), axis=1).reset_index()[PAIR_COLUMNS]


def matrices(cells: pd.DataFrame, players: Sequence[str] | None = None) -> PairCounts:
    """Return cells as matrices over the players (all, sorted, by default); cells of others are left out."""
    names = tuple(players if players is not None else players_of(cells))
    first, second = indices(cells, names)
    known = (first >= 0) & (second >= 0)
    parts = []
    for column in _SCORES:
        matrix = np.zeros((len(names), len(names)), dtype=np.int64)
        np.add.at(matrix, (first[known], second[known]), cells.loc[known, column].to_numpy(np.int64))
        parts.append(matrix)
    return PairCounts(names, *parts)


def pooled(games: pd.DataFrame, players: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    """Return the wins of the row's player against the column's in both seats, and the games."""
    first, second = indices(games, players)
    known = (first >= 0) & (second >= 0)
    count = games.loc[known, "count"].to_numpy(float)
    scored, played = np.zeros((2, len(players), len(players)))
    np.add.at(scored, (first[known], second[known]), count * games.loc[known, "first_score"].to_numpy(float))
    np.add.at(played, (first[known], second[known]), count)
    return scored + (played - scored).T, played + played.T


def target(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Return the mean score of the row's player against the column's, both seats pooled; nan where they never met."""
    scored, played = pooled(games, players)
    with np.errstate(invalid="ignore"):
        return pd.DataFrame(scored / played, index=list(players), columns=list(players))


def totals(games: pd.DataFrame) -> pd.DataFrame:
    """Return `player`, `wins` (a draw is half a win) and `games`."""
    seats = first_mover(games)
    wins, number = seats["wins_first"] + seats["wins_second"], seats["games_first"] + seats["games_second"]
    return pd.DataFrame({"player": seats["player"], "wins": wins, "games": number})


def first_mover(games: pd.DataFrame) -> pd.DataFrame:
    """Return each player's results moving first and second: `player`, `wins_first`, `games_first`, … `_second`."""
    players = players_of(games)
    score, count = games["first_score"].to_numpy(float), games["count"].to_numpy(float)
    table = pd.DataFrame({"player": players})
    for seat, place, scored in zip(("first", "second"), indices(games, players), (score, 1 - score), strict=True):
        table[f"wins_{seat}"] = np.bincount(place, count * scored, len(players))
        table[f"games_{seat}"] = np.bincount(place, count, len(players)).astype(int)
    return table


def meetings(games: pd.DataFrame, players: Sequence[str]) -> pd.DataFrame:
    """Add up the games of every pair of some players, in both seats, in the order in which they met.

    Columns: `player_p` (earlier in the list), `player_q`; `p_wins`, `q_wins` (a draw is half a win for each); `last`,
    the date of the last meeting (empty without dates).
    """
    first, second = indices(games, players)
    known = (first >= 0) & (second >= 0)
    score, count = games["first_score"].to_numpy(float), games["count"].to_numpy(float)
    scored = np.where(first > second, 1 - score, score) * count
    days, dates = pd.factorize(games["date"], sort=True) if "date" in games else (np.zeros(len(games), int), [""])
    # Numbers of players and days are grouped in less time and memory than their names.
    long = pd.DataFrame(
        {
            "p": np.minimum(first, second).astype(np.int32),
            "q": np.maximum(first, second).astype(np.int32),
            "p_wins": scored,
            "q_wins": count - scored,
            "last": days,
        }
    )[known]
    added = {"p_wins": "sum", "q_wins": "sum", "last": "max"}
    met = long.groupby(["p", "q"], as_index=False, sort=False).agg(added)
    names = np.array(players, dtype=object)
    both = {"player_p": names[met["p"]], "player_q": names[met["q"]]}
    return pd.DataFrame({**both, **met[["p_wins", "q_wins"]], "last": np.array(dates, dtype=object)[met["last"]]})
