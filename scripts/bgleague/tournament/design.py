"""The settings and the design of a tournament, in which every player meets every other in both
seats.

Players are levels of one gnubg, which plays alone, or programs (engine/side_names.py), which meet
before a referee. A cell is an ordered pair of players: the first has the left column, the second
the right one. The dice decide who moves first in a game. A tournament is played like a study
`tournament/<name>`: the same shards, seeds and tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import permutations

from bgmatch.records import Record
from bgrating.engine import levels
from bgrating.engine.side_names import are_levels, names_of, require_playable, slugs
from bgrating.places import TOURNAMENT
from bgrating.play.designs import MOST_SHARDS, Design, DesignPoint
from bgrating.settings_files import SettingsError, check, load_yaml
from bgrating.tables.folder import check_name

STUDY = "tournament/"
_SETTINGS = ("match_length", "games_per_cell", "levels")


@dataclass(frozen=True)
class Tournament:
    """A tournament: its players as in tables, and its design.

    `programs` maps players to their names in the settings; it is empty if all players are levels of
    one gnubg.
    """

    levels: tuple[str, ...]
    match_length: int
    design: Design
    programs: Mapping[str, str]


def tournament(config: Record) -> Tournament:
    """Return the tournament of config/tournament.yaml, changed by the settings.

    Its name is `name`, or `default` if match length and levels are those of the file, else the
    match length in words. Raises SettingsError for an unknown level, a level against itself, and
    levels that cannot share an engine. Numbers must be positive, and a name may not lead to another
    folder.
    """
    name = str(config.get("name", ""))
    if name:
        check_name(name)
    defaults = load_yaml(TOURNAMENT)
    merged = defaults | {key: config[key] for key in _SETTINGS if key in config}
    if not isinstance(merged["levels"], list):
        merged["levels"] = list(names_of(str(merged["levels"])))
    check(merged, "tournament", "settings (config/tournament.yaml, --config)")
    most = MOST_SHARDS * merged["shard_games"]
    if merged["games_per_cell"] > most:
        raise SettingsError(
            f"games_per_cell: {merged['games_per_cell']} is more than {most}; raise shard_games"
            " first"
        )
    players = tuple(merged["levels"])
    require_playable(players)
    programs = {} if are_levels(players) else dict(zip(slugs(players), players, strict=True))
    names = tuple(programs) or players
    levels.analysis(merged["analysis"])
    same = all(merged[key] == defaults[key] for key in ("match_length", "levels"))
    name = name or ("default" if same else f"{merged['match_length']}-points")
    size = merged["match_length"], merged["games_per_cell"], merged["shard_games"]
    cells = [DesignPoint(first, second, *size) for first, second in permutations(names, 2)]
    design = Design(
        study=f"{STUDY}{name}",
        seed=int(config.get("seed", merged["seed"])),
        analysis=merged["analysis"],
        match_equity_table=None,
        points=tuple(cells),
    )
    return Tournament(names, merged["match_length"], design, programs)
