"""Sequential Elo with a K of 800 / N for each player (squava, 2024), its log, and going on from a log.

A game raises both players' N by one; K = 800 / N of that player; E = 1 / (1 + 10^((other - own) / 400)) from the
ratings before the game; the rating changes by K (score - E). The two changes differ where the N do. Bootstrap runs
over games drawn anew measure the error of one run.
"""

import csv
import math
from array import array
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import pandas as pd

from bgrating.league.cells import first_mover
from bgrating.league.games import indices, players_of
from bgrating.league.logistic import components
from bgrating.league.settings import EloStart, GamesToRate, MethodRatings, RatingsError, RatingsSettings
from bgrating.rating.intervals import CONFIDENCE, interval_of_draws
from bgrating.tables.csv_safety import without_mark
from bgrating.tables.dictionary import columns

RUNS = 100
MOST = 2_000_000  # games that are rated one by one, a hundred times over
LOG = columns("ratings/elo_log")
_LOGIT = math.log(10) / 400
_BLOCK = 1000  # games of every run that are looked up at a time
_NO_CHANCE = 300.0  # odds of ten to this power count as certain; larger powers of ten overflow


def problem(_: RatingsSettings, field: GamesToRate) -> str:
    total = int(field.games["count"].sum())
    if total <= MOST:
        return ""
    return (
        f"Elo rates game by game, and the file counts {total:,} games: about {total / 1.2e8:.1f} hours, and "
        f"{total / 1e7:.1f} GB of log; it takes up to {MOST:,}. The other methods take counts as they are"
    )


def rated(settings: RatingsSettings, field: GamesToRate) -> MethodRatings:
    """Rate games in their order, continue a given log, and rate bootstrap samples of the games."""
    before, notes = read_log(settings.resume.read_text(encoding="utf-8")) if settings.resume else (None, [])
    each, of_file = in_order(field.games, settings.seed)
    if not of_file:
        notes.append(f"the games have no order: they were shuffled with seed {settings.seed}")
    table, log = rate(each, settings.start, before)
    runs = drawn_runs(field.games, RUNS, len(each), settings.seed, settings.start, in_order=of_file)
    players = players_of(field.games)
    group = pd.Series(components(field.games, players), index=players)
    table = table.merge(summary(runs), on="player").assign(component=table["player"].map(group))
    files = {
        "elo.csv": table,
        "elo_log.csv": log[LOG],
        "first_mover.csv": first_mover(field.games),
    }
    about = {"seed": settings.seed, "runs": RUNS, "confidence": CONFIDENCE, "order_of_file": of_file}
    return MethodRatings(files, table, about, notes)


def _play(
    first: np.ndarray,
    second: np.ndarray,
    score: np.ndarray,
    rating: list[float],
    games: list[float],
    log: "array[float]",
) -> None:
    """Rate games one by one, K = 800 / games of each player; change `rating` and `games`, add to the log.

    A row of the log: rating before, rating after and games of the first player, then of the second. A rating depends
    on the game before it, so arrays do not help.
    """
    for a, b, result in zip(first.tolist(), second.tolist(), score.tolist(), strict=True):
        before_a, before_b = rating[a], rating[b]
        off = result - 1.0 / (1.0 + 10.0 ** min((before_b - before_a) / 400.0, _NO_CHANCE))
        games[a] += 1.0
        games[b] += 1.0
        rating[a] = before_a + 800.0 / games[a] * off
        rating[b] = before_b - 800.0 / games[b] * off
        log.extend((before_a, rating[a], games[a], before_b, rating[b], games[b]))


def in_order(games: pd.DataFrame, seed: int) -> tuple[pd.DataFrame, bool]:
    """Return one row a game in the order in which they are rated, and whether that is the order of the file.

    Games that are given as counts have no order: they are shuffled with the seed.
    """
    each = games.loc[games.index.repeat(games["count"])].reset_index(drop=True).assign(count=1)
    if (games["count"] == 1).all():
        return each, True
    order = np.random.default_rng(seed).permutation(len(each))
    return each.iloc[order].reset_index(drop=True), False


def rate(
    games: pd.DataFrame, starts: Mapping[str, EloStart] | None = None, before: pd.DataFrame | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Rate games (one row each) in the order of the table.

    `starts` gives single players another start than 1300 points worth 14 games. `before` is the log of the first of
    these games, which is continued. Returns the players, best first, and the complete log. Columns: `player`, `rating`,
    `games` (here and in the log), `effective_games` (with those of the start). Raises RatingsError for a start with a
    negative number of games, and a log of other games.
    """
    players, log = players_of(games), pd.DataFrame(columns=LOG) if before is None else before
    starting, worth = _starts(players, starts or {})
    _require_same_games(log, games)
    place = np.stack(indices(log, players), axis=1)  # of a player's games the last one counts
    starting[place.ravel()] = log[["first_after", "second_after"]].to_numpy(float).ravel()
    worth[place.ravel()] = log[["first_n", "second_n"]].to_numpy(float).ravel()
    rest = games.iloc[len(log) :].reset_index(drop=True)
    rating, count, rows = starting.tolist(), worth.tolist(), array("d")
    _play(*indices(rest, players), rest["first_score"].to_numpy(float), rating, count, rows)
    new = pd.concat([rest[LOG[1:4]], pd.DataFrame(np.array(rows).reshape(-1, 6), columns=LOG[4:])], axis=1)
    new.insert(0, "game", np.arange(len(log), len(games)))
    played = np.bincount(np.concatenate(indices(games, players)), minlength=len(players))
    table = pd.DataFrame({"player": players, "rating": rating, "games": played, "effective_games": count})
    full_log = pd.concat([log, new], ignore_index=True) if len(log) else new
    return table.sort_values("rating", ascending=False, kind="stable", ignore_index=True), full_log


def _starts(players: list[str], starts: Mapping[str, EloStart]) -> tuple[np.ndarray, np.ndarray]:
    for name, start in starts.items():
        if not start.games >= 0:
            raise RatingsError(f"start: {name} starts with {start.games} games; 0 or more are possible")
    every = [starts.get(name, EloStart()) for name in players]
    rating, worth = np.array([(start.rating, start.games) for start in every], dtype=float).T.copy()
    return rating, worth


def _require_same_games(log: pd.DataFrame, games: pd.DataFrame) -> None:
    if len(log) > len(games):
        raise RatingsError(f"resume: the log has {len(log)} games, the file only {len(games)}; is it of another file?")
    head = games[LOG[1:4]].head(len(log)).reset_index(drop=True)
    unlike = np.flatnonzero((head != log[LOG[1:4]].reset_index(drop=True)).any(axis=1))
    if len(unlike):
        number = unlike[0]
        raise RatingsError(f"resume: game {number} of the log is not game {number} of the file; is it of another file?")


def read_log(text: str) -> tuple[pd.DataFrame, list[str]]:
    """Read a log that was written as CSV; return it with a note on what was left out.

    A last line without a line end is left out, since its last number may be cut. Raises RatingsError where the text is
    no log.
    """
    head, *rows = list(csv.reader(text.splitlines())) or [[]]
    if head != LOG:
        raise RatingsError(f"resume: not a log of Elo ratings; its columns are {', '.join(LOG)}")
    notes = []
    if not text.endswith("\n"):
        notes.append(f"line {len(rows) + 1} of the log was cut off; the game is rated again")
        rows.pop()
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
    return typed, notes


def drawn_runs(
    games: pd.DataFrame,
    runs: int,
    games_per_run: int,
    seed: int,
    starts: Mapping[str, EloStart] | None = None,
    *,
    in_order: bool = False,
) -> pd.DataFrame:
    """Rate `runs` times `games_per_run` games that are drawn with replacement; one row a run, one column a player.

    With `in_order` each row is one game, and the drawn games are rated in the order of the table, else in the order of
    the draws. Run number r gives the same ratings whatever `runs` is.
    """
    players = players_of(games)
    rating, worth = _starts(players, starts or {})
    first, second = indices(games, players)
    score, weight = games["first_score"].to_numpy(float), games["count"].to_numpy(float)
    ends = np.cumsum(weight / weight.sum())
    ends[-1] = 1.0
    rounds = _rounds(first, second, len(players)) if in_order else np.zeros(0, dtype=int)
    order = np.argsort(rounds, kind="stable")
    drawn = []
    for child in np.random.SeedSequence(seed).spawn(runs):
        draws = np.random.default_rng(child).random(games_per_run)
        if in_order:
            places = np.bincount((draws * len(first)).astype(int), minlength=len(first))[order]
        else:
            places = np.searchsorted(ends, draws, side="right")
        drawn.append(places.astype(np.min_scalar_type(int(places.max(initial=0)))))  # mostly a byte instead of eight
    ratings, counts = np.tile(rating, runs), np.tile(worth, runs)
    row, seats = np.arange(runs) * len(players), np.stack([first, second])
    if in_order:
        ends_of_rounds = np.bincount(rounds).cumsum()
        steps = _steps_by_round(seats[:, order], score[order], drawn, row, ends_of_rounds)
    else:
        steps = _steps_by_game(seats, score, drawn, row)
    _play_runs(steps, ratings, counts)
    return pd.DataFrame(ratings.reshape(runs, -1), columns=players)


def _rounds(first: np.ndarray, second: np.ndarray, players: int) -> np.ndarray:
    """Return each game's round: one later than the last round of both players, so nobody has two games in a round."""
    free, rounds = [0] * players, []
    for a, b in zip(first.tolist(), second.tolist(), strict=True):
        number = max(free[a], free[b])
        free[a] = free[b] = number + 1
        rounds.append(number)
    return np.array(rounds, dtype=int)


def _steps_by_round(
    seats: np.ndarray, score: np.ndarray, counts: list[np.ndarray], row: np.ndarray, ends: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield games of all runs that can be played at once: those of a round, then those drawn a second time, and so on.

    `counts` of every run tell how often it drew each game; games are in the order of their rounds, which have `ends`.
    """
    start = 0
    for end in ends.tolist():
        left = np.stack([drawn[start:end] for drawn in counts], axis=1).ravel()
        kept = np.flatnonzero(left != 0)  # of truths it is found in a third of the time
        game, run = np.divmod(kept.astype(np.int32), np.int32(len(counts)))
        both, result, left = seats[:, start + game] + row[run], score[start + game], left[kept]
        while len(kept):
            yield both, result
            left = left - 1
            kept = np.flatnonzero(left != 0)
            both, result, left = both[:, kept], result[kept], left[kept]
        start = end


def _steps_by_game(
    seats: np.ndarray, score: np.ndarray, drawn: list[np.ndarray], row: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the next drawn game of every run."""
    for start in range(0, len(drawn[0]), _BLOCK):
        for places in np.stack([places[start : start + _BLOCK] for places in drawn], axis=1):
            yield seats[:, places] + row, score[places]


def _play_runs(steps: Iterable[tuple[np.ndarray, np.ndarray]], rating: np.ndarray, games: np.ndarray) -> None:
    """Do the same as `_play`, some games of other players at a time: their seats, (2, games), and scores."""
    k = np.array([[800.0], [-800.0]])
    with np.errstate(over="ignore"):  # beyond the largest power the odds are infinite, the chance 0
        for both, result in steps:
            before, number = rating[both], games[both]
            number += 1.0
            games[both] = number
            off = result - 1.0 / (1.0 + np.exp((before[1] - before[0]) * _LOGIT))
            rating[both] = before + k / number * off


def summary(runs: pd.DataFrame) -> pd.DataFrame:
    low, high = interval_of_draws(runs.to_numpy())
    spread = {"runs_mean": runs.mean().to_numpy(), "runs_sd": runs.std(ddof=1).to_numpy()}
    return pd.DataFrame({"player": runs.columns, **spread, "ci_low": low, "ci_high": high})
