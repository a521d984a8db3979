"""Make ratings of files of results.

A run reads the games, rates them by every method that can, and writes the tables and the page.
"""

import importlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path

from bgleague.elo import read_starts
from bgleague.games import both_seats, fused, players_of, require_players
from bgleague.pairs import first_chances, head_to_head
from bgleague.readers import read_games
from bgleague.settings import (
    ABSENT,
    METHODS,
    PROVENANCE,
    GamesToRate,
    MethodRatings,
    RatingsError,
    RatingsSettings,
)
from bgleague.standing import MOST_MATRIX, chosen, league, main_rating, periods, standing
from bgmatch.records import Json
from bgrating.pages.formatting import counted
from bgrating.people.aliases import read_aliases, suggestions
from bgrating.tables.dictionary import kinds
from bgrating.tables.folder import marked, recorded, writing
from bgrating.tables.provenance import code_version, one_provenance, sha256, write_atomic
from bgrating.tables.table_files import write_json, write_matrix, write_table

ALIASES = "alias_suggestions.csv"
MATRICES = ("target.csv", "pred.csv")
REPORT = "report.html"
FILES = (
    *(f"{kind.removeprefix('ratings/')}.csv" for kind in kinds() if kind.startswith("ratings/")),
    *MATRICES,
    "logistic.json",
    "logistic_fit.json",
    "outcomes.png",
)
"""All tables and pictures that a run may write."""


@dataclass(frozen=True)
class League:
    """Ratings of a file of results.

    `by_method` has the ratings by method, `files` every table by its file name. `left_out` has the
    methods that cannot rate these games, with the reason. `metadata` is the provenance of the
    games, `notes` are the notices for the user.
    """

    games: GamesToRate
    by_method: dict[str, MethodRatings]
    files: Json
    left_out: dict[str, str]
    metadata: Json
    notes: list[str]

    @property
    def n_games(self) -> int:
        return int(self.games.games["count"].sum())

    @property
    def played(self) -> str:
        """The number of games in words; a list that does not tell who moved first has matches."""
        return counted(self.n_games, "games" if self.games.seats else "matches")

    @property
    def n_players(self) -> int:
        return len(players_of(self.games.games))

    @cached_property
    def standing(self) -> tuple[str, list[Json]]:
        """The system of the standing and its rows; empty without such a system."""
        main = main_rating(self.files["league.csv"])
        return main, standing(main, self.files["league.csv"]) if main else []


def rate_results(
    files: Sequence[Path], settings: RatingsSettings | None = None, today: date | None = None
) -> League:
    """Rate the players of files of results by the methods of the settings, or by all that can rate
    them.

    Raises RatingsError if a file cannot be read, a setting names a player without games, or a
    requested method cannot rate them.
    """
    settings = settings or RatingsSettings()
    aliases = read_aliases(settings.aliases) if settings.aliases else {}
    games, settings = _chosen(read_games(files, today, aliases, settings.dates), settings)
    by_method, problems = _rate_by_methods(games, settings)
    tables: Json = {
        "games.csv": games.games,
        "flagged.csv": games.flagged,
        ALIASES: suggestions(both_seats(games.games)),
    }
    notes = list(games.notes)
    for ratings in by_method.values():
        tables |= ratings.files
        notes += ratings.notes
    standings = league(games.games, by_method, games.listed, settings.provisional)
    tables["league.csv"] = standings
    main = main_rating(standings)
    players = standings["player"].tolist()
    if main:
        tables["head_to_head.csv"] = head_to_head(games.games, by_method[main], players)
    if main == "history":
        chances = first_chances(by_method[main], players, settings.seed)
        standings["p_first"] = standings["player"].map(chances)
    tables |= periods(games.games, tables.get("history.csv"))
    # The author of a list knows that it has no dates or lengths.
    left_out = {METHODS[name]: why for name, why in problems.items() if not why.startswith(ABSENT)}
    return League(games, by_method, tables, left_out, _metadata(files, settings), notes)


def _rate_by_methods(
    games: GamesToRate, settings: RatingsSettings
) -> tuple[dict[str, MethodRatings], dict[str, str]]:
    """Return the ratings by the methods, and why other methods cannot rate these games."""
    by_method = {}
    problems = {}
    for name in settings.methods or METHODS:
        method = importlib.import_module(f"bgleague.{name}")
        problem = method.problem(settings, games)
        if not problem:
            by_method[name] = method.rate(settings, games)
        elif settings.methods:
            raise RatingsError(problem)
        else:
            problems[name] = problem
    return by_method, problems


def _metadata(files: Sequence[Path], settings: RatingsSettings) -> Json:
    paths = {"aliases": settings.aliases, "start_list": settings.start_list}
    names = {key: path.name for key, path in paths.items() if path}
    return {
        "games_file": ", ".join(str(file.resolve()) for file in files),
        "games_sha256": ", ".join(sha256(file) for file in files if file.is_file()),
        "settings": asdict(settings) | names,
        "code_version": code_version(),
    }


def _chosen(reading: GamesToRate, settings: RatingsSettings) -> tuple[GamesToRate, RatingsSettings]:
    """Return the games within the settings, and the settings with the starts of a rating list."""
    notes = list(reading.notes)
    games = reading.games
    if settings.since or settings.until:
        period = f"since={settings.since} through={settings.until}"
        if "date" not in games:
            raise RatingsError(f"{period}: the games have no dates")
        is_within = games["date"].between(settings.since or "0", settings.until or "9")
        games = games[is_within].reset_index(drop=True)
        if games.empty:
            raise RatingsError(f"{period}: no game lies in this period")
    if settings.fuse:
        games, dropped = fused(games, settings.fuse)
        if games.empty:
            raise RatingsError("fuse: all games became games of a player against itself")
        if dropped:
            notes.append(f"{dropped:,} games became self-games when players were fused: dropped")
    players = players_of(games)
    for key in ("fix", "subset", "start", "diluted"):
        require_players(getattr(settings, key), players, key)
    path = settings.start_list
    if path:
        earlier = read_starts(path)
        starts = {name: earlier[name] for name in players if name in earlier}
        settings = replace(settings, start=starts | dict(settings.start))
        notes.append(
            f"Elo starts {counted(len(starts), 'players')} at their ratings in"
            f" {path.name}; no other system uses them"
        )
    listed = chosen(games, settings.subset, settings.min_games)
    if not listed:
        raise RatingsError(f"least={settings.min_games}: no player has so many games")
    if len(listed) == MOST_MATRIX < len(players) and not settings.subset:
        notes.append(
            f"tables show the {MOST_MATRIX} players with most games; name others (--subset)"
        )
    return replace(reading, games=games, notes=notes, listed=listed), settings


def write(league: League, folder: Path, page: str, aliases: Path | None = None) -> list[str]:
    """Write all tables, the picture and the page into a folder; return notices for the user.

    The folder must have passed `check_folder`. Suggestions that the user edited, or uses as
    `aliases`, are kept. Tables of an earlier run that this run does not write are deleted unless
    somebody changed them.
    """
    notes: list[str] = []
    metadata = dict.fromkeys(league.files, league.metadata)
    for ratings in league.by_method.values():
        metadata |= dict.fromkeys(ratings.files, league.metadata | ratings.metadata)
    games_file = league.metadata["games_file"]
    with (
        writing(folder, notes.append, PROVENANCE, (ALIASES, aliases), FILES) as new,
        one_provenance(new / PROVENANCE),
    ):
        # Another command may have written here while this one waited for its lock.
        before = recorded(folder / PROVENANCE).get("games_file", games_file)
        for file, table in league.files.items():
            path = new / file
            if path.suffix == ".json":
                write_json(table, path, **metadata[file])
            elif path.suffix == ".png":
                table.write(path, **metadata[file])
            elif file in MATRICES:
                write_matrix(table, path, **metadata[file])
            else:
                write_table(table, path, f"ratings/{path.stem}", **metadata[file])
        write_atomic(new / REPORT, marked(page, REPORT))
    if before != games_file:
        notes.append(f"{folder} had the results of {before} before; --name NAME keeps both")
    return notes
