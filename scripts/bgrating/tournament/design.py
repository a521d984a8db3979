"""The tournament: every player meets every other in both seats; its settings and its design.

Players are levels of one gnubg, which plays by itself, or programs (referee/names.py), which meet before a referee. A
cell is an ordered pair of players: the first sits in the left column, the second in the right one. The dice decide who
moves first in a game. A tournament is played like a study of the name `tournament/<name>`: the same shards, seeds and
tables. Finished shards stay valid if `games_per_cell` changes.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from bgrating.engine import levels
from bgrating.engine.nets import results_dir
from bgrating.places import DATA
from bgrating.play import designs
from bgrating.play.designs import Design, DesignPoint, Shard, require_seed, shard_table
from bgrating.referee.names import are_levels, level_of, names_of, slugs
from bgrating.settings import SettingsError, check, load_yaml
from bgrating.tables.folder import check_name
from bgrating.tables.provenance import provenance_path, read_provenance

DEFAULTS = DATA / "config" / "tournament.yaml"
NAMED = DATA / "config" / "tournaments"
STUDY = "tournament/"
_SETTINGS = ("match_length", "games_per_cell", "levels")
_MOST_SHARDS = 1000  # their numbers have three digits


@dataclass(frozen=True)
class LevelPair(DesignPoint):
    """An ordered pair of levels; `held` has the sizes of the finished shards, by number.

    A finished shard keeps its size. So the last shard of an earlier, smaller tournament is neither lost nor played
    again, and there may be a few more matches than `matches`.
    """

    held: tuple[tuple[int, int], ...] = ()

    def shards(self) -> Iterator[Shard]:
        """Yield the shards in their order, up to `matches`."""
        sizes, left, number = dict(self.held), self.matches, 0
        while left > 0:
            size = sizes.get(number, min(self.shard_matches, left))
            yield Shard(number, size)
            left, number = left - size, number + 1


@dataclass(frozen=True)
class Tournament:
    """A tournament: its players as in tables, and its design.

    `programs` has the name of each player in the settings; it is empty if all are levels of one gnubg.
    """

    levels: tuple[str, ...]
    match_length: int
    design: Design
    programs: Mapping[str, str]


def tournament(config: Mapping[str, Any]) -> Tournament:
    """Return the tournament of config/tournament.yaml as changed by the settings.

    If its name is that of a file in config/tournaments, that file changes them first. Its name is `name`, or `default`
    if match length and levels are those of the file, else the match length in words. Raises
    SettingsError for an unknown level, a level against itself, levels that cannot share an engine, numbers that are not
    positive, and a name that leads to another folder.
    """
    if config.get("name"):
        check_name(str(config["name"]))
    file = NAMED / f"{config.get('name', '')}.yaml"
    defaults = {**load_yaml(DEFAULTS), **(load_yaml(file) if file.is_file() else {})}
    merged = {**defaults, **{key: config[key] for key in _SETTINGS if key in config}}
    if not isinstance(merged["levels"], list):
        merged["levels"] = list(names_of(str(merged["levels"])))
    check(merged, "tournament", "settings (config/tournament.yaml, --config)")
    if merged["games_per_cell"] > _MOST_SHARDS * merged["shard_games"]:
        most = _MOST_SHARDS * merged["shard_games"]
        raise SettingsError(f"games_per_cell: {merged['games_per_cell']} is more than {most}; raise shard_games first")
    given = tuple(merged["levels"])
    _require_playable(given)
    programs = {} if are_levels(given) else dict(zip(slugs(given), given, strict=True))
    names = tuple(programs) or given
    levels.analysis(merged["analysis"])
    same = all(merged[key] == defaults[key] for key in ("match_length", "levels"))
    name = str(config.get("name", "")) or ("default" if same else f"{merged['match_length']}-points")
    study = f"{STUDY}{name}"
    size = merged["match_length"], merged["games_per_cell"], merged["shard_games"]
    cells = [DesignPoint(first, second, *size) for first, second in permutations(names, 2)]
    design = Design(
        study=study,
        published=False,
        seed=int(config.get("seed", merged["seed"])),
        analysis=merged["analysis"],
        match_equity_table=None,
        points=tuple(LevelPair(**vars(cell), held=_held(results_dir(config), study, cell)) for cell in cells),
    )
    return Tournament(names, merged["match_length"], design, programs)


def kept(results: Path) -> dict[str, Tournament]:
    """Return the tournaments of config/tournaments with frozen matches in a folder results/<nets>, by name."""
    names = [file.stem for file in sorted(NAMED.glob("*.yaml")) if (results / STUDY / file.stem / "frozen").is_dir()]
    return {name: tournament({"results": str(results.parent), "nets": results.name, "name": name}) for name in names}


def study_design(study: str, config: Mapping[str, Any]) -> Design:
    """Return the design of a study by its name: one of config/designs, or the tournament of the settings."""
    return tournament(config).design if study.startswith(STUDY) else designs.design(study)


def programs_of(study: str, config: Mapping[str, Any]) -> Mapping[str, str]:
    """Return the programs of a study with their names in the settings; empty if gnubg plays by itself."""
    return tournament(config).programs if study.startswith(STUDY) else {}


def dilution_shares(names: Sequence[str]) -> dict[str, float]:
    """Return the shares of the levels that differ in their dilution alone, 0 for the undiluted level.

    Empty for fewer than two such levels; of several families the largest.
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
    comparable = (family for family in families.values() if len(set(family.values())) == len(family) > 1)
    return max(comparable, key=len, default={})


def _play(player: levels.PlayerLevel) -> tuple[Any, ...]:
    return player.chequerplay, player.cubedecision, player.movefilter


def _require_playable(names: Sequence[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(f"levels: {name} is given twice; a level does not play against itself")
    if len(names) < 2:
        raise SettingsError("levels: a tournament needs two levels at least, with commas between")
    if not are_levels(names):
        for name in names:
            level_of(name)
        return
    tables = {name: levels.player(name).match_equity_table for name in names}
    odd = next((name for name in names if tables[name] != tables[names[0]]), None)
    if odd:
        raise SettingsError(f"levels: {odd} and {names[0]} use different match-equity tables; an engine has one")


def require_same_seed(design: Design, results: Path) -> None:
    """Raise SettingsError, naming folder, seed and remedy, if another seed has played shards of a tournament."""
    for cell in design.points:
        for number, _ in _held(results, design.study, cell):
            archive = shard_table(results, design.study, cell, number).with_suffix(".zip")
            require_seed(archive, design.seed)


def _held(results: Path, study: str, cell: DesignPoint) -> tuple[tuple[int, int], ...]:
    folder = shard_table(results, study, cell, 0).parent
    archives = [path for path in sorted(folder.glob("[0-9][0-9][0-9].zip")) if provenance_path(path).is_file()]
    return tuple((int(path.stem), int(read_provenance(path)["rows"])) for path in archives)
