"""Find an engine on this machine.

The embedded one, or a gnubg program with the faketime library.
"""

import ctypes
import importlib.metadata
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from bgmatch.records import Record
from bgrating.engine.errors import ClockNotFoundError, EngineNotFoundError, EngineVersionError
from bgrating.engine.nets import KnownEngine, known_engines
from bgrating.engine.process import EndedError, FloodError, LateError, Process

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

# The commands of package managers that print the package of a file, and a package's name with its
# version.
_PACKAGE_MANAGERS = (
    (("dpkg-query", "-S"), ("dpkg-query", "-W", "-f", "${Package} ${Version}")),
    (("rpm", "-q", "-f"), ("rpm", "-q")),
)

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

    `known` has the facts that it must match; `program` is the program, or the module that Python
    loads. For a program `clock` has the environment variables that load faketime's library.
    """

    known: KnownEngine
    program: Path
    clock: tuple[tuple[str, str], ...] = ()

    def launch(
        self, clock: datetime | None = None, inside: Path = INSIDE
    ) -> tuple[list[str], dict[str, str]]:
        """Return the command that runs the file `inside` in the engine, and its environment
        variables.

        With a `clock` the engine's time stands still at that UTC second, and sleeps are shortened.
        A module needs no clock for analysis, which draws no noise and seldom sleeps, and then runs
        wherever Python does.
        """
        if not self.known.is_module:
            date = f"{(clock or ANALYSIS_CLOCK).astimezone(UTC):%Y-%m-%d %H:%M:%S}"
            speed = _CLOCK_FACTOR if clock else _ANALYSIS_CLOCK_FACTOR
            command = [str(self.program), "-t", "-q", "-r", "-p", str(inside)]
            return command, {
                **dict(self.clock),
                "FAKETIME": f"{date} x{speed}",
                "BGRATING_INSIDE": str(inside),
            }
        variables = {
            "BGRATING_PACKAGES": str(self.program.parents[1]),
            "BGRATING_INSIDE": str(inside),
        }
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
        """Return the name and build of the engine's package, from the package manager."""
        if self.known.is_module:
            return self.known.package
        for owner, version in _PACKAGE_MANAGERS:
            if packaged := _output([*owner, str(self.program)]):
                name = packaged.split(":")[0]
                return _output([*version, name]) or name
        return "not from a package"


def find_engine(wanted: str = "", nets: str = "") -> Engine:
    """Find an engine.

    A known one by name, a program by its path, or (empty) the first known one that is installed.

    With `nets` only engines with these nets count. Raises EngineNotFoundError, EngineVersionError
    or ClockNotFoundError. Weights and databases are checked when the engine runs.
    """
    names = {known.name: known for known in known_engines() if nets in {"", known.nets}}
    if wanted in names:
        return _find(names[wanted])
    if wanted:
        return _program(shutil.which(wanted), wanted, nets)
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
    engine = _program(path, path, known.nets)
    if engine.known is not known:
        raise EngineVersionError(
            f"{path} is {engine.known.version}, not {known.version}: {known.install}"
        )
    return engine


def _module(known: KnownEngine) -> Engine:
    """Find the embedded engine.

    Raises EngineNotFoundError if it is absent, of another version or does not load.
    """
    name, version = known.package.split()
    spec = importlib.util.find_spec(name)
    folders = sorted(map(Path, spec.submodule_search_locations or ())) if spec else []
    files = [
        file
        for folder in folders
        for file in folder.glob(f"_{name}*")
        if file.suffix in {".so", ".pyd"}
    ]
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
    """Return the offsets of the module's pointers to the functions that inside/embedded.py
    replaces.

    They are its relocations of type R_X86_64_JUMP_SLOT (7) in .rela.plt.
    """
    from elftools.elf.elffile import ELFFile  # noqa: PLC0415 - analysis does not need it

    with module.open("rb") as data:
        elf: Any = ELFFile(data)
        relocations = elf.get_section_by_name(".rela.plt")
        symbols = elf.get_section_by_name(".dynsym")
        offsets = {
            name: int(relocation["r_offset"])
            for relocation in relocations.iter_relocations()
            if (name := symbols.get_symbol(relocation["r_info_sym"]).name) in _REPLACED
        }
    if set(offsets) != set(_REPLACED):
        raise EngineVersionError(
            f"{module} does not call {' and '.join(_REPLACED)}: it is not the known engine"
        )
    return tuple(offsets.items())


def _program(path: str | None, wanted: str, nets: str) -> Engine:
    known = ", ".join(f"{engine.version} ({engine.name})" for engine in known_engines())
    if path is None:
        raise EngineNotFoundError(
            f"engine={wanted}: no such program, and none of the known engines: {known}"
        )
    program = Path(path).absolute()
    version = program_version(program)
    for engine in known_engines():
        if not engine.is_module and engine.has_version(version) and nets in {"", engine.nets}:
            return Engine(engine, program, find_clock())
    raise EngineVersionError(
        f"{program} reports '{version}', which is not a known"
        f" engine{f' with the nets {nets}' if nets else ''}; known are {known}. Other versions play"
        " and analyse differently"
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
        raise EngineVersionError(
            f"{program} --version is that of no known engine: {problem}"
        ) from problem
    except LateError as problem:
        raise EngineNotFoundError(
            f"{program} --version printed nothing within {VERSION_SECONDS:.0f} s: is it GNU"
            " Backgammon?"
        ) from problem
    finally:
        process.close()
    return line


def _output(command: list[str]) -> str:
    try:
        process = subprocess.run(
            command, capture_output=True, text=True, errors="replace", check=False
        )
    except FileNotFoundError:
        return ""
    return "" if process.returncode else process.stdout.strip()


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
    left = '"/dev/shm/faketime_shm_$$" "/dev/shm/sem.faketime_sem_$$"'
    command = ["sh", "-c", f'rm -f {left}; exec "$0" -f "2003-08-07 00:00:01 x10" env', wrapper]
    listing = subprocess.run(
        command, env=clean, capture_output=True, text=True, errors="replace", check=False
    )
    if listing.returncode:
        raise ClockNotFoundError(
            f"{wrapper} does not start ({listing.stderr.strip()}): {_INSTALL_CLOCK}"
        )
    pairs = (line.split("=", 1) for line in listing.stdout.splitlines() if "=" in line)
    preloads = tuple((name, value) for name, value in pairs if name in _PRELOAD_VARIABLES)
    if not preloads:
        raise ClockNotFoundError(
            f"{wrapper} sets none of {', '.join(_PRELOAD_VARIABLES)}: {_INSTALL_CLOCK}"
        )
    return preloads


def engine_of(config: Record) -> Engine:
    """Return the engine with the nets of the settings. Raises EngineError."""
    return find_engine(config["engine"], config["nets"])


def check_identity(engine: Engine, about: Record) -> None:
    """Check the identity that an engine reports.

    `version`, `engine` (gnubg's text) and `checksums`.

    Raises EngineVersionError if it differs from the known engine.
    """
    known = engine.known
    version = about.get("version", "")
    if not known.has_version(version):
        raise EngineVersionError(
            f"{engine.program} is '{version}', not {known.version}. Other versions play and analyse"
            f" differently: {known.install}"
        )
    if "2-sided bearoff database" not in about["engine"]:
        raise EngineVersionError(
            f"{engine.program} has no two-sided bearoff database: endings would differ from other"
            " runs. Make it with 'makebearoff -t 6x6 -f gnubg_ts0.bd' in its data folder (Debian:"
            " dpkg-reconfigure gnubg)"
        )
    for name, expected in known.checksums.items():
        if about["checksums"].get(name, expected) != expected:
            raise EngineVersionError(
                f"{engine.program}: its {name} is not that of {known.version} (sha256"
                f" {about['checksums'][name]}, not {expected}), so its figures would be another"
                f" engine's: {known.install}"
            )
