"""Find what plays a side: a level and its engine, bgsage, or a command that speaks UBGI."""

import importlib.util
import shlex
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bgrating import INSTALL
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine, find_clock, find_engine, program_version
from bgrating.engine.nets import KnownEngine, known_engines
from bgrating.engine.side_names import BGSAGE, UBGI, level_of
from bgrating.settings import SettingsError

BGSAGE_LEVELS = ("1ply", "2ply", "3ply", "4ply", "truncated1", "truncated2", "truncated3")
_BGSAGE_SIDE = Path(__file__).with_name("bgsage_side.py")

Options = tuple[tuple[str, str], ...]
"""Names and values."""


@dataclass(frozen=True)
class Spec:
    """A side of the settings: its `name`, and a level with its engine, or a command with options.

    A command speaks UBGI.
    """

    name: str
    level: PlayerLevel | None = None
    engine: Engine | None = None
    command: tuple[str, ...] = ()
    options: Options = ()
    package: str = ""


def spec(name: str, engine: Engine, options: Options = ()) -> Spec:
    """Return a side by its name; `engine` plays a level without an engine.

    Raises SettingsError, EngineError.
    """
    if name.startswith(UBGI):
        return command_of(name, options)
    if options:
        raise SettingsError(f"{name}: --option is for a side that speaks UBGI (ubgi:COMMAND)")
    program, colon, level = name.partition(":")
    if program == BGSAGE:
        level = level if colon else BGSAGE_LEVELS[0]
        if level not in BGSAGE_LEVELS:
            known = ", ".join(BGSAGE_LEVELS)
            raise SettingsError(f"{name}: bgsage has no level {level}; it has {known}")
        if importlib.util.find_spec(BGSAGE) is None:
            raise SettingsError(
                f"{name}: the package bgsage is not installed; {INSTALL.format(BGSAGE)}"
            )
        return Spec(name, command=(sys.executable, str(_BGSAGE_SIDE), level), package=BGSAGE)
    own_engine = name.partition("@")[2]
    return Spec(name, level_of(name), _engine(own_engine) if own_engine else engine)


def command_of(name: str, options: Options) -> Spec:
    """Return a side `ubgi:COMMAND`. Raises SettingsError."""
    try:
        command = tuple(shlex.split(name.removeprefix(UBGI)))
    except ValueError as problem:  # a quotation mark or backslash at the end
        raise SettingsError(f"{name}: {problem}") from problem
    program = shutil.which(command[0]) if command else None
    if not program:
        what = command[0] if command else "an empty command"
        raise SettingsError(f"{name}: {what} is no program here")
    return Spec(name, command=(program, *command[1:]), options=options)


def options_of(given: Iterable[str]) -> Options:
    """Return options NAME=VALUE. Raises SettingsError."""
    pairs = [text.partition("=") for text in given]
    for name, equals, _ in pairs:
        if not name or not equals:
            raise SettingsError(f"--option {name!r} is not of the form NAME=VALUE")
    return tuple((name, value) for name, _, value in pairs)


def _engine(name: str) -> Engine:
    """Return a known engine by its name, or a gnubg program of any version and nets by its path."""
    program = None if name in {known.name for known in known_engines()} else shutil.which(name)
    version = program_version(Path(program)) if program else ""
    if not program or not version.startswith("GNU Backgammon"):
        return find_engine(name)
    build = KnownEngine(
        name,
        is_module=False,
        nets="",
        version=version,
        package="",
        install="",
        checksums={},
    )
    return Engine(build, Path(program).absolute(), find_clock())
