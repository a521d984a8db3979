"""From a file of results to ratings: the games, every method that can rate them, the tables, the page."""

import ctypes
import importlib
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from bgrating.league.games import WHO, both_seats, fused, players_of, require_players
from bgrating.league.readers import read_games
from bgrating.league.settings import (
    ABSENT,
    METHODS,
    PROVENANCE,
    GamesToRate,
    MethodRatings,
    RatingsError,
    RatingsSettings,
)
from bgrating.league.standing import chosen, league, main_rating, standing
from bgrating.pages.words import counted
from bgrating.people.aliases import read_aliases, suggestions
from bgrating.tables.dictionary import kinds
from bgrating.tables.folder import marked, recorded, writing
from bgrating.tables.provenance import code_version, one_provenance, sha256, write_atomic
from bgrating.tables.tables import write_json, write_matrix, write_table

ALIASES = "alias_suggestions.csv"
MATRICES = ("target.csv", "pred.csv")
REPORT = "report.html"
FILES = (
    *(f"{name}.csv" for subject, name in (kind.split("/") for kind in kinds()) if subject == "ratings"), *MATRICES,
    "logistic.json", "logistic_fit.json", "outcomes.png",
)  # fmt: skip
"""All tables and pictures that a run may write."""


@dataclass(frozen=True)
class League:
    """Ratings of a file of results.

    `rated` has the ratings by method; `files` every table by its file's name; `left_out` the methods that cannot rate
    these games, with the reason; `facts` the provenance of the games; `notes` sentences on how the file was read.
    """

    field: GamesToRate
    rated: dict[str, MethodRatings]
    files: dict[str, Any]
    left_out: dict[str, str]
    facts: dict[str, Any]
    notes: list[str]

    @property
    def n_games(self) -> int:
        return int(self.field.games["count"].sum())

    @property
    def played(self) -> str:
        """How many games there are; who moved first is unknown of matches alone."""
        return counted(self.n_games, "games" if self.field.seats else "matches")

    @property
    def n_players(self) -> int:
        return len(players_of(self.field.games))

    @cached_property
    def standing(self) -> tuple[str, list[dict[str, Any]]]:
        """The system of the standing and its rows; an empty name and no rows without such a system."""
        table, main = self.files["league.csv"], main_rating(self.files["league.csv"])
        history = self.rated["history"].ratings if "history" in self.rated else None
        return main, standing(main, table, self.field.games, history) if main else []


def rate_results(file: Path, settings: RatingsSettings | None = None, today: date | None = None) -> League:
    """Rate the players of a file of results by the methods of the settings, or by all that can rate it.

    Raises RatingsError if the file cannot be read, a setting names a player without games, or a requested method cannot
    rate them.
    """
    settings = settings or RatingsSettings()
    aliases = read_aliases(settings.aliases) if settings.aliases else {}
    field = _field(read_games(file, today, aliases), settings)
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).malloc_trim(0)  # of a list of a million rows glibc would keep 280 MB that reading took
    methods = {name: importlib.import_module(f"bgrating.league.{name}") for name in settings.methods or METHODS}
    problems = {name: why for name, method in methods.items() if (why := method.problem(settings, field))}
    if settings.methods and problems:
        raise RatingsError(next(iter(problems.values())))
    rated = {name: method.rated(settings, field) for name, method in methods.items() if name not in problems}
    in_league = {name: ratings.ratings for name, ratings in rated.items() if ratings.ratings is not None}
    files = {
        "games.csv": field.games,
        "flagged.csv": field.flagged,
        ALIASES: suggestions(both_seats(pd.concat([games[WHO] for games in (field.games, field.self_play)]))),
        **{name: content for ratings in rated.values() for name, content in ratings.files.items()},
        "league.csv": league(field.games, in_league, field.listed),
    }
    usual = asdict(RatingsSettings())
    given = {key: value for key, value in asdict(settings).items() if value != usual[key]}
    facts = {
        "games_file": str(file.resolve()),
        "games_sha256": sha256(file),
        "settings": {key: value.name if isinstance(value, Path) else value for key, value in given.items()},
        "code_version": code_version(),
    }
    notes = [*field.notes, *(note for ratings in rated.values() for note in ratings.notes)]
    # That a list has no dates or lengths is no news to its author.
    left_out = {name: why for name, why in problems.items() if not why.startswith(ABSENT)}
    return League(field, rated, files, left_out, facts, notes)


def _field(reading: GamesToRate, settings: RatingsSettings) -> GamesToRate:
    notes, games = list(reading.notes), reading.games
    if settings.since or settings.until:
        period = f"since={settings.since} through={settings.until}"
        if "date" not in games:
            raise RatingsError(f"{period}: the games have no dates")
        inside = (games["date"] >= (settings.since or "0")) & (games["date"] <= (settings.until or "9"))
        if not inside.any():
            raise RatingsError(f"{period}: no game lies in this period")
        if not inside.all():
            notes.append(f"{games.loc[~inside, 'count'].sum():,} games lie outside the period")
        games = games[inside].reset_index(drop=True)
    if settings.fuse:
        games, dropped = fused(games, settings.fuse)
        if games.empty:
            raise RatingsError("fuse: all games became games of a player against itself")
        if dropped:
            notes.append(f"{dropped:,} games became self-games when players were fused: dropped")
    players = players_of(games)
    for key in ("fix", "subset", "start", "diluted"):
        require_players(getattr(settings, key), players, key)
    listed = chosen(games, settings.subset, settings.min_games)
    if not listed:
        raise RatingsError(f"least={settings.min_games}: no player has so many games")
    if len(listed) < len(players):
        notes.append(
            f"tables of pairs show {len(listed):,} of {len(players):,} players: --least and --subset choose them"
        )
    return replace(reading, games=games, notes=tuple(notes), listed=tuple(listed))


def write(league: League, folder: Path, page: str, aliases: Path | None = None) -> list[str]:
    """Write all tables, the picture and the page into a folder; return notes for the user.

    The folder must have passed `check_folder`. Suggestions that were edited, or are the `aliases` in use, stay as they
    are. Unchanged tables that an earlier run wrote, and this one does not, are deleted.
    """
    notes: list[str] = []
    about = {file: league.facts | ratings.facts for ratings in league.rated.values() for file in ratings.files}
    before = recorded(folder / PROVENANCE).get("games_file", league.facts["games_file"])
    with writing(folder, notes.append, PROVENANCE, (ALIASES, aliases), FILES) as new, one_provenance(new / PROVENANCE):
        for file, content in league.files.items():
            path, facts = new / file, about.get(file, league.facts)
            if path.suffix == ".json":
                write_json(content, path, **facts)
            elif path.suffix == ".png":
                content.write(path, **facts)
            elif file in MATRICES:
                write_matrix(content, path, **facts)
            else:
                write_table(content, path, f"ratings/{path.stem}", **facts)
        write_atomic(new / REPORT, marked(page, REPORT))
    if before != league.facts["games_file"]:
        notes.append(f"{folder} had the results of {before} before; --name NAME keeps both")
    return notes
