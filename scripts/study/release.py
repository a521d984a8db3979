"""`./run release`: wheel and source distribution from a clean clone, tried in an empty environment of each Python."""

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
@click.option("--python", "pythons", multiple=True, default=PYTHONS, help="a Python, or its version, to try it with")
def command(folder: Path, pythons: Sequence[str]) -> None:
    """Build the last commit into FOLDER, try it with each Python, and write checksums and what was tried."""
    if folder.exists():
        raise BgratingError(f"{folder} is there already: name a new folder")
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        source, made = Path(place, "source"), Path(place, "made")
        _done("git", "clone", "--quiet", "--no-hardlinks", str(CHECKOUT), str(source))
        _uv("build", "--quiet", "--out-dir", str(made), str(source))
        (made / ".gitignore").unlink()  # uv's
        shutil.copy(source / "requirements.lock", made)
        tried = ["commit " + _done("git", "-C", str(source), "rev-parse", "HEAD").strip()]
        for number, python in enumerate(pythons):
            tried.append(f"{python}: {_tried(python, next(made.glob('*.whl')), source, Path(place, str(number)))}")
        (made / "TRIED.txt").write_text("\n".join([*tried, ""]), encoding="utf-8")
        sums = [f"{sha256(path)}  {path.name}\n" for path in sorted(made.iterdir())]
        (made / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
        shutil.copytree(made, folder)
    click.echo("\n".join([*tried, f"Release: {folder}"]))


def _tried(python: str, wheel: Path, source: Path, place: Path) -> str:
    """Install the wheel into an empty environment, have `rate` rate files there, and return what it said first."""
    inside, home = place / "environment", place / "home"
    home.mkdir(parents=True)
    try:
        _uv("venv", "--quiet", "--no-project", "--no-python-downloads", "--python", python, str(inside))
    except BgratingError as problem:
        if python not in PYTHONS:
            raise
        return f"not tried, {problem}"
    _uv("pip", "install", "--quiet", "--python", str(inside / "bin" / "python"), f"{wheel}[rate]")
    program = str(inside / "bin" / "bgrating")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home)}
    rated = _done(program, "rate", str(source / "examples"), "--check", "none", cwd=home, env=environment)
    return f"rate: {rated.splitlines()[0]}"


def _uv(*words: str) -> None:
    _done(str(Path(sys.executable).with_name("uv")), *words, env=environment_of_uv(sys.executable))


def _done(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program and return what it printed. Raises BgratingError with its last words where it fails."""
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BgratingError(f"{' '.join(words[:3])} failed: {' '.join(done.stderr.split()[-40:])}")
    return done.stdout
