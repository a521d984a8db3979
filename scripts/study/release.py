"""`./run release`: wheel and source distribution from a clean clone, tried in an empty environment of each Python."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import requests

from bgrating import BgratingError
from bgrating.command import PATH
from bgrating.places import CHECKOUT
from bgrating.tables.provenance import sha256
from study.environment import for_uv

PYTHONS = ("3.11", "3.12", "3.13")
_UV = Path(sys.executable).with_name("uv")
_PATIENCE = 600.0


@click.command()
@click.argument("folder", type=PATH)
@click.option(
    "--python",
    "pythons",
    multiple=True,
    help="a Python, or its version, to try it with (default: 3.11, 3.12 and 3.13, those that are there)",
)
def command(folder: Path, pythons: Sequence[str]) -> None:
    """Build the last commit into FOLDER, try it with each Python, and write checksums and what was tried."""
    if folder.exists():
        raise BgratingError(f"{folder} is there already: name a new folder")
    found = {}
    for name in pythons or PYTHONS:
        with contextlib.suppress(*() if pythons else (BgratingError,)):
            found[name] = _uv("python", "find", "--no-project", "--system", name).strip()
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        source, made = Path(place, "source"), Path(place, "made")
        _done("git", "clone", "--quiet", "--no-hardlinks", str(CHECKOUT), str(source))
        _uv("build", "--quiet", "--out-dir", str(made), str(source))
        (made / ".gitignore").unlink()  # uv's
        shutil.copy(source / "requirements.lock", made)
        (wheel,) = made.glob("*.whl")
        tried = [
            _tried(path, wheel, source / "examples", Path(place, str(number)))
            for number, path in enumerate(found.values())
        ]
        absent = [f"Python {name}: not on this machine, not tried" for name in pythons or PYTHONS if name not in found]
        commit = _done("git", "-C", str(source), "rev-parse", "HEAD").strip()
        (made / "TRIED.txt").write_text("\n".join([f"commit {commit}", *tried, *absent, ""]), encoding="utf-8")
        sums = [f"{sha256(path)}  {path.name}" for path in sorted(made.iterdir())]
        (made / "SHA256SUMS").write_text("\n".join([*sums, ""]), encoding="utf-8")
        shutil.copytree(made, folder)
    click.echo("\n".join([*tried, *absent, f"Release: {folder}"]))


def _tried(python: str, wheel: Path, examples: Path, place: Path) -> str:
    """Install the wheel into an empty environment; rate the examples and have `serve` rate one of them; return it."""
    home, inside = place / "home", place / "environment"
    home.mkdir(parents=True)
    _uv("venv", "--quiet", "--no-project", "--python", python, str(inside))
    _uv("pip", "install", "--quiet", "--python", str(inside / "bin" / "python"), f"{wheel}[serve]")
    program = str(inside / "bin" / "bgrating")
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "BGRATING_STORE": str(home / "store")}
    rated = _done(program, "rate", str(examples), "--check", "none", cwd=home, env=environment).splitlines()[0]
    served = _served(program, next(examples.glob("*.mat")), home, environment)
    version = _done(str(inside / "bin" / "python"), "--version").strip()
    return f"{version}: rate: {rated}; serve: {served}"


def _served(program: str, match: Path, home: Path, environment: dict[str, str]) -> str:
    words = [program, "serve", "--no-open", "--json", "--results", str(home / "served")]
    pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
    with subprocess.Popen(words, cwd=home, env=environment, stdout=pipe, stderr=nothing, text=True) as server:
        try:
            assert server.stdout
            *_, last = dropped(json.loads(server.stdout.readline())["page"], [match])
            players = home / "served" / "human" / "dropped" / "players.csv"
            if last["state"] != "rated" or not players.is_file():
                raise BgratingError(f"serve of {program} ended with state {last['state']}")
        finally:
            server.send_signal(signal.SIGINT)
        server.wait(60)
    return f"{len(players.read_text(encoding='utf-8').splitlines()) - 1} players"


def dropped(page: str, files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Drop files on a new page of `serve`; yield what it tells of them until they are no longer rated."""
    with requests.Session() as browser:
        browser.get(page, timeout=_PATIENCE).raise_for_status()  # its answer is the cookie with the token
        page = page.partition("/?")[0]
        browser.headers["Origin"] = page
        parts = [("files", (path.name, path.read_bytes())) for path in files]
        form = {"collection": "dropped", "level": "0-ply"}
        browser.post(f"{page}/drop", form, files=parts, timeout=_PATIENCE).raise_for_status()
        with browser.get(f"{page}/events", stream=True, timeout=_PATIENCE) as events:
            for line in filter(None, events.iter_lines(chunk_size=1)):
                (state,) = json.loads(line.removeprefix(b"data: "))
                yield state
                if state["state"] not in {"waiting", "running"}:
                    return


def _uv(*words: str) -> str:
    listed = _done(sys.executable, "-m", "pip", "config", "list")
    environment, options = for_uv(listed, os.environ)
    return _done(str(_UV), *words, *(options if words[0] in {"build", "pip"} else ()), env=environment)


def _done(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program and return what it printed. Raises BgratingError with its last words where it fails."""
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        raise BgratingError(f"{' '.join(words[:3])} failed: {' '.join(done.stderr.split()[-40:])}")
    return done.stdout
