"""The tournament: every level meets every other in both seats; its settings, and the design that plays it.

A cell is an ordered pair: the first level sits in the left column of its matches, the second in the right one. Who
moves first in a game is settled by the dice, as in any match. A tournament is played as a study is, under the name
`tournament/<name>`: the same shards, seeds and tables. What of it has been played stays, whatever `games_per_cell` was.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bgrating.engine import levels
from bgrating.engine.nets import results_dir
from bgrating.places import DATA
from bgrating.play import designs
from bgrating.play.designs import Design, DesignPoint, Shard, shard_table
from bgrating.settings import SettingsError, check, load_yaml
from bgrating.tables.provenance import provenance_path, read_provenance

DEFAULTS = DATA / "config" / "tournament.yaml"
STUDY = "tournament/"
_SETTINGS = ("match_length", "games_per_cell", "levels")
_MOST_SHARDS = 1000  # their numbers have three digits


@dataclass(frozen=True)
class LevelPair(DesignPoint):
    """An ordered pair of levels; `held` gives the sizes of the shards that have been played, by number.

    A shard keeps the size it was played with. So the last one of an earlier, smaller tournament is neither lost nor
    played again when more matches are asked for, and there may be a few matches more than `matches`.
    """

    held: tuple[tuple[int, int], ...] = ()

    def shards(self) -> Iterator[Shard]:
        """Yield the shards in their order, until there are matches enough."""
        sizes, left, number = dict(self.held), self.matches, 0
        while left > 0:
            size = sizes.get(number, min(self.shard_matches, left))
            yield Shard(number, size)
            left, number = left - size, number + 1


@dataclass(frozen=True)
class Tournament:
    """A tournament: its name and title, its levels in the order given, and the design that plays it."""

    name: str
    title: str
    levels: tuple[str, ...]
    match_length: int
    design: Design


def tournament(config: Mapping[str, Any]) -> Tournament:
    """Return the tournament of config/tournament.yaml with what the settings put in its place.

    Its name is `name`, or `default` where match length and levels are those of the file, or the match length in words.
    Raises SettingsError naming a level that there is not, a level that would meet itself, levels that cannot share an
    engine, and numbers that are not positive.
    """
    defaults = load_yaml(DEFAULTS)
    asked = {key: config[key] for key in _SETTINGS if key in config}
    if "levels" in asked and not isinstance(asked["levels"], list):
        asked["levels"] = [level.strip() for level in str(asked["levels"]).split(",") if level.strip()]
    merged = {**defaults, **asked}
    check(merged, "tournament", "settings (config/tournament.yaml, --config)")
    if merged["games_per_cell"] > _MOST_SHARDS * merged["shard_games"]:
        most = _MOST_SHARDS * merged["shard_games"]
        raise SettingsError(f"games_per_cell: {merged['games_per_cell']} is more than {most}; raise shard_games first")
    names = tuple(merged["levels"])
    _require_playable(names)
    levels.analysis(merged["analysis"])
    same = all(merged[key] == defaults[key] for key in ("match_length", "levels"))
    name = str(config.get("name", "")) or ("default" if same else f"{merged['match_length']}-points")
    points = "1 point" if merged["match_length"] == 1 else f"{merged['match_length']} points"
    title = defaults["title"] if same else f"{len(names)} levels to {points}"
    study = f"{STUDY}{name}"
    cells = [
        DesignPoint(first, second, merged["match_length"], merged["games_per_cell"], merged["shard_games"])
        for first in names
        for second in names
        if first != second
    ]
    design = Design(
        study=study,
        title=title,
        published=False,
        seed=int(config.get("seed", merged["seed"])),
        analysis=merged["analysis"],
        match_equity_table=None,
        points=tuple(LevelPair(**vars(cell), held=_held(results_dir(config), study, cell)) for cell in cells),
    )
    return Tournament(name, title, names, merged["match_length"], design)


def study_design(study: str, config: Mapping[str, Any]) -> Design:
    """Return the design of a study by its name, be it one of config/designs or the tournament of the settings."""
    return tournament(config).design if study.startswith(STUDY) else designs.design(study)


def dilution_shares(names: Sequence[str]) -> dict[str, float]:
    """Return the shares of the diluted levels among these that differ in nothing else, the undiluted one's being 0.

    Empty where fewer than two of them are there; of several such families the largest.
    """
    families: dict[tuple[Any, ...], dict[str, float]] = {}
    players = [levels.player(name) for name in names]
    for diluted in players:
        if not diluted.dilution:
            continue
        play = _play(diluted)
        family = families.setdefault((play, diluted.dilution.weak), {})
        family[diluted.name] = diluted.dilution.share
        family |= {other.name: 0.0 for other in players if not other.dilution and _play(other) == play}
    found = [family for family in families.values() if len(set(family.values())) == len(family) > 1]
    return max(found, key=len, default={})


def _play(player: levels.PlayerLevel) -> tuple[Any, ...]:
    return player.chequerplay, player.cubedecision, player.movefilter


def _require_playable(names: Sequence[str]) -> None:
    """Raise SettingsError where these levels cannot play a tournament."""
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(f"levels: {name} stands there twice; a level does not play against itself")
    if len(names) < 2:
        raise SettingsError("levels: a tournament needs two levels at least, with commas between")
    tables = {name: levels.player(name).match_equity_table for name in names}
    odd = next((name for name in names if tables[name] != tables[names[0]]), None)
    if odd:
        raise SettingsError(f"levels: {odd} and {names[0]} use different match-equity tables; an engine has one")


def _held(results: Path, study: str, cell: DesignPoint) -> tuple[tuple[int, int], ...]:
    """Return number and size of every shard of a cell that has been played."""
    folder = shard_table(results, study, cell, 0).parent
    archives = [path for path in sorted(folder.glob("[0-9][0-9][0-9].zip")) if provenance_path(path).is_file()]
    return tuple((int(path.stem), int(read_provenance(path)["rows"])) for path in archives)


def need(design: Design, results: Path) -> dict[tuple[str, str, int], int]:
    """Return how many shards its cell will hold before each shard that is not there yet (first, second, number).

    Who plays the shards in the order of these numbers lets the neediest cell play first, however many shards of each
    cell an earlier run or another machine has finished.
    """
    places: dict[tuple[str, str, int], int] = {}
    for point in design.points:
        missing = [
            shard.number
            for shard in point.shards()
            if not shard_table(results, design.study, point, shard.number).is_file()
        ]
        held = sum(1 for _ in point.shards()) - len(missing)
        places |= {(point.player, point.opponent, number): held + place for place, number in enumerate(missing)}
    return places
