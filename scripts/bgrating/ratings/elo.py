"""Sequential Elo with a K of 800 / N for each player (squava, 2024), its log, and going on from a log.

A game raises both players' N by one; K = 800 / N of that player; E = 1 / (1 + 10^((other - own) / 400)) from the
ratings before the game; the rating changes by K (score - E). The two changes differ where the N do.
"""

import csv
from collections.abc import Mapping

import numpy as np
import pandas as pd

from bgrating.human.inert import without_mark
from bgrating.ratings.games import RatingsError, expanded, indices, players_of, require_players
from bgrating.ratings.kernels import LOG_COLUMNS, sequential
from bgrating.ratings.start import Start

LOG = [
    "game", "first", "second", "first_score",
    "first_before", "first_after", "first_n", "second_before", "second_after", "second_n",
]  # fmt: skip
CONFIDENCE = 0.9


def in_order(games: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, bool]:
    """Return one row a game in the order in which they are rated, and whether that is the order of the file.

    Games that are given as counts have no order: they are shuffled with the seed.
    """
    each = expanded(games)
    if (games["count"] == 1).all():
        return each, True
    order = np.random.default_rng(seed).permutation(len(each))
    return each.iloc[order].reset_index(drop=True), False


def rate(
    games: pd.DataFrame, starts: Mapping[str, Start] | None = None, before: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rate games (one row each) in the order in which they stand.

    `starts` gives single players another start than 1300 points worth 14 games. `before` is the log of the first of
    these games, from which the rating goes on. Returns the players (`player`, `rating`, `games`: those rated here and
    in the log, `effective_games`: with those of the start), best first, and the whole log. Raises RatingsError for a
    start of a player without games, a start with fewer than no games, and a log of other games.
    """
    starts = dict(starts or {})
    players = players_of(games)
    require_players(starts, players, "start")
    for name, start in starts.items():
        if not start.games >= 0:
            raise RatingsError(f"start: {name} starts with {start.games} games; 0 or more are possible")
    log = before if before is not None else pd.DataFrame(columns=LOG)
    _require_same(games, log)
    rest = games.iloc[len(log) :]
    rating = np.array([starts.get(name, Start()).rating for name in players], dtype=float)
    count = np.array([starts.get(name, Start()).games for name in players], dtype=float)
    _go_on(log, players, rating, count)
    first, second = indices(rest, players)
    rows = np.empty((len(rest), LOG_COLUMNS))
    sequential(first, second, rest["first_score"].to_numpy(float), rating, count, rows)
    new = pd.DataFrame(rows, columns=LOG[4:])
    new.insert(0, "game", np.arange(len(log), len(games)))
    for place, column in enumerate(("first", "second", "first_score"), 1):
        new.insert(place, column, rest[column].to_numpy())
    played = np.bincount(np.concatenate(indices(games, players)), minlength=len(players))
    table = pd.DataFrame({"player": players, "rating": rating, "games": played, "effective_games": count})
    whole = pd.concat([log, new], ignore_index=True) if len(log) else new
    return table.sort_values("rating", ascending=False, kind="stable", ignore_index=True), whole


def _require_same(games: pd.DataFrame, log: pd.DataFrame) -> None:
    """Raise RatingsError where a log is not that of the first games."""
    columns = ["first", "second", "first_score"]
    head = games[columns].head(len(log)).reset_index(drop=True)
    if len(log) > len(games):
        raise RatingsError(f"resume: the log has {len(log)} games, the file only {len(games)}; is it of another file?")
    unlike = (head != log[columns].reset_index(drop=True)).any(axis=1)
    if unlike.any():
        number = int(unlike.to_numpy().argmax())
        raise RatingsError(f"resume: game {number} of the log is not game {number} of the file; is it of another file?")


def _go_on(log: pd.DataFrame, players: list[str], rating: np.ndarray, count: np.ndarray) -> None:
    """Set ratings and games to those at the end of a log."""
    seats = [
        log[["game", seat, f"{seat}_after", f"{seat}_n"]].set_axis(["game", "player", "rating", "n"], axis=1)
        for seat in ("first", "second")
    ]
    last = pd.concat(seats).sort_values("game").drop_duplicates("player", keep="last").set_index("player")
    for place, name in enumerate(players):
        if name in last.index:
            rating[place], count[place] = last.loc[name, "rating"], last.loc[name, "n"]


def read_log(text: str) -> tuple[pd.DataFrame, list[str]]:
    """Read a log that was written as CSV; return it without what was cut off, and a line for each thing left out.

    A last line without a line end is left out, since its last number may be cut. Raises RatingsError where the text is
    no log.
    """
    lines = text.splitlines()
    if not lines or lines[0].split(",") != LOG:
        raise RatingsError(f"resume: not a log of Elo ratings; its columns are {', '.join(LOG)}")
    left_out = []
    if not text.endswith("\n"):
        left_out.append(f"line {len(lines)} of the log was cut off; the game is rated again")
        lines.pop()
    rows = list(csv.reader(lines[1:]))
    for number, fields in enumerate(rows, 2):
        if len(fields) != len(LOG):
            raise RatingsError(f"resume: line {number} of the log has {len(fields)} fields instead of {len(LOG)}")
    log = pd.DataFrame(rows, columns=LOG)
    log = log.assign(first=log["first"].map(without_mark), second=log["second"].map(without_mark))
    try:
        typed = log.astype(dict.fromkeys(LOG[3:], float)).astype({"game": int})
    except ValueError as problem:
        raise RatingsError(f"resume: the log holds something that is not a number ({problem})") from None
    if typed["game"].tolist() != list(range(len(typed))):
        raise RatingsError("resume: the games of the log do not count from 0 without gaps")
    return typed, left_out
