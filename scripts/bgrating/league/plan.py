"""The first step of `./run ratings`: read the games, account for every row, say which methods can rate them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.league.cells import cells_of, matrices
from bgrating.league.compare import chosen
from bgrating.league.eloworld import PASSES, RUNS, never_met, require_full
from bgrating.league.games import RatingsError, fused, players_of, require_players
from bgrating.league.readers import read_games
from bgrating.league.settings import METHODS, RatingsSettings
from bgrating.settings import SettingsError
from bgrating.tables.provenance import replace, sha256
from bgrating.tables.tables import write_all

MOST_ELO = 2_000_000
"""Games that Elo rates one by one, a hundred times over."""
MOST_ELO_WORLD = 5e9
MOST_PLAYERS = 8_000
"""Players of one logistic fit: its covariance is a full matrix."""
MOST_DATED = 200_000
_GAMES_A_SECOND = 3e7  # of Elo World on one core


@dataclass(frozen=True)
class Plan:
    """Which methods rate the games and why others do not; whether the first name moves first; what the page needs.

    `n_outside`: games before `since` or after `through`; `shown`: the players that the tables of pairs show.
    """

    methods: tuple[str, ...]
    left_out: dict[str, str]
    seats: bool
    n_games: int
    n_players: int
    n_outside: int
    self_games_dropped: int
    diluted: bool
    shown: tuple[str, ...]
    facts: dict[str, Any]


def make_plan(asked: RatingsSettings, folder: Path) -> Plan:
    """Write games.csv, self_play.csv and flagged.csv into a folder and return the plan.

    Raises SettingsError where no games are named, RatingsError where they cannot be read, where a setting names a
    player without games, and where a method that was asked for cannot rate them.
    """
    if not asked.games:
        raise SettingsError("no games: ./run ratings --config games=FILE")
    reading = read_games(Path(asked.games))
    games, n_outside = _of_period(reading.games, asked)
    games, dropped = fused(games, asked.fuse) if asked.fuse else (games, 0)
    if games.empty:
        raise RatingsError("fuse: all games became games of a player against itself")
    players = players_of(games)
    for key, names in (
        ("fix", asked.fix),
        ("subset", asked.subset),
        ("start", asked.start),
        ("diluted", asked.diluted),
    ):
        require_players(names, players, key)
    shown = chosen(games, asked.subset, asked.least)
    if not shown:
        raise RatingsError(f"least={asked.least}: no player has so many games")
    problems = _problems(games, len(players), asked)
    for name in asked.methods:
        if name in problems:
            raise RatingsError(problems[name])
    # What a list does not tell (dates, lengths) is nothing to report of it.
    left_out = {} if asked.methods else {name: why for name, why in problems.items() if not why.startswith(_ABSENT)}
    facts = {"games_file": Path(asked.games).name, "games_sha256": sha256(Path(asked.games))}
    about = {**facts, "fuse": list(asked.fuse), "self_games_dropped": dropped}
    made = {"games": games, "self_play": reading.self_play, "flagged": reading.flagged}
    write_all(made, folder, "ratings", **about)
    return Plan(
        methods=asked.methods or tuple(name for name in METHODS if name not in problems),
        left_out=left_out,
        seats=reading.seats,
        n_games=int(games["count"].sum()),
        n_players=len(players),
        n_outside=n_outside,
        self_games_dropped=dropped,
        diluted=bool(asked.diluted),
        shown=tuple(shown),
        facts=facts,
    )


def _of_period(games: pd.DataFrame, asked: RatingsSettings) -> tuple[pd.DataFrame, int]:
    """Return the games of the period that is asked for, and how many others there are."""
    if not asked.since and not asked.through:
        return games, 0
    if "date" not in games:
        raise RatingsError(f"since={asked.since} through={asked.through}: the games have no dates")
    inside = (games["date"] >= (asked.since or "0")) & (games["date"] <= (asked.through or "9"))
    if not inside.any():
        raise RatingsError(f"since={asked.since} through={asked.through}: no game lies in this period")
    return games[inside].reset_index(drop=True), int(games.loc[~inside, "count"].sum())


def _problems(games: pd.DataFrame, n_players: int, asked: RatingsSettings) -> dict[str, str]:
    """Say of every method that cannot rate the games why not, and what to do."""
    total, found = int(games["count"].sum()), {}
    if total > MOST_ELO:
        found["elo"] = (
            f"Elo rates game by game, and the file counts {total:,} games: about {total / 3.6e8:.1f} hours, and "
            f"{total / 1e7:.1f} GB of log; it takes up to {MOST_ELO:,}. The other methods take counts as they are"
        )
    if n_players > MOST_PLAYERS:
        found |= dict.fromkeys(
            ("logistic", "fibs"),
            f"a fit to {n_players:,} players takes about {(n_players / 5000) ** 3 / 40:.1f} hours and "
            f"{32e-9 * n_players**2:.0f} GB; it takes up to {MOST_PLAYERS:,}: use since= and through=, "
            "or a smaller file",
        )
    if problem := _eloworld_problem(games, asked.subset):
        found["eloworld"] = problem
    if "length" not in games or games["length"].isna().all():
        found["fibs"] = f"{_ABSENT} lengths of matches, which fibs needs: a column length"
    if "date" not in games or (games["date"] == "").all():
        found["history"] = f"{_ABSENT} dates, which history needs: a column date"
    elif total > MOST_DATED:
        found["history"] = (
            f"whole-history ratings of {total:,} games take about {total / 1e6:.1f} hours; up to {MOST_DATED:,} are "
            "rated: use since= and through="
        )
    return found


_ABSENT = "the games have no"


def _eloworld_problem(games: pd.DataFrame, subset: tuple[str, ...]) -> str:
    """Say why Elo World cannot rate the games; empty where it can."""
    names = list(dict.fromkeys(subset)) or players_of(games)
    pairs = games[games["first"].isin(names) & games["second"].isin(names)].groupby(["first", "second"])["count"].sum()
    try:
        counted = cells_of(games)
        if len(pairs) < len(names) * (len(names) - 1):
            met = set(pairs.index)
            missing = ((a, b) for a in names for b in names if a != b and (a, b) not in met)
            every = len(names) * (len(names) - 1)
            return never_met(missing, every - len(pairs), every)
        require_full(matrices(counted, names))
    except RatingsError as problem:
        return str(problem)
    work = float(pairs.min()) * len(pairs) * PASSES * RUNS
    if work > MOST_ELO_WORLD:
        hours = work / _GAMES_A_SECOND / 3600
        return f"Elo World plays every game {PASSES * RUNS} times over: about {hours:.1f} hours; name players (subset=)"
    return ""


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as JSON."""
    replace(path, json.dumps(asdict(plan), indent=1) + "\n")


def read_plan(path: Path) -> Plan:
    """Read a plan that write_plan wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Plan(**{**content, "methods": tuple(content["methods"]), "shown": tuple(content["shown"])})
