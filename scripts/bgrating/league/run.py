"""From a file of results to ratings: the games, every method that can rate them, the tables, the page."""

import importlib
import json
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.collection.aliases import read_aliases, suggestions
from bgrating.league.compare import agreement, chosen, league, on_one_scale
from bgrating.league.games import Reading, both_seats, fused, players_of, require_players
from bgrating.league.readers import read_games
from bgrating.league.settings import ABSENT, METHODS, PROVENANCE, Field, Rated, RatingsError, RatingsSettings
from bgrating.tables.provenance import (
    code_version,
    has_provenance,
    one_provenance,
    read_provenance,
    replace,
    sha256,
)
from bgrating.tables.tables import table_text, write_json, write_matrix, write_table

ALIASES = "alias_suggestions.csv"
MATRICES = ("target.csv", "pred.csv")


@dataclass(frozen=True)
class League:
    """Ratings of a file of results.

    `rated` has what each method made; `files` every table by its file's name; `left_out` the methods that cannot rate
    these games, with the reason; `facts` where the games come from; `notes` sentences on how the file was read.
    """

    field: Field
    rated: dict[str, Rated]
    files: dict[str, Any]
    left_out: dict[str, str]
    facts: dict[str, Any]
    notes: list[str]

    @property
    def n_games(self) -> int:
        """Return how many games are rated."""
        return int(self.field.games["count"].sum())

    @property
    def n_players(self) -> int:
        """Return how many players have games."""
        return len(players_of(self.field.games))


def rate_results(file: Path, asked: RatingsSettings | None = None, today: date | None = None) -> League:
    """Rate the players of a file of results by every method that is asked for, or that can rate it.

    Raises RatingsError where the file cannot be read, where a setting names a player without games, and where a method
    that was asked for cannot rate them.
    """
    asked = asked or RatingsSettings()
    reading = read_games(file, today, read_aliases(asked.aliases) if asked.aliases else {})
    field, notes = _field(reading, asked)
    methods = {name: importlib.import_module(f"bgrating.league.{name}") for name in asked.methods or METHODS}
    problems = {name: why for name, method in methods.items() if (why := method.problem(asked, field))}
    if asked.methods and problems:
        raise RatingsError(next(iter(problems.values())))
    rated = {name: method.rated(asked, field) for name, method in methods.items() if name not in problems}
    slopes = {name: one.slope for name, one in rated.items()}
    compared = on_one_scale({name: one.from_mean for name, one in rated.items()}, slopes)
    standing = league(field.games, {name: one.ratings for name, one in rated.items() if one.in_league}, field.shown)
    files = {
        "games.csv": field.games,
        "flagged.csv": reading.flagged,
        ALIASES: suggestions(both_seats(pd.concat([field.games, field.self_play]))),
        **{name: content for one in rated.values() for name, content in one.files.items()},
        "methods.csv": compared,
        "agreement.csv": agreement(compared),
        "league.csv": standing,
    }
    usual = asdict(RatingsSettings())
    given = {key: value for key, value in asdict(asked).items() if value != usual[key]}
    facts = {
        "games_file": file.name,
        "games_sha256": sha256(file),
        "settings": {key: value.name if isinstance(value, Path) else value for key, value in given.items()},
        "code_version": code_version(),
    }
    notes += [note for one in rated.values() for note in one.notes]
    # What a list does not tell (dates, lengths) is nothing to report of it.
    left_out = {name: why for name, why in problems.items() if not why.startswith(ABSENT)}
    return League(field, rated, files, left_out, facts, notes)


def _field(reading: Reading, asked: RatingsSettings) -> tuple[Field, list[str]]:
    """Return the games to rate, and sentences on what was left out. Raises RatingsError as `rate_results` does."""
    notes, games = list(reading.notes), reading.games
    if asked.since or asked.through:
        period = f"since={asked.since} through={asked.through}"
        if "date" not in games:
            raise RatingsError(f"{period}: the games have no dates")
        inside = (games["date"] >= (asked.since or "0")) & (games["date"] <= (asked.through or "9"))
        if not inside.any():
            raise RatingsError(f"{period}: no game lies in this period")
        if not inside.all():
            notes.append(f"{games.loc[~inside, 'count'].sum():,} games lie outside the period")
        games = games[inside].reset_index(drop=True)
    if asked.fuse:
        games, dropped = fused(games, asked.fuse)
        if games.empty:
            raise RatingsError("fuse: all games became games of a player against itself")
        if dropped:
            notes.append(f"{dropped:,} games became self-games when players were fused: dropped")
    players = players_of(games)
    for key in ("fix", "subset", "start", "diluted"):
        require_players(getattr(asked, key), players, key)
    shown = chosen(games, asked.subset, asked.least)
    if not shown:
        raise RatingsError(f"least={asked.least}: no player has so many games")
    if len(shown) < len(players):
        notes.append(
            f"tables of pairs show {len(shown):,} of {len(players):,} players: --least and --subset choose them"
        )
    return Field(games, reading.self_play, reading.seats, tuple(shown)), notes


def write(found: League, folder: Path, page: str) -> list[str]:
    """Write all tables, the picture and the page into a folder; return what there is to say.

    The folder must have passed `check_folder`. Suggestions of aliases that somebody has edited stay as they are; tables
    that an earlier run with other settings wrote, and this one does not, go.
    """
    folder.mkdir(parents=True, exist_ok=True)
    about = {file: found.facts | one.facts for one in found.rated.values() for file in one.files}
    is_edited = _is_edited(folder / ALIASES, table_text(found.files[ALIASES], f"ratings/{Path(ALIASES).stem}"))
    if not (folder / PROVENANCE).is_file():
        replace(folder / PROVENANCE, "{}\n")  # whatever ends this run early, the folder is ours
    written_before = json.loads((folder / PROVENANCE).read_text(encoding="utf-8")).get("written", {})
    with one_provenance(folder / PROVENANCE):
        for file, content in found.files.items():
            path, facts = folder / file, about.get(file, found.facts)
            if file == ALIASES and is_edited:
                continue
            if path.suffix == ".json":
                write_json(content, path, **facts)
            elif path.suffix == ".png":
                content.write(path, **facts)
            elif file in MATRICES:
                write_matrix(content, path, **facts)
            else:
                write_table(content, path, f"ratings/{path.stem}", **facts)
        for path in (folder / file for file in written_before if file not in found.files):
            if path.is_file() and sha256(path) == written_before[path.name]["sha256"]:
                path.unlink()
    replace(folder / "report.html", page)
    return [f"{folder / ALIASES} was edited, and stays as it is"] * is_edited


def _is_edited(path: Path, text: str) -> bool:
    """Tell whether somebody changed a table, whose text would now be another."""
    if not path.is_file() or path.read_text(encoding="utf-8") == text:
        return False
    return not has_provenance(path) or sha256(path) != read_provenance(path)["sha256"]
