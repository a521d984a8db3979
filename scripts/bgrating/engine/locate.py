"""Find gnubg and the faketime library on this machine."""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from bgrating.engine.errors import ClockNotFoundError, EngineNotFoundError

# Debian puts games where root's PATH does not look.
GAMES = "/usr/games"
# The variables through which faketime's wrapper loads its library, on Linux and on macOS.
_PRELOAD_VARIABLES = ("LD_PRELOAD", "DYLD_INSERT_LIBRARIES", "DYLD_FORCE_FLAT_NAMESPACE")

_INSTALL_ENGINE = "install it (Debian, Ubuntu, Fedora: package gnubg) or say where it is: --config engine=PATH"
_INSTALL_CLOCK = "install it (Debian, Ubuntu: package faketime; Fedora, Homebrew: package libfaketime)"


@dataclass(frozen=True)
class Engine:
    """A gnubg to run.

    `program` is its absolute path; `clock_environment` the environment variables that load faketime's library;
    `version` the version it must report, for example `1.07.001`.
    """

    program: Path
    clock_environment: tuple[tuple[str, str], ...]
    version: str


def find_engine(version: str, path: str | None = None) -> Engine:
    """Find gnubg (at `path` if given, otherwise on PATH or in /usr/games) and faketime.

    Raises EngineNotFoundError or ClockNotFoundError. The version is checked when the engine runs.
    """
    return Engine(_find_program(path), _find_clock(), version)


def _find_program(path: str | None) -> Path:
    if path:
        found = shutil.which(path)
        if found is None:
            raise EngineNotFoundError(f"engine={path}: no such program; {_INSTALL_ENGINE}")
    else:
        found = shutil.which("gnubg") or shutil.which("gnubg", path=GAMES)
        if found is None:
            raise EngineNotFoundError(f"GNU Backgammon (gnubg) is neither on PATH nor in {GAMES}: {_INSTALL_ENGINE}")
    return Path(found).absolute()


def _find_clock() -> tuple[tuple[str, str], ...]:
    """Ask faketime's wrapper how it loads its library.

    The engine is started with the library itself: the wrapper leaves shared-memory files behind when it is killed.
    """
    wrapper = shutil.which("faketime")
    if wrapper is None:
        raise ClockNotFoundError(f"faketime is not on PATH: {_INSTALL_CLOCK}")
    clean = {name: value for name, value in os.environ.items() if name not in _PRELOAD_VARIABLES}
    listing = subprocess.run(
        [wrapper, "-f", "2003-08-07 00:00:01 x10", "env"],
        env=clean,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    pairs = (line.split("=", 1) for line in listing.splitlines() if "=" in line)
    found = tuple((name, value) for name, value in pairs if name in _PRELOAD_VARIABLES)
    if not found:
        raise ClockNotFoundError(f"{wrapper} sets none of {', '.join(_PRELOAD_VARIABLES)}: {_INSTALL_CLOCK}")
    return found
