"""From a file of results to ratings.

The games, every method that can rate them, the tables, the page.
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
from bgleague.standing import chosen, league, main_rating, periods, standing
from bgmatch.records import Json
from bgrating.pages.words import counted
from bgrating.people.aliases import read_aliases, suggestions
from bgrating.tables.dictionary import kinds
from bgrating.tables.folder import marked, recorded, writing
from bgrating.tables.provenance import code_version, one_provenance, sha256, write_atomic
from bgrating.tables.table_files import write_json, write_matrix, write_table

ALIASES = "alias_suggestions.csv"
MATRICES = ("target.csv", "pred.csv")
REPORT = "report.html"
FILES = (
    *(
        f"{name}.csv"
        for subject, name in (kind.split("/") for kind in kinds())
        if subject == "ratings"
    ),
    *MATRICES,
    "logistic.json",
    "logistic_fit.json",
    "outcomes.png",
)
"""All tables and pictures that a run may write."""


@dataclass(frozen=True)
class League:
    """Ratings of a file of results.

    `rated` has the ratings by method; `files` every table by its file name; `left_out` the methods
    that cannot rate these games, with the reason; `facts` the provenance of the games; `notes` the
    notices for the user.
    """

    field: GamesToRate
    rated: dict[str, MethodRatings]
    files: Json
    left_out: dict[str, str]
    facts: Json
    notes: list[str]

    @property
    def n_games(self) -> int:
        return int(self.field.games["count"].sum())

    @property
    def played(self) -> str:
        """The number of games in words; a list that does not tell who moved first has matches."""
        return counted(self.n_games, "games" if self.field.seats else "matches")

    @property
    def n_players(self) -> int:
        return len(players_of(self.field.games))

    @cached_property
    def standing(self) -> tuple[str, list[Json]]:
        """The system of the standing and its rows.

        An empty name and no rows without such a system.
        """
        main = main_rating(self.files["league.csv"])
        return main, standing(main, self.files["league.csv"]) if main else []


def rate_results(
    files: Path | Sequence[Path], settings: RatingsSettings | None = None, today: date | None = None
) -> League:
    """Rate the players of files of results by the methods of the settings, or by all that can rate
    them.

    Raises RatingsError if a file cannot be read, a setting names a player without games, or a
    requested method cannot rate them.
    """
    settings = settings or RatingsSettings()
    files = [files] if isinstance(files, Path) else list(files)
    aliases = read_aliases(settings.aliases) if settings.aliases else {}
    field, settings = _field(read_games(files, today, aliases, settings.dates), settings)
    methods = {
        name: importlib.import_module(f"bgleague.{name}") for name in settings.methods or METHODS
    }
    problems = {
        name: why for name, method in methods.items() if (why := method.problem(settings, field))
    }
    if settings.methods and problems:
        raise RatingsError(next(iter(problems.values())))
    rated = {
        name: method.rated(settings, field)
        for name, method in methods.items()
        if name not in problems
    }
    in_league = {
        name: ratings.ratings for name, ratings in rated.items() if ratings.ratings is not None
    }
    tables = {
        "games.csv": field.games,
        "flagged.csv": field.flagged,
        ALIASES: suggestions(both_seats(field.games)),
        **{name: content for ratings in rated.values() for name, content in ratings.files.items()},
        "league.csv": league(field.games, in_league, field.listed, settings.provisional),
    }
    if main := main_rating(tables["league.csv"]):
        players = tables["league.csv"]["player"].tolist()
        tables["head_to_head.csv"] = head_to_head(field.games, rated[main], players)
        if main == "history":
            chances = first_chances(rated[main], players, settings.seed)
            tables["league.csv"]["p_first"] = chances.reindex(players).to_numpy()
    by_period = periods(field.games, tables.get("history.csv"))
    if len(by_period):
        tables["periods.csv"] = by_period
    notes = [*field.notes, *(note for ratings in rated.values() for note in ratings.notes)]
    # The author of a list knows that it has no dates or lengths.
    left_out = {METHODS[name]: why for name, why in problems.items() if not why.startswith(ABSENT)}
    return League(field, rated, tables, left_out, _facts(files, settings), notes)


def _facts(files: Sequence[Path], settings: RatingsSettings) -> Json:
    return {
        "games_file": ", ".join(str(file.resolve()) for file in files),
        "games_sha256": ", ".join(sha256(file) for file in files if file.is_file()),
        "settings": {
            key: value.name if isinstance(value, Path) else value
            for key, value in asdict(settings).items()
        },
        "code_version": code_version(),
    }


def _field(reading: GamesToRate, settings: RatingsSettings) -> tuple[GamesToRate, RatingsSettings]:
    """Return the games within the settings, and the settings with the starts of a rating list."""
    notes = list(reading.notes)
    games = reading.games
    if settings.since or settings.until:
        period = f"since={settings.since} through={settings.until}"
        if "date" not in games:
            raise RatingsError(f"{period}: the games have no dates")
        games = games[
            games["date"].between(settings.since or "0", settings.until or "9")
        ].reset_index(drop=True)
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
    if earlier := settings.start_list:
        everyone = set(players)
        before = {name: start for name, start in read_starts(earlier).items() if name in everyone}
        settings = replace(settings, start=before | dict(settings.start))
        words = counted(len(before), "players")
        notes.append(
            f"Elo starts {words} at their ratings of {earlier.name}; --method elo makes it the"
            " standing"
        )
    listed = chosen(games, settings.subset, settings.min_games)
    if not listed:
        raise RatingsError(f"least={settings.min_games}: no player has so many games")
    return replace(reading, games=games, notes=tuple(notes), listed=tuple(listed)), settings


def write(league: League, folder: Path, page: str, aliases: Path | None = None) -> list[str]:
    """Write all tables, the picture and the page into a folder; return notices for the user.

    The folder must have passed `check_folder`. Suggestions that the user edited, or uses as
    `aliases`, are kept. Tables of an earlier run that this run does not write are deleted unless
    somebody changed them.
    """
    notes: list[str] = []
    about = {
        file: league.facts | ratings.facts
        for ratings in league.rated.values()
        for file in ratings.files
    }
    before = recorded(folder / PROVENANCE).get("games_file", league.facts["games_file"])
    with (
        writing(folder, notes.append, PROVENANCE, (ALIASES, aliases), FILES) as new,
        one_provenance(new / PROVENANCE),
    ):
        for file, content in league.files.items():
            path = new / file
            facts = about.get(file, league.facts)
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
