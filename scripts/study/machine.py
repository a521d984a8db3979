"""Print the system packages that ./run needs and the machine lacks.

There is a line each for Debian, Fedora and MacPorts.

Usage: machine.py PART ENGINE READY. ENGINE is empty if the command needs none; READY is empty if
.venv has to be made. Any Python can start this; one that is too old ends with status 3.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - an older Python may run this
    sys.exit(3)

import ctypes
import importlib.util
import platform
import shutil
import sysconfig
from pathlib import Path

# Debian's folder of games, which is not on root's PATH.
GAMES = "/usr/games"


def loads(library: str) -> bool:
    try:
        return bool(ctypes.CDLL(f"lib{library}-2.0.so.0"))
    except OSError:
        return False


def lacking(part: str, engine: str, ready: str) -> list[tuple[str, str, str]]:
    """Return the missing packages, each by its names in Debian, Fedora and MacPorts."""
    names = []
    # The engine's package and one of the study have no wheel for it.
    is_new = sys.version_info >= (3, 14)
    python = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    if not ready and not all(map(importlib.util.find_spec, ("ensurepip", "venv"))):
        names.append((f"{python}-venv", "python3", "python313"))
    can_compile = shutil.which("gcc") and Path(sysconfig.get_path("include"), "Python.h").is_file()
    if not ready and part == "study" and is_new and not can_compile:
        names.append(("gcc python3-dev", "gcc python3-devel", ""))
    has_package = (sys.platform, platform.machine()) == ("linux", "x86_64") and not is_new
    has_gnubg = shutil.which("gnubg") or shutil.which("gnubg", path=GAMES)
    has_clock = shutil.which("faketime")
    if (
        not engine
        or (has_gnubg and has_clock)
        or (has_package and loads("glib") and loads("gobject"))
    ):
        return names
    if has_package:
        return [*names, ("libglib2.0-0", "glib2", "")]  # on Debian 13 libglib2.0-0t64 provides it
    if not has_gnubg:
        names.append(("gnubg", "gnubg", "gnubg"))
    if not has_clock:
        names.append(("faketime", "libfaketime", "libfaketime"))
    return names


if __name__ == "__main__":
    for packages in zip(*lacking(*sys.argv[1:]), strict=True):
        print(*filter(None, packages))
