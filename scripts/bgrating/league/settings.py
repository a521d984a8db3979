"""The settings of the target `ratings`, and what its rules ask while Snakemake plans."""

import json
import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from bgrating.settings import SettingsError

METHODS = ("elo", "logistic", "eloworld", "fibs", "history")
DRIFT = 50.0
TABLES = {
    "elo": ("elo.csv", "elo_log.csv", "elo_runs.csv", "odds.csv", "first_mover.csv"),
    "logistic": ("logistic.csv", "logistic.json", "logistic_fit.json", "target.csv", "pred.csv", "head_to_head.csv"),
    "eloworld": ("eloworld.csv", "ablation.csv", "cells.csv", "outcomes.png"),
    "fibs": ("fibs.csv", "fibs_chances.csv"),
    "history": ("history.csv",),
}


@dataclass(frozen=True)
class Start:
    """Where a player's Elo starts: a rating, and the number of games that it counts for."""

    rating: float = 1300.0
    games: float = 14.0


@dataclass(frozen=True)
class RatingsSettings:
    """What is asked for; `games` and `resume` are empty where they are not given, `methods` where all that can run do.

    `fix`: anchors' scores; `fuse`: steps; `bias` None: where the games can tell it; `subset`: players to show;
    `start`: players' own starts; `diluted`: shares of diluted players; `since`, `through`: first and last date
    (YYYY-MM-DD, empty for none); `least`: games that a player shown must have; `match_length`: that of the chances
    that fibs gives, 0 for the usual one; `drift`: Elo points that a strength moves in a year.
    """

    games: str
    name: str
    methods: tuple[str, ...]
    fix: dict[str, float]
    fuse: tuple[int, ...]
    bias: bool | None
    subset: tuple[str, ...]
    seed: int
    start: dict[str, Start]
    resume: str
    diluted: dict[str, float]
    since: str
    through: str
    least: int
    match_length: int
    drift: float

    def tables(self, method: str) -> list[str]:
        """Return the names of the tables that a method writes."""
        return [*TABLES[method], *(["diluted.csv"] if method == "eloworld" and self.diluted else [])]

    def planned_tables(self, plan: str) -> list[str]:
        """Return the tables of all methods that a plan names."""
        methods = json.loads(Path(plan).read_text(encoding="utf-8"))["methods"]
        return [str(Path(plan).with_name(table)) for method in methods for table in self.tables(method)]


def settings(config: Mapping[str, Any]) -> RatingsSettings:
    """Return the settings; those of a run that does not ask for ratings are placeholders.

    Raises SettingsError where they cannot be read or files that they name are not there.
    """
    games = str(config.get("games", ""))
    found = RatingsSettings(
        games=games,
        name=str(config.get("name", "")) or _file_name(games),
        methods=_methods(config),
        fix={name: _number(value, "fix", name) for name, value in _pairs(config, "fix")},
        fuse=tuple(_step(step) for step in _list(config, "fuse")),
        bias=_switch(config.get("bias")),
        subset=tuple(_list(config, "subset")),
        seed=int(config.get("seed", 1)),
        start={name: _start(value, name) for name, value in _pairs(config, "start")},
        resume=str(config.get("resume", "")),
        diluted={name: _number(value, "diluted", name) for name, value in _pairs(config, "diluted")},
        since=_day(config, "since"),
        through=_day(config, "through"),
        least=int(config.get("least", 1)),
        match_length=int(config.get("match_length", 0)),
        drift=float(config.get("drift", DRIFT)),
    )
    if found.since and found.through and found.since > found.through:
        raise SettingsError(f"since={found.since} lies after through={found.through}")
    for key, path in (("games", found.games), ("resume", found.resume)):
        if path and not Path(path).is_file():
            raise SettingsError(f"{key}={path}: no such file (paths start at the project's folder)")
    return found


def _methods(config: Mapping[str, Any]) -> tuple[str, ...]:
    asked = _list(config, "method")
    for name in asked:
        if name not in METHODS:
            raise SettingsError(f"method={name}: no such method; there are: {', '.join(METHODS)}")
    return tuple(name for name in METHODS if name in asked)


def _list(config: Mapping[str, Any], key: str) -> list[str]:
    text = unicodedata.normalize("NFC", str(config.get(key, "")))  # as the names in the games
    return [part.strip() for part in text.split(",") if part.strip()]


def _day(config: Mapping[str, Any], key: str) -> str:
    text = str(config.get(key, ""))  # YAML makes a date of one
    try:
        return date.fromisoformat(text).isoformat() if text else ""
    except ValueError:
        raise SettingsError(f"{key}={text}: not a date; write it as 2026-03-14") from None


def _pairs(config: Mapping[str, Any], key: str) -> list[tuple[str, str]]:
    """Read NAME=VALUE,… where a name may hold an equals sign itself."""
    pairs = []
    for part in _list(config, key):
        name, equals, value = part.rpartition("=")
        if not equals or not name:
            raise SettingsError(f"{key}={part}: it must be NAME=VALUE, several with commas between")
        pairs.append((name, value))
    names = [name for name, _ in pairs]
    if len(set(names)) != len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise SettingsError(f"{key}: {twice} is named twice")
    return pairs


def _number(text: str, key: str, name: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise SettingsError(f"{key}={name}={text}: {text!r} is not a number") from None
    if not math.isfinite(value):
        raise SettingsError(f"{key}={name}={text}: the number must be finite")
    return value


def _step(text: str) -> int:
    if not text.isdecimal():
        raise SettingsError(f"fuse: {text!r} is not a whole number")
    return int(text)


def _start(text: str, name: str) -> Start:
    rating, colon, games = text.partition(":")
    if not colon:
        return Start(rating=_number(rating, "start", name))
    return Start(_number(rating, "start", name), _number(games, "start", name))


def _switch(value: Any) -> bool | None:
    """Read on or off; a YAML file makes true and false of them."""
    return {"on": True, "off": False, "true": True, "false": False}[str(value).lower()] if value is not None else None


def _file_name(games: str) -> str:
    """Return a name for the results from the file's own: letters, digits, dash and underscore."""
    name = re.sub(r"[^A-Za-z0-9_-]+", "-", Path(games).stem if games else "").strip("-")
    return name or "games"
