"""Is all that requirements.lock pins installed here and whole? `./run` starts this with the Python of .venv.

Prints the files and folders that ./run checks at every later start, one a line, relative to the environment: each
package, and all files of click, without which no command can say what is missing. If packages are missing it names
them on standard error and ends with status 1.
"""

import csv
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement


def damaged(lock: Iterable[str]) -> Iterator[str]:
    """Yield the names of the packages of a lock file that are missing, of another version, or lack a file."""
    for line in lock:
        if "==" not in line:
            continue
        wanted = Requirement(line.rstrip("\\ \n"))
        if wanted.marker and not wanted.marker.evaluate():
            continue
        try:
            installed = distribution(wanted.name)
        except PackageNotFoundError:
            yield wanted.name
            continue
        paths = files(installed)
        if not (wanted.specifier.contains(installed.version) and paths and all(path.exists() for path in paths)):
            yield wanted.name


def files(installed: Distribution) -> list[Path]:
    """Return the files of a package but for bytecode, also those that are gone.

    `installed.files` leaves out what is gone, from Python 3.12 on.
    """
    record = csv.reader((installed.read_text("RECORD") or "").splitlines())
    return [Path(str(installed.locate_file(row[0]))) for row in record if row and not row[0].endswith(".pyc")]


if __name__ == "__main__":
    if names := list(damaged(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())):
        sys.exit(", ".join(names))
    site = Path(sysconfig.get_path("purelib"))
    found = {path for path in site.iterdir() if path.name != "__pycache__"} | {*files(distribution("click"))}
    print(*sorted(os.path.relpath(path, sys.prefix) for path in found), sep="\n")
