"""The first step of `./run ratings`: read the games, account for every row, say which methods can rate them."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.provenance import replace, sha256
from bgrating.ratings.cells import cells_of, matrices
from bgrating.ratings.champion import require_full
from bgrating.ratings.fuse import fused
from bgrating.ratings.games import RatingsError, players_of, require_players
from bgrating.ratings.readers import read_games
from bgrating.ratings.settings import METHODS, RatingsSettings
from bgrating.ratings.written import write
from bgrating.settings import SettingsError


@dataclass(frozen=True)
class Plan:
    """Which methods rate the games and why others do not; whether the first name moves first; what the page needs."""

    methods: tuple[str, ...]
    left_out: dict[str, str]
    seats: bool
    n_games: int
    n_players: int
    self_games_dropped: int
    diluted: bool
    facts: dict[str, Any]


def make_plan(asked: RatingsSettings, folder: Path) -> Plan:
    """Write games.csv, self_play.csv and flagged.csv into a folder and return the plan.

    Raises SettingsError where no games are named, RatingsError where they cannot be read, where a setting names a
    player without games, and where a method that was asked for cannot rate them.
    """
    if not asked.games:
        raise SettingsError("no games: ./run ratings --config games=FILE")
    reading = read_games(Path(asked.games))
    games, dropped = fused(reading.games, asked.fuse) if asked.fuse else (reading.games, 0)
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
    problem = _eloworld_problem(games, asked.subset)
    if problem and "eloworld" in asked.methods:
        raise RatingsError(problem)
    methods = asked.methods or tuple(name for name in METHODS if name != "eloworld" or not problem)
    facts = {"games_file": Path(asked.games).name, "games_sha256": sha256(Path(asked.games))}
    about = {**facts, "fuse": list(asked.fuse), "self_games_dropped": dropped}
    write(games, folder / "games.csv", about)
    write(reading.self_play, folder / "self_play.csv", about)
    write(reading.flagged, folder / "flagged.csv", about)
    left_out = {} if asked.methods or not problem else {"eloworld": problem}
    return Plan(
        methods, left_out, reading.seats, int(games["count"].sum()), len(players), dropped, bool(asked.diluted), facts
    )


def _eloworld_problem(games: pd.DataFrame, subset: tuple[str, ...]) -> str:
    """Say why Elo World cannot rate the games; empty where it can."""
    try:
        require_full(matrices(cells_of(games), list(dict.fromkeys(subset)) or None))
    except RatingsError as problem:
        return str(problem)
    return ""


def write_plan(plan: Plan, path: Path) -> None:
    """Write a plan as JSON."""
    replace(path, json.dumps(asdict(plan), indent=1) + "\n")


def read_plan(path: Path) -> Plan:
    """Read a plan that write_plan wrote."""
    content = json.loads(path.read_text(encoding="utf-8"))
    return Plan(**{**content, "methods": tuple(content["methods"])})
