"""Is all that requirements.lock pins installed here and whole? `./run` starts this with the Python of .venv.

Prints the files and folders that ./run checks at every later start, one a line, relative to the environment. If
packages are missing it names them on standard error and ends with status 1.
"""

import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib.metadata import PackageNotFoundError, distribution
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
        files = [file for file in installed.files or () if file.suffix != ".pyc"]
        if not wanted.specifier.contains(installed.version) or not all(
            Path(str(file.locate())).exists() for file in files
        ):
            yield wanted.name


if __name__ == "__main__":
    if names := list(damaged(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())):
        sys.exit(", ".join(names))
    site = Path(sysconfig.get_path("purelib"))
    print(*sorted(str(path.relative_to(sys.prefix)) for path in site.iterdir() if path.name != "__pycache__"), sep="\n")
