"""Find an engine on this machine: the embedded one, or a gnubg program with faketime."""

import ctypes
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bgmatch.records import Record
from bgrating.engine.engine_errors import (
    ClockNotFoundError,
    EngineNotFoundError,
    EngineVersionError,
)
from bgrating.engine.known_engines import KnownEngine, known_engines
from bgrating.engine.process import EndedError, FloodError, LateError, Process
from bgrating.tables.provenance import output

# Debian's folder of games is not on root's PATH.
GAMES = "/usr/games"
VERSION_SECONDS = 60.0
# The variables through which faketime's wrapper loads its library, on Linux and on macOS.
_PRELOAD_VARIABLES = ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "DYLD_FORCE_FLAT_NAMESPACE")
INSIDE = Path(__file__).parents[1] / "inside" / "main.py"
"""The module that runs in every engine."""
_REPLACED = ("time", "g_usleep")
# In play the engine sleeps at least 10 ms for every decision. Analysis seldom sleeps, and a faster
# clock only makes its waiting thread wake more often: a factor of 1000 cost an eighth more CPU than
# 10.
_CLOCK_FACTOR = 200
_ANALYSIS_CLOCK_FACTOR = 10

ANALYSIS_CLOCK = datetime(2003, 8, 7, tzinfo=UTC)
"""The clock of analysis, which draws no random numbers: it stands still so that no figure can
depend on the time."""

_INSTALL_CLOCK = (
    "install it (Debian, Ubuntu: package faketime; Fedora, Homebrew: package libfaketime)"
)
_INSTALL_GLIB = (
    "install it (Debian 12: package libglib2.0-0; Debian 13, Ubuntu: libglib2.0-0t64; Fedora:"
    " glib2)"
)


@dataclass(frozen=True)
class Engine:
    """An engine to run.

    `known` describes what it must be; `program` is the program, or the module that Python
    loads. For a program `clock` has the environment variables that load faketime's library.
    """

    known: KnownEngine
    program: Path
    clock: tuple[tuple[str, str], ...] = ()

    def launch(
        self, clock: datetime | None = None, inside: Path = INSIDE
    ) -> tuple[list[str], dict[str, str]]:
        """Return the command that runs the file `inside` in the engine, and its variables.

        With a `clock` the engine's time stands still at that UTC second, and sleeps are shortened.
        A module needs no clock for analysis, which draws no noise and seldom sleeps, and then runs
        wherever Python does.
        """
        variables = {"BGRATING_INSIDE": str(inside)}
        if not self.known.is_module:
            date = f"{(clock or ANALYSIS_CLOCK).astimezone(UTC):%Y-%m-%d %H:%M:%S}"
            speed = _CLOCK_FACTOR if clock else _ANALYSIS_CLOCK_FACTOR
            variables |= {**dict(self.clock), "FAKETIME": f"{date} x{speed}"}
            return [str(self.program), "-t", "-q", "-r", "-p", str(inside)], variables
        variables["BGRATING_PACKAGES"] = str(self.program.parents[1])
        if clock:
            inside = INSIDE.with_name("embedded.py")
            settings = {
                "module": str(self.program),
                "slots": dict(_replaced_calls(self.program)),
                "second": int(clock.timestamp()),
                "sleep_divisor": _CLOCK_FACTOR,
            }
            variables["BGRATING_EMBEDDED"] = json.dumps(settings)
        return [sys.executable, "-I", "-S", str(inside)], variables

    def package(self) -> str:
        """Return the name and build of the engine's package; Debian knows those of its files."""
        if self.known.is_module:
            return self.known.package
        owner = output("dpkg-query", "-S", self.program)
        if not owner:
            return "not from a package"
        name = owner.partition(":")[0]
        return output("dpkg-query", "-W", "-f", "${Package} ${Version}", name)


def find_engine(name_or_path: str = "", engine_version: str = "") -> Engine:
    """Find an engine by its name or by the path of a program.

    If `name_or_path` is empty, it is the first known engine that is installed. With an
    `engine_version` only engines of that version count. Weights and databases are checked when the
    engine runs. Raises EngineNotFoundError, EngineVersionError or ClockNotFoundError.
    """
    names = {
        known.name: known for known in known_engines() if engine_version in {"", known.version}
    }
    if name_or_path in names:
        return _find(names[name_or_path])
    if name_or_path:
        return _program(name_or_path, names.values())
    problems = []
    for known in names.values():
        try:
            return _find(known)
        except (EngineNotFoundError, EngineVersionError) as problem:
            problems.append(str(problem))
    raise EngineNotFoundError("; ".join(dict.fromkeys(problems)))


def _find(known: KnownEngine) -> Engine:
    if known.is_module:
        return _module(known)
    path = shutil.which("gnubg") or shutil.which("gnubg", path=GAMES)
    if path is None:
        raise EngineNotFoundError(
            f"GNU Backgammon (gnubg) is neither on PATH nor in {GAMES}: {known.install}"
        )
    return _program(path, [known])


def _module(known: KnownEngine) -> Engine:
    """Find the embedded engine.

    Raises EngineNotFoundError if it is absent, of another version or does not load.
    """
    name, version = known.package.split()
    spec = importlib.util.find_spec(name)
    folders = map(Path, spec.submodule_search_locations or ()) if spec else ()
    files = [file for folder in folders for file in sorted(folder.glob(f"_{name}*.so"))]
    if not files or importlib.metadata.version(name) != version:
        raise EngineNotFoundError(
            f"the Python package {known.package} is not installed here: {known.install}"
        )
    try:
        ctypes.CDLL(str(files[0]))
    except OSError as problem:
        raise EngineNotFoundError(
            f"the embedded engine does not load ({problem}): {_INSTALL_GLIB}"
        ) from problem
    return Engine(known, files[0])


@cache
def _replaced_calls(module: Path) -> tuple[tuple[str, int], ...]:
    """Return the offsets of the pointers to functions that inside/embedded.py replaces.

    They are the module's relocations of type R_X86_64_JUMP_SLOT (7) in .rela.plt.
    """
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - analysis does not need it

    offsets = {}
    with module.open("rb") as data:
        elf: Any = ELFFile(data)
        symbols = elf.get_section_by_name(".dynsym")
        for relocation in elf.get_section_by_name(".rela.plt").iter_relocations():
            name = symbols.get_symbol(relocation["r_info_sym"]).name
            if name in _REPLACED:
                offsets[name] = int(relocation["r_offset"])
    if set(offsets) != set(_REPLACED):
        calls = " and ".join(_REPLACED)
        raise EngineVersionError(f"{module} does not call {calls}: it is not the known engine")
    return tuple(offsets.items())


def _program(name_or_path: str, known: Iterable[KnownEngine]) -> Engine:
    """Return a program that is one of the known engines."""
    programs = [engine for engine in known if not engine.is_module]
    names = ", ".join(f"{engine.reported} ({engine.name})" for engine in programs)
    path = shutil.which(name_or_path)
    if path is None:
        raise EngineNotFoundError(
            f"engine={name_or_path}: no such program, and no known engine: {names}"
        )
    program = Path(path).absolute()
    version = program_version(program)
    for engine in programs:
        if engine.has_version(version):
            return Engine(engine, program, find_clock())
    raise EngineVersionError(
        f"{program} reports '{version}', which is not a known engine; known are {names}. Other"
        " versions play and analyse differently"
    )


def program_version(program: Path) -> str:
    """Return the first line that a program prints for --version within VERSION_SECONDS."""
    try:
        process = Process([program, "--version"])
    except OSError as problem:
        raise EngineNotFoundError(f"{program} cannot be started: {problem}") from problem
    line = ""
    try:
        process.finish()
        process.limit(VERSION_SECONDS)
        while not line:
            line = process.hear().decode("utf-8", "replace").strip()
    except EndedError as end:
        line = end.rest.strip()
    except FloodError as problem:
        sentence = f"{program} --version is that of no known engine: {problem}"
        raise EngineVersionError(sentence) from problem
    except LateError as problem:
        sentence = f"{program} --version printed nothing within {VERSION_SECONDS:.0f} s"
        raise EngineNotFoundError(f"{sentence}: is it GNU Backgammon?") from problem
    finally:
        process.close()
    return line


@cache
def find_clock() -> tuple[tuple[str, str], ...]:
    """Return the environment variables with which faketime's wrapper loads its library.

    The engine is started with them, not with the wrapper, which leaves shared-memory files behind
    when it is killed.
    """
    wrapper = shutil.which("faketime")
    if wrapper is None:
        raise ClockNotFoundError(f"faketime is not on PATH: {_INSTALL_CLOCK}")
    clean = {name: value for name, value in os.environ.items() if name not in _PRELOAD_VARIABLES}
    # The wrapper does not start if a killed process with the same number has left shared memory.
    remains = '"/dev/shm/faketime_shm_$$" "/dev/shm/sem.faketime_sem_$$"'
    command = ["sh", "-c", f'rm -f {remains}; exec "$0" -f "2003-08-07 00:00:01 x10" env', wrapper]
    listing = subprocess.run(
        command, env=clean, capture_output=True, text=True, errors="replace", check=False
    )
    pairs = [line.partition("=") for line in listing.stdout.splitlines()]
    preloads = tuple((name, value) for name, _, value in pairs if name in _PRELOAD_VARIABLES)
    if listing.returncode or not preloads:
        reason = listing.stderr.strip() or f"it sets none of {', '.join(_PRELOAD_VARIABLES)}"
        raise ClockNotFoundError(f"{wrapper} does not start ({reason}): {_INSTALL_CLOCK}")
    return preloads


def engine_of(config: Record) -> Engine:
    """Return the engine of the settings. Raises EngineError."""
    return find_engine(config["engine"], config["nets"])


def check_identity(engine: Engine, identity: Record) -> None:
    """Check the `version`, `engine` (gnubg's text) and `checksums` that an engine reports.

    Raises EngineVersionError if they differ from those of the known engine.
    """
    known = engine.known
    version = identity.get("version", "")
    if not known.has_version(version):
        raise EngineVersionError(
            f"{engine.program} is '{version}', not {known.reported}. Other versions play and"
            f" analyse differently: {known.install}"
        )
    if "2-sided bearoff database" not in identity["engine"]:
        raise EngineVersionError(
            f"{engine.program} has no two-sided bearoff database: endings would differ from other"
            " runs. Make it with 'makebearoff -t 6x6 -f gnubg_ts0.bd' in its data folder (Debian:"
            " dpkg-reconfigure gnubg)"
        )
    sums = identity["checksums"]
    for name in sorted(known.checksums.keys() & sums.keys()):
        if sums[name] != known.checksums[name]:
            raise EngineVersionError(
                f"{engine.program}: its {name} is not that of {known.reported} (sha256"
                f" {sums[name]}), so its figures would be another engine's: {known.install}"
            )
