"""`./run release`.

Build wheel and source distribution from a clean clone; try them with each Python.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import click

from bgrating import BgratingError
from bgrating.command import PATH
from bgrating.places import CHECKOUT
from bgrating.tables.provenance import sha256
from study.environment import environment_of_uv

PYTHONS = ("3.11", "3.12", "3.13")


@click.command()
@click.argument("folder", type=PATH)
@click.option(
    "--python",
    "pythons",
    multiple=True,
    default=PYTHONS,
    help="a Python, or its version, to try it with",
)
def command(folder: Path, pythons: Sequence[str]) -> None:
    """Build the last commit into FOLDER, try it with each Python, and write checksums and what was
    tried.
    """
    if folder.exists():
        raise BgratingError(f"{folder} is there already: name a new folder")
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        source = Path(place, "source")
        made = Path(place, "made")
        _output("git", "clone", "--quiet", "--no-hardlinks", str(CHECKOUT), str(source))
        for package in (source, source / "scripts" / "bgmatch"):
            _uv("build", "--quiet", "--out-dir", str(made), str(package))
        (made / ".gitignore").unlink()  # uv's
        shutil.copy(source / "requirements.lock", made)
        lines = ["commit " + _output("git", "-C", str(source), "rev-parse", "HEAD").strip()]
        for number, python in enumerate(pythons):
            lines.append(
                f"{python}:"
                f" {_try(python, sorted(made.glob('*.whl')), source, Path(place, str(number)))}"
            )
        (made / "TRIED.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
        sums = [f"{sha256(path)}  {path.name}\n" for path in sorted(made.iterdir())]
        (made / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
        shutil.copytree(made, folder)
    click.echo("\n".join([*lines, f"Release: {folder}"]))


def _try(python: str, wheels: Sequence[Path], source: Path, place: Path) -> str:
    """Install the wheels into an empty environment, run `rate` on the examples, and return its
    first line.
    """
    inside = place / "environment"
    home = place / "home"
    home.mkdir(parents=True)
    try:
        _uv(
            "venv",
            "--quiet",
            "--no-project",
            "--no-python-downloads",
            "--python",
            python,
            str(inside),
        )
    except BgratingError as problem:
        if python not in PYTHONS:
            raise
        return f"not tried, {problem}"
    bgmatch, bgrating = wheels
    _uv(
        "pip",
        "install",
        "--quiet",
        "--python",
        str(inside / "bin" / "python"),
        str(bgmatch),
        f"{bgrating}[rate]",
    )
    program = str(inside / "bin" / "bgrating")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    rated = _output(
        program, "rate", str(source / "examples"), "--check", "none", cwd=home, env=environment
    )
    return f"rate: {rated.splitlines()[0]}"


def _uv(*words: str) -> None:
    _output("uv", *words, env=environment_of_uv(sys.executable))


def _output(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program and return its output.

    Raises BgratingError with the end of its messages if it fails.
    """
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BgratingError(f"{' '.join(words[:3])} failed: {' '.join(done.stderr.split()[-40:])}")
    return done.stdout
