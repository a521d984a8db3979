"""Read the names of sides: a level of gnubg, `LEVEL@ENGINE`, `bgsage[:LEVEL]` or `ubgi:COMMAND`."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bgrating.engine import levels
from bgrating.engine.levels import PlayerLevel
from bgrating.settings_files import SettingsError

UBGI = "ubgi:"
BGSAGE = "bgsage"
_NOT_PLAIN = re.compile(r"[^A-Za-z0-9@.+]+")


def names_of(text: str) -> tuple[str, ...]:
    """Return the names in a setting, which commas separate.

    So a UBGI command cannot contain a comma.
    """
    return tuple(name.strip() for name in text.split(",") if name.strip())


def are_levels(names: Iterable[str]) -> bool:
    """Return whether gnubg can play these sides by itself: all are levels of one engine."""
    return not any(set("@:") & set(name) or name == BGSAGE for name in names)


def slugs(names: Sequence[str]) -> tuple[str, ...]:
    """Return distinct short names of sides for tables, paths and match files."""
    distinct = [_slug(name) for name in names]
    counts = Counter(distinct)
    for index, slug in enumerate(distinct):
        if counts[slug] > 1:
            distinct[index] = f"{slug}-{index + 1}"
    return tuple(distinct)


def _slug(name: str) -> str:
    last = name.rpartition("/")[2]
    level, at, _ = name.split("/", maxsplit=1)[0].partition("@")
    short = f"{level}@{last}" if at and "/" in name else last
    return _NOT_PLAIN.sub("-", short.removeprefix(UBGI))[:24].strip("-") or "side"


def level_of(name: str, *, is_alone: bool = False) -> PlayerLevel | None:
    """Return the level in a side's name, if any.

    Raises SettingsError for an @ without engine, and for a diluted level unless levels play alone.
    """
    if name == BGSAGE or name.startswith((f"{BGSAGE}:", UBGI)):
        return None
    level, at, engine = name.partition("@")
    if at and not engine:
        raise SettingsError(
            f"{name}: no engine follows the @; give its name or path, or leave the @ out"
        )
    player = levels.player(level)
    if player.dilution and not is_alone:
        raise SettingsError(f"{name}: diluted levels play one another, not a program")
    return player


def pair_of(text: str) -> tuple[str, str]:
    """Return the names of the two sides of a duel. Raises SettingsError."""
    names = names_of(text)
    if len(names) != 2 or names[0] == names[1]:
        raise SettingsError(
            f"--levels {text}: name two different sides, the one that may be stronger first:"
            " --levels NEW,OLD"
        )
    return names


def require_playable(names: Sequence[str]) -> None:
    """Raise SettingsError unless these sides can meet: different ones, of known names."""
    for name in names:
        if names.count(name) > 1:
            raise SettingsError(
                f"levels: {name} is given twice; a level does not play against itself"
            )
        level_of(name, is_alone=are_levels(names))
    if len(names) < 2:
        raise SettingsError("levels: a tournament needs two levels at least, with commas between")
