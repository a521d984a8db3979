"""Read player levels and analysis levels, in gnubg's own words, from gnubg_configs/."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from bgmatch.records import Json, Record
from bgrating.places import DATA, user_files
from bgrating.settings_files import SettingsError, load_yaml, read_settings, settings_files

CONFIGS = DATA / "gnubg_configs"
_EVALUATIONS = {"chequerplay", "cubedecision", "luckanalysis"}

# gnubg's move filters: for each search depth, (accept, extra, threshold) for each shallower ply.
Filters = Mapping[int, Sequence[tuple[int, int, float]]]


@dataclass(frozen=True)
class Evaluation:
    """How gnubg evaluates; `noise` is the standard deviation added to the winning chance."""

    plies: int
    cubeful: bool
    prune: bool
    noise: float
    deterministic: bool


@dataclass(frozen=True)
class Dilution:
    """A weak level that takes a random `share` (0 to 1) of a diluted player's decisions."""

    share: float
    weak: "PlayerLevel"


@dataclass(frozen=True)
class PlayerLevel:
    """A player level: its chequer play and cube decisions; `name` as the caller wrote it.

    With a `dilution` these settings are for the decisions that the weak level does not take.
    """

    name: str
    chequerplay: Evaluation
    cubedecision: Evaluation
    movefilter: str
    match_equity_table: str
    dilution: Dilution | None = None


@dataclass(frozen=True)
class Analysis:
    """An analysis level: how chequer plays, cube decisions and (if `luck`) rolls are judged."""

    name: str
    chequerplay: Evaluation
    cubedecision: Evaluation
    movefilter: str
    luck: bool
    luckanalysis: Evaluation
    match_equity_table: str


def player(spec: str) -> PlayerLevel:
    """Return a player level by its name, or a combination of levels.

    A combination is `CHEQUERLEVEL+CUBELEVEL` or `CHEQUERLEVEL+CUBELEVEL+DILUTEDLEVEL`. The second
    level gives the cube decisions, the third the dilution: its weak level takes a share of the
    decisions. Raises SettingsError naming the levels there are if one is unknown, and for a
    combination without a meaning.
    """
    names = spec.split("+")
    settings = [_level("players", "player", name) for name in names]
    problem = _problem(names, settings)
    if problem:
        raise SettingsError(f"player {spec}: {problem}")
    first = settings[0]
    second = settings[:2][-1]
    last = settings[-1]
    return PlayerLevel(
        name=spec,
        chequerplay=first["chequerplay"],
        cubedecision=second["cubedecision"],
        movefilter=first["movefilter"],
        match_equity_table=first["match_equity_table"],
        dilution=_dilution(spec, last) if "dilution" in last else None,
    )


def _problem(names: Sequence[str], settings: Sequence[Record]) -> str:
    """Return why levels do not combine to a player; empty if they do."""
    if len(names) > 3:
        return "a player is CHEQUERLEVEL+CUBELEVEL+DILUTEDLEVEL at most"
    halves = names[:2] if len(names) > 1 else ()
    for name, setting in zip(halves, settings, strict=False):
        if "dilution" in setting:
            return f"{name} is diluted in all its decisions, so it cannot be half of a player"
    if len(names) == 3 and "dilution" not in settings[-1]:
        return f"{names[2]} is not diluted, so it has no dilution to give"
    tables = {setting["match_equity_table"] for setting in settings}
    return "its levels use different match-equity tables" if len(tables) > 1 else ""


def _dilution(name: str, level: Record) -> Dilution:
    """Return a level's dilution. Raises SettingsError if its weak level cannot replace it."""
    where = f"gnubg_configs/players/{name}.yaml: dilution.level"
    weak = level["dilution"]["level"]
    try:
        weak_level = player(weak) if weak != name else None
    except SettingsError as problem:
        raise SettingsError(f"{where}: {problem}") from problem
    if weak_level is None or weak_level.dilution:
        raise SettingsError(f"{where}: {weak} is itself diluted; name a level that is not")
    if weak_level.match_equity_table != level["match_equity_table"]:
        raise SettingsError(f"{where}: {weak} uses another match-equity table; an engine has one")
    return Dilution(share=float(level["dilution"]["share"]), weak=weak_level)


NO_LUCK = "-no-luck"


def analysis(name: str) -> Analysis:
    """Return an analysis level by name; with the suffix `-no-luck` that level without luck.

    Raises SettingsError naming the levels there are.
    """
    if name.endswith(NO_LUCK) and name not in _files("analysis"):
        return replace(analysis(name.removesuffix(NO_LUCK)), name=name, luck=False)
    level = dict(_level("analysis", "analysis", name))
    del level["description"]
    return Analysis(name=name, **level)


@cache
def move_filters() -> Mapping[str, Filters]:
    filters: Mapping[str, Filters] = load_yaml(CONFIGS / "movefilters.yaml")
    return filters


@cache
def _level(folder: str, schema: str, name: str) -> Record:
    """Return the settings of a level, with its evaluations (Evaluation)."""
    files = _files(folder)
    if name not in files:
        known = ", ".join(sorted(files))
        raise SettingsError(
            f"no {schema} level {name!r}; there are: {known} (or add {name}.yaml to {folder}/)"
        )
    level: Json = read_settings(CONFIGS / folder, files[name], schema)
    for setting in level.keys() & _EVALUATIONS:
        level[setting] = Evaluation(**level[setting])
    return level


def _files(folder: str) -> dict[str, Path]:
    return settings_files(CONFIGS / folder, user_files("levels", folder))
