"""Find what plays a side: a level and its engine, bgsage, or a command that speaks UBGI.

Checksums of its files identify a program.
"""

import importlib.util
import os
import shlex
import shutil
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bgrating import INSTALL
from bgrating.engine.known_engines import KnownEngine, known_engines
from bgrating.engine.levels import PlayerLevel
from bgrating.engine.locate import Engine, find_clock, find_engine, program_version
from bgrating.engine.side_names import BGSAGE, UBGI, level_of
from bgrating.settings_files import SettingsError
from bgrating.tables.provenance import sha256

FILE_BYTES = 64 * 2**20
MOST_FILES = 1000
"""Files up to this size in its folder identify a program. In a folder with more files the user must
name them."""
BGSAGE_LEVELS = ("1ply", "2ply", "3ply", "4ply", "truncated1", "truncated2", "truncated3")
_BGSAGE_SIDE = Path(__file__).with_name("bgsage_side.py")

Options = tuple[tuple[str, str], ...]
"""Names and values."""


@dataclass(frozen=True)
class Spec:
    """A side of the settings: a level with its engine, or a command with options that speaks UBGI.

    `name` is that of the settings.
    """

    name: str
    level: PlayerLevel | None = None
    engine: Engine | None = None
    command: tuple[str, ...] = ()
    options: Options = ()


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
            remedy = INSTALL.format(BGSAGE)
            raise SettingsError(f"{name}: the package bgsage is not installed; {remedy}")
        return Spec(name, command=(sys.executable, str(_BGSAGE_SIDE), level))
    named_engine = name.partition("@")[2]
    return Spec(name, level_of(name), _engine(named_engine) if named_engine else engine)


def command_of(name: str, options: Options) -> Spec:
    """Return a side `ubgi:COMMAND`. Raises SettingsError."""
    try:
        command = tuple(shlex.split(name.removeprefix(UBGI)))
    except ValueError as problem:  # a quotation mark or backslash at the end
        raise SettingsError(f"{name}: {problem}") from problem
    program = shutil.which(command[0]) if command else None
    if not program:
        absent = command[0] if command else "an empty command"
        raise SettingsError(f"{name}: {absent} is no program here")
    return Spec(name, command=(program, *command[1:]), options=options)


def options_of(texts: Iterable[str]) -> Options:
    """Return options NAME=VALUE. Raises SettingsError."""
    options = []
    for text in texts:
        name, equals, value = text.partition("=")
        if not name or not equals:
            raise SettingsError(f"--option {text!r} is not of the form NAME=VALUE")
        options.append((name, value))
    return tuple(options)


def by_side(names: Iterable[str], texts: Iterable[str], option: str) -> dict[str, list[str]]:
    """Return the texts SIDE:TEXT of an option by name; SIDE is 1 or 2. Raises SettingsError."""
    by_name: dict[str, list[str]] = {name: [] for name in names}
    by_number = dict(zip("12", by_name.values(), strict=False))
    for text in texts:
        side, _, rest = text.partition(":")
        if side not in by_number or not rest:
            raise SettingsError(f"{option} {text!r} does not begin with the side: 1: or 2:")
        by_number[side].append(rest)
    return by_name


def checksums(side: Spec, named: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of a side's program, of the files in its command, and of `named` ones.

    If none is named, the other files in the same folders count too (`_beside`). Raises
    SettingsError for a file that does not exist.
    """
    files = [side.engine.program] if side.engine else []
    files += [file for file in map(Path, side.command) if file.is_file()]
    beside = list(map(Path, named))
    for file in beside:
        if not file.is_file():
            raise SettingsError(f"--file: there is no file {file}")
    if side.command and not beside:
        beside = _beside(side, files)
    # Of several links to a file one name counts, in whatever order the folder lists them.
    every = dict(sorted((file.resolve(), file.name) for file in files + beside))
    sums = sorted((name, sha256(file)) for file, name in every.items())
    return {f"{name} {number}": digest for number, (name, digest) in enumerate(sums)}


def _beside(side: Spec, files: Iterable[Path]) -> list[Path]:
    """Return the files in the folders of a side's `files`.

    Folders of the search path are left out, since they hold other programs. Raises SettingsError
    for a folder with too many files.
    """
    search = {Path(folder).resolve() for folder in os.get_exec_path()}
    search.add(Path(sys.executable).resolve().parent)
    identifying: list[Path] = []
    for folder in {file.resolve().parent for file in files} - search:
        beside = [file for file in folder.iterdir() if file.is_file()]
        if len(beside) > MOST_FILES:
            remedy = f"name those that {side.name} reads by --file"
            raise SettingsError(f"{folder} has {len(beside):,} files; {remedy}")
        identifying += [file for file in beside if file.stat().st_size <= FILE_BYTES]
    return identifying


def _engine(name: str) -> Engine:
    """Return a known engine by its name, or a gnubg program of any version and nets by its path."""
    program = None if name in {known.name for known in known_engines()} else shutil.which(name)
    version = program_version(Path(program)) if program else ""
    if not program or not version.startswith("GNU Backgammon"):
        return find_engine(name)
    return Engine(KnownEngine(name, version), Path(program).absolute(), find_clock())
