"""Build bgmatch and bgrating from the last commit, install both with each Python, and try them."""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(PROJECT / "scripts"))
from study.environment import environment_of_uv  # noqa: E402 - it is in scripts

PYTHONS = ("3.11", "3.12", "3.13")


def main(folder: Path, pythons: Sequence[str]) -> None:
    """Write the release into the new folder."""
    if folder.exists():
        sys.exit(f"error: {folder} is there already: name a new folder")
    with tempfile.TemporaryDirectory(prefix="bgrating-") as place:
        source = Path(place, "source")
        made = Path(place, "made")
        output("git", "clone", "--quiet", "--no-hardlinks", str(PROJECT), str(source))
        for package in (source, source / "scripts" / "bgmatch"):
            uv("build", "--quiet", "--out-dir", str(made), str(package))
        (made / ".gitignore").unlink()  # uv's
        shutil.copy(source / "requirements.lock", made)
        lines = ["commit " + output("git", "-C", str(source), "rev-parse", "HEAD").strip()]
        for number, python in enumerate(pythons or PYTHONS):
            rated = try_with(python, sorted(made.glob("*.whl")), source, Path(place, str(number)))
            lines.append(f"{python}: {rated}")
        (made / "TRIED.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
        sums = [
            f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n"
            for path in sorted(made.iterdir())
        ]
        (made / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
        shutil.copytree(made, folder)
    print("\n".join([*lines, f"Release: {folder}"]))


def try_with(python: str, wheels: Sequence[Path], source: Path, place: Path) -> str:
    """Install the wheels into an empty environment; return the first line that `rate` prints."""
    inside = place / "environment"
    home = place / "home"
    home.mkdir(parents=True)
    bgmatch, bgrating = map(str, wheels)
    uv("venv", "--quiet", "--no-project", "--python", python, str(inside))
    own_python = str(inside / "bin" / "python")
    uv("pip", "install", "--quiet", "--python", own_python, bgmatch, f"{bgrating}[rate]")
    words = [str(inside / "bin" / "bgrating"), "rate", str(source / "examples"), "--check", "none"]
    rated = output(*words, cwd=home, env={"PATH": os.environ["PATH"], "HOME": str(home)})
    return f"rate: {rated.splitlines()[0]}"


def uv(*words: str) -> None:
    output(str(Path(sys.executable).with_name("uv")), *words, env=environment_of_uv(sys.executable))


def output(*words: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """Run a program and return its output; if it fails, exit with the end of its messages."""
    done = subprocess.run(words, cwd=cwd, env=env, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"error: {' '.join(words[:3])} failed: {' '.join(done.stderr.split()[-40:])}")
    return done.stdout


if __name__ == "__main__":
    parser = argparse.ArgumentParser("./run release", description=__doc__)
    folder = "a new folder for wheels, source distributions, checksums, and what was tried"
    parser.add_argument("folder", metavar="FOLDER", type=Path, help=folder)
    python = f"a path or a version (default: {', '.join(PYTHONS)})"
    parser.add_argument("pythons", metavar="PYTHON", nargs="*", help=python)
    words = parser.parse_args()
    main(words.folder, words.pythons)
